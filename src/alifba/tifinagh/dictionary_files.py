"""Rows of a dictionary file: JSON, JSON Lines, CSV, TSV or SQLite."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from alifba.errors import InputError
from alifba.jsonl import Notices, iter_objects, read_bytes

Rows = Iterator[tuple[int, dict[str, Any]]]


def read_rows(path: Path, notices: Notices, table: str | None = None) -> Rows:
    """Yield ``(line or row number, row)``; the kind of file is told by its suffix. What is mended on
    the way goes to `notices`; `table` is for SQLite.

    Raises:
        InputError: an unknown suffix, or a file that is not what its suffix says.
    """
    known = {".db", ".sqlite", ".sqlite3", ".jsonl", *_READERS}
    suffix = path.suffix.lower()
    if suffix not in known:
        raise InputError("not a known kind of file", file=path, next_step="known: " + " ".join(sorted(known)))
    if suffix == ".jsonl":
        return iter_objects(path, read_bytes(path), notices)
    return _READERS[suffix](path) if suffix in _READERS else _sqlite(path, table)


def _json(path: Path) -> Rows:
    try:
        content = json.loads(read_bytes(path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as fault:
        raise InputError(f"not JSON ({fault})", file=path) from None
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise InputError("a list of objects is needed", file=path, next_step="or give it as JSON Lines")
    yield from enumerate(content, 1)


def _csv(path: Path) -> Rows:
    yield from _separated(path, ",")


def _tsv(path: Path) -> Rows:
    yield from _separated(path, "\t")


def _separated(path: Path, separator: str) -> Rows:
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("not UTF-8", file=path, next_step="save the file as UTF-8") from None
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        begun = 2
        for row in reader:
            if None in row or None in row.values():
                raise InputError("not as many fields as the header has", file=path, line=reader.line_num, value=row)
            # No word goes over the end of a line: a quotation mark that was never closed swallows entries.
            if reader.line_num > begun and any({"\n", "\r"} & set(field) for field in row.values()):
                raise InputError(
                    "a field goes over the end of its line",
                    file=path,
                    line=begun,
                    value=row,
                    likely="a quotation mark that is not closed",
                    next_step="a field that holds one stands in quotation marks, with the mark doubled",
                )
            begun = reader.line_num + 1
            yield reader.line_num, row
    except csv.Error as fault:
        raise InputError(f"not a table ({fault})", file=path, line=reader.line_num) from None


def _sqlite(path: Path, table: str | None) -> Rows:
    if not path.is_file():
        raise InputError("no such file", file=path)
    # Read only: opening must never make a file or a journal beside theirs.
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
        base.row_factory = sqlite3.Row
        try:
            tables = [
                name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
            ]
            if table is None or table not in tables:
                raise InputError("no such table", file=path, value=table, next_step="tables: " + ", ".join(tables))
            quoted = table.replace('"', '""')
            for number, row in enumerate(base.execute(f'SELECT * FROM "{quoted}"'), 1):
                yield number, dict(row)
        except sqlite3.Error as fault:
            raise InputError(f"not an SQLite file that can be read ({fault})", file=path) from None


_READERS: dict[str, Callable[[Path], Rows]] = {".json": _json, ".csv": _csv, ".tsv": _tsv}
