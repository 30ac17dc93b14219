"""The API backend against a server that fails in every way: answers are kept once, failures marked, none invented."""

from __future__ import annotations

import hashlib
import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

pytest.importorskip("openai")
pytest.importorskip("anthropic")
pytest.importorskip("tenacity")

from api_kit import KEYED, QUICK, ask, item_in, items_of, model
from api_server import Act, ApiServer, answer_to, chat

from alifba.azeval.running import run_model
from alifba.backends.api import ApiBackend
from alifba.backends.base import Image, Prompt
from alifba.errors import InputError
from alifba.runs import read_run

pytestmark = pytest.mark.usefixtures("own_keys")
BOTH = pytest.mark.parametrize("provider", ["vllm", "anthropic"])


def chance(*of):
    """A number from 0 to 99 that `of` decides."""
    return int(hashlib.sha256(repr(of).encode()).hexdigest(), 16) % 100


HOPELESS = {7: chat("no", "content_filter"), 13: chat(None, "tool_calls"), 21: chat(None, "length")}
FAULTS = [
    Act({"error": {"message": "slow down"}}, 429, {"retry-after": "0.05"}),
    Act({"error": {"message": "oops"}}, 500),
    Act({"error": {"message": "busy"}}, 503),
    Act(delay=3.0),
    Act(cut=True),
    Act(chat(None)),
    Act(chat("x", choices=[])),
    Act(b'{"choices": ['),
    Act(b"<html>bad gateway</html>", headers={"content-type": "text/html"}),
]


def hostile(request):
    """Half of the first tries fail and fewer of the next, each in its own way; 1 in 10 replies is slow; some items
    never get an answer."""
    number = int(request.item.removeprefix("item-"))
    if number % 50 in HOPELESS:
        return Act(HOPELESS[number % 50])
    if number % 50 == 30:
        return Act({"error": {"message": "this image cannot be read"}}, 400)
    if request.attempt < 4 and chance(number, request.attempt) < 50 / request.attempt:
        return FAULTS[chance("how", number, request.attempt) % len(FAULTS)]
    return Act(delay=0.2 if chance("slow", number) < 10 else 0.0)


def test_a_thousand_items_end_complete_or_marked_none_twice_none_invented(tmp_path, capsys):
    items = items_of(tmp_path, 1000)
    marked = {item.id for n, item in enumerate(items) if n % 50 in (*HOPELESS, 30)}
    with ApiServer(hostile, item_in) as server:
        patience = QUICK | {"try_s": 0.5, "deadline_s": 60.0}
        one = model(server.url, workers=32, retry=patience)
        report = run_model(ApiBackend(one), one, items, "az", "default", tmp_path / "raw")
    lines = report.path.read_text(encoding="utf-8").splitlines()
    rows = {row["id"]: row for row in map(json.loads, lines)}
    assert len(lines) == len(rows) == 1000
    assert {id_ for id_, row in rows.items() if row["raw_response"] is None} == marked
    assert (report.n_answered, report.n_failed) == (1000 - len(marked), len(marked))
    for item in items:
        row = rows[item.id]
        if item.id in marked:
            assert row["error"]
        else:
            assert row["raw_response"] == answer_to(item_in(row["prompt"]))
            assert item_in(row["prompt"]) == item_in(item.question_az)
            assert "error" not in row
            assert row["served_model"] == "served-1"
            assert row["seconds"] > 0
    assert "waiting" in capsys.readouterr().out

    # What failed, and nothing else, is asked again.
    with ApiServer(item_of=item_in) as server:
        one = model(server.url, workers=32)
        again = run_model(ApiBackend(one), one, items, "az", "default", tmp_path / "raw")
        assert len(server.requests) == len(marked)
    assert (again.n_before, again.n_answered, again.n_failed) == (1000 - len(marked), len(marked), 0)
    answers = {id_: row.raw_response for id_, row in read_run(report.path).rows.items()}
    assert answers == {item.id: answer_to(item_in(item.question_az)) for item in items}


