"""The judge: what it is sent, that it is asked again, and that its silence is never a wrong answer."""

from __future__ import annotations

import pytest
from tifinagh_kit import ScriptedBackend, asked_in, harness_of, model_of, says, study_of

from alifba.errors import InputError
from alifba.tifinagh.dictionaries import load_dictionaries
from alifba.tifinagh.judging import judge_run
from alifba.tifinagh.records import read_item_records, read_run_record, read_summary
from alifba.tifinagh.rounds import read_log
from alifba.tifinagh.running import run_contestant
from alifba.tifinagh.scorebook import questions_of, score_run
from alifba.tifinagh.study import Judge

JUDGE = Judge(model=model_of("judge"), batch_size=4, retries=2)


def half(prompt, items):
    """Knows every even thing, answers nothing to every fifth, and something to the rest."""
    rows = []
    for item in items:
        number = len(item["input"]) + sum(map(ord, item["input"]))
        rows.append({"id": item["id"], "answer": "" if number % 5 == 0 else f"thing {number}"})
    return says(rows)


def grading(prompt, items):
    verdicts = ("correct", "partial", "wrong")
    rows = [{"id": i["id"], "verdict": verdicts[len(i["answer"]) % 3], "note": "n"} for i in items]
    return says(rows, "verdicts")


@pytest.fixture
def made(tmp_path):
    """A finished run: (study, folder, grade). `grade` judges and scores it with a scripted judge."""
    study = study_of(tmp_path, 9, tasks=["tif-to-en"])
    folder = run_contestant(study, model_of(), harness=harness_of(ScriptedBackend(half))).folder
    dictionaries = load_dictionaries(study.dictionaries)
    questions = questions_of(read_run_record(folder), dictionaries, folder)

    def grade(backend, name="test/judge", retries=None):
        judged = judge_run(folder, questions, JUDGE, retries, harness=harness_of(backend, name, "judge"))
        return judged, score_run(folder, dictionaries)

    return folder, grade, dictionaries


def test_only_what_exact_rules_leave_open_is_sent_one_dialect_a_batch(made):
    folder, grade, dictionaries = made
    score_run(folder, dictionaries)
    open_ = {(i.input, i.answer) for i in read_item_records(folder) if i.awaiting == "judge"}
    backend = ScriptedBackend(grading)
    (graded, waiting), summary = grade(backend)
    sent = [asked_in(prompt) for prompt in backend.prompts]
    assert {(item["word"], item["answer"]) for batch in sent for item in batch} == open_
    assert all(batch and set(batch[0]) == {"id", "word", "senses", "answer"} and len(batch) <= 4 for batch in sent)
    assert not any("chose" in prompt for prompt in backend.prompts)
    assert (graded, waiting) == (sum(map(len, sent)), 0)
    assert summary.judge == "test/judge@scripted-1"
    assert {i.scored_by for i in read_item_records(folder)} <= {"judge", "empty", "exact-sense"}
    assert {i.score for i in read_item_records(folder) if i.scored_by == "judge"} <= {0, 0.5, 1}


@pytest.mark.parametrize(
    "misbehaves",
    [
        lambda prompt, items: None,
        lambda prompt, items: "All of them look fine to me.",
        lambda prompt, items: says([{"id": i["id"], "verdict": "good", "note": ""} for i in items], "verdicts"),
        lambda prompt, items: says([{"id": i["id"], "verdict": "wrong"} for i in items], "verdicts"),
        lambda prompt, items: grading(prompt, items + items),
    ],
    ids=["fails", "prose", "unknown word", "no note", "everything twice"],
)
def test_a_judge_that_fails_leaves_answers_waiting_and_the_score_withheld(made, misbehaves):
    folder, grade, _ = made
    backend = ScriptedBackend(misbehaves)
    (graded, waiting), summary = grade(backend)
    assert graded == 0
    assert waiting == summary.overall.n_awaiting_judge > 0
    assert summary.tifinaghbench is None
    assert all("wait for the judge" in reason for reason in summary.why_null["tifinaghbench"] if "tif-to-en" in reason)
    assert not any(i.score == 0 for i in read_item_records(folder) if i.scored_by != "empty")
    # Asked once and again as often as declared.
    assert len(backend.prompts) == 3 * len(set(backend.prompts))


def test_a_judge_that_recovers_is_asked_only_for_the_rest(made):
    folder, grade, _ = made
    calls = []

    def first_of_each(prompt, items):
        calls.append(len(items))
        return grading(prompt, items[:1])

    (some, rest), _ = grade(ScriptedBackend(first_of_each))
    assert some > 0
    assert rest > 0
    backend = ScriptedBackend(grading)
    (graded, waiting), summary = grade(backend, retries=3)
    assert waiting == 0
    assert graded == some + rest
    assert sum(len(asked_in(prompt)) for prompt in backend.prompts) == rest
    assert summary.overall.n_awaiting_judge == 0
    assert {row.round for row in read_log(folder / "verdicts.jsonl")} == {0, 1, 2, 3}


def test_another_judge_is_refused(made):
    folder, grade, _ = made
    grade(ScriptedBackend(grading))
    with pytest.raises(InputError, match=r"judged by another judge[\s\S]*verdicts.jsonl"):
        grade(ScriptedBackend(grading), name="test/second")
    assert read_summary(folder).judge == "test/judge@scripted-1"
