"""Tables of answers as CSV files: read strictly, judge, write whole or not at all."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd

from alifba.errors import InputError
from alifba.paths import write_atomic
from alifba.text.confusion.detection import detect_table


def read_table(path: Path) -> pd.DataFrame:
    """A CSV file, every cell the text that stands there: "NA", "None" and "007" are answers.

    Raises:
        InputError: no such file, not UTF-8, empty, without a row, a row of another length, or a broken quote.
    """
    if not path.is_file():
        raise InputError("no such file", file=path, next_step="check the path")
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            header = next(reader, None)
            rows = [_checked(row, header or [], path, reader.line_num) for row in reader if row]
    except UnicodeDecodeError as error:
        raise InputError("the file is not UTF-8", file=path, next_step="save it as UTF-8 (CSV UTF-8)") from error
    except csv.Error as error:
        raise InputError(
            f"not a CSV table: {error}",
            file=path,
            line=reader.line_num,
            likely="a quotation mark that is not closed or not doubled",
        ) from error
    if not header:
        raise InputError("the file is empty", file=path, next_step="give a header with gold and answer")
    if not rows:
        raise InputError("the table has a header and no row", file=path, next_step="add the answers to judge")
    return pd.DataFrame(rows, columns=header, dtype=str)


def _checked(row: list[str], header: list[str], path: Path, line: int) -> list[str]:
    if len(row) != len(header):
        raise InputError(
            f"{len(row)} cells under {len(header)} column names",
            file=path,
            line=line,
            value=row,
            likely="a comma inside a cell without quotation marks",
        )
    return row


def detect_file(path: Path, out: Path, target: str = "az") -> pd.DataFrame:
    """Judge the CSV file `path` (columns gold and answer, id optional) and write it with the flags to `out`.

    Raises:
        InputError: see `read_table` and `detect_table`; nothing is written then.
    """
    table = read_table(path)
    try:
        judged = detect_table(table, target)
    except InputError as error:
        if error.file is None:
            raise InputError(
                error.what, file=path, value=error.value, likely=error.likely, next_step=error.next_step
            ) from error
        raise
    write_atomic(out, judged.to_csv(index=False, lineterminator="\n"))
    return judged
