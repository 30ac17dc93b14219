"""RUN: ask every question of a run and keep what comes back, word for word. Never scores."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import alifba
from alifba.errors import InputError
from alifba.paths import resolve
from alifba.tifinagh.dictionaries import Dictionary, load_dictionaries
from alifba.tifinagh.harness import Harness, open_harness, reader
from alifba.tifinagh.prompts import ask_text, prompts_sha
from alifba.tifinagh.questions import QuestionSet, build_questions
from alifba.tifinagh.records import REPLIES_FILE, RUN_FILE, Dialect, RunRecord, Setup, read_run_record, write_record
from alifba.tifinagh.replies import read_answers
from alifba.tifinagh.rounds import Asking, ReplyLog
from alifba.tifinagh.sampling import RECIPE
from alifba.tifinagh.study import Contestant, TifinaghStudy

Progress = Callable[[str, int, int], None]
_PACKAGES = ("pydantic", "rapidfuzz")


@dataclass(frozen=True)
class RunReport:
    """What `run_contestant` came to: questions in all, answered, and failed after all retries."""

    folder: Path
    n_questions: int
    n_answered: int
    n_failed: int


def setup_of(study: TifinaghStudy, dictionaries: dict[Dialect, Dictionary], retries: int | None = None) -> Setup:
    """What runs of `study` share. Raises `InputError` if a dialect has no dictionary."""
    for dialect in study.dialects:
        if dialect not in dictionaries:
            raise InputError(
                "no dictionary of a dialect of the study", value=dialect, next_step="declare its mapping file"
            )
    return Setup(
        sampling=RECIPE,
        seed=study.seed,
        sample=study.n_sample,
        batch_size=study.batch_size,
        retries=study.retries if retries is None else retries,
        dialects=study.dialects,
        tasks=study.tasks,
        dictionaries={dialect: dictionaries[dialect].record.sha256 for dialect in study.dialects},
        prompts=prompts_sha("ask"),
        max_new_tokens=study.max_new_tokens,
    )


def open_study(
    study: TifinaghStudy, retries: int | None = None
) -> tuple[dict[Dialect, Dictionary], Setup, QuestionSet]:
    """The dictionaries, the setup and the questions of a study."""
    dictionaries = load_dictionaries(study.dictionaries)
    setup = setup_of(study, dictionaries, retries)
    return dictionaries, setup, build_questions(dictionaries, setup)


def run_contestant(
    study: TifinaghStudy,
    contestant: Contestant,
    runs: str | Path = "",
    retries: int | None = None,
    max_cost: float | None = None,
    progress: Progress = lambda what, done, total: None,
    harness: Harness | None = None,
) -> RunReport:
    """Ask `contestant` what its run in the folder `runs` still lacks; go on where it was stopped.

    `retries` above the study's asks again what failed before. `harness` is opened here unless it is given.

    Raises:
        InputError: the folder holds a run with another setup or another model; what differs is named.
        UnsupportedSetting, CostLimit: from the API; every reply that came is kept.
    """
    dictionaries, setup, questions = open_study(study, retries)
    folder = resolve(runs or study.runs) / contestant.slug
    harness = harness or open_harness(contestant, "ask", study.max_new_tokens, max_cost)
    by_key = {question.key: question for question in questions.questions}
    record = RunRecord(
        study=study.name,
        answerer=harness.answerer,
        setup=setup,
        dictionaries=[dictionaries[dialect].record for dialect in setup.dialects],
        sampled=questions.sampled,
        skipped=questions.skipped,
        n_questions=len(by_key),
        versions=_versions(),
    )
    with ReplyLog(folder / REPLIES_FILE) as log:
        write_record(folder / RUN_FILE, _resumed(folder, record, bool(log.rows)))
        asking = Asking(
            groups=[[question.key for question in group] for group in questions.groups],
            batch_size=setup.batch_size,
            retries=setup.retries,
            prompt=lambda keys: ask_text([by_key[key] for key in keys]),
            read=reader(harness.answerer.harness, read_answers),
            send=harness.send,
            progress=progress,
        )
        state = asking.ask(log)
    return RunReport(folder, len(by_key), len(state.values), len(by_key) - len(state.values))


def _resumed(folder: Path, record: RunRecord, begun: bool) -> RunRecord:
    """`record` with what the run in `folder` knows already. Raises `InputError` if that is another run."""
    path = folder / RUN_FILE
    if not path.exists():
        if begun:
            raise InputError("replies of a run whose run.json is gone", file=path, next_step="restore it")
        return record
    before = read_run_record(folder)
    if begun and before.setup.batch_size != record.setup.batch_size:
        raise InputError(
            "a run cannot go on with another batch size: longer lists change how models answer",
            file=path,
            value={"begun with": before.setup.batch_size, "asked for": record.setup.batch_size},
            next_step="set it back, or move the folder away to start a new run",
        )
    if begun and (names := differences(before, record)):
        raise InputError(
            f"this folder holds another run: it differs in {', '.join(names)}",
            file=path,
            value=names,
            likely="the study, a dictionary, the model or the prompts changed since the run was begun",
            next_step="move the folder away to start a new run",
        )
    return record.model_copy(update={"judge": before.judge}) if begun else record


def differences(before: RunRecord, now: RunRecord) -> list[str]:
    """The settings in which two records are of different runs. More retries, another label and another version of
    Python make no other run."""
    old, new = _identity(before), _identity(now)
    names = [name for name in old.keys() | new.keys() if old.get(name) != new.get(name)]
    return sorted([*names, *(["retries"] if now.setup.retries < before.setup.retries else [])])


def _identity(record: RunRecord) -> dict[str, Any]:
    setup = record.setup.model_dump(exclude={"retries"})
    model = record.answerer.model_dump(exclude={"label", "environment"})
    return setup | {f"model.{name}": value for name, value in model.items()}


def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in _PACKAGES}
    return {"alifba": alifba.__version__, "python": platform.python_version()} | packages
