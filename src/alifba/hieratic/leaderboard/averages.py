"""From records to means: samples are averaged within an item, then items within a rung; and how sure a mean is."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from alifba.errors import InputError
from alifba.hieratic.records import RUNGS, Item, RunRecord
from alifba.stats import cluster_mean_interval, wilson_interval
from alifba.stats.ranking import Z95

Key = tuple[str, str]
"""Model key and effort: the same model at two efforts is two rows."""


@dataclass(frozen=True)
class Entry:
    """All that one model at one effort answered.

    `scores` holds, for each rung and item, the scores of its samples; `refusals`, `failed` and `unscored` count records
    (declined; no answer came; an answer without a score), `strays` those of items that the folder lacks.
    """

    key: Key
    records: Sequence[RunRecord]
    scores: Mapping[str, Mapping[str, Sequence[float]]]
    refusals: int
    failed: int
    unscored: int
    strays: int

    @property
    def name(self) -> str:
        """``key`` or ``key-effort``: the entry's id within a leaderboard."""
        return "-".join(part for part in self.key if part)

    @property
    def label(self) -> str:
        return self.records[-1].model.shown

    def item_means(self, rung: str) -> dict[str, float]:
        """Mean over samples of every scored item of `rung`."""
        return {item: sum(scores) / len(scores) for item, scores in self.scores.get(rung, {}).items()}


@dataclass(frozen=True)
class Estimate:
    """A mean score in [0, 1] over items: 95 % interval, standard error, and how many items it rests on.

    Undefined is NaN. `method` says where the interval comes from: ``bootstrap`` resamples items (and with each its
    samples; items with the same text stay together), ``wilson`` stands in where all items score 0 or all score 1, where
    resampling would pretend certainty; "" where neither applies.
    """

    score: float
    low: float = math.nan
    high: float = math.nan
    se: float = math.nan
    n_items: int = 0
    method: str = ""


def entries(records: Iterable[RunRecord], items: Mapping[str, Item]) -> list[Entry]:
    """One entry for every model and effort, sorted by key; all runs of a model at one effort count together.

    `records` are those in force (`RunFile.in_force`). A private copy of an answer is left out: the public one counts.

    Raises:
        InputError: a rung that the protocol does not have.
    """
    kept: dict[Key, list[RunRecord]] = defaultdict(list)
    for record in records:
        if record.rung not in RUNGS:
            raise InputError("no such rung", value=record.rung, next_step=f"known: {', '.join(RUNGS)}")
        if not record.private_copy:
            kept[record.model.key, record.model.effort or ""].append(record)
    return [_entry(key, kept[key], items) for key in sorted(kept)]


def _entry(key: Key, records: list[RunRecord], items: Mapping[str, Item]) -> Entry:
    known = [record for record in records if record.item_id in items]
    scores: dict[str, dict[str, list[float]]] = {rung: defaultdict(list) for rung in RUNGS}
    for record in known:
        if record.score is not None and not record.failed:
            scores[record.rung][record.item_id].append(record.score)
    return Entry(
        key=key,
        records=records,
        scores=scores,
        refusals=sum(record.refusal for record in known),
        failed=sum(record.failed for record in known),
        unscored=sum(record.score is None and not record.failed for record in known),
        strays=len(records) - len(known),
    )


def generator(seed: int, *names: str) -> np.random.Generator:
    """Random numbers of one cell of a table, from `seed` and its names: no other cell moves them."""
    return np.random.default_rng([seed, crc32("\n".join(names).encode("utf-8"))])


def estimate(means: Mapping[str, float], items: Mapping[str, Item], rng: np.random.Generator) -> Estimate:
    """The mean of item means with its uncertainty; `means` maps item ids to scores in [0, 1].

    Estimand: the mean over further items of the kind that these are, for this model as it was asked. A cluster is an
    item with all its samples, together with every other item of the same text (``sameTextAs``).
    """
    names = sorted(means)
    if not names:
        return Estimate(math.nan)
    values = np.array([means[name] for name in names])
    clusters = np.array([_text_of(name, items) for name in names])
    score, low, high, n = cluster_mean_interval(values, clusters, rng)
    method, se = "bootstrap", _standard_error(values, clusters)
    if math.isnan(low):
        method = ""
        if set(values.tolist()) in ({0.0}, {1.0}):
            k = len(set(clusters.tolist()))
            low, high = (float(end) for end in wilson_interval(score * k, k))
            method, se = "wilson", (high - low) / (2 * Z95)
    return Estimate(score, low, high, se, n, method)


def _text_of(name: str, items: Mapping[str, Item]) -> str:
    """The item whose text `name` shows: itself, or the one that it repeats."""
    seen = {name}
    while (other := items[name].same_text_as) and other in items and other not in seen:
        name = other
        seen.add(name)
    return name


def _standard_error(values: np.ndarray, clusters: np.ndarray) -> float:
    """Of the mean of `values` ``(n_items,)``, by the spread between clusters; NaN for fewer than two clusters.

    Source: the linearised variance of a ratio mean, Cochran, Sampling Techniques (1977), chapter 9.
    """
    _, index = np.unique(clusters, return_inverse=True)
    residuals = np.bincount(index, weights=values - values.mean())
    k = residuals.size
    return float(np.sqrt(k / (k - 1) * (residuals**2).sum()) / values.size) if k > 1 else math.nan
