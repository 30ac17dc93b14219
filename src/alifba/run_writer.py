"""Append to a run and resume it: a stopped run loses at most the item in flight and never repeats one."""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from alifba.errors import InputError
from alifba.runs import Row, read_run, row_line, unpack

# How every row begins: a first row that was cut off is told from a file that is something else.
_ROW_BEGINS = b'{"id": "'


class RunWriter:
    """One raw output file, open for appending and locked against a second writer (waited for `patience` seconds).

    `answered` holds the ids that need not be asked again. A row that cannot be written raises: a run whose
    answers are not on disk must stop.

    Raises:
        InputError: the file holds another run (named field by field), or another process is writing it.
    """

    def __init__(self, path: Path, template: dict[str, Any], patience: float = 0) -> None:
        self.path, self._template = path, template
        # Serialise once before the first generation: a run must not be lost at its end.
        probe = Row.model_validate(template | {"id": "probe", "prompt": "", "raw_response": ""})
        row_line(template)
        path.parent.mkdir(parents=True, exist_ok=True)
        unpack(path)
        self._file = path.open("ab")
        try:
            self._lock(patience)
            self.answered = self._resume(probe)
        except BaseException:
            self._file.close()
            raise

    def _lock(self, patience: float) -> None:
        """Take the file for this process alone. The kernel of a killed run may need a moment to notice and die."""
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise InputError(
                        "another process is writing this run", file=self.path, next_step="wait for it to end"
                    ) from None
                time.sleep(0.2)

    def _resume(self, probe: Row) -> set[str]:
        """The ids answered so far. A last row that was cut off by a kill is dropped, a whole one gets its newline;
        a file that holds another run is left as it is."""
        data = self.path.read_bytes()
        end = data.rfind(b"\n") + 1
        last_is_whole = _is_json(data[end:])
        if not data:
            return set()
        if not end and not last_is_whole:
            if not row_line(self._template).encode().startswith(data[: len(_ROW_BEGINS)]) or b"\r" in data:
                raise InputError(
                    "this file is no raw run, and it is left as it is",
                    file=self.path,
                    value=data[:60],
                    next_step="move it away to start a new run",
                )
            os.truncate(self.path, 0)
            return set()
        run = read_run(self.path)
        if names := run.signature.differs_in(probe.signature):
            raise InputError(
                f"this file holds another run: it differs in {', '.join(names)}",
                file=self.path,
                value={name: (getattr(run.signature, name), getattr(probe.signature, name)) for name in names},
                likely="the dataset, the model or the code changed since the run was begun",
                next_step="move the file away to start a new run",
            )
        if last_is_whole:
            self._file.write(b"\n")
            self._file.flush()
        else:
            os.truncate(self.path, end)
        return {id_ for id_, row in run.rows.items() if row.raw_response is not None}

    def append(self, **fields: Any) -> None:
        """Write one row, whole, and hand it to the operating system before returning."""
        # Half a surrogate pair is no UTF-8; written as its JSON escape it comes back as it was.
        self._file.write(row_line(self._template | fields).encode("utf-8", "backslashreplace"))
        self._file.flush()

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._file.fileno())
        self._file.close()
        if not self.path.stat().st_size:
            self.path.unlink()


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
