"""The leaderboard's tables, tidy: who stands where, every cell, what differs, near misses. Points are 0 to 100."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from alifba.tifinagh.ranking import HEADLINES, Board, Run
from alifba.tifinagh.records import ItemRecord, read_item_records

CER_EDGES = np.round(np.arange(0, 1.05, 0.05), 2)
"""Character error rates at which wrong answers are counted; what lies beyond 1 is counted in the total alone."""

_PLACE = ("score", "status", "rank", "tier", "run", "label", "value", "se", "low", "high", "strict", "why")


def notice(runs: Sequence[Run]) -> str:
    """What must stand beside every number of these runs: the labels of their dictionaries."""
    labels = dict.fromkeys(run.summary.label for run in runs if run.summary.label)
    return "; ".join(labels) or "entries as the dictionaries have them; see run.json"


def standings(boards: Iterable[Board]) -> pd.DataFrame:
    """One row a run and score: ranked, without a score yet, or of another setup. Undefined numbers are missing."""
    rows: list[dict[str, Any]] = []
    for board in boards:
        key = {"score": board.headline}
        for run, score, strict, tier, rank in board.placed:
            place = {"status": "ranked", "rank": rank, "tier": tier, "value": score.value, "se": score.se}
            interval = {"low": score.low, "high": score.high, "strict": strict}
            rows.append(key | _name(run) | place | interval)
        for run, reasons in board.unplaced:
            why = "; ".join(f"{reason.state}: {reason.n}" for reason in reasons)
            rows.append(key | _name(run) | {"status": "no score", "why": why})
        for run, found in board.apart:
            why = "; ".join(f"{other.field}: {other.found}, not {other.expected}" for other in found)
            value: float | None = getattr(run.summary, board.headline)
            rows.append(key | _name(run) | {"status": "other setup", "value": value, "why": why})
    return pd.DataFrame(rows, columns=list(_PLACE)).astype({"rank": "Int64", "tier": "Int64"})


def cells(runs: Iterable[Run]) -> pd.DataFrame:
    """One row a run, dialect and task: counts, shares in [0, 1] and the mean character error rate."""
    rows = (_name(run) | cell.model_dump() for run in runs for cell in run.summary.cells)
    return pd.DataFrame(list(rows))


def strict_totals(runs: Iterable[Run]) -> pd.DataFrame:
    """One row a run and score that is a number: folded and strict, in points."""
    rows = [
        _name(run) | {"score": name, "folded": folded, "strict": getattr(run.summary, f"{name}_strict")}
        for run in runs
        for name in HEADLINES
        if (folded := getattr(run.summary, name)) is not None
    ]
    return pd.DataFrame(rows, columns=["run", "label", "score", "folded", "strict"])


def near_misses(runs: Iterable[Run]) -> pd.DataFrame:
    """Of the wrong answers to exact-match questions, how many lie within each character error rate.

    One row a run, task and edge of `CER_EDGES`: `n_wrong` answers that are not empty and scored 0, `n_within` of them
    with a rate of at most `cer`.
    """
    rows: list[dict[str, Any]] = []
    for run in runs:
        wrong: dict[str, list[float]] = {}
        for item in filter(_missed, read_item_records(run.folder)):
            wrong.setdefault(item.task, []).append(float(item.cer or 0))
        for task, rates in sorted(wrong.items()):
            for edge in CER_EDGES:
                within = int(np.sum(np.asarray(rates) <= edge + 1e-9))
                rows.append(_name(run) | {"task": task, "cer": edge, "n_within": within, "n_wrong": len(rates)})
    return pd.DataFrame(rows, columns=["run", "label", "task", "cer", "n_within", "n_wrong"])


def _missed(item: ItemRecord) -> bool:
    return item.score == 0 and item.scored_by == "exact" and item.cer is not None


def _name(run: Run) -> dict[str, str]:
    return {"run": run.slug, "label": run.label}
