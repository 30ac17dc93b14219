"""Answers of tools, scored by people who do not see each other: `alifba.arabic`'s seats behind the task ``score``.

The work of a scorer is every answer that was logged; which of it is theirs is looked up in the logs at each request,
so that a third scorer is called as soon as two differ. Nothing that a page is made of names the tool or a score.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alifba.annotate.answers import Offer, Unfit
from alifba.annotate.tasks import Work, load_task
from alifba.annotate.worklist import View, Worklist
from alifba.arabic.logs import Logs, append_record, read_logs
from alifba.arabic.project import Project, shown_row
from alifba.arabic.records import Prescore, PrescoreRequest, Role, Score, riyadh_now
from alifba.arabic.seats import NoSeat, seat
from alifba.arabic.wording import label
from alifba.decisions import SKIP, Decision, DecisionLog, Replay, read_log, text_sha

TASK = "score"
# The queues of a scorer: the two blind seats, and the seat that a gap calls.
_PAIR, _THIRD = "pair", "third"
_GROUPS = {"category": "sections", "criterion": "criteria", "points": "scale"}


class Scores:
    """What all scorers said, as it was on disk at the last `refresh`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / TASK
        self._read: dict[Path, tuple[tuple[int, int], Replay]] = {}

    def refresh(self) -> None:
        """Read every log that has changed. Raises `InputError` for a damaged one."""
        for path in sorted(self._folder.glob("*.jsonl")):
            found = path.stat()
            state = found.st_size, found.st_mtime_ns
            if path not in self._read or self._read[path][0] != state:
                self._read[path] = state, read_log(path, Score)[0]

    def standing(self, work: Work) -> dict[str, Score]:
        """Who gave `work` points that are in force and on this very text."""
        found = {path.stem: replay.in_force.get(work.id) for path, (_, replay) in self._read.items()}
        return {
            name: score
            for name, score in found.items()
            if isinstance(score, Score) and score.decision != SKIP and score.text_sha == work.sha
        }


class BlindLog(DecisionLog):
    """A scorer's log. A score takes its seat as it is written, and no two scorers take one at the same time."""

    def __init__(self, folder: Path, scorer: str, seat_of: Callable[[str], Role]) -> None:
        super().__init__(folder, TASK, scorer, kind=Score)
        self._seat_of = seat_of

    def append(self, item_id: str, decision: str, sha: str, seen: str | None = None, **fields: Any) -> Decision:
        """As `DecisionLog.append`, with the seat. Raises `Unfit` where none is left."""
        if decision == SKIP:
            return super().append(item_id, decision, sha, seen, **fields)
        with _alone(self.path.parent):
            try:
                role = self._seat_of(item_id)
            except NoSeat as none:
                raise Unfit(f"closed_{none.key}", 403) from None
            return super().append(item_id, decision, sha, seen, role=role, **fields)


class BlindWorklist(Worklist):
    """The answers that were logged in `project`, as one scorer may judge them."""

    log: BlindLog

    def __init__(self, project: Project, scorer: str, logs: Logs) -> None:
        self._project, self._person = project, project.scorer(scorer)
        self._attempts = {one.id: one for one in logs.attempts.values() if one.outcome == "answer"}
        self._prescores = {one.attempt: one for one in logs.prescores.values() if self._fits(one)}
        self._asked = {one.prescore for one in logs.requests if one.scorer == scorer}
        self._scores = Scores(project.logs)
        works = sorted(map(self._work, self._attempts), key=self._order)
        log = BlindLog(project.logs, scorer, lambda name: self._seat_now(self._works[name]))
        self._works = {work.id: work for work in works}
        super().__init__(load_task(TASK, "blind"), works, log)

    def _work(self, name: str) -> Work:
        attempt = self._attempts[name]
        item = self._project.item(attempt.key)
        row = shown_row(item, attempt)
        return Work(name, row, text_sha(TASK, row), item.section, "")

    def _order(self, work: Work) -> tuple[int, str]:
        """Item by item; within one, an order of each scorer's own, from which no tool can be told."""
        keys = [item.key for item in self._project.items]
        mixed = hashlib.sha256(f"{self._person.id}/{work.id}".encode()).hexdigest()
        return keys.index(self._attempts[work.id].key), mixed

    def _fits(self, prescore: Prescore) -> bool:
        attempt = self._attempts.get(prescore.attempt)
        return attempt is not None and set(prescore.criteria) == set(self._project.item(attempt.key).criteria)

    def _seat(self, work: Work) -> Role:
        return seat(self._project, self._attempts[work.id], self._person.id, self._scores.standing(work))

    def _seat_now(self, work: Work) -> Role:
        self._scores.refresh()
        return self._seat(work)

    def _found(self, view: View) -> Iterator[tuple[int, Decision | None]]:
        # Once for all work: each look at the logs is a look at the disk.
        self._scores.refresh()
        return super()._found(view)

    def _choices(self, name: str) -> list[str]:
        return [_PAIR, _THIRD] if name == "queue" else super()._choices(name)

    def closed(self, work: Work) -> str:
        """ "closed_gulf" or "closed_full", or "" for work that this person may score or has scored."""
        try:
            self._seat_now(work)
        except NoSeat as none:
            return f"closed_{none.key}"
        return ""

    def within(self, work: Work, view: View) -> bool:
        """As for all work; what is closed is in no view, and a queue holds its own seats only."""
        if not super().within(work, view):
            return False
        try:
            role = self._seat(work)
        except NoSeat:
            return False
        return view.queue == "" or (role == _THIRD) == (view.queue == _THIRD)

    def is_third(self, work: Work) -> bool:
        """Whether this person is called because two others differ."""
        return self._seat_now(work) == _THIRD

    def term(self, kind: str, name: str, language: str) -> str:
        """The protocol's word for a section, a criterion or points, in Arabic or else in English."""
        if kind not in _GROUPS:
            return name
        return label(_GROUPS[kind], name, "ar" if language == "ar" else "en")

    def has_prescore(self, work: Work) -> bool:
        """Whether a model judged it too."""
        return work.id in self._prescores

    def offer(self, work: Work) -> Offer | None:
        """The model's points, if this person has asked to see them."""
        found = self._prescores.get(work.id)
        return Offer(found.id, found.criteria, found.note or "") if found and found.id in self._asked else None

    def ask(self, work: Work) -> None:
        """Log that this person wants to see the model's points, once; from then on `offer` gives them."""
        found = self._prescores[work.id]
        if found.id in self._asked:
            return
        path = self._project.logs / "prescore_requests" / f"{self._person.id}.jsonl"
        request = PrescoreRequest(scorer=self._person.id, attempt=work.id, prescore=found.id, time=riyadh_now())
        append_record(path, request)
        self._asked.add(found.id)


def blind_worklist(project: Project, scorer: str) -> tuple[BlindWorklist, list[str]]:
    """The work of `scorer`, and lines of what was noticed in the logs.

    Raises:
        InputError: a person without a profile in the project, or a damaged log.
    """
    logs = read_logs(project)
    return BlindWorklist(project, scorer, logs), logs.said


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Only one process at a time takes a seat."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
