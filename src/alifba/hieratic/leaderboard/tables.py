"""Tidy tables of a leaderboard, for its figures: scores by rung, answered scripts, signs by category and period."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from alifba.hieratic.categories import group_order, period, sign_category
from alifba.hieratic.leaderboard.averages import Entry, estimate, generator
from alifba.hieratic.records import PROTOCOL, RUNGS, Item
from alifba.hieratic.scoring import classify

NO_LINE = "no answer line"
_EXTRA = ("egyptian", "unknown")
ANSWERS: tuple[str, ...] = (*PROTOCOL["scripts"], *_EXTRA, NO_LINE)
"""What an identify answer can be read as."""
_GROUPS: dict[str, Callable[[Item], str]] = {"category": sign_category, "period": period}


def rung_table(board: Mapping[str, Any]) -> pd.DataFrame:
    """One row a model and rung, in the order of the board, then the baselines; shares in [0, 1].

    Columns: kind (model, baseline), key, label, rung, score, low, high, method, n_items, coverage, samples, tier,
    rank, refusals, failed. Empty where undefined.
    """
    rows = []
    for kind, group in (("model", board["entries"]), ("baseline", board["baselines"])):
        for entry in group:
            for rung in RUNGS:
                if cell := entry["rungs"].get(rung):
                    row = {"kind": kind, **_named(entry), "rung": rung, **_flat(cell)}
                    row |= {part: cell.get(part) for part in ("coverage", "samples", "tier", "rank")}
                    rows.append(row | {part: entry.get(part) for part in ("refusals", "failed")})
    columns = ["kind", "key", "label", "rung", "score", "low", "high", "method", "n_items"]
    table = pd.DataFrame(rows, columns=[*columns, "coverage", "samples", "tier", "rank", "refusals", "failed"])
    whole = ["n_items", "samples", "tier", "rank", "refusals", "failed"]
    shares = ["score", "low", "high", "coverage"]
    return table.astype(dict.fromkeys(whole, "Int64") | dict.fromkeys(shares, "float"))


def famous_table(board: Mapping[str, Any]) -> pd.DataFrame:
    """Famous documents against the others, a row a model and rung that has both: scores, intervals, difference."""
    rows = []
    for entry in board["entries"]:
        for rung, cell in entry["rungs"].items():
            if "difference" in cell:
                row = {**_named(entry), "rung": rung}
                for part, prefix in (("famous", "famous"), ("notFamous", "other")):
                    row |= {f"{prefix}_{name}": value for name, value in _flat(cell[part]).items() if name != "method"}
                rows.append(row | {f"difference_{name}": value for name, value in cell["difference"].items()})
    parts = [f"{prefix}_{name}" for prefix in ("famous", "other") for name in ("score", "low", "high", "n_items")]
    ends = [f"difference_{name}" for name in ("value", "low", "high")]
    table = pd.DataFrame(rows, columns=["key", "label", "rung", *parts, *ends])
    return table.astype({name: "Int64" if name.endswith("n_items") else "float" for name in (*parts, *ends)})


def _named(entry: Mapping[str, Any]) -> dict[str, str]:
    """Key and label of a row, with the effort in both: the same model at two efforts is two rows."""
    effort = entry.get("effort")
    key, label = entry["key"], entry["label"]
    return {"key": f"{key}-{effort}", "label": f"{label} ({effort})"} if effort else {"key": key, "label": label}


def _flat(cell: Mapping[str, Any]) -> dict[str, Any]:
    interval = cell["interval"] or {"low": None, "high": None, "method": None}
    return {"score": cell["score"], **interval, "n_items": cell["items"]}


def in_board_order(found: Iterable[Entry], board: Mapping[str, Any]) -> list[Entry]:
    """The entries as the board sorts them."""
    places = {(row["key"], row.get("effort") or ""): place for place, row in enumerate(board["entries"])}
    return sorted(found, key=lambda entry: places[entry.key])


def confusion_table(found: Iterable[Entry], items: Mapping[str, Item]) -> pd.DataFrame:
    """How often each script was answered for each script, in samples: key, label, script, answered, n.

    The final answer line is read by the protocol's rules; failed calls are not answers and are left out.
    """
    rows = []
    for entry in found:
        counts: Counter[tuple[str, str]] = Counter()
        for record in entry.records:
            script = items[record.item_id].script if record.item_id in items else None
            if record.rung == "identify" and script and not record.failed:
                counts[script, NO_LINE if record.parsed is None else classify(record.parsed)] += 1
        order = sorted(counts, key=lambda pair: (PROTOCOL["scripts"].index(pair[0]), ANSWERS.index(pair[1])))
        rows += [(entry.name, entry.label, *pair, counts[pair]) for pair in order]
    return pd.DataFrame(rows, columns=["key", "label", "script", "answered", "n"])


def sign_table(found: Iterable[Entry], items: Mapping[str, Item], seed: int) -> pd.DataFrame:
    """Accuracy on single signs by Gardiner category and by period: key, label, by, group, score, low, high, n_items.

    A sign without a recorded period is in no row of ``by == "period"``. Shares in [0, 1].
    """
    rows = []
    for entry in found:
        means = {name: score for name, score in entry.item_means("signs").items() if items[name].gardiner}
        for by, group_of in _GROUPS.items():
            groups: dict[str, dict[str, float]] = {}
            for name, score in means.items():
                if group := group_of(items[name]):
                    groups.setdefault(group, {})[name] = score
            for group in sorted(groups, key=group_order):
                value = estimate(groups[group], items, generator(seed, entry.name, by, group))
                rows.append((entry.name, entry.label, by, group, value.score, value.low, value.high, value.n_items))
    return pd.DataFrame(rows, columns=["key", "label", "by", "group", "score", "low", "high", "n_items"])
