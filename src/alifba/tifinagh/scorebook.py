"""ANALYSE a run folder: replies and verdicts in, ``items.jsonl`` and ``summary.json`` out. Needs no model."""

from __future__ import annotations

from pathlib import Path

from alifba.errors import InputError
from alifba.tifinagh.dictionaries import Dictionary
from alifba.tifinagh.judging import replies_in, verdicts_in
from alifba.tifinagh.questions import QuestionSet, build_questions
from alifba.tifinagh.records import (
    RUN_FILE,
    SUMMARY_FILE,
    Dialect,
    RunRecord,
    Summary,
    read_run_record,
    write_item_records,
    write_record,
)
from alifba.tifinagh.scoring import score_question
from alifba.tifinagh.summary import summarise


def questions_of(record: RunRecord, dictionaries: dict[Dialect, Dictionary], folder: Path) -> QuestionSet:
    """The questions that a run asked, from its own setup.

    Raises:
        InputError: a dictionary is not the one that the run was made with.
    """
    for dialect, sha in record.setup.dictionaries.items():
        given = dictionaries.get(dialect)  # type: ignore[call-overload]
        if given is None or given.record.sha256 != sha:
            raise InputError(
                f"the {dialect} dictionary is not the one of this run",
                file=folder / RUN_FILE,
                likely="the dictionary changed since the run was made",
                next_step="score with the old one, or run again",
            )
    return build_questions(dictionaries, record.setup)


def score_run(folder: Path, dictionaries: dict[Dialect, Dictionary]) -> Summary:
    """Score the run in `folder` and write its items and its summary.

    A question without an answer has failed once it was asked ``1 + retries`` times, and waits before that.
    """
    record = read_run_record(folder)
    questions = questions_of(record, dictionaries, folder).questions
    replies, verdicts = replies_in(folder), verdicts_in(folder)
    items = [
        score_question(question, replies, verdicts, finished=replies.tries[question.key] > record.setup.retries)
        for question in questions
    ]
    summary = summarise(record, items)
    write_item_records(folder, items)
    write_record(folder / SUMMARY_FILE, summary)
    return summary
