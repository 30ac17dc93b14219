"""Run files: one record a line, as published. Read exactly as written, appended to line by line, resumed."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import string
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from alifba.errors import InputError
from alifba.hieratic.records import ModelInfo, RunRecord
from alifba.jsonl import read_bytes, validated

_BASE_36 = string.digits + string.ascii_lowercase
_SAFE = frozenset(string.ascii_letters + string.digits + "-._")
_TAIL = 4
_RECORD_BEGINS = b'{"harness'


@dataclass(frozen=True)
class RunFile:
    """A run file with the number of each record's line; `torn`: its last line was cut off and is left out."""

    path: Path
    lines: tuple[tuple[int, RunRecord], ...]
    torn: bool = False

    @property
    def records(self) -> list[RunRecord]:
        return [record for _, record in self.lines]

    @property
    def in_force(self) -> list[RunRecord]:
        """One record an item, rung and sample: the last that brought an answer, or else the last failed call."""
        kept: dict[tuple[str, str, int], RunRecord] = {}
        for record in self.records:
            if record.key not in kept or not record.failed or kept[record.key].failed:
                kept[record.key] = record
        return list(kept.values())


def read_run_file(path: Path) -> RunFile:
    """Read a run file made by this or another harness.

    Text is taken exactly as written, also where it is not NFC: recorded lines are compared with it.

    Raises:
        InputError: a line that is no record, with file and line.
    """
    lines = read_bytes(path).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    records, torn = [], False
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            row = json.loads(raw.decode("utf-8"))
        except (ValueError, RecursionError) as fault:
            if number == len(lines):
                torn = True
                break
            raise InputError(f"not JSON ({fault})", file=path, line=number, next_step="restore the line") from None
        if not isinstance(row, dict):
            raise InputError("a JSON object is needed on each line", file=path, line=number)
        records.append((number, validated(RunRecord, row, path, number)))
    return RunFile(path, tuple(records), torn)


def read_run_files(folder: Path) -> list[RunFile]:
    """Every run file of a folder, by name; none where there is no such folder."""
    return [read_run_file(path) for path in sorted(folder.glob("*.jsonl")) if path.stat().st_size]


def new_run_id(model: ModelInfo, now: datetime | None = None) -> str:
    """``<UTC stamp>-<key>[-<effort>]-<4 base-36 digits>``: the name of a run file without its ending."""
    stamp = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
    tail = "".join(secrets.choice(_BASE_36) for _ in range(_TAIL))
    words = [stamp, "".join(sign if sign in _SAFE else "-" for sign in model.key)]
    return "-".join([*words, *([model.effort] if model.effort else []), tail])


def record_line(record: RunRecord) -> str:
    """A record as its line: the fields of the protocol in their order, null where there is nothing, then any others.

    Only what the protocol calls optional is left out where it is not set: effort, cost, and the mark of a private copy.
    """
    row: dict[str, Any] = record.model_dump(mode="json", by_alias=True)
    for whole, name in ((row["model"], "effort"), (row["usage"] or {}, "costUsd")):
        if whole.get(name) is None:
            whole.pop(name, None)
    if not record.private_copy:
        row.pop("privateCopy")
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


class RunAppender:
    """One run file, open for appending and locked against a second writer. The file appears with its first record.

    A last line that a kill cut off is dropped when the file is opened. A record that cannot be written raises.

    Raises:
        InputError: another process writes this file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    "another process is writing this run", file=path, next_step="wait for it to end"
                ) from None
            self.before = self._resume()
        except BaseException:
            self._file.close()
            raise

    def _resume(self) -> list[RunRecord]:
        """What the file holds already; its end is mended first. A file that is no run is left as it is."""
        data = self.path.read_bytes()
        if not data.strip():
            return []
        run = read_run_file(self.path)
        if run.torn and not run.lines and not data.startswith(_RECORD_BEGINS):
            raise InputError("this is no run file, and it is left as it is", file=self.path)
        if run.torn:
            os.truncate(self.path, data.rfind(b"\n") + 1)
        elif not data.endswith(b"\n"):
            self._file.write(b"\n")
            self._file.flush()
        return run.in_force

    def append(self, record: RunRecord) -> None:
        """Write one record, whole, and hand it to the operating system before returning."""
        self._file.write(record_line(record).encode("utf-8", "backslashreplace"))
        self._file.flush()

    def __enter__(self) -> RunAppender:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._file.fileno())
        self._file.close()
        if not self.path.stat().st_size:
            self.path.unlink()
