"""The decision log: what people said about items. One file an annotator, appended and never rewritten.

A log is ``<folder>/<task>/<annotator>.jsonl``, one decision a line. Of several decisions on an item the last one that
was not undone is in force. An undo is a line of its own that names the decision it takes back, so nothing is erased.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import time
import unicodedata
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import BaseModel, ConfigDict, Field, model_validator

from alifba.errors import InputError
from alifba.jsonl import Notices, iter_objects, read_bytes, validated

SKIP, UNDO = "skip", "undo"
# What a person can say in each task, besides skip and undo.
DECISIONS = {
    "review": ("accept", "reject", "edit"),
    "second": ("correct", "wrong", "unsure"),
    "baseline": ("answer",),
    "errors": ("factual", "format", "wrong_language", "unrelated"),
    "score": ("score",),
}
# What a person has before their eyes and judges. A change of any of these makes an old decision void.
JUDGED = {
    "review": ("question_az", "question_en", "answer", "answer_en", "answer_aliases", "category", "source"),
    "second": ("question_az", "question_en", "answer", "answer_en", "answer_aliases", "category"),
    "baseline": ("question_az",),
    "errors": ("question", "gold", "answer"),
    "score": ("prompt", "output", "criteria"),
}
_NAME = re.compile(r"\w[\w.-]{0,63}")
# Which field a decision cannot do without.
_NEEDED = {"reject": "reason", "edit": "changes", "answer": "answer", "score": "criteria", UNDO: "undoes"}


class Decision(BaseModel):
    """One line of a log. `text_sha` is `text_sha` of the item as it was shown; `time` is ISO 8601 with an offset.

    `changes` of an edit holds the new value of each changed field; an edit accepts the edited item. `answer` may be
    "" (left blank). `criteria` holds points from 0 to 5.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str = Field(min_length=1)
    task: str
    item_id: str = Field(min_length=1)
    decision: str
    annotator: str
    time: str
    text_sha: str
    reason: str | None = None
    note: str | None = None
    changes: dict[str, Any] | None = None
    answer: str | None = None
    criteria: dict[str, int] | None = None
    undoes: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> Decision:
        if self.task not in DECISIONS:
            raise ValueError(f"unknown task {self.task!r}, know {', '.join(DECISIONS)}")
        known = (*DECISIONS[self.task], SKIP, UNDO)
        if self.decision not in known:
            raise ValueError(f"unknown decision {self.decision!r} in {self.task}, know {', '.join(known)}")
        needed = _NEEDED.get(self.decision)
        given = getattr(self, needed) if needed else True
        if given is None or (needed != "answer" and not given):
            raise ValueError(f"{self.decision!r} needs {needed!r}")
        if any(not 0 <= points <= 5 for points in (self.criteria or {}).values()):
            raise ValueError("points go from 0 to 5")
        if datetime.fromisoformat(self.time).utcoffset() is None:
            raise ValueError("the time needs an offset, such as +04:00")
        return self


def text_sha(task: str, row: Mapping[str, Any]) -> str:
    """Sixteen hex digits of the sha256 of what `task` shows of `row`: canonical JSON, NFC, trimmed, empty fields out.

    An item read strictly and its raw line give the same digits.
    """
    shown = {name: value for name in JUDGED[task] if (value := _clean(row.get(name)))}
    text = json.dumps(shown, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value.strip())
    return [_clean(part) for part in value] if isinstance(value, list) else value


def as_decided(row: Mapping[str, Any], decision: Decision) -> dict[str, Any]:
    """`row` as the annotator wants it: with the changes of an edit, otherwise as it is."""
    return {**row, **(decision.changes or {})}


class Replay:
    """The state after a sequence of decisions: `in_force` holds one decision per item id."""

    def __init__(self) -> None:
        self.in_force: dict[str, Decision] = {}
        self._known: dict[str, Decision] = {}
        # Insertion order is the order of the log; an undone decision leaves.
        self._standing: dict[str, dict[str, Decision]] = {}
        self._order: dict[str, Decision] = {}

    def __len__(self) -> int:
        """How many lines were replayed, undone ones and undos too."""
        return len(self._known)

    @property
    def last(self) -> Decision | None:
        """The latest decision that was not undone: what an undo takes back."""
        return next(reversed(self._order.values()), None)

    def add(self, decision: Decision) -> None:
        """Replay one more line. Raises ValueError for a repeated id or an undo of nothing that stands."""
        if decision.id in self._known:
            raise ValueError(f"the decision id {decision.id!r} was used before")
        if decision.decision == UNDO:
            self._take_back(decision)
        else:
            self._standing.setdefault(decision.item_id, {})[decision.id] = decision
            self._order[decision.id] = decision
            self.in_force[decision.item_id] = decision
        self._known[decision.id] = decision

    def _take_back(self, undo: Decision) -> None:
        gone = self._order.get(undo.undoes or "")
        if gone is None or gone.item_id != undo.item_id:
            raise ValueError(f"no decision {undo.undoes!r} on item {undo.item_id!r} stands before this undo")
        del self._order[gone.id]
        standing = self._standing[gone.item_id]
        del standing[gone.id]
        if standing:
            self.in_force[gone.item_id] = next(reversed(standing.values()))
        else:
            del self.in_force[gone.item_id]


def log_path(folder: Path, task: str, annotator: str) -> Path:
    """The log of `annotator`. Raises `InputError` for a name that cannot be a file name everywhere."""
    name = unicodedata.normalize("NFC", annotator)
    if not _NAME.fullmatch(name):
        raise InputError(
            "an annotator's name is letters, digits, '.', '_' and '-', at most 64",
            value=annotator,
            next_step="choose a short name and keep to it",
        )
    return folder / task / f"{name}.jsonl"


