"""Ask in rounds: batches that are fixed before they are sent, so that neither a kill nor concurrency changes one.

A round asks every key that is still without a value, in its order, in batches. Which batches these are depends only on
the rounds before, all of whose replies are on disk; so a run that was stopped plans the same round again and sends what
is missing of it.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from alifba.backends.base import Generation
from alifba.errors import InputError
from alifba.jsonl import Notices, iter_objects, read_bytes, validated
from alifba.tifinagh.replies import Read

_T = TypeVar("_T")
_SURROGATE = re.compile("[\ud800-\udfff]")
Key = str


class ReplyRow(BaseModel):
    """A line of ``replies.jsonl`` or ``verdicts.jsonl``: one request and what came back, word for word.

    `keys` are the questions of the batch in the order of their short ids "1", "2", ... `text` is None only together
    with `error`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    round: int
    keys: list[Key]
    prompt: str
    text: str | None
    error: str | None = None
    stop_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float | None = None
    cost_usd: float | None = None
    served_model: str | None = None
    batch_size: int | None = None
    timestamp: str = ""


class ReplyLog:
    """The replies of a run, open for appending and locked against a second writer.

    A last line that a kill cut off is dropped when the file is opened; a line that cannot be written raises.

    Raises:
        InputError: another process is writing it, or a line is broken.
    """

    def __init__(self, path: Path, patience: float = 10.0) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")
        try:
            self._lock(patience)
            self._drop_torn_end()
            self.rows = read_log(path)
        except BaseException:
            self._file.close()
            raise

    def _lock(self, patience: float) -> None:
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise InputError("another process is writing this run", file=self.path) from None
                time.sleep(0.1)

    def _drop_torn_end(self) -> None:
        data = self.path.read_bytes()
        end = data.rfind(b"\n") + 1
        if end < len(data):
            if not data.startswith(b'{"round": '[: len(data)]):
                raise InputError("this file is no log of replies, and it is left as it is", file=self.path)
            os.truncate(self.path, end)

    def append(self, row: ReplyRow) -> None:
        """Write one row, whole, and hand it to the operating system before returning."""
        known = {name: value for name, value in row.model_dump().items() if value is not None or name == "text"}
        self._file.write((json.dumps(known, ensure_ascii=False) + "\n").encode("utf-8"))
        self._file.flush()
        self.rows.append(row)

    def __enter__(self) -> ReplyLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._file.fileno())
        self._file.close()


def read_log(path: Path) -> list[ReplyRow]:
    """The rows of a log; none where there is no file. A torn last line is left out."""
    if not path.exists() or not path.stat().st_size:
        return []
    rows = iter_objects(path, read_bytes(path), Notices(path), torn_end=True)
    return [validated(ReplyRow, row, path, line) for line, row in rows]


@dataclass
class State(Generic[_T]):
    """What the replies of a run come to: per key its value, or the last fault, and how many requests held it."""

    values: dict[Key, _T] = field(default_factory=dict)
    faults: dict[Key, str] = field(default_factory=dict)
    tries: Counter[Key] = field(default_factory=Counter)

    def take(self, row: ReplyRow, read: Callable[[str, int], Read[_T]]) -> None:
        """Add one row. `read` gets the text and the number of ids."""
        self.tries.update(row.keys)
        got: Read[_T] = read(row.text, len(row.keys)) if row.text is not None else Read()
        for number, key in enumerate(row.keys, 1):
            if key in self.values:
                continue
            if str(number) in got.values:
                self.values[key] = got.values[str(number)]
                self.faults.pop(key, None)
            else:
                self.faults[key] = row.error or got.faults[str(number)]


def state_of(rows: Sequence[ReplyRow], read: Callable[[str, int], Read[_T]]) -> State[_T]:
    """What `rows` come to, in whatever order they were written."""
    state: State[_T] = State()
    for row in sorted(rows, key=lambda row: (row.round, row.keys)):
        state.take(row, read)
    return state


@dataclass(frozen=True)
class Asking(Generic[_T]):
    """How keys are asked: `groups` of keys that may share a batch, `prompt` of a batch, `read` of a reply, and
    `send`, which yields a generation for every prompt that is not among the answered ones."""

    groups: Sequence[Sequence[Key]]
    batch_size: int
    retries: int
    prompt: Callable[[Sequence[Key]], str]
    read: Callable[[str, int], Read[_T]]
    send: Callable[[Sequence[str], frozenset[int]], Iterator[Generation]]
    progress: Callable[[str, int, int], None] = lambda what, done, total: None

    def ask(self, log: ReplyLog) -> State[_T]:
        """Ask until every key has a value or was asked ``1 + retries`` times; every reply is on disk as it comes."""
        state: State[_T] = State()
        number = 0
        while plan := self._plan(state):
            rows = [row for row in log.rows if row.round == number]
            asked = {tuple(row.keys) for row in rows}
            # A round that was planned for other questions is over: its answers count, the rest is asked in the next.
            if asked <= set(plan):
                rows += self._send(log, number, plan, asked)
            for row in sorted(rows, key=lambda row: row.keys):
                state.take(row, self.read)
            number += 1
        return state

    def _plan(self, state: State[_T]) -> list[tuple[Key, ...]]:
        batches = []
        for group in self.groups:
            left = [key for key in group if key not in state.values and state.tries[key] <= self.retries]
            batches += [tuple(left[start : start + self.batch_size]) for start in range(0, len(left), self.batch_size)]
        return batches

    def _send(
        self, log: ReplyLog, number: int, plan: list[tuple[Key, ...]], asked: set[tuple[Key, ...]]
    ) -> list[ReplyRow]:
        prompts = [self.prompt(batch) for batch in plan]
        answered = frozenset(place for place, batch in enumerate(plan) if batch in asked)
        sent = []
        for reply in self.send(prompts, answered) if len(answered) < len(plan) else ():
            row = _row(number, plan[reply.index], prompts[reply.index], reply)
            log.append(row)
            sent.append(row)
            self.progress(f"round {number + 1}", len(answered) + len(sent), len(plan))
        # A backend replies to every prompt, with an error if need be; without this check a silent one would loop.
        assert len(answered) + len(sent) == len(plan), "a prompt got no reply"
        return sent


def _row(number: int, batch: tuple[Key, ...], prompt: str, reply: Generation) -> ReplyRow:
    names = ("error", "stop_reason", "prompt_tokens", "completion_tokens", "seconds", "cost_usd", "served_model")
    known: dict[str, Any] = {name: getattr(reply, name) for name in (*names, "batch_size")}
    return ReplyRow(
        round=number,
        keys=list(batch),
        prompt=prompt,
        # Half a surrogate pair cannot be written; read back, it is this sign too.
        text=None if reply.text is None else _SURROGATE.sub("\ufffd", reply.text),
        timestamp=datetime.now(UTC).isoformat(timespec="milliseconds"),
        **known,
    )
