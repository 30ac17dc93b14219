"""A run: interrupted, shuffled, misbehaving or whole, it comes to the same answers; anything else is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tifinagh_kit import ScriptedBackend, asked_in, clumsy, constant, harness_of, model_of, rows_of, says, study_of
from tifinagh_kit import write_dictionary as write

from alifba.errors import InputError
from alifba.tifinagh.dictionaries import load_dictionaries
from alifba.tifinagh.records import read_item_records, read_run_record
from alifba.tifinagh.rounds import read_log
from alifba.tifinagh.running import run_contestant
from alifba.tifinagh.scorebook import score_run

ANY = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])


def run(study, folder, reply=clumsy, **how):
    """Run and score; (items, backend)."""
    retries = how.pop("retries", None)
    backend = ScriptedBackend(reply, **how)
    report = run_contestant(study, model_of(), str(folder), retries, harness=harness_of(backend))
    score_run(report.folder, load_dictionaries(study.dictionaries))
    return list(read_item_records(report.folder)), backend


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    study = study_of(tmp_path_factory.mktemp("small"), 14, retries=2)
    return study, run(study, tmp_path_factory.mktemp("whole"))[0]


def test_every_question_is_asked_and_the_clumsy_model_was_asked_again(small):
    _, items = small
    assert len(items) == 3 * 3 * 14
    assert {item.tries for item in items} == {1, 2, 3}
    assert any(item.scored_by == "error" for item in items)


@ANY
@given(order=st.integers(0, 10**6))
def test_the_order_in_which_replies_come_changes_nothing(small, tmp_path_factory, order):
    study, items = small
    assert run(study, tmp_path_factory.mktemp("order"), order=order)[0] == items


@ANY
@given(kills=st.lists(st.integers(0, 20), min_size=1, max_size=4), torn=st.integers(0, 80))
def test_a_run_that_was_killed_goes_on_to_the_same_end_and_asks_nothing_twice(small, tmp_path_factory, kills, torn):
    study, items = small
    folder = tmp_path_factory.mktemp("killed")
    sent, killed = [], 0
    for order, n in enumerate(kills):
        backend = ScriptedBackend(clumsy, order=order, dies_after=n)
        # After some kills less may be left to ask than the next one waits for: then that run ends.
        try:
            run_contestant(study, model_of(), str(folder), harness=harness_of(backend))
        except KeyboardInterrupt:
            killed += 1
        sent += backend.prompts
        log = folder / "scripted" / "replies.jsonl"
        whole = log.read_bytes()
        # A kill in the middle of a write leaves the beginning of a line.
        log.write_bytes(whole + b'{"round": 0, "keys": ["' + b"x" * torn)
    assert killed
    again, backend = run(study, folder)
    assert again == items
    rows = read_log(folder / "scripted" / "replies.jsonl")
    assert len(rows) == len(sent) + len(backend.prompts) == len({(row.round, *row.keys) for row in rows})


_CHILD = """
import sys, time
from tifinagh_kit import *
from alifba.tifinagh.running import run_contestant
from alifba.tifinagh.study import load_tifinagh_study
def slow(prompt, items):
    time.sleep(0.01)
    return clumsy(prompt, items)