def read_log(path: Path, kind: type[Decision] = Decision) -> tuple[Replay, Notices]:
    """Replay one log without touching it; a torn last line is counted and left out. `kind` is what a line must be:
    a benchmark whose people say more has a decision of its own.

    Raises:
        InputError: a line is torn before the end, lacks a field, names another task or annotator than the path
            does, repeats an id, or undoes what does not stand; the message names file and line.
    """
    notices, replay = Notices(path), Replay()
    if path.exists() and not path.stat().st_size:
        return replay, notices
    for line, row in iter_objects(path, read_bytes(path), notices, torn_end=True):
        decision = validated(kind, row, path, line)
        try:
            if (decision.task, decision.annotator) != (path.parent.name, path.stem):
                raise ValueError(f"a decision of {decision.annotator!r} in task {decision.task!r} does not belong here")
            replay.add(decision)
        except ValueError as fault:
            raise InputError(
                str(fault),
                file=path,
                line=line,
                likely="a log that was edited, copied or merged by hand",
                next_step="restore the log; a decision is changed in the annotation app",
            ) from None
    return replay, notices


def read_decisions(folder: Path, task: str) -> dict[str, dict[str, Decision]]:
    """The decisions in force, per annotator (sorted) and item id; empty where nobody has decided anything."""
    logs = {path.stem: read_log(path)[0].in_force for path in sorted((folder / task).glob("*.jsonl"))}
    return {annotator: in_force for annotator, in_force in logs.items() if in_force}


class Conflict(Exception):
    """The item was decided elsewhere (another tab, another process) since the page was made."""


class DecisionLog:
    """One annotator's log, open for appending. What another process of the same annotator wrote is read first.

    `mended` says what was repaired in the file: a last line that a kill had cut off is removed.
    """

    def __init__(
        self, folder: Path, task: str, annotator: str, patience: float = 5, kind: type[Decision] = Decision
    ) -> None:
        self.path = log_path(folder, task, annotator)
        self._kind = kind
        self.task, self.annotator, self._patience = task, self.path.stem, patience
        self.mended: list[str] = []
        self._state: tuple[int, int] | None = None
        self._replay = Replay()
        if self.path.exists():
            with self._locked():
                pass

    @property
    def replay(self) -> Replay:
        """The state of the log as it is on disk now."""
        state = _file_state(self.path)
        if state != self._state:
            self._replay = read_log(self.path, self._kind)[0] if state else Replay()
            self._state = state
        return self._replay

    def append(self, item_id: str, decision: str, sha: str, seen: str | None = None, **fields: Any) -> Decision:
        """Write one decision to disk before returning; `seen` is the id of the decision that the person saw in force.

        Raises:
            Conflict: another decision is in force by now.
            InputError: the decision is incomplete, the file cannot be written (nothing is left of it then), or
                another process holds the file.
        """
        with self._locked() as file:
            in_force = self.replay.in_force.get(item_id)
            if (in_force and in_force.id) != seen:
                raise Conflict
            return self._write(file, item_id, decision, sha, fields)

    def undo(self, seen: str) -> Decision:
        """Take back the last standing decision, which must be the one the person saw. Raises as `append` does."""
        with self._locked() as file:
            last = self.replay.last
            if last is None or last.id != seen:
                raise Conflict
            return self._write(file, last.item_id, UNDO, last.text_sha, {"undoes": last.id})

    def _write(self, file: BinaryIO, item_id: str, decision: str, sha: str, fields: dict[str, Any]) -> Decision:
        row = {
            "id": uuid.uuid4().hex[:12],
            "task": self.task,
            "item_id": item_id,
            "decision": decision,
            "annotator": self.annotator,
            "time": datetime.now().astimezone().isoformat(timespec="seconds"),
            "text_sha": sha,
        }
        made = validated(self._kind, row | fields, self.path, len(self.replay) + 1)
        line = json.dumps(made.model_dump(exclude_none=True), ensure_ascii=False, allow_nan=False) + "\n"
        size = os.fstat(file.fileno()).st_size
        try:
            _write_whole(file, line.encode("utf-8"))
            os.fsync(file.fileno())
            if not size:
                _sync_folder(self.path.parent)
        except OSError as fault:
            os.ftruncate(file.fileno(), size)
            raise InputError(
                f"the decision was not saved: {fault.strerror}", file=self.path, next_step="make room and decide again"
            ) from None
        self._replay.add(made)
        self._state = _file_state(self.path)
        return made

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        """The file, for this process alone, ending in a whole line."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab", buffering=0) as file:
            deadline = time.monotonic() + self._patience
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= deadline:
                        raise InputError(
                            "another process holds this log", file=self.path, next_step="end it, then try again"
                        ) from None
                    time.sleep(0.02)
            self._mend(file)
            yield file

    def _mend(self, file: BinaryIO) -> None:
        if _ends_whole(self.path):
            return
        data = self.path.read_bytes()
        end = data.rfind(b"\n") + 1
        try:
            json.loads(data[end:])
        except ValueError:
            os.ftruncate(file.fileno(), end)
            line = data.count(b"\n") + 1
            self.mended.append(f"{self.path}:{line}: a last line that was cut off ({len(data) - end} bytes) is removed")
        else:
            _write_whole(file, b"\n")


def _write_whole(file: BinaryIO, data: bytes) -> None:
    while data:
        data = data[file.write(data) :]


def _sync_folder(folder: Path) -> None:
    """A new file survives a power cut only once its folder is on disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return True
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def _file_state(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns
