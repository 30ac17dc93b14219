"""Read JSON Lines strictly: every fault is told with file and line, every repair is counted."""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from alifba.errors import InputError, closest

_Model = TypeVar("_Model", bound=BaseModel)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class Notices:
    """Counted warnings of one file: what was repaired or ignored, how often, and where it was first seen."""

    file: Path
    counts: Counter[str] = field(default_factory=Counter)
    first_line: dict[str, int] = field(default_factory=dict)

    def note(self, what: str, line: int) -> None:
        self.counts[what] += 1
        self.first_line.setdefault(what, line)

    def lines(self) -> list[str]:
        """One line a kind, such as ``runs/a.jsonl:17: duplicated id, the last row wins (3 times)``."""
        return [
            f"{self.file}:{self.first_line[what]}: {what} ({n} {'time' if n == 1 else 'times'})"
            for what, n in sorted(self.counts.items())
        ]


def read_bytes(path: Path) -> bytes:
    """The bytes of `path`, unpacked where it ends in ``.gz``; raises `InputError` if it cannot be read or is empty."""
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            "no such file", file=path, next_step="check the path; a build artefact must be built first"
        ) from None
    except (OSError, EOFError, zlib.error) as fault:
        what = getattr(fault, "strerror", None) or fault
        raise InputError(f"cannot be read: {what}", file=path, next_step="give a file") from None
    if not data.removeprefix(_BYTE_ORDER_MARK).strip():
        raise InputError(
            "the file is empty", file=path, likely="an interrupted write", next_step="remove it and make it again"
        )
    return data


def iter_objects(
    path: Path, data: bytes, notices: Notices, *, torn_end: bool = False
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield ``(line number, object)``; text is NFC on the way in, and what changed is counted.

    With `torn_end`, a last line without its newline that is no JSON (a killed run) is counted and left out.
    """
    lines = data.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            row = json.loads(raw.decode("utf-8"), object_pairs_hook=_without_repeats)
            row = _nfc(row, notices, number)
        except (UnicodeDecodeError, ValueError, RecursionError) as fault:
            if torn_end and number == len(lines):
                notices.note("torn last line left out", number)
                return
            raise _not_json(path, number, raw, fault) from None
        if not isinstance(row, dict):
            raise InputError("a JSON object is needed on each line", file=path, line=number, value=row)
        yield number, row


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the name {max(names, key=names.count)!r} stands twice")
    return row


def _not_json(path: Path, number: int, raw: bytes, fault: Exception) -> InputError:
    if isinstance(fault, UnicodeDecodeError):
        return InputError("not UTF-8", file=path, line=number, value=raw[:60], next_step="save the file as UTF-8")
    return InputError(
        f"not a JSON object ({fault})",
        file=path,
        line=number,
        value=raw[:120].decode("utf-8", "replace"),
        likely="a torn line: a write that was cut off, or two writers in one file",
        next_step="restore the line, or delete it and resume the run",
    )


def _nfc(value: Any, notices: Notices, line: int) -> Any:
    if isinstance(value, str):
        if _SURROGATE.search(value):
            notices.note("half a surrogate pair replaced by U+FFFD", line)
            value = _SURROGATE.sub("\ufffd", value)
        if unicodedata.is_normalized("NFC", value):
            return value
        notices.note("text brought to NFC", line)
        return unicodedata.normalize("NFC", value)
    if isinstance(value, list):
        return [_nfc(part, notices, line) for part in value]
    if isinstance(value, dict):
        return {key: _nfc(part, notices, line) for key, part in value.items()}
    return value


def validated(model: type[_Model], row: dict[str, Any], path: Path, line: int) -> _Model:
    """`row` as `model`, or an `InputError` that names file, line, field and value."""
    try:
        return model.model_validate(row)
    except ValidationError as fault:
        first = fault.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            hint = closest(name, set(row) - set(model.model_fields))
            raise InputError(
                f"field {name!r} is missing", file=path, line=line, likely=hint, next_step=f"add {name!r} to this row"
            ) from None
        if first["type"] == "extra_forbidden":
            hint = closest(name, model.model_fields)
            raise InputError(
                f"unknown field {name!r}", file=path, line=line, likely=hint, next_step="remove or rename it"
            ) from None
        raise InputError(f"field {name!r}: {first['msg']}", file=path, line=line, value=first["input"]) from None
