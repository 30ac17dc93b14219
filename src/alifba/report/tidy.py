"""Write the tables of a study: tidy CSV, the same bytes on every machine."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from alifba.errors import InputError
from alifba.paths import shown, write_atomic

# Below what differs between two machines' order of summation, far above what any table prints.
_SIGNIFICANT_DIGITS = 10


VERIFIED = "verified by a person"
PUBLISHED = "published figures, not runs of this study"
"""What is said of rows and figures that rest on printed numbers, and so on none of the study's items."""


def write_table(table: pd.DataFrame, path: Path, notice: str | None) -> None:
    """Write `table` as CSV with a last column ``items_status`` that says whether a person verified the items.

    `notice` is `ItemSet.notice`. A row whose column ``source`` reads "published" rests on printed numbers, and says so
    instead. Undefined numbers are empty cells. Written whole or not at all.
    """
    marked = table.assign(items_status=notice or VERIFIED)
    if "source" in table:
        marked["items_status"] = marked["items_status"].mask(table["source"] == "published", PUBLISHED)
    write_atomic(path, marked.to_csv(index=False, lineterminator="\n", float_format=f"%.{_SIGNIFICANT_DIGITS}g"))


def load_table(path: Path) -> pd.DataFrame:
    """Read a table that `write_table` wrote. "NA" and "None" in text columns stay text; empty cells are missing.

    Raises:
        InputError: the table is not there.
    """
    try:
        return pd.read_csv(path, keep_default_na=False, na_values=[""])
    except FileNotFoundError:
        raise InputError(
            "this table is not made yet",
            file=shown(path),
            likely="a notebook with a smaller number, which writes it, was not run",
            next_step="make tables, or run the notebooks in the order of their numbers",
        ) from None


def notice_of(table: pd.DataFrame) -> str | None:
    """What `write_table` was told about the items: the notice, or None if a person verified them all."""
    status = str(table["items_status"].iloc[0])
    return None if status == VERIFIED else status