@BOTH
def test_the_server_gets_what_was_asked(provider):
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    rich = Prompt("Which script?\nitem-1", "Be brief.", (Image(b"\x89PNG", "image/png"),), schema)
    with ApiServer() as server:
        replies = ask(server.url, ["Paytaxt?\nitem-0", rich], provider=provider, seed=None, **KEYED)
        assert [replies[n].text for n in (0, 1)] == [answer_to("item-0"), answer_to("item-1")]
        sent = {request.item: request for request in server.requests}
    plain, full = sent["item-0"].body, sent["item-1"].body
    assert plain["messages"] == [{"role": "user", "content": "Paytaxt?\nitem-0"}]
    assert (plain["model"], plain["max_tokens"], plain["temperature"]) == ("m-1", 32, 0.0)
    assert [part["type"] for part in full["messages"][-1]["content"]] == [
        "image" if provider == "anthropic" else "image_url",
        "text",
    ]
    assert "sk-for-these-tests" in sent["item-0"].headers.get("authorization", sent["item-0"].headers.get("x-api-key"))
    assert sent["item-0"].path == ("/v1/messages" if provider == "anthropic" else "/v1/chat/completions")


@pytest.mark.parametrize(("provider", "field"), [("vllm", "stop"), ("anthropic", "stop_sequences")])
def test_a_declared_stop_is_told_and_what_is_answered_is_left_out(provider, field):
    with ApiServer() as server:
        opened = ApiBackend(model(server.url, provider=provider, **KEYED))
        replies = list(opened.generate(["item-0", "item-1", "item-2"], 32, frozenset({0, 2}), "\n\nSual:"))
        assert [(reply.index, reply.text) for reply in replies] == [(1, answer_to("item-1"))]
        assert [request.body[field] for request in server.requests] == [["\n\nSual:"]]


def test_a_base_model_is_asked_for_a_completion():
    with ApiServer() as server:
        replies = ask(server.url, ["Sual: ?\nitem-0"], endpoint="completion")
        assert replies[0].text == answer_to("item-0")
        assert server.requests[0].path == "/v1/completions"
        assert server.requests[0].body["prompt"] == "Sual: ?\nitem-0"


@BOTH
def test_the_client_tries_nothing_again_on_its_own(provider):
    with ApiServer(lambda request: Act({"error": {"message": "oops"}}, 500)) as server:
        hasty = QUICK | {"wait_s": 30.0, "longest_wait_s": 30.0, "deadline_s": 5.0}
        replies = ask(server.url, ["item-0"], provider=provider, retry=hasty, **KEYED)
        assert len(server.requests) == 1
    assert replies[0].text is None
    assert replies[0].error.startswith("HTTP 500: ")
    assert replies[0].error.endswith("(try 1)")


@pytest.mark.parametrize("form", ["seconds", "milliseconds", "date"])
def test_the_server_s_own_time_is_honoured(form):
    def act(request):
        if request.attempt > 1:
            return Act()
        asked = {
            "seconds": {"retry-after": "0.6"},
            "milliseconds": {"retry-after-ms": "600", "retry-after": "9"},
            "date": {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)},
        }
        return Act({"error": {"message": "slow down"}}, 429, asked[form])

    with ApiServer(act) as server:
        assert ask(server.url, ["item-0"])[0].text == answer_to("item-0")
        first, second = (request.at for request in server.requests)
    # An HTTP date has whole seconds: two from now is more than one.
    assert second - first >= (0.6 if form != "date" else 0.9)


def test_an_item_whose_server_asks_for_more_than_its_deadline_is_marked_at_once():
    with ApiServer(lambda request: Act({}, 429, {"retry-after": "18000"})) as server:
        begun = time.monotonic()
        reply = ask(server.url, ["item-0"])[0]
        assert time.monotonic() - begun < 5
        assert len(server.requests) == 1
    assert (reply.text, reply.error) == (None, "HTTP 429: Error code: 429 (try 1)")


def test_tries_end_with_the_deadline():
    with ApiServer(lambda request: Act({}, 503)) as server:
        begun = time.monotonic()
        replies = ask(server.url, ["item-0", "item-1"], retry=QUICK | {"deadline_s": 0.6})
        assert time.monotonic() - begun < 4
        assert len(server.requests) > 4
    assert [replies[n].text for n in (0, 1)] == [None, None]


def test_a_reply_that_drips_is_no_reply():
    with ApiServer(lambda request: Act(drip=0.05)) as server:
        begun = time.monotonic()
        reply = ask(server.url, ["item-0"], retry=QUICK | {"try_s": 0.4, "deadline_s": 0.5})[0]
        assert time.monotonic() - begun < 4
    assert "no reply within" in reply.error


