"""JUDGE: have the answers graded that no exact rule decides. A failed verdict leaves an answer waiting, never wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from alifba.errors import InputError
from alifba.tifinagh.harness import Harness, open_harness, reader
from alifba.tifinagh.prompts import judge_text
from alifba.tifinagh.questions import Question, QuestionSet
from alifba.tifinagh.records import (
    DIALECTS,
    REPLIES_FILE,
    RUN_FILE,
    VERDICTS_FILE,
    Answerer,
    read_run_record,
    write_record,
)
from alifba.tifinagh.replies import read_answers, read_verdicts
from alifba.tifinagh.rounds import Asking, ReplyLog, State, read_log, state_of
from alifba.tifinagh.scoring import needs_judge
from alifba.tifinagh.study import Judge


def replies_in(folder: Path) -> State[str]:
    """What the model of a run answered so far."""
    harness = read_run_record(folder).answerer.harness
    return state_of(read_log(folder / REPLIES_FILE), reader(harness, read_answers))


def verdicts_in(folder: Path) -> State[tuple[str, str]]:
    """What the judge of a run said so far; nothing where nobody judges."""
    judge = read_run_record(folder).judge
    if judge is None:
        return State()
    return state_of(read_log(folder / VERDICTS_FILE), reader(judge.harness, read_verdicts))


def undecided(questions: QuestionSet, replies: State[str]) -> list[Question]:
    """The questions whose answers only a judge can grade."""
    return [
        question
        for question in questions.questions
        if question.key in replies.values and needs_judge(question, replies.values[question.key])
    ]


def judge_run(
    folder: Path,
    questions: QuestionSet,
    judge: Judge,
    retries: int | None = None,
    max_cost: float | None = None,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
    harness: Harness | None = None,
) -> tuple[int, int]:
    """Grade what is undecided in the run in `folder`, in batches of one dialect; (graded, still waiting).

    The judge sees dialect, word, English senses and answer, and nothing else.

    Raises:
        InputError: the run was begun with another judge.
    """
    replies = replies_in(folder)
    open_ = {question.key: question for question in undecided(questions, replies)}
    harness = harness or open_harness(judge.contestant, "judge", judge.max_new_tokens, max_cost)
    with ReplyLog(folder / VERDICTS_FILE) as log:
        record = read_run_record(folder)
        if log.rows and record.judge and _identity(record.judge) != _identity(harness.answerer):
            raise InputError(
                "this run was judged by another judge",
                file=folder / RUN_FILE,
                value=record.judge.name,
                next_step=f"move {VERDICTS_FILE} away to judge it anew",
            )
        write_record(folder / RUN_FILE, record.model_copy(update={"judge": harness.answerer}))
        asking = Asking(
            groups=[[key for key, question in open_.items() if question.dialect == dialect] for dialect in DIALECTS],
            batch_size=judge.batch_size,
            retries=judge.retries if retries is None else retries,
            prompt=lambda keys: judge_text([(open_[key], replies.values[key]) for key in keys]),
            read=reader(harness.answerer.harness, read_verdicts),
            send=harness.send,
            progress=progress,
        )
        state = asking.ask(log)
    graded = sum(key in state.values for key in open_)
    return graded, len(open_) - graded


def _identity(judge: Answerer) -> dict[str, object]:
    return judge.model_dump(exclude={"slug", "label", "environment"})
