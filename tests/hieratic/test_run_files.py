"""Run files: read liberally and exactly, written as published, appended and mended."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vision_kit import few_items, record, record_row, write_run

from alifba.errors import InputError
from alifba.hieratic.records import ModelInfo, RunRecord
from alifba.hieratic.rescoring import rescore
from alifba.hieratic.runs import RunAppender, new_run_id, read_run_file, record_line

# The fields of a record in the order in which the protocol names them.
FIELDS = [
    *("harness", "runId", "model", "itemId", "rung", "sample", "prompt", "response", "parsed", "score", "scoreDetail"),
    *("withheld", "stopReason", "refusal", "error", "usage", "latencyMs", "createdAt"),
]


def test_a_record_is_written_with_the_published_fields():
    whole = json.loads(record_line(record()))
    assert list(whole) == FIELDS
    assert list(whole["model"]) == ["key", "label", "provider", "id"]
    assert whole == record_row()
    effort = record_row(model={"key": "m", "label": "M", "provider": "p", "id": "i", "effort": "high"})
    assert json.loads(record_line(RunRecord.model_validate(effort))) == effort
    assert json.loads(record_line(record(privateCopy=True)))["privateCopy"] is True


@pytest.mark.parametrize(
    "changes",
    [
        {"unknown": {"a": [1]}, "temperature": 1},
        {"response": None, "parsed": None, "score": None, "error": {"status": 529}},
        {"usage": None, "latencyMs": None, "refusal": None, "withheld": None, "sample": None},
        {"refusal": "I cannot help with that"},
        {"usage": {"inputTokens": 1, "outputTokens": 2, "costUsd": 0.1, "reasoningTokens": 3}},
        {"model": "org/m", "harness": {"name": "h", "version": "0.1.0"}},
        {"createdAt": 1791194400000, "latencyMs": 12.5, "stopReason": None},
    ],
)
def test_records_of_other_shapes_are_read_and_written_back(tmp_path, changes):
    (read,) = read_run_file(write_run(tmp_path / "r.jsonl", record_row(**changes))).records
    again = json.loads(record_line(read))
    for name, value in changes.items():
        if name not in ("model", "refusal", "withheld", "sample"):
            assert again[name] == value
    assert read.failed is bool(changes.get("error"))


def test_a_bare_record_is_read(tmp_path):
    row = {"model": {"id": "org/m"}, "itemId": "wm-001", "rung": "identify", "response": "SCRIPT: Demotic"}
    run = read_run_file(write_run(tmp_path / "r.jsonl", row))
    assert run.records[0].key == ("wm-001", "identify", 0)
    assert run.records[0].model.key == "org/m"
    found = rescore(run, few_items(tmp_path)).differences
    assert [(each.field, each.recomputed) for each in found] == [("parsed", "Demotic"), ("score", 0.5)]


def test_a_number_in_the_place_of_a_text_is_read(tmp_path):
    changes = {"runId": 7, "parsed": 17, "model": {"key": "m", "id": 5}}
    (read,) = read_run_file(write_run(tmp_path / "r.jsonl", record_row(**changes))).records
    assert (read.run_id, read.parsed, read.model.id) == ("7", "17", "5")


@pytest.mark.parametrize(
    ("changes", "failed"),
    [
        ({"response": None, "score": None, "error": "overloaded"}, True),
        ({"response": None, "score": None, "error": None}, True),
        ({"response": "", "score": 0, "error": None, "refusal": True}, False),
        ({"response": "SCRIPT: Hieratic", "score": 1, "error": "cut off"}, False),
    ],
)
def test_a_failed_call_has_a_null_score(tmp_path, changes, failed):
    """Spec: "A failed call has a null score, is left out and asked again by resume"."""
    (read,) = read_run_file(write_run(tmp_path / "r.jsonl", record_row(**changes))).records
    assert read.failed is failed


def test_text_is_not_normalised(tmp_path):
    spelled = "SCRIPT: e\u0301 \ufb01 \u00a0 Hieratic"
    run = read_run_file(write_run(tmp_path / "r.jsonl", record_row(response=spelled)))
    assert run.records[0].response == spelled


def test_rescoring_finds_no_difference_in_sound_records_and_names_each_in_others(tmp_path):
    items = few_items(tmp_path)
    signs = {"itemId": "aku-001", "rung": "signs"}
    sound = [
        record_row(),
        record_row(response="I see it.\r\n> **SCRIPT:** *Demotic*\r\n", parsed="Demotic", score=0.5),
        record_row(response="hieratic", parsed=None, score=0, scoreDetail="no SCRIPT line"),
        record_row(response="", parsed=None, score=0, scoreDetail="no SCRIPT line", refusal=True),
        record_row(response=None, parsed=None, score=None, error="HTTP 529"),
        record_row(**signs, response="SIGNS: g017 or X1", parsed="g017 or X1", score=1),
        record_row(**signs, response="SIGNS: owl", parsed="owl", score=0, scoreDetail="no Gardiner code"),
        record_row(itemId="hb-001", response="", withheld=True, parsed="Egyptian hieratic", score=1, scoreDetail=""),
    ]
    done = rescore(read_run_file(write_run(tmp_path / "sound.jsonl", *sound)), items)
    assert (done.n, done.differences, done.n_failed, done.n_strays) == (8, (), 1, 0)
    wrong = [record_row(parsed="hieratic"), record_row(score=0.5), record_row(scoreDetail="?"), record_row(itemId="x")]
    done = rescore(read_run_file(write_run(tmp_path / "wrong.jsonl", *wrong)), items)
    assert [(each.line, each.field) for each in done.differences] == [(1, "parsed"), (2, "score"), (3, "scoreDetail")]
    assert (done.n_differing, done.n_reworded, done.n_strays) == (3, 1, 1)


def test_of_several_records_the_last_answer_counts(tmp_path):
    failed = {"response": None, "parsed": None, "score": None, "error": "HTTP 500"}
    rows = [record_row(**failed), record_row(createdAt=2), record_row(**failed), record_row(sample=1, **failed)]
    run = read_run_file(write_run(tmp_path / "r.jsonl", *rows))
    assert [(each.sample, each.failed) for each in run.in_force] == [(0, False), (1, True)]


def test_a_run_is_named_by_time_model_effort_and_four_digits():
    now = datetime(2026, 10, 5, 12, 30, 1, tzinfo=UTC)
    assert re.fullmatch(
        r"20261005T123001Z-opus-high-[0-9a-z]{4}", new_run_id(ModelInfo(key="opus", effort="high"), now)
    )
    assert re.fullmatch(r"20261005T123001Z-a-b-[0-9a-z]{4}", new_run_id(ModelInfo(key="a/b"), now))


_TEXT = st.text(st.characters(codec=None), max_size=30)


@given(st.lists(_TEXT, min_size=1, max_size=5))
def test_any_text_comes_back_as_it_was(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("any") / "r.jsonl"
    with RunAppender(path) as file:
        for number, text in enumerate(texts):
            file.append(record(sample=number, response=text))
    assert [each.response for each in read_run_file(path).records] == texts


def test_a_cut_line_is_dropped_and_a_whole_one_without_its_line_feed_kept(tmp_path):
    path = tmp_path / "r.jsonl"
    lines = [record_line(record(sample=number)) for number in range(3)]
    for kept, content in ((2, "".join(lines)[:-20]), (3, "".join(lines)[:-1]), (0, lines[0][:30])):
        path.write_text(content, encoding="utf-8")
        with RunAppender(path) as file:
            assert len(file.before) == kept
            file.append(record(sample=9))
        assert [each.sample for each in read_run_file(path).records] == [*range(kept), 9]


def test_a_second_writer_another_file_and_a_broken_line_are_refused(tmp_path):
    path = tmp_path / "r.jsonl"
    with RunAppender(path) as file:
        file.append(record())
        with pytest.raises(InputError, match="another process"):
            RunAppender(path)
    notes = tmp_path / "notes.txt"
    notes.write_text("shopping")
    with pytest.raises(InputError, match="no run file"):
        RunAppender(notes)
    assert notes.read_text() == "shopping"
    path.write_text("{\n" + record_line(record()), encoding="utf-8")
    with pytest.raises(InputError, match=r"r\.jsonl:1: not JSON"):
        read_run_file(path)


def test_a_run_that_writes_nothing_leaves_no_file(tmp_path):
    with RunAppender(tmp_path / "r.jsonl"):
        pass
    assert not list(tmp_path.iterdir())
