"""Runs: what is sent, what is kept where, resume, failed calls, cost. With the fake model and a local server."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from vision_kit import few_items, item_row, png, sealed_row, sign_row, write_items

from alifba.errors import InputError
from alifba.hieratic.asking import Wishes, ask_models
from alifba.hieratic.fake_vision import FakeVision
from alifba.hieratic.items import load_items
from alifba.hieratic.planning import plan
from alifba.hieratic.records import ModelInfo
from alifba.hieratic.running import Places, run
from alifba.hieratic.runs import read_run_file, read_run_files, record_line
from alifba.hieratic.settings import VisionStudy, find_model, load_study

sys.path.append(str(Path(__file__).parents[1] / "backends"))
from api_server import Act, ApiServer, chat, message

FAKE = ModelInfo(key="fake", label="F", provider="fake", id="fake-1")
STUDY = VisionStudy(name="t", title="T", data="d", results="r", sealed_samples=2)
SAID = "I read: the mill of the north.\n\n**SCRIPT:** Hieratic"


def ask_fake(items, jobs, places, run_id="", stop_after=None, fails_on=frozenset(), name="fake-1"):
    """A run of the fake model, broken off after so many calls where that is wished."""

    def ask(prompts, limit, answered):
        for done, reply in enumerate(FakeVision(name, fails_on=fails_on).generate(prompts, limit, answered), 1):
            yield reply
            if done == stop_after:
                raise KeyboardInterrupt

    return run(ask, FAKE, jobs, items, places, run_id)


def told(folder: Path) -> dict[str, object]:
    """What the records of a folder say, without times and names of runs."""
    free = {"run_id": "", "created_at": ""}
    records = [record for file in read_run_files(folder) for record in file.in_force]
    lines = [record_line(record.model_copy(update=free)) for record in records]
    assert len({record.key for record in records}) == len(records)
    return dict(zip([record.key for record in records], lines, strict=True))


def test_sealed_answers_lie_in_the_inbox_alone(tmp_path):
    items = few_items(tmp_path / "data")
    jobs = plan(items, sealed_samples=2)
    report = ask_fake(items, jobs, Places.below(tmp_path))
    assert (report.n_jobs, report.n_answered, report.n_failed) == (12, 12, 0)
    (public,), (inbox,) = read_run_files(tmp_path / "runs"), read_run_files(tmp_path / "inbox")
    assert public.path.name == inbox.path.name == f"{report.run_id}.jsonl"
    about = [record for record in public.records if record.item_id == "hb-001"]
    assert [(record.rung, record.sample) for record in about] == [("identify", 0), ("identify", 1)]
    assert all((record.response, record.withheld, record.private_copy) == ("", True, False) for record in about)
    rungs = Counter((record.rung, record.private_copy, record.score is None) for record in inbox.records)
    assert rungs == {
        ("identify", True, False): 2,
        ("signs", False, True): 2,
        ("transliterate", False, True): 2,
        ("translate", False, True): 2,
    }
    spoken = [record.response for record in inbox.records if record.response]
    assert not [text for text in spoken if text in public.path.read_text(encoding="utf-8")]
    for record, private in zip(about, (each for each in inbox.records if each.private_copy), strict=True):
        assert (record.score, record.usage, record.key) == (private.score, private.usage, private.key)


def test_the_samples_of_one_item_differ_and_the_same_run_says_the_same(tmp_path):
    items = few_items(tmp_path / "data")
    jobs = plan(items, only=["wm-001"], samples=8)
    for name in ("one", "two"):
        ask_fake(items, jobs, Places.below(tmp_path / name))
    assert told(tmp_path / "one/runs") == told(tmp_path / "two/runs")
    records = read_run_files(tmp_path / "one/runs")[0].records
    assert len({record.response for record in records}) > 6


@pytest.mark.parametrize("after", [1, 2, 5, 11])
def test_a_run_that_was_stopped_and_goes_on_equals_an_undisturbed_one(tmp_path, after):
    items = few_items(tmp_path / "data")
    jobs = plan(items, sealed_samples=2)
    ask_fake(items, jobs, Places.below(tmp_path / "whole"))
    places = Places.below(tmp_path / "stopped")
    with pytest.raises(KeyboardInterrupt):
        ask_fake(items, jobs, places, stop_after=after)
    run_id = places.latest(FAKE)
    report = ask_fake(items, jobs, places, run_id)
    assert (report.n_before, report.n_answered) == (after, 12 - after)
    for folder in ("runs", "inbox"):
        assert told(tmp_path / "stopped" / folder) == told(tmp_path / "whole" / folder)
    again = ask_fake(items, jobs, places, run_id)
    assert (again.n_before, again.n_answered) == (12, 0)


def test_a_public_record_that_a_kill_left_out_is_made_from_the_private_one(tmp_path):
    items = few_items(tmp_path / "data")
    jobs = plan(items, only=["hb-"], rungs=["identify"], sealed_samples=2)
    places = Places.below(tmp_path)
    run_id = ask_fake(items, jobs, places).run_id
    path = tmp_path / "runs" / f"{run_id}.jsonl"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.split("\n")[0] + "\n" + whole.split("\n")[1][:40], encoding="utf-8")
    assert ask_fake(items, jobs, places, run_id).n_answered == 0
    assert path.read_text(encoding="utf-8") == whole


def test_failed_calls_have_no_score_and_are_asked_again(tmp_path):
    items = few_items(tmp_path / "data")
    jobs = plan(items, sealed_samples=2)
    places = Places.below(tmp_path / "r")
    places_whole = Places.below(tmp_path / "w")
    ask_fake(items, jobs, places_whole)
    failing = frozenset(n for n, job in enumerate(jobs) if job.sample == 0)
    report = ask_fake(items, jobs, places, fails_on=failing)
    assert report.n_failed == len(failing)
    failed = [
        each for folder in (places.runs, places.inbox) for each in read_run_files(folder)[0].records if each.failed
    ]
    assert {(each.parsed, each.score, each.score_detail) for each in failed} == {(None, None, None)}
    assert ask_fake(items, jobs, places, report.run_id).n_answered == len(failing)
    assert told(places.runs) == told(places_whole.runs)


def test_a_run_goes_on_only_with_its_own_model(tmp_path):
    items = few_items(tmp_path / "data")
    jobs, places = plan(items), Places.below(tmp_path)
    run_id = ask_fake(items, jobs, places).run_id
    other = FAKE.model_copy(update={"key": "other"})
    assert places.latest(other) is None
    with pytest.raises(InputError, match="another model"):
        run(lambda *asked: iter(()), other, jobs, items, places, run_id)


def test_nothing_is_asked_where_git_would_commit_the_inbox(tmp_path):
    from vision_kit import git

    items = few_items(tmp_path / "data")
    git(tmp_path, "init", "-q")
    with pytest.raises(InputError, match="git does not ignore the inbox"):
        ask_fake(items, plan(items), Places.below(tmp_path / "results"))
    ask_fake(items, plan(items, only=["wm-"]), Places.below(tmp_path / "results"))
    (tmp_path / ".gitignore").write_text("inbox/\n")
    ask_fake(items, plan(items), Places.below(tmp_path / "results"))


def served(tmp_path, server, provider="vllm", **wishes):
    items = few_items(tmp_path / "data")
    url = server.url + ("" if provider == "anthropic" else "/v1")
    lines: list[str] = []
    asked = Wishes([f"{provider}:org/model-1"], base_url=url, concurrency=3, **wishes)
    return items, ask_models(STUDY, items, tmp_path, asked, lines.append), lines


def sent_image(body: dict) -> tuple[str, bytes, str]:
    """(media type, bytes, text) of the one message of a request in either protocol."""
    (only,) = body["messages"]
    assert only["role"] == "user"
    image, text = only["content"]
    if image["type"] == "image":
        return image["source"]["media_type"], base64.b64decode(image["source"]["data"]), text["text"]
    media_type, data = re.fullmatch(r"data:(.+);base64,(.+)", image["image_url"]["url"]).groups()
    return media_type, base64.b64decode(data, validate=True), text["text"]


@pytest.mark.parametrize("provider", ["vllm", "anthropic"])
def test_a_server_gets_the_bytes_of_the_image_the_prompt_and_nothing_else(tmp_path, monkeypatch, provider):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k-0000001")
    body = message(SAID) if provider == "anthropic" else chat(SAID)
    with ApiServer(lambda request: Act(body=body)) as server:
        items, (report,), _ = served(tmp_path, server, provider, effort="high")
    assert (report.n_jobs, report.n_answered, report.n_failed) == (12, 12, 0)
    assert server.most_at_once <= 3
    images = {id_: (tmp_path / "data/images" / f"{id_}.png").read_bytes() for id_ in items}
    wanted = Counter(("image/png", images[job.item.id], job.rung) for job in plan(items, sealed_samples=2))
    labels = {"SCRIPT": "identify", "SIGNS": "signs", "TRANSLITERATION": "transliterate", "TRANSLATION": "translate"}
    seen = [sent_image(request.body) for request in server.requests]
    assert Counter((kind, data, labels[text.rsplit("\n", 1)[1].split(":")[0]]) for kind, data, text in seen) == wanted
    for request in server.requests:
        assert not {"temperature", "system", "tools", "seed", "stop"} & request.body.keys()
        effort = request.body.get("reasoning_effort") or request.body["output_config"]["effort"]
        assert effort == "high"
    (file,) = read_run_files(tmp_path / "runs")
    assert {record.model.effort for record in file.records} == {"high"}
    record = file.records[0]
    assert (record.model.key, record.model.provider, record.model.id) == ("model-1", provider, "org/model-1")
    assert (record.usage.input_tokens, record.usage.output_tokens) == (40, 5)
    assert "-model-1-high-" in file.path.name


def test_refusals_and_errors_of_a_server(tmp_path):
    def act(request):
        if sent_image(request.body)[1] == png(0):
            return Act(
                body=chat(None, choices=[{"finish_reason": "stop", "message": {"refusal": "No.", "content": None}}])
            )
        return Act(status=400, body={"error": {"message": "the image is broken"}})

    with ApiServer(act) as server:
        _, (report,), lines = served(tmp_path, server, items=["wm-001", "met-002"])
    assert (report.n_answered, report.n_refused, report.n_failed) == (1, 1, 1)
    assert "1 of them refusals, 1 failed" in lines[-1]
    records = {record.item_id: record for record in read_run_files(tmp_path / "runs")[0].records}
    refused, failed = records["wm-001"], records["met-002"]
    assert (refused.refusal, refused.response, refused.score) == (True, "No.", 0)
    assert (failed.refusal, failed.response, failed.score) == (False, None, None)
    assert "the image is broken" in failed.error


def test_the_public_record_of_a_failed_call_about_a_sealed_item_repeats_nothing(tmp_path):
    secret = "the mill of the north"
    with ApiServer(lambda request: Act(status=400, body={"error": {"message": secret}})) as server:
        served(tmp_path, server, items=["hb-"])
    public = (tmp_path / "runs").glob("*.jsonl")
    assert secret not in "".join(path.read_text(encoding="utf-8") for path in public)
    assert secret in next((tmp_path / "inbox").glob("*.jsonl")).read_text(encoding="utf-8")


def test_a_cost_limit_stops_a_run_that_then_goes_on(tmp_path):
    items = few_items(tmp_path / "data")
    price = {"input": 0.0, "output": 1.0, "image_tokens": 1000}
    with ApiServer(lambda request: Act(body=chat(SAID))) as server:
        declared = {
            "key": "m",
            "label": "M",
            "provider": "vllm",
            "id": "m",
            "base_url": server.url + "/v1",
            "price": price,
        }
        study = STUDY.model_copy(update={"models": [find_model("vllm:m", STUDY).model_validate(declared)]})
        with pytest.raises(InputError, match="cost limit"):
            # The most that a call may cost is 0.032; each costs 0.000005.
            ask_models(study, items, tmp_path, Wishes(["m"], max_cost=0.03201, concurrency=1))
        (file,) = read_run_files(tmp_path / "runs")
        n_kept = len(file.records)
        assert 0 < n_kept < 6
        assert file.records[0].usage.cost_usd == 0.000005
        (report,) = ask_models(study, items, tmp_path, Wishes(["m"], resume=True))
    assert report.n_before >= n_kept
    assert report.n_before + report.n_answered == 12
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_a_dry_run_sends_nothing_and_says_what_it_would(tmp_path):
    with ApiServer() as server:
        _, reports, lines = served(tmp_path, server, dry_run=True)
    assert (reports, server.requests) == ([], [])
    assert "would be asked 12 times, 6 of them sealed" in lines[0]
    assert not (tmp_path / "runs").exists()


def test_models_are_named_by_key_or_by_provider_and_id():
    study = load_study()
    assert find_model("claude-opus-5-5", study).effort == "high"
    assert find_model("claude-opus-5-5", study, "none").info().effort is None
    other = find_model("openrouter:qwen/qwen3.8-flash:free", study, "low")
    assert (other.key, other.id, other.effort) == ("qwen3.8-flash-free", "qwen/qwen3.8-flash:free", "low")
    assert other.api(4).temperature is None
    for name, effort, told_ in [
        ("claude-opus", None, "did you mean 'claude-opus-5-5'"),
        ("nobody:x", None, "provider:id"),
        ("fake-vision", "hihg", "no such effort"),
    ]:
        with pytest.raises(InputError, match=told_):
            find_model(name, study, effort)


def test_a_study_file_is_strict(tmp_path):
    path = tmp_path / "s.yaml"
    good = {"name": "t", "title": "T", "data": "d", "results": "r"}
    for change, words in [({"sampels": 3}, "sampels"), ({"samples": 0}, "samples"), ({"title": None}, "title")]:
        path.write_text(json.dumps(good | change))
        with pytest.raises(InputError, match=words):
            load_study(path)
    path.write_text("a: [")
    with pytest.raises(InputError, match="not valid YAML"):
        load_study(path)


def test_a_published_set_of_the_size_of_the_real_one_is_run(tmp_path):
    rungs = ["identify", "signs", "transliterate", "translate"]
    rows = [item_row(f"wm-{n:03}", rungs=rungs, gardiner=["G17"]) for n in range(20)]
    items = load_items(write_items(tmp_path, *rows, sign_row(), sealed_row()))
    report = ask_fake(items, plan(items, samples=3), Places.below(tmp_path))
    assert report.n_answered == 20 * 4 * 3 + 3 + 4 * 3
    (file,) = read_run_files(tmp_path / "runs")
    assert file == read_run_file(file.path)
