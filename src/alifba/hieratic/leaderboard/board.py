"""The leaderboard: the published JSON shape, with intervals, tiers, baselines and famous documents beside it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from alifba.hieratic.leaderboard import baselines
from alifba.hieratic.leaderboard.averages import Entry, Estimate, entries, estimate, generator
from alifba.hieratic.leaderboard.baselines import scored_items
from alifba.hieratic.prompts import prompt_text
from alifba.hieratic.records import HARNESS, RUNGS, Item, RunRecord
from alifba.stats.ranking import Z95, Score, tiers

Json = dict[str, Any]
SEED = 0
_DIGITS = 10  # decimals kept: below what two machines' order of summation changes


def leaderboard(
    items: Mapping[str, Item], records: Iterable[RunRecord], *, seed: int = SEED, generated_at: str | None = None
) -> Json:
    """Everything that the board shows, as plain JSON.

    ``harness, generatedAt, dataset, entries, perItem, prompts, items`` are the published fields. Ours beside them:
    in each rung ``interval`` (95 %), ``se``, ``tier`` and ``rank`` among entries that answered every item, ``famous``,
    ``notFamous`` and their ``difference``; in each entry ``failed``, ``unscored`` and ``strays``; ``baselines`` and
    ``method``. ``coverage`` is the share of a rung's open items with a score; a sealed rung is scored by nobody.

    `generated_at` is the time of the last answer unless given, so that the same runs give the same bytes.
    Every interval draws by `seed` and its own names: a further model moves no number. Undefined numbers are null.
    """
    found = entries(records, items)
    able: dict[str, int] = {rung: _able(rung, items, found) for rung in RUNGS}
    rows = [_entry(entry, items, able, seed) for entry in found]
    _rank(rows)
    rows.sort(key=_place)
    return {
        "harness": HARNESS,
        "generatedAt": generated_at or max((row["lastRun"] for row in rows if row["lastRun"]), default=None),
        "dataset": _dataset(items),
        "entries": rows,
        "baselines": _baselines(items, seed),
        "perItem": {entry.name: _per_item(entry) for entry in found},
        "prompts": _prompts(),
        "items": [item.model_dump(by_alias=True, exclude_none=True, mode="json") for item in items.values()],
        "method": _method(seed),
    }


def _able(rung: str, items: Mapping[str, Item], found: Iterable[Entry]) -> int:
    """How many items of `rung` can be scored: the open ones, and sealed ones where somebody scored them by a key."""
    return len({item.id for item in scored_items(items, rung)}.union(*(entry.item_means(rung) for entry in found)))


def _entry(entry: Entry, items: Mapping[str, Item], able: Mapping[str, int], seed: int) -> Json:
    model = entry.records[-1].model
    rungs = {rung: row for rung in RUNGS if (row := _rung(entry, rung, items, able[rung], seed))}
    overall = np.mean([rungs[rung]["score"] for rung in RUNGS]) if len(rungs) == len(RUNGS) else math.nan
    return {
        "key": model.key,
        "label": model.label or model.key,
        "provider": model.provider,
        "modelId": model.id,
        **({"effort": model.effort} if model.effort else {}),
        "rungs": rungs,
        "overall": _number(float(overall)),
        "refusals": entry.refusals,
        "failed": entry.failed,
        "unscored": entry.unscored,
        "strays": entry.strays,
        "lastRun": max((str(record.created_at) for record in entry.records if record.created_at), default=None),
    }


def _rung(entry: Entry, rung: str, items: Mapping[str, Item], able: int, seed: int) -> Json | None:
    """The row of one rung, or None where nothing of it is scored."""
    means = entry.item_means(rung)
    if not means:
        return None
    whole, famous, other = (
        estimate(part, items, generator(seed, entry.name, rung, which))
        for which, part in (
            ("all", means),
            ("famous", {name: score for name, score in means.items() if items[name].famous}),
            ("other", {name: score for name, score in means.items() if not items[name].famous}),
        )
    )
    return {
        **_shown(whole),
        "coverage": _number(len(means) / able),
        "samples": sum(len(scores) for scores in entry.scores[rung].values()),
        "tier": None,
        "rank": None,
        **({"famous": _shown(famous), "notFamous": _shown(other)} if famous.n_items and other.n_items else {}),
        **({"difference": _difference(famous, other)} if famous.n_items and other.n_items else {}),
    }


def _shown(value: Estimate) -> Json:
    interval = {"low": _number(value.low), "high": _number(value.high), "method": value.method}
    return {
        "score": _number(value.score),
        "items": value.n_items,
        "interval": interval if value.method else None,
        "se": _number(value.se),
    }


def _difference(famous: Estimate, other: Estimate) -> Json:
    """Famous less other documents, with a normal 95 % interval: the two rest on different items."""
    value, se = famous.score - other.score, math.hypot(famous.se, other.se)
    return {"value": _number(value), "low": _number(value - Z95 * se), "high": _number(value + Z95 * se)}


def _rank(rows: Sequence[Json]) -> None:
    """Fill in tier and rank of every rung, among the entries that answered all of it."""
    for rung in RUNGS:
        cells = [row["rungs"][rung] for row in rows if rung in row["rungs"]]
        whole = [cell for cell in cells if cell["coverage"] == 1 and cell["se"] is not None]
        ranked = tiers([Score(100 * cell["score"], 100 * cell["se"]) for cell in whole])
        for cell, tier, rank in zip(whole, ranked.tier, ranked.rank, strict=True):
            cell["tier"], cell["rank"] = int(tier), int(rank)


def _place(row: Json) -> tuple[float, float, str]:
    """Overall downwards, then identify downwards; who has neither comes last, by label."""
    identify = row["rungs"].get("identify", {}).get("score")
    return -_or(row["overall"], -1), -_or(identify, -1), row["label"]


def _or(value: float | None, missing: float) -> float:
    return missing if value is None else value


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, _DIGITS)


def _dataset(items: Mapping[str, Item]) -> Json:
    of = list(items.values())
    return {
        "items": len(of),
        "sealed": sum(item.split == "sealed" for item in of),
        "byRung": {rung: sum(rung in item.rungs for item in of) for rung in RUNGS},
        "byScript": dict(sorted(Counter(item.script or "not named" for item in of).items())),
        "bySource": dict(sorted(Counter(item.prefix for item in of).items())),
    }


def _baselines(items: Mapping[str, Item], seed: int) -> list[Json]:
    code, majority = baselines.majority_sign(items)
    found: list[tuple[str, str, Mapping[str, dict[str, float]]]] = [
        ("always-hieratic", 'always "hieratic"', {"identify": baselines.always_hieratic(items)}),
        ("majority-sign", f"always {code}", {"signs": majority}),
        ("chance", "uniform guess", baselines.guessing(items)),
    ]
    return [{"key": key, "label": label, "rungs": _estimates(key, means, items, seed)} for key, label, means in found]


def _estimates(key: str, means: Mapping[str, dict[str, float]], items: Mapping[str, Item], seed: int) -> Json:
    return {
        rung: _shown(estimate(scores, items, generator(seed, key, rung))) for rung, scores in means.items() if scores
    }


def _per_item(entry: Entry) -> Json:
    """Mean scores by item and rung."""
    shown: dict[str, Json] = {}
    for rung in RUNGS:
        for item, mean in sorted(entry.item_means(rung).items()):
            shown.setdefault(item, {})[rung] = _number(mean)
    return shown


def _prompts() -> dict[str, str]:
    sentence = Item(id="", split="public", rungs=(), image="")
    sign = sentence.model_copy(update={"gardiner": ()})
    return {rung: prompt_text(sentence, rung) for rung in RUNGS} | {"signsSingle": prompt_text(sign, "signs")}


def _method(seed: int) -> dict[str, Any]:
    return {
        "interval": "95 %: percentile bootstrap over items, 10000 resamples; an item keeps all its samples, items of "
        "one text stay together; Wilson where every item scores 0 or every item scores 1",
        "tier": "a new tier begins where a score is not tied with the tier's leader (1.96 standard errors of the "
        "difference, unpaired); only entries that answered every open item of the rung",
        "coverage": "items with a score / items of the rung that are not sealed",
        "seed": seed,
    }
