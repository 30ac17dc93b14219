"""ANALYSE: recompute what the records of a run file hold, and tell every difference; the table of scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alifba.hieratic.items import ItemFolder
from alifba.hieratic.judging import rejudge
from alifba.hieratic.keys import Key
from alifba.hieratic.records import RunRecord
from alifba.hieratic.runs import RunFile

if TYPE_CHECKING:
    import pandas as pd

_EQUAL = 1e-9
"""Sums of the same fractions in another order differ by less."""
COLUMNS = (
    *("run_id", "model", "effort", "item", "rung", "sample", "parsed", "score", "score_detail"),
    *("withheld", "refusal", "failed", "stop_reason"),
)


@dataclass(frozen=True)
class Difference:
    """A field of a record that holds something else than what its response gives now."""

    line: int
    record: RunRecord
    field: str
    recorded: Any
    recomputed: Any

    def __str__(self) -> str:
        record = self.record
        what = "" if record.private_copy else f": recorded {self.recorded!r}, recomputed {self.recomputed!r}"
        return f"line {self.line}: {record.item_id} {record.rung} {record.sample}: {self.field} differs{what}"


@dataclass(frozen=True)
class Rescored:
    """Counts of a run file's records: equal, different (by field), failed calls, and of items that are not there."""

    n: int
    differences: tuple[Difference, ...]
    n_failed: int
    n_strays: int

    @property
    def n_differing(self) -> int:
        """Records with at least one difference."""
        return len({difference.line for difference in self.differences})

    @property
    def n_reworded(self) -> int:
        """Those of them that differ in nothing but the detail."""
        weighty = {difference.line for difference in self.differences if difference.field != "scoreDetail"}
        return self.n_differing - len(weighty)


def rescore(run: RunFile, items: ItemFolder, key: Key | None = None) -> Rescored:
    """Compare every record with what its response gives.

    A score is compared as a number, to nine digits; a missing detail and an empty one are the same. A record of an item
    that is not in the folder cannot be compared and is counted.
    """
    known = [(line, record) for line, record in run.lines if record.item_id in items]
    found = [each for line, record in known for each in _differences(line, record, items, key or Key())]
    n_failed = sum(record.failed for record in run.records)
    return Rescored(len(run.lines), tuple(found), n_failed, len(run.lines) - len(known))


def rescore_table(runs: Iterable[RunFile], items: ItemFolder) -> pd.DataFrame:
    """One row a run file: `records`, those that `differ`, those `only_detail`, `failed`, `strays`."""
    import pandas as pd

    done = [(run.path.name, rescore(run, items)) for run in runs]
    rows = [(name, each.n, each.n_differing, each.n_reworded, each.n_failed, each.n_strays) for name, each in done]
    return pd.DataFrame(rows, columns=["file", "records", "differ", "only_detail", "failed", "strays"])


def _differences(line: int, record: RunRecord, items: ItemFolder, key: Key) -> Iterator[Difference]:
    item = items[record.item_id].item
    parsed, score = rejudge(record, item, key.of(item))
    if record.parsed != parsed:
        yield Difference(line, record, "parsed", record.parsed, parsed)
    if not _same(record.score, score.value):
        yield Difference(line, record, "score", record.score, score.value)
    if (record.score_detail or None) != score.detail:
        yield Difference(line, record, "scoreDetail", record.score_detail, score.detail)


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=0, abs_tol=_EQUAL)


def score_table(runs: Iterable[RunFile], items: ItemFolder, key: Key | None = None) -> pd.DataFrame:
    """One row for every record in force, scored anew: columns `COLUMNS`; `score` is NaN where there is none.

    Records of items that are not in the folder, and private copies, are left out.
    """
    import pandas as pd

    rows = []
    for run in runs:
        for record in run.in_force:
            if record.item_id not in items or record.private_copy:
                continue
            item = items[record.item_id].item
            parsed, score = rejudge(record, item, (key or Key()).of(item))
            who = (record.run_id or run.path.stem, record.model.key, record.model.effort or "")
            told = (record.withheld, record.refusal, record.failed, record.stop_reason)
            rows.append((*who, *record.key, parsed, score.value, score.detail, *told))
    table = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"score": float})
    return table.sort_values(["model", "effort", "item", "rung", "run_id", "sample"], ignore_index=True)


def rung_table(scores: pd.DataFrame, items: ItemFolder, sealed: bool = False) -> pd.DataFrame:
    """One row a model, effort and rung: samples are averaged per item, then items.

    Columns: `score` (share), `items` scored, `n_items` that are open on the rung (or `sealed`), `coverage` (share),
    `samples` scored, `refusals`, `failed` calls, and `unscored` answers, which have no key.
    """
    import pandas as pd

    rows = []
    for (model, effort, rung), group in scores.groupby(["model", "effort", "rung"], sort=True):
        answered = group[~group["failed"]]
        means = answered.dropna(subset=["score"]).groupby("item")["score"].mean()
        n_items = sum(item.is_sealed(str(rung)) == sealed for item in items.of_rung(str(rung)))
        counts = {
            "items": len(means),
            "n_items": n_items,
            "coverage": len(means) / n_items if n_items else math.nan,
            "samples": int(answered["score"].notna().sum()),
            "refusals": int(answered["refusal"].sum()),
            "failed": int(group["failed"].sum()),
            "unscored": int(answered["score"].isna().sum()),
        }
        rows.append({"model": model, "effort": effort, "rung": rung, "score": means.mean()} | counts)
    columns = ["model", "effort", "rung", "score", "items", "n_items", "coverage", "samples"]
    return pd.DataFrame(rows, columns=[*columns, "refusals", "failed", "unscored"])
