"""A study's CSV table as a Markdown table for the paper, through one specification of columns."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from alifba.errors import InputError, closest
from alifba.paths import shown
from alifba.report.numbers import NOT_AVAILABLE, Unit, format_value
from alifba.report.tidy import VERIFIED

# Markdown of pandoc lets every ASCII sign be escaped; escaping all of them leaves none that could be markup.
_SPECIAL = re.compile(r"([!-/:-@\[-`{-~])")
# What begins a list or a heading in typst; pandoc escapes it in a paragraph, but not in a cell of a table.
_BEGINS_BLOCK = re.compile(r"\s*([-+/]|=+|\d+\.)\s")
_MISSING = "\u2013"
_NUMERIC_UNITS = {"points", "percent", "count", "number", "p", "seconds"}
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")

Rows = list[dict[str, str]]


class Column(BaseModel):
    """How one column is set. `letters` cuts a long code to its first ones; `hidden` shows it only on request.

    `last_part` keeps what follows the last slash of a value, unless two values of the table would then read the same.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    header: str
    unit: Unit = "text"
    digits: int = 0
    signed: bool = False
    interval: tuple[str, str] | None = None
    labels: dict[str, str] = {}
    letters: int | None = None
    right: bool = False
    hidden: bool = False
    last_part: bool = False


def escape(text: str) -> str:
    """`text` as literal Markdown: pandoc prints it unchanged to typst and to TeX, but for typst's own "..." to "…".

    >>> escape("a_b & 5%")
    'a\\\\_b \\\\& 5\\\\%'
    """
    escaped = _SPECIAL.sub(r"\\\1", re.sub(r"[ \t]*[\r\n]\s*", " ", text))
    return "`\\`{=typst}" + escaped.lstrip() if _BEGINS_BLOCK.match(text) else escaped


@cache
def columns_spec() -> Mapping[str, Column]:
    """The column specification, from ``data/columns.yaml``."""
    source = files("alifba.report").joinpath("data/columns.yaml").read_text(encoding="utf-8")
    return {name: Column.model_validate(entry) for name, entry in yaml.safe_load(source).items()}


def read_table(path: Path) -> tuple[list[str], Rows]:
    """Header and rows of a CSV file, all as text: an answer such as "NA" stays one.

    Raises InputError for a missing or empty file and for a row of another length.
    """
    if not path.is_file():
        raise InputError("no such table", file=shown(path), next_step="make the study's tables first: make tables")
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream)
        header = next(reader, [])
        if not header:
            raise InputError("the table is empty", file=shown(path), line=1)
        rows = []
        for cells in reader:
            if len(cells) != len(header):
                raise InputError(
                    f"{len(cells)} cells under {len(header)} columns", file=shown(path), line=reader.line_num
                )
            rows.append({name: unicodedata.normalize("NFC", cell) for name, cell in zip(header, cells, strict=True)})
    return header, rows


def select_rows(rows: Rows, where: str, path: Path) -> Rows:
    """The rows that `where` keeps: ``column=value``, alternatives by ``|``, further conditions by ``;``."""
    if not rows:
        return rows
    for condition in filter(None, (part.strip() for part in where.split(";"))):
        column, sign, values = (part.strip() for part in condition.partition("="))
        if not sign or column not in rows[0]:
            raise InputError(
                f"the table has no column {column!r}" if sign else "a condition is column=value",
                file=shown(path),
                value=condition,
                likely=closest(column, rows[0]),
            )
        kept = {value.strip() for value in values.split("|")}
        found = sorted({row[column] for row in rows})
        rows = [row for row in rows if row[column] in kept]
        if not rows:
            raise InputError("no row is left", file=shown(path), value=condition, likely=f"one of {found} was meant")
    return rows


def items_statement(path: Path, where: str = "") -> str | None:
    """What the rows that `where` keeps say of their items (`items_status`): "" if a person verified them all, None if
    they say nothing."""
    header, rows = read_table(path)
    if "items_status" not in header or not rows:
        return None
    said = dict.fromkeys(row["items_status"] for row in select_rows(rows, where, path))
    return "; ".join(status for status in said if status != VERIFIED)


def markdown_table(path: Path, *, caption: str, label: str, columns: str = "", where: str = "") -> str:
    """The table at `path` in Markdown, with a caption (one line of Markdown) and a label for references.

    `columns` names the columns by comma, in order, ``name=Header`` for another header; none means all but the hidden.
    A file without rows gives one row of dashes: a study may have nothing to compare.
    Raises InputError for an unknown column, a cell that its unit cannot hold, and a `where` that keeps nothing.
    """
    header, rows = read_table(path)
    rows = select_rows(rows, where, path) or [dict.fromkeys(header, "")]
    wanted = [part.strip() for part in columns.split(",")] if columns else _unhidden(header)
    names = [part.partition("=")[0] for part in wanted]
    chosen = [_column(*part.partition("=")[::2], header, rows, path) for part in wanted]
    lines = [
        _line([column.header for column in chosen]),
        _line(["--:" if column.right or column.unit in _NUMERIC_UNITS else ":--" for column in chosen]),
        *(_line([_cell(name, column, row, path) for name, column in zip(names, chosen, strict=True)]) for row in rows),
    ]
    return "\n".join([*lines, "", f": {caption} {{#{label}}}"])


def _unhidden(header: Sequence[str]) -> list[str]:
    spec = columns_spec()
    return [name for name in header if name not in spec or not spec[name].hidden]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _column(name: str, title: str, header: Sequence[str], rows: Rows, path: Path) -> Column:
    spec = columns_spec().get(name)
    for part in spec.interval if spec and spec.interval else (name,):
        if part not in header:
            raise InputError(f"the table has no column {part!r}", file=shown(path), likely=closest(part, header))
    if spec is None:  # as it stands, numbers to the right
        numeric = all(_NUMBER.fullmatch(row[name]) for row in rows)
        spec = Column(header=escape(name.replace("_", " ")), right=numeric)
    if spec.last_part:
        spec = spec.model_copy(update={"labels": spec.labels | _last_parts({row[name] for row in rows})})
    return spec.model_copy(update={"header": escape(title)}) if title else spec


def _last_parts(values: set[str]) -> dict[str, str]:
    short = {value: value.rsplit("/", 1)[-1] for value in values}
    return short if len(set(short.values())) == len(values) else {}


def _cell(name: str, column: Column, row: Mapping[str, str], path: Path) -> str:
    if column.interval:
        low, high = (_value(row[part], name, column, path) for part in column.interval)
        return _MISSING if _MISSING in (low, high) else f"{low} to {high}"
    return _value(row[name], name, column, path)


def _value(cell: str, name: str, column: Column, path: Path) -> str:
    if column.unit == "text":
        return escape(column.labels.get(cell, cell)[: column.letters]) or _MISSING
    try:
        number = float(cell) if cell else None
        text = format_value(number, column.unit, column.digits, signed=column.signed, bare=True)
    except (InputError, ValueError):
        raise InputError(f"the column {name!r} holds what is no {column.unit}", file=shown(path), value=cell) from None
    return _MISSING if text == NOT_AVAILABLE else escape(text)
