"""Settings that an endpoint refuses, money, and how many are asked at once."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import datetime

import pytest

pytest.importorskip("openai")
pytest.importorskip("anthropic")
pytest.importorskip("tenacity")

from api_kit import KEYED, ask, everything_under, item_in, items_of, model
from api_server import Act, ApiServer, answer_to, chat, message

from alifba.azeval.running import estimate_run, plan, run_model
from alifba.backends.api import ApiBackend
from alifba.backends.base import Prompt, UnsupportedSetting
from alifba.backends.pricing import CostLimit, most_prompt_tokens
from alifba.config import load_study
from alifba.errors import InputError
from samples import write_study

pytestmark = pytest.mark.usefixtures("own_keys")

REFUSAL = "Unsupported value: 'reasoning_effort' does not support 'none' with this model."


def test_an_endpoint_that_refuses_a_setting_is_recorded_and_not_asked_again(tmp_path):
    items = items_of(tmp_path, 30)
    error = {
        "message": REFUSAL,
        "type": "invalid_request_error",
        "param": "reasoning_effort",
        "code": "unsupported_value",
    }
    with ApiServer(lambda request: Act({"error": error}, 400), item_in) as server:
        api = model(server.url, provider="openai", reasoning="off", **KEYED).model_dump(exclude_defaults=True)
        study = load_study(write_study(tmp_path, models=[api]))
        one = study.model("one")
        with pytest.raises(UnsupportedSetting, match="refuses the declared setting 'reasoning'"):
            run_model(ApiBackend(one), one, items, "az", "default", tmp_path / "raw")
        assert len(server.requests) <= 4
    assert not list((tmp_path / "raw").iterdir())
    (record,) = (tmp_path / "unsupported").iterdir()
    assert record.name == "org__one__az.json"
    content = json.loads(record.read_text(encoding="utf-8"))
    assert content["setting"] == "reasoning"
    assert json.loads(content["message"]) == error
    assert content["date"] == datetime.now().date().isoformat()
    assert {run.language: run.unsupported for run in plan(study, items, tmp_path / "raw")} == {"az": True, "en": False}
    # Another declaration is another measurement, and is asked.
    other = load_study(write_study(tmp_path, models=[api | {"api": api["api"] | {"reasoning": "low"}}]))
    assert not any(run.unsupported for run in plan(other, items, tmp_path / "raw"))


@pytest.mark.parametrize(
    ("api", "status", "body", "setting"),
    [
        ({"provider": "openai"}, 400, {"error": {"message": "'temperature' does not support 0.0"}}, "temperature"),
        ({"provider": "openai", "seed": 1}, 400, {"error": {"message": "no", "param": "seed"}}, "seed"),
        ({"provider": "openai"}, 400, {"error": {"message": "no", "param": "stop"}}, "stop"),
        (
            {"reasoning": "off"},
            422,
            {"detail": [{"loc": ["body", "chat_template_kwargs"], "msg": "extra"}]},
            "reasoning",
        ),
        (
            {"provider": "openrouter"},
            404,
            {"error": {"message": "No endpoints for the requested parameters"}},
            "parameters",
        ),
        (
            {"provider": "anthropic", "reasoning": "off"},
            400,
            {"type": "error", "error": {"type": "invalid_request_error", "message": "thinking: not disabled here"}},
            "reasoning",
        ),
        ({"extra_body": {"top_k": 1}}, 400, {"error": {"message": "unknown field top_k"}}, "extra_body.top_k"),
    ],
)
def test_the_refused_setting_is_named(api, status, body, setting):
    with ApiServer(lambda request: Act(body, status)) as server, pytest.raises(UnsupportedSetting) as caught:
        ask(server.url, ["item-0"], **KEYED | api)
    assert caught.value.setting == setting


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "stop: the prompt is too long", "type": "temperature"}},
        # Some servers repeat the request in their complaint.
        {"detail": [{"loc": ["body", "messages"], "msg": "too long", "input": {"temperature": 0.0, "reasoning": 1}}]},
    ],
)
def test_a_complaint_about_one_prompt_is_an_error_of_that_item(body):
    def act(request):
        return Act(body, 400) if request.item == "item-1" else Act()

    with ApiServer(act) as server:
        replies = ask(server.url, ["item-0", "item-1", "item-2"], reasoning="off")
    assert [replies[n].text is None for n in range(3)] == [False, True, False]


def test_a_setting_that_was_taken_is_not_refused_later():
    def act(request):
        named = {"error": {"message": "temperature is no capital"}}
        return Act(named, 400) if request.item == "item-1" else Act()

    with ApiServer(act) as server:
        replies = ask(server.url, ["item-0", "item-1"], workers=1)
    assert [replies[n].text is None for n in range(2)] == [False, True]


@pytest.mark.parametrize("provider", ["vllm", "anthropic"])
def test_reasoning_that_is_off_but_happens_is_no_measurement(provider):
    thinking = {
        "vllm": chat("x", usage={"completion_tokens_details": {"reasoning_tokens": 12}}),
        "anthropic": message("x", content=[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "x"}]),
    }
    with ApiServer(lambda request: Act(thinking[provider])) as server:
        with pytest.raises(UnsupportedSetting, match="reasoning"):
            ask(server.url, ["item-0"], provider=provider, reasoning="off", **KEYED)
        assert ask(server.url, ["item-0"], provider=provider, **KEYED)[0].text == "x"


PRICE = {"input": 1000.0, "output": 10000.0}


def test_nothing_is_sent_that_could_pass_the_cost_limit(tmp_path):
    items = items_of(tmp_path, 40)
    each = 40 * 1000 / 1e6 + 5 * 10000 / 1e6  # 40 prompt tokens and 5 new ones, as the server says
    with ApiServer(lambda request: Act(delay=0.02), item_in) as server:
        one = model(server.url, price=PRICE)
        study = load_study(write_study(tmp_path, models=[one.model_dump(exclude_defaults=True)]))
        high = estimate_run(next(plan(study, items, tmp_path)), items).usd_high
        limit = high / 40 + 10 * each
        with pytest.raises(CostLimit, match="cost limit of"):
            run_model(ApiBackend(one, limit), one, items, "az", "default", tmp_path / "raw")
        asked = len(server.requests)
        (path,) = (tmp_path / "raw").iterdir()
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert [row["cost_usd"] for row in rows] == pytest.approx([each] * asked)
        # The last one that went could have cost all that it may: up to there, and no further.
        assert 9 <= asked <= 11
        report = run_model(ApiBackend(one, high), one, items, "az", "default", tmp_path / "raw")
    assert (report.n_before, report.n_answered) == (asked, 40 - asked)
    assert report.cost_usd == pytest.approx((40 - asked) * each)


def test_a_try_that_brought_nothing_may_have_cost_all_it_could():
    bound = (most_prompt_tokens(None, Prompt("item-0")) * 1000 + 32 * 10000) / 1e6
    with ApiServer(lambda request: Act(cut=True)) as server:
        with pytest.raises(CostLimit):
            ask(server.url, ["item-0"], max_cost=2.5 * bound, price=PRICE)
        assert len(server.requests) == 2


def test_a_limit_without_a_price_sends_nothing():
    with ApiServer() as server:
        with pytest.raises(CostLimit, match="price of a request is unknown"):
            ask(server.url, ["item-0"], max_cost=1.0)
        assert not server.requests


def test_whoever_stops_taking_answers_stops_the_asking():
    with ApiServer() as server:
        replies = ApiBackend(model(server.url)).generate([f"item-{n}" for n in range(2000)], 32)
        next(replies)
        time.sleep(0.5)
        # Answers that nobody takes are not paid for without end.
        assert len(server.requests) < 200
        replies.close()
        asked = len(server.requests)
        time.sleep(0.2)
        assert len(server.requests) == asked


def test_a_notebook_s_own_event_loop_is_not_in_the_way():
    async def cell():
        return ask(server.url, ["item-0"])[0].text

    with ApiServer() as server:
        assert asyncio.run(cell()) == answer_to("item-0")


def test_no_more_are_asked_at_once_than_there_are_workers():
    with ApiServer(lambda request: Act(delay=0.05)) as server:
        ask(server.url, [f"item-{n}" for n in range(40)], workers=5)
        assert server.most_at_once == 5


def test_nothing_to_ask_is_nothing_sent():
    with ApiServer() as server:
        assert ask(server.url, []) == {}
        assert not server.requests


def test_the_identity_holds_what_can_change_an_answer(tmp_path):
    plain = ApiBackend(model("http://127.0.0.1:9")).description
    assert (plain.revision, plain.device) == ("m-1", "127.0.0.1")
    seen = {(plain.revision, plain.device, plain.chat_template, str(plain.decoding))}
    for changed in (
        {"model": "m-2"},
        {"reasoning": "off"},
        {"temperature": None},
        {"temperature": 0.7},
        {"seed": 1},
        {"endpoint": "completion"},
        {"extra_body": {"top_k": 1}},
        {"base_url": "http://localhost:9/v1"},
    ):
        other = ApiBackend(model("http://127.0.0.1:9", **changed)).description
        seen.add((other.revision, other.device, other.chat_template, str(other.decoding)))
    assert len(seen) == 9
    assert ApiBackend(model("http://127.0.0.1:9", temperature=None)).description.decoding["do_sample"] is True


def test_no_key_is_said_before_anything_is_sent(monkeypatch, tmp_path):
    monkeypatch.delenv("CANARY_API_KEY")
    monkeypatch.setenv("ALIFBA_ROOT", str(tmp_path))
    with pytest.raises(InputError, match="CANARY_API_KEY is not set"):
        ApiBackend(model("http://127.0.0.1:9", **KEYED))
    assert everything_under(tmp_path) == {}
