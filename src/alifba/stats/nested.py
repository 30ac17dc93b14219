"""Bootstrap of a contrast between groups that were measured on the same items, each under several seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from alifba.errors import InputError
from alifba.stats._checked import confidence_level, draws, generator
from alifba.stats.bootstrap import Interval

# Numbers held in memory at once.
_CELLS_AT_ONCE = 4_000_000
# Resamples of a constant differ by no more than this share of it.
_ROUNDING = 1e-12


def contrast_interval(
    groups: Sequence[NDArray[np.float64]],
    weights: Sequence[float],
    rng: np.random.Generator,
    *,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Percentile interval of ``sum(weight * mean(group))``; each group is ``(n_seeds, n_items)``, items aligned.

    Items are drawn with replacement, the same draw for every group and seed (they are paired on the item); within each
    group its seeds are drawn with replacement too. A group of one seed contributes no variation of seeds.
    Estimand: the contrast over further items and further seeds of these groups.

    NaN ends where all resamples are equal; everything is NaN without items or groups.
    Raises InputError for groups of unlike items or without a seed, a value that is not finite, or another number of
    weights than groups.
    """
    generator(rng), draws(resamples, "resamples"), confidence_level(level)
    if len(groups) != len(weights):
        raise InputError("every group needs one weight", value=(len(groups), len(weights)))
    if len({group.shape[1:] for group in groups}) > 1 or not all(_sound(group) for group in groups):
        raise InputError(
            "the groups must hold finite values of the same items, at least one seed each",
            value=[group.shape for group in groups],
        )
    if not groups or not groups[0].size:
        return Interval(math.nan, math.nan, math.nan, 0)
    n_items = groups[0].shape[1]
    mean = float(sum(weight * group.mean() for weight, group in zip(weights, groups, strict=True)))
    stacked = np.concatenate(groups).T
    seeds = [len(group) for group in groups]
    drawn = [
        _resampled(stacked, seeds, weights, rng, count)
        for count in _portions(resamples, max(1, _CELLS_AT_ONCE // max(n_items, stacked.shape[1])))
    ]
    statistics = np.concatenate(drawn)
    scale = sum(abs(weight) * float(np.abs(group).max()) for weight, group in zip(weights, groups, strict=True))
    if np.ptp(statistics) <= _ROUNDING * scale:
        return Interval(mean, math.nan, math.nan, n_items)
    low, high = np.quantile(statistics, [(1 - level) / 2, (1 + level) / 2])
    return Interval(mean, float(low), float(high), n_items)


def _sound(group: NDArray[np.float64]) -> bool:
    return group.ndim == 2 and len(group) > 0 and bool(np.isfinite(group).all())


def _portions(total: int, most: int) -> list[int]:
    return [min(most, total - start) for start in range(0, total, most)]


def _resampled(
    stacked: NDArray[np.float64], seeds: list[int], weights: Sequence[float], rng: np.random.Generator, count: int
) -> NDArray[np.float64]:
    """`count` resampled contrasts; `stacked` is ``(n_items, all seeds of all groups)``."""
    n_items = len(stacked)
    means = rng.multinomial(n_items, np.full(n_items, 1 / n_items), size=count) @ stacked / n_items
    result = np.zeros(count)
    start = 0
    for number, weight in zip(seeds, weights, strict=True):
        chosen = rng.multinomial(number, np.full(number, 1 / number), size=count) / number
        result += weight * (means[:, start : start + number] * chosen).sum(axis=1)
        start += number
    return result
