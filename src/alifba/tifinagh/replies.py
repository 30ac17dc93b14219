"""Read a reply: every valid row is kept, every other id is told with what is wrong, nothing is guessed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")
_DECODER = json.JSONDecoder()
VERDICTS = ("correct", "partial", "wrong")


@dataclass(frozen=True)
class Read(Generic[_T]):
    """What a reply says: id -> value, and id -> why there is none, for every id that was asked."""

    values: dict[str, _T] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


def read_answers(text: str, n: int) -> Read[str]:
    """The answers of a reply to questions "1" to "`n`"."""
    return _read(text, n, "answers", lambda row: row["answer"] if _are_text(row, {"id", "answer"}) else None)


def read_verdicts(text: str, n: int) -> Read[tuple[str, str]]:
    """The verdicts of a reply about answers "1" to "`n`": (verdict, note)."""
    return _read(text, n, "verdicts", _verdict)


def _verdict(row: dict[str, Any]) -> tuple[str, str] | None:
    sound = _are_text(row, {"id", "verdict", "note"}) and row["verdict"] in VERDICTS
    return (row["verdict"], row["note"]) if sound else None


def _are_text(row: dict[str, Any], names: set[str]) -> bool:
    return row.keys() == names and all(isinstance(value, str) and _is_unicode(value) for value in row.values())


def _is_unicode(text: str) -> bool:
    # JSON can spell half a surrogate pair, which no file can hold.
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _read(text: str, n: int, name: str, value_of: Callable[[dict[str, Any]], _T | None]) -> Read[_T]:
    ids = [str(number) for number in range(1, n + 1)]
    found: dict[str, list[_T | None]] = {id_: [] for id_ in ids}
    for row in _rows(text, name):
        id_ = row.get("id")
        if isinstance(id_, str) and id_ in found:
            found[id_].append(value_of(row))
    read: Read[_T] = Read()
    for id_, values in found.items():
        if len(values) == 1 and values[0] is not None:
            read.values[id_] = values[0]
        else:
            read.faults[id_] = "missing" if not values else "duplicated" if len(values) > 1 else "not by the schema"
    return read


def _rows(text: str, name: str) -> Iterator[dict[str, Any]]:
    """The rows of every object ``{name: [...]}`` in `text`; where such an object is broken, its rows that are whole.

    Prose and code fences around the object do no harm.
    """
    place = text.find("{")
    while place >= 0:
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
            continue
        if isinstance(value.get(name), list):
            yield from (row for row in value[name] if isinstance(row, dict))
        elif "id" in value:
            yield value
        place = text.find("{", end)
