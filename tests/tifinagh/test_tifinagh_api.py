"""A model behind an API, end to end against a server on this machine: what is sent, and what a broken reply costs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "backends"))

from api_kit import declared
from api_server import Act, ApiServer, chat, message
from tifinagh_kit import asked_in, says, study_of

from alifba.config import Model
from alifba.tifinagh.prompts import ask_text, schema, system_text
from alifba.tifinagh.records import read_run_record
from alifba.tifinagh.rounds import read_log
from alifba.tifinagh.running import open_study, run_contestant

pytest.importorskip("openai", reason="the extra 'api' is not installed")


def replying(change=lambda rows: says(rows), wrap=chat, **more):
    def act(request):
        user = request.body["messages"][-1]["content"]
        rows = [{"id": item["id"], "answer": f"re {item['input']}"} for item in asked_in(user)]
        return Act(wrap(change(rows), **more))

    return act


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """`ask(act, provider)` asks a study of one dialect; (report, rows, requests, study)."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-only")

    def run(act, provider="vllm", name="runs"):
        study = study_of(tmp_path, 6, dialects=["kabyle"], tasks=["tif-to-en", "en-to-tif"], retries=1)
        with ApiServer(act) as server:
            model = Model.model_validate(declared(server.url, provider=provider))
            report = run_contestant(study, model, str(tmp_path / name))
            return report, read_log(report.folder / "replies.jsonl"), server.requests, study

    return run


@pytest.mark.parametrize(("provider", "wrap"), [("vllm", chat), ("anthropic", message)])
def test_a_request_has_system_prompt_strict_schema_and_no_tools(ask, provider, wrap):
    report, rows, requests, study = ask(replying(wrap=wrap), provider)
    assert (report.n_answered, report.n_failed) == (12, 0)
    texts = {ask_text(group[start : start + 5]) for group in open_study(study)[2].groups for start in (0, 5)}
    for request in requests:
        body = request.body
        assert body["messages"][-1]["content"] in texts
        assert not {"tools", "tool_choice", "functions", "web_search_options"} & body.keys()
        if provider == "anthropic":
            assert body["system"] == system_text("ask")
            assert body["output_config"]["format"] == {"type": "json_schema", "schema": schema("ask")}
        else:
            assert body["messages"][0] == {"role": "system", "content": system_text("ask")}
            format_ = body["response_format"]["json_schema"]
            assert (format_["strict"], format_["schema"]) == (True, schema("ask"))
    assert len(requests) == len(rows) == 4
    written = "".join(path.read_text() for path in report.folder.iterdir())
    assert "sk-test-only" not in written
    assert read_run_record(report.folder).answerer.harness == "api"


def test_concurrent_replies_come_to_the_same_answers(ask):
    def slow_first(request):
        # The whole batches come after those of one question.
        whole = '\n{"id":"5"' in request.body["messages"][-1]["content"]
        return Act(replying()(request).body, delay=0.2 if whole else 0)

    slow, quick = ask(slow_first, name="slow"), ask(replying(), name="quick")
    assert {tuple(row.keys) for row in slow[1]} == {tuple(row.keys) for row in quick[1]}
    assert [len(row.keys) for row in slow[1]] == [1, 1, 5, 5]
    assert [(report.n_answered, report.n_failed) for report in (slow[0], quick[0])] == [(12, 0), (12, 0)]


@pytest.mark.parametrize(
    ("act", "answered", "error"),
    [
        # Of batches of 5 and 1 the last row is lost, and of the 2 that are asked again.
        (replying(lambda rows: says(rows[:-1])), 2 * (4 + 0 + 1), None),
        (replying(lambda rows: "no"), 0, None),
        (replying(lambda rows: None), 0, "content"),
        (replying(lambda rows: says(rows)[:-20], finish="length"), None, None),
    ],
    ids=["last row missing", "prose", "null", "cut off"],
)
def test_a_reply_that_is_broken_costs_its_broken_rows(ask, act, answered, error):
    report, rows, _, _ = ask(act)
    assert report.n_answered + report.n_failed == 12
    if answered is not None:
        assert report.n_answered == answered
    if error:
        assert all(row.text is None and row.error for row in rows)
