"""Cells and scores; and when there is none. Formula: TifinaghBench, methodology, "TifinaghBench score"."""

from __future__ import annotations

import pytest
from tifinagh_kit import ScriptedBackend, constant, harness_of, study_of

from alifba.tifinagh.records import DIALECTS, TASKS, ItemRecord, RunRecord
from alifba.tifinagh.running import _versions, open_study
from alifba.tifinagh.summary import summarise


def item(dialect, task, score=0.0, strict=None, by="exact", awaiting=None, cer=None):
    return ItemRecord(
        dialect=dialect, task=task, direction=None, entry_id="e", input="x", accepted=["y"],
        answer=None if by == "error" or awaiting == "model" else "a", scored_by=by, awaiting=awaiting, score=score,
        strict=strict, cer=cer, matched_entry_id=None, note=None, tries=1,
    )  # fmt: skip


def cell(dialect, task, n, correct, partial=0, strict=0):
    """`n` items of which so many are right and partly right; of the right ones `strict` in the own spelling."""
    scores = [1.0] * correct + [0.5] * partial + [0.0] * (n - correct - partial)
    if task == "tif-to-en":
        return [item(dialect, task, score, by="judge") for score in scores]
    return [item(dialect, task, score, strict=place < strict, cer=0.5) for place, score in enumerate(scores)]


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    study = study_of(tmp_path_factory.mktemp("study"), 2)
    dictionaries, setup, questions = open_study(study)
    return RunRecord(
        study="small", answerer=harness_of(ScriptedBackend(constant)).answerer, setup=setup,
        dictionaries=[d.record for d in dictionaries.values()], sampled=questions.sampled, skipped=questions.skipped,
        n_questions=0, versions=_versions(),
    )  # fmt: skip


# (n, correct, partial) by dialect: Tifinagh to English, English to Tifinagh, transliteration.
COUNTS = {
    "ircam": [(250, 100, 50), (250, 40, 0), (250, 200, 0)],
    "tarifit": [(250, 60, 30), (250, 20, 0), (250, 190, 0)],
    "kabyle": [(250, 80, 40), (250, 30, 0), (250, 240, 0)],
}


def whole_run():
    return [i for d in DIALECTS for task, counts in zip(TASKS, COUNTS[d], strict=True) for i in cell(d, task, *counts)]


def test_scores_are_those_of_the_spec(record):
    # Vectors of the spec: TB 26.0 and script score 84.0 for these cells.
    summary = summarise(record, whole_run())
    assert summary.tifinaghbench == pytest.approx(26.0)
    assert summary.script_score == pytest.approx(84.0)
    assert summary.why_null == {}
    assert (summary.cell("tarifit", "tif-to-en").n_correct, summary.cell("tarifit", "tif-to-en").n_partial) == (60, 30)


def test_strict_twins_count_the_own_spelling(record):
    items = [i for d in DIALECTS for t in TASKS for i in cell(d, t, 10, 6, strict=3)]
    summary = summarise(record, items)
    # Meaning: three cells at 0.6 without a strict twin of their own, three at 0.3.
    assert summary.tifinaghbench_strict == pytest.approx(45.0)
    assert (summary.tifinaghbench, summary.script_score, summary.script_score_strict) == pytest.approx((60, 60, 30))


def test_cells_weigh_the_same_however_many_questions_they_have(record):
    items = [i for d in DIALECTS for t in TASKS for i in cell(d, t, 100 if d == "kabyle" else 10, 10)]
    assert summarise(record, items).tifinaghbench == pytest.approx(100 / 3 * (1 + 1 + 0.1))


def test_failed_questions_count_as_0_in_scores_and_are_left_out_of_accuracy_and_rate(record):
    items = [*whole_run(), *[item("ircam", "en-to-tif", None, by="error")] * 250]
    summary = summarise(record, items)
    cell_ = summary.cell("ircam", "en-to-tif")
    assert (cell_.n, cell_.n_error, cell_.score, cell_.accuracy) == (500, 250, 0.08, 0.16)
    assert (cell_.cer, cell_.n_cer) == (0.5, 250)
    assert summary.tifinaghbench == pytest.approx(26.0 - 100 / 6 * 0.08)
    assert summary.overall.n_error == 250
    assert summary.overall.n == summary.overall.n_scored + 250


@pytest.mark.parametrize(
    ("awaiting", "dialect", "task", "null"),
    [
        ("judge", "kabyle", "tif-to-en", "tifinaghbench"),
        ("model", "ircam", "en-to-tif", "tifinaghbench"),
        ("model", "tarifit", "transliterate", "script_score"),
    ],
)
def test_one_open_question_withholds_the_score_it_enters_and_no_other(record, awaiting, dialect, task, null):
    summary = summarise(record, [*whole_run(), item(dialect, task, None, by=None, awaiting=awaiting)])
    for name in ("tifinaghbench", "script_score"):
        values = (getattr(summary, name), getattr(summary, f"{name}_strict"))
        assert all((value is None) == (name == null) for value in values)
    (reason,) = summary.why_null[null]
    assert reason.startswith(f"{dialect} {task}: 1 of 251 questions wait for ")
    assert summary.cell(dialect, task).score is None
    assert summary.overall.accuracy is not None


def test_a_run_without_a_dialect_or_a_task_has_no_score_for_it(record):
    no_kabyle = record.model_copy(update={"setup": record.setup.model_copy(update={"dialects": ["ircam", "tarifit"]})})
    summary = summarise(no_kabyle, [i for i in whole_run() if i.dialect != "kabyle"])
    assert (summary.tifinaghbench, summary.script_score) == (None, None)
    assert summary.cell("kabyle", "en-to-tif") is None
    summary = summarise(record, [i for i in whole_run() if i.task != "transliterate"])
    assert (summary.script_score, summary.script_score_strict) == (None, None)
    assert summary.tifinaghbench == pytest.approx(26.0)


def test_nothing_scored_is_none_and_not_0(record):
    summary = summarise(record, [item("ircam", "tif-to-en", None, by="error")])
    assert (summary.overall.accuracy, summary.overall.accuracy_strict, summary.overall.n_scored) == (None, None, 0)
    assert summary.cell("ircam", "tif-to-en").accuracy is None