run_contestant(load_tifinagh_study(sys.argv[1]), model_of(), sys.argv[2], harness=harness_of(ScriptedBackend(slow)))
"""


def test_resume_after_kill_9_equals_an_undisturbed_run(small, tmp_path):
    study, items = small
    path = tmp_path / "study.yaml"
    path.write_text(study.model_dump_json())
    log = tmp_path / "runs" / "scripted" / "replies.jsonl"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    for n in (3, 9):
        child = subprocess.Popen([sys.executable, "-c", _CHILD, str(path), str(tmp_path / "runs")], env=environment)
        ends = time.monotonic() + 60
        while (not log.exists() or log.read_bytes().count(b"\n") < n) and time.monotonic() < ends:
            assert child.poll() is None, "the run ended before it could be killed"
            time.sleep(0.005)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        assert len(read_log(log)) >= n
    assert run(study, tmp_path / "runs")[0] == items


def test_a_finished_run_sends_nothing_and_more_retries_send_only_what_failed(small, tmp_path):
    study, _ = small
    items, _ = run(study, tmp_path)
    assert run(study, tmp_path)[1].prompts == []
    failed = {item.input for item in items if item.scored_by == "error"}
    again, backend = run(study, tmp_path, constant, retries=3)
    assert {item["input"] for prompt in backend.prompts for item in asked_in(prompt)} == failed
    assert not any(item.scored_by == "error" for item in again)
    assert read_run_record(tmp_path / "scripted").setup.retries == 3
    assert [i for i in again if i.tries <= 3] == [i for i in items if i.scored_by != "error"]
    with pytest.raises(InputError, match="differs in retries"):
        run(study, tmp_path, retries=1)


def test_another_batch_size_is_refused(small, tmp_path):
    study, _ = small
    run(study, tmp_path)
    with pytest.raises(InputError, match="cannot go on with another batch size"):
        run(study.model_copy(update={"batch_size": 4}), tmp_path)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 2}, "seed"),
        ({"sample": 5}, "sample"),
        ({"tasks": ["en-to-tif"]}, "tasks"),
        ({"max_new_tokens": 99}, "max_new_tokens"),
    ],
)
def test_another_setup_is_refused_by_name(small, tmp_path, change, named):
    study, _ = small
    run(study, tmp_path)
    before = (tmp_path / "scripted" / "replies.jsonl").read_bytes()
    with pytest.raises(InputError, match=f"differs in {named}"):
        run(study.model_copy(update=change), tmp_path)
    assert (tmp_path / "scripted" / "replies.jsonl").read_bytes() == before


def test_another_model_or_a_changed_dictionary_is_refused(tmp_path):
    study = study_of(tmp_path, 4)
    run(study, tmp_path / "runs")
    other = harness_of(ScriptedBackend(constant), name="test/other")
    with pytest.raises(InputError, match=r"differs in model.name"):
        run_contestant(study, model_of(), str(tmp_path / "runs"), harness=other)
    write(tmp_path / "dictionaries", "ircam", rows_of(5))
    with pytest.raises(InputError, match="differs in dictionaries"):
        run(study, tmp_path / "runs")
    with pytest.raises(InputError, match="the ircam dictionary is not the one of this run"):
        score_run(tmp_path / "runs" / "scripted", load_dictionaries(study.dictionaries))


def test_two_models_are_asked_the_same_words_and_keep_their_own_answers(tmp_path):
    study = study_of(tmp_path, 30, sample=6)
    asked = {}
    for slug in ("one", "two"):
        backend = ScriptedBackend(lambda prompt, items, s=slug: says([{"id": i["id"], "answer": s} for i in items]))
        run_contestant(study, model_of(slug), str(tmp_path / "runs"), harness=harness_of(backend, f"test/{slug}", slug))
        score_run(tmp_path / "runs" / slug, load_dictionaries(study.dictionaries))
        asked[slug] = backend.prompts
        assert {item.answer for item in read_item_records(tmp_path / "runs" / slug)} == {slug}
    assert asked["one"] == asked["two"]


def test_a_second_writer_is_refused(tmp_path):
    from alifba.tifinagh.rounds import ReplyLog

    with ReplyLog(tmp_path / "replies.jsonl"), pytest.raises(InputError, match="another process is writing"):
        ReplyLog(tmp_path / "replies.jsonl", patience=0)


def test_a_file_that_is_no_log_is_left_alone(tmp_path):
    from alifba.tifinagh.rounds import ReplyLog

    path = tmp_path / "replies.jsonl"
    path.write_bytes(b"my notes\nmore notes")
    with pytest.raises(InputError, match="left as it is"):
        ReplyLog(path)
    assert path.read_bytes() == b"my notes\nmore notes"


def test_what_the_model_said_is_kept_word_for_word(tmp_path):
    study = study_of(tmp_path, 2, tasks=["en-to-tif"], dialects=["kabyle"])
    text = 'Sure!\n{"answers":[{"id":"1","answer":"ⴰ"},{"id":"2","answer":"\\ud83d"}]}\u2028"'
    run(study, tmp_path / "runs", lambda prompt, items: text)
    rows = read_log(tmp_path / "runs" / "scripted" / "replies.jsonl")
    assert {row.text for row in rows} == {text}
    record = json.loads((tmp_path / "runs" / "scripted" / "run.json").read_text())
    assert record["skipped"] == {"kabyle": {"en-to-tif": 0}}
    assert record["sampled"] == {"kabyle": 2}
