"""Files of scores: of public runs into ``tables/``, and of the inbox, with a key, into the inbox."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alifba.errors import InputError
from alifba.hieratic.items import ItemFolder
from alifba.hieratic.keys import load_key
from alifba.hieratic.leaderboard.notices import notice_of
from alifba.hieratic.rescoring import rung_table, score_table
from alifba.hieratic.runs import read_run_files
from alifba.hieratic.sealing import INBOX
from alifba.paths import write_atomic

if TYPE_CHECKING:
    import pandas as pd

_FORMAT = "%.10g"
"""Digits below are those of the order of summation, which differs between machines."""


def score_public(items: ItemFolder, runs: Path, tables: Path) -> pd.DataFrame:
    """Score the public runs anew and write ``scores.csv`` (every record) and ``rungs.csv`` (averages); returns these.

    Raises:
        InputError: no run files.
    """
    files = read_run_files(runs)
    if not files:
        raise InputError("no run files", file=runs, next_step="alifba hieratic run --models fake-vision")
    scores = score_table(files, items)
    rungs = rung_table(scores, items)
    notice = notice_of(items.items_only, (record for file in files for record in file.records))
    for name, table in (("scores", scores), ("rungs", rungs)):
        _write(table.assign(items_status=notice), tables / f"{name}.csv")
    return rungs


def score_inbox(items: ItemFolder, results: Path, key: Path) -> pd.DataFrame:
    """Score the sealed rungs of the inbox with a key, and write ``inbox/rungs.csv``: averages alone, and private."""
    runs = read_run_files(results / INBOX)
    if not runs:
        raise InputError("nothing in the inbox", file=results / INBOX)
    rungs = rung_table(score_table(runs, items, load_key(key)), items, sealed=True)
    _write(rungs, results / INBOX / "rungs.csv")
    return rungs


def _write(table: pd.DataFrame, path: Path) -> None:
    write_atomic(path, table.to_csv(index=False, float_format=_FORMAT, lineterminator="\n"))
