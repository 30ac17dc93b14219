"""The logs of a project: read strictly and whole, appended line by line, never rewritten."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import TypeVar

from alifba.arabic.project import Project, prompt_sha, shown_row
from alifba.arabic.records import Attempt, Prescore, PrescoreRequest, Review, Score, attempt_id
from alifba.config import Strict
from alifba.decisions import read_log, text_sha
from alifba.errors import InputError, closest
from alifba.jsonl import Notices, iter_objects, read_bytes, validated

_Record = TypeVar("_Record", bound=Strict)
# What all attempts of one run agree in.
_SETTING = ("tool", "plan", "model_version", "interface", "ui_language", "test_set")


@dataclass(frozen=True)
class Logs:
    """Everything that was logged. `attempts` are those that stand (a replaced one does not), by id and in log order.

    `scores` are those in force: attempt id -> scorer -> score. `reviews`: the last one of each tool.
    """

    attempts: dict[str, Attempt]
    scores: dict[str, dict[str, Score]]
    prescores: dict[str, Prescore]
    requests: list[PrescoreRequest]
    reviews: dict[str, Review]
    said: list[str] = field(default_factory=list)


def read_logs(project: Project) -> Logs:
    """Read every log of `project`.

    Raises:
        InputError: a damaged line, or one that does not fit the project (an unknown tool, item, scorer or attempt; a
            prompt that is not the item's; a second attempt at one place; a run that mixes settings; criteria that
            are not the item's); the message names file and line.
    """
    said: list[str] = []
    attempts = read_attempts(project, said)
    prescores = {one.id: one for one in _records(project.logs / "prescores", Prescore, said)}
    reviews = {one.tool: one for one in sorted(_reviews(project, said), key=lambda one: one.date)}
    requests = list(_records(project.logs / "prescore_requests", PrescoreRequest, said))
    scores = _scores(project, attempts, prescores, said)
    return Logs(attempts.standing, scores, prescores, requests, reviews, said)


class AttemptBook:
    """The attempts of all runs, each of which fits the project and those before it.

    `known` holds every one by id, those that were replaced too; `standing` those that count.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self.known: dict[str, Attempt] = {}
        self._places: dict[tuple[str, str, int], Attempt] = {}

    @property
    def standing(self) -> dict[str, Attempt]:
        return {one.id: one for one in self._places.values()}

    def add(self, attempt: Attempt) -> None:
        """Take in one more attempt. Raises ValueError where it does not fit, and InputError for unknown names."""
        self._fits_project(attempt)
        if attempt.id in self.known:
            raise ValueError(f"the attempt {attempt.id!r} was logged before")
        there = self._places.get(attempt.place)
        if (there.id if there else None) != attempt.replaces:
            what = f"was logged as {there.id!r}: replace that" if there else "is not there to be replaced"
            raise ValueError(f"attempt {attempt.attempt} of {attempt.key} in run {attempt.run} {what}")
        self._fits_run(attempt)
        self.known[attempt.id] = self._places[attempt.place] = attempt

    def _fits_project(self, attempt: Attempt) -> None:
        tool, item = self._project.tool(attempt.tool), self._project.item(attempt.key)
        if tool.example:
            raise ValueError(f"{tool.id} is an example of a kind of tool, no tool: it has no runs")
        if item not in self._project.items_for(tool, attempt.test_set):
            raise ValueError(f"{item.key} is not asked of a {tool.kind} tool in test set {attempt.test_set}")
        if item.prompt is None or item.status == "needs_sample":
            raise ValueError(f"{item.key} cannot be run yet, it needs: {'; '.join(item.missing)}")
        if attempt.prompt_sha != prompt_sha(item.prompt):
            raise ValueError(f"the prompt sent is not that of {item.key}: an edited prompt is a new version")
        for name, allowed in (("plan", tool.plans), ("model_version", tool.versions)):
            if allowed and getattr(attempt, name) not in allowed:
                raise ValueError(f"{tool.id} has no {name} {getattr(attempt, name)!r}, only {', '.join(allowed)}")

    def _fits_run(self, attempt: Attempt) -> None:
        others = (one for one in self._places.values() if one.run == attempt.run and one.id != attempt.replaces)
        if (other := next(others, None)) is None:
            return
        for name in _SETTING:
            if getattr(other, name) != getattr(attempt, name):
                raise ValueError(
                    f"run {attempt.run} has {name} {getattr(other, name)!r}, not {getattr(attempt, name)!r}: "
                    "another setting is another run"
                )


def read_attempts(project: Project, said: list[str] | None = None) -> AttemptBook:
    """Every attempt of every run. Raises InputError as `read_logs`; `said` collects what was repaired."""
    book = AttemptBook(project)
    for path in sorted((project.logs / "attempts").glob("*.jsonl")):
        for line, attempt in _lines(path, Attempt, said if said is not None else []):
            try:
                if attempt.run != path.stem:
                    raise ValueError(f"an attempt of run {attempt.run!r} does not belong here")
                book.add(attempt)
            except ValueError as fault:
                raise InputError(str(fault), file=path, line=line, likely="a log that was edited by hand") from None
    return book


def append_attempt(project: Project, attempt: Attempt) -> Path:
    """Write one attempt to the log of its run; on disk before this returns.

    Raises:
        InputError: it does not fit the project or the other attempts of its run, or the file cannot be written.
    """
    path = project.logs / "attempts" / f"{attempt.run}.jsonl"

    def check() -> None:
        try:
            read_attempts(project).add(attempt)
        except ValueError as fault:
            raise InputError(str(fault), file=path, next_step="correct it; nothing was saved") from None

    append_record(path, attempt, check)
    return path


def append_record(path: Path, record: Strict, check: Callable[[], None] = lambda: None) -> None:
    """Append `record` as one line, for this process alone, after `check`; a torn last line is removed first."""
    line = json.dumps(record.model_dump(mode="json", exclude_none=True), ensure_ascii=False, allow_nan=False) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _mend(file, path.read_bytes())
        size = os.fstat(file.fileno()).st_size
        try:
            check()
            file.write(line.encode("utf-8", "backslashreplace"))
            os.fsync(file.fileno())
        except OSError as fault:
            os.ftruncate(file.fileno(), size)
            raise InputError(f"not saved: {fault.strerror}", file=path, next_step="make room, then repeat") from None


def _mend(file: FileIO, data: bytes) -> None:
    """Make the file end in a whole line: a last one that a kill cut off goes, one that is whole gets its newline."""
    end = data.rfind(b"\n") + 1
    if end == len(data):
        return
    try:
        json.loads(data[end:])
    except ValueError:
        os.ftruncate(file.fileno(), end)
    else:
        file.write(b"\n")


def next_replacement(attempts: Iterable[str], place: tuple[str, str, int]) -> str:
    """The id that the next replacement at `place` gets, given the ids that were used."""
    used, number = set(attempts), 1
    while (name := attempt_id(*place, number)) in used:
        number += 1
    return name


def _scores(
    project: Project, attempts: AttemptBook, prescores: dict[str, Prescore], said: list[str]
) -> dict[str, dict[str, Score]]:
    found: dict[str, dict[str, Score]] = {}
    standing = attempts.standing
    for path in sorted((project.logs / "score").glob("*.jsonl")):
        project.scorer(path.stem)
        replay, notices = read_log(path, Score)
        said += notices.lines()
        for name, score in replay.in_force.items():
            if not isinstance(score, Score) or score.decision != "score":
                continue
            if name not in attempts.known:
                raise InputError("no such attempt", file=path, value=name, likely=closest(name, attempts.known))
            if name not in standing:
                said.append(f"{path}: the attempt {name} was replaced; its score does not count")
                continue
            if not _of_this_text(project, standing[name], score, path):
                said.append(f"{path}: {name} was scored on another text; its score does not count")
                continue
            if score.prescore is not None and _attempt_of(prescores, score.prescore) != name:
                raise InputError(f"no such pre-score of {name}", file=path, value=score.prescore)
            found.setdefault(name, {})[path.stem] = score
    return found


def _attempt_of(prescores: dict[str, Prescore], name: str) -> str | None:
    return prescores[name].attempt if name in prescores else None


def _of_this_text(project: Project, attempt: Attempt, score: Score, path: Path) -> bool:
    item = project.item(attempt.key)
    if score.text_sha != text_sha("score", shown_row(item, attempt)):
        return False
    if set(score.criteria or {}) != set(item.criteria):
        raise InputError(
            f"the criteria of {attempt.key} are {', '.join(item.criteria)}", file=path, value=score.criteria
        )
    return True


def _reviews(project: Project, said: list[str]) -> Iterable[Review]:
    for review in _records(project.logs / "reviews", Review, said):
        if project.tool(review.tool).example:
            raise InputError("an example of a kind of tool has no review", value=review.tool)
        yield review


def _records(folder: Path, kind: type[_Record], said: list[str]) -> Iterable[_Record]:
    for path in sorted(folder.glob("*.jsonl")):
        for _, record in _lines(path, kind, said):
            yield record


def _lines(path: Path, kind: type[_Record], said: list[str]) -> Iterable[tuple[int, _Record]]:
    if not path.stat().st_size:
        return
    notices = Notices(path)
    for line, row in iter_objects(path, read_bytes(path), notices, torn_end=True):
        yield line, validated(kind, row, path, line)
    said += notices.lines()