def test_json_under_another_label_is_read():
    labelled = {"content-type": "text/plain; charset=utf-8"}
    with ApiServer(lambda request: Act(chat(answer_to(request.item)), headers=labelled)) as server:
        assert ask(server.url, ["item-0"])[0].text == answer_to("item-0")


def test_half_a_surrogate_pair_is_not_sent_again_and_again():
    with ApiServer() as server:
        replies = ask(server.url, ["\ud83d item-0", "item-1"])
        assert [request.item for request in server.requests] == ["item-1"]
    assert "UTF-8" in replies[0].error


def test_waits_are_told_a_line_a_second_and_none_is_lost():
    def act(request):
        return Act() if request.attempt > 3 else Act({"error": {"message": "oops"}}, 500)

    told: list[str] = []
    with ApiServer(act) as server:
        begun = time.monotonic()
        ask(server.url, [f"item-{n}" for n in range(40)], told=told)
        seconds = time.monotonic() - begun
    assert 1 <= len(told) <= seconds + 1
    assert all(line.startswith("request ") and "waiting 0.0 s, attempt " in line for line in told)
    assert 'HTTP 500: {"message": "oops"}' in told[0]


def test_a_server_that_is_down_stops_the_run_and_keeps_what_came(tmp_path):
    items = items_of(tmp_path, 60)
    hasty = QUICK | {"deadline_s": 2.0, "wait_s": 5.0, "longest_wait_s": 5.0, "give_up_after": 5}
    with ApiServer(lambda request: Act() if len(server.requests) <= 10 else Act(cut=True), item_in) as server:
        one = model(server.url, retry=hasty)
        with pytest.raises(InputError, match=r"[5-8] items in a row"):
            run_model(ApiBackend(one), one, items, "az", "default", tmp_path / "raw")
        assert len(server.requests) < 60
    (path,) = (tmp_path / "raw").iterdir()
    assert sum(row.raw_response is not None for row in read_run(path).rows.values()) == 10


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, {"error": {"message": "bad key"}}),
        (402, {"error": {"message": "no credit"}}),
        (404, {"error": {"message": "no such model"}}),
        (429, {"error": {"message": "you exceeded your quota", "code": "insufficient_quota"}}),
    ],
)
@BOTH
def test_what_every_item_would_get_stops_the_run(status, body, provider):
    with ApiServer(lambda request: Act(body, status)) as server:
        prompts = [f"item-{n}" for n in range(50)]
        with pytest.raises(InputError, match=f"HTTP {status} from http://127.0.0.1") as caught:
            ask(server.url, prompts, provider=provider, **KEYED)
        assert len(server.requests) <= 4
    assert body["error"]["message"] in str(caught.value)


def test_answers_in_flight_are_kept_when_a_run_stops(tmp_path):
    items = items_of(tmp_path, 8)

    def act(request):
        return Act({"error": {"message": "bad key"}}, 401) if request.item == "item-0" else Act(delay=0.3)

    with ApiServer(act, item_in) as server:
        one = model(server.url)
        with pytest.raises(InputError, match="401"):
            run_model(ApiBackend(one), one, items, "az", "default", tmp_path / "raw")
        assert len(server.requests) == 4
    (path,) = (tmp_path / "raw").iterdir()
    assert set(read_run(path).rows) == {"t-001", "t-002", "t-003"}


def test_another_model_that_answers_is_noticed_and_counted(tmp_path):
    items = items_of(tmp_path, 6)

    def act(request):
        return Act(chat(answer_to(request.item), model=f"served-{1 + (len(server.requests) > 4)}"))

    told: list[str] = []
    with ApiServer(act, item_in) as server:
        one = model(server.url, workers=1)
        report = run_model(ApiBackend(one, tell=told.append), one, items, "az", "default", tmp_path / "raw")
    assert told == [
        "request 5: another model answers now, served-2; before: served-1 (4)",
        "more than one model answered: served-1 (4), served-2 (2)",
    ]
    run = read_run(report.path)
    assert [row.served_model for row in run.rows.values()] == ["served-1"] * 4 + ["served-2"] * 2
    assert run.notices.counts == {"answered by another model than the first rows": 2}
