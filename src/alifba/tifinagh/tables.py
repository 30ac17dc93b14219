"""Tables of scored runs, tidy: one row a run, a cell, a dictionary, or a kind of failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from alifba.tifinagh.records import RunRecord, Summary, read_item_records

SCORES = ("tifinaghbench", "tifinaghbench_strict", "script_score", "script_score_strict")


def scores(summaries: Sequence[Summary]) -> pd.DataFrame:
    """A row a run: its scores (points; empty where there is none, with the reasons in ``why_null``) and counts."""
    rows = []
    for summary in summaries:
        why = list(dict.fromkeys(reason for reasons in summary.why_null.values() for reason in reasons))
        overall = summary.overall.model_dump()
        rows.append(
            {"model": summary.answerer.name, "revision": summary.answerer.revision, "harness": summary.answerer.harness}
            | {"judge": summary.judge or "none", "sample": summary.setup.sample or "all", "seed": summary.setup.seed}
            | {"batch_size": summary.setup.batch_size, "sampling": summary.setup.sampling}
            | {name: getattr(summary, name) for name in SCORES}
            | {f"overall_{name}" if name.startswith("acc") else name: value for name, value in overall.items()}
            | {"label": summary.label, "why_null": "; ".join(why)}
        )
    return pd.DataFrame(rows)


def cells(summaries: Sequence[Summary]) -> pd.DataFrame:
    """A row a run, dialect and task, with every count of the cell."""
    return pd.DataFrame(
        [
            {"model": summary.answerer.name, "label": summary.label} | cell.model_dump()
            for summary in summaries
            for cell in summary.cells
        ]
    )


def dictionaries(records: Sequence[RunRecord]) -> pd.DataFrame:
    """A row a dictionary that the runs used: where it came from, under which terms, and what was left out."""
    seen = {dictionary.sha256: dictionary for record in records for dictionary in record.dictionaries}
    rows = []
    for dictionary in seen.values():
        row = dictionary.model_dump(exclude={"left_out", "repaired"})
        left_out = "; ".join(f"{why}: {n}" for why, n in dictionary.left_out.items())
        rows.append(
            row | {"left_out": left_out, "repaired": "; ".join(f"{w}: {n}" for w, n in dictionary.repaired.items())}
        )
    return pd.DataFrame(rows)


def failures(folders: Sequence[Path]) -> pd.DataFrame:
    """A row a run, task and reason why questions of it have no answer."""
    rows = []
    for folder in folders:
        reasons: Counter[tuple[str, str]] = Counter(
            (item.task, item.note or "never asked") for item in read_item_records(folder) if item.answer is None
        )
        rows += [{"run": folder.name, "task": task, "why": why, "n": n} for (task, why), n in sorted(reasons.items())]
    return pd.DataFrame(rows, columns=["run", "task", "why", "n"])
