"""Files of scores: of public runs into ``tables/``, and of the inbox, with a key, into the inbox."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alifba.errors import InputError
from alifba.hieratic.items import ItemFolder
from alifba.hieratic.keys import load_key
from alifba.hieratic.rescoring import rung_table, score_table
from alifba.hieratic.runs import read_run_files
from alifba.hieratic.sealing import INBOX
from alifba.paths import write_atomic

if TYPE_CHECKING:
    import pandas as pd


def score_public(items: ItemFolder, results: Path, out: Path | None = None) -> pd.DataFrame:
    """Score the public runs anew and write ``tables/scores.csv`` and ``tables/rungs.csv``; returns the second.

    They go below `out` where it is given.

    Raises:
        InputError: no run files.
    """
    runs = read_run_files(results / "runs")
    if not runs:
        raise InputError("no run files", file=results / "runs", next_step="alifba hieratic run --models fake")
    scores = score_table(runs, items)
    rungs = rung_table(scores, items)
    tables = (out or results) / "tables"
    _write(scores, tables / "scores.csv")
    _write(rungs, tables / "rungs.csv")
    return rungs


def score_inbox(items: ItemFolder, results: Path, key: Path) -> pd.DataFrame:
    """Score the sealed rungs of the inbox with a key, and write ``inbox/rungs.csv``: averages alone, and private."""
    runs = read_run_files(results / INBOX)
    if not runs:
        raise InputError("nothing in the inbox", file=results / INBOX)
    rungs = rung_table(score_table(runs, items, load_key(key)), items)
    _write(rungs, results / INBOX / "rungs.csv")
    return rungs


def _write(table: pd.DataFrame, path: Path) -> None:
    write_atomic(path, table.to_csv(index=False, lineterminator="\n"))
