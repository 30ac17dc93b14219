"""Percentile bootstrap intervals of a mean, drawn as multinomial counts and never item by item.

Resampling n items with replacement and adding them up depends only on how often each distinct value is drawn, and
those counts are multinomial. For small whole numbers the sum has few possible values as well, and its exact bootstrap
distribution is the n-fold convolution of the observed shares; how many of the resamples give each sum is then one
multinomial draw. Both give the bootstrap distribution of the mean itself, at a cost that does not grow with
resamples x items.

Percentile rule: the ends are the (1 - level)/2 and (1 + level)/2 quantiles of the resampled means, with linear
interpolation between order statistics (type 7, the default of numpy and R). Source: Efron and Tibshirani, An
Introduction to the Bootstrap (1993), chapter 13.

Without spread there is no interval. Fewer than two items (or clusters), or values that are all equal, resample to
one and the same mean: the width would be 0 and would read as certainty. Both ends are NaN then; the mean is still
given. For a share of 0 or 1 use `wilson_interval`, which does have a width there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import irfft, next_fast_len, rfft

from alifba.errors import InputError
from alifba.stats._checked import IntArray, NumberArray, confidence_level, draws, generator

# Longest distribution of a sum that is convolved: 10,000 items whose values differ by up to 100.
_SUMS_AT_MOST = 1_000_000
# Counts held in memory at once, so that 10,000 resamples of 10,000 distinct values do not need a gigabyte.
_CELLS_AT_ONCE = 2_000_000


class Interval(NamedTuple):
    """A mean and its interval, in the unit of the values; `n` is the number of items."""

    mean: float
    low: float
    high: float
    n: int


def mean_interval(
    values: ArrayLike, rng: np.random.Generator, *, resamples: int = 10_000, level: float = 0.95
) -> Interval:
    """Percentile bootstrap interval of the mean of `values`, shape ``(n_items,)``; whole numbers or floats.

    Estimand: the mean over the population of items that these are a simple random sample of, for this one run.
    It does not cover new templates (see `cluster_mean_interval`), other prompts or other decoding seeds.
    The order of the items does not matter. Pass per-item differences for a paired interval.

    Raises InputError for NaN (leave unscored items out and count them), a bad level or an `rng` that is no Generator.
    """
    generator(rng), draws(resamples, "resamples"), confidence_level(level)
    array = _finite(values, ndim=1)
    n = array.size
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    distinct, counts = np.unique(array, return_counts=True)
    mean = float(distinct @ counts) / n
    if distinct.size < 2:
        return Interval(mean, math.nan, math.nan, n)
    span = int(distinct[-1] - distinct[0]) if distinct.dtype.kind == "i" else math.inf
    draw = _sums_by_convolution if n * span < _SUMS_AT_MOST else _sums_by_value
    sums = draw(distinct, counts, rng, resamples)
    low, high = _ends(sums, level)
    return Interval(mean, low / n, high / n, n)


def mean_intervals(
    values: ArrayLike, rng: np.random.Generator, *, resamples: int = 10_000, level: float = 0.95
) -> list[Interval]:
    """`mean_interval` of every row of `values`, shape ``(k, n_items)``.

    Row i draws from the i-th child of `rng`, so that neither the values nor the number of other rows move its ends.
    """
    array = _finite(values, ndim=2)
    children = generator(rng).spawn(len(array))
    return [
        mean_interval(row, child, resamples=resamples, level=level) for row, child in zip(array, children, strict=True)
    ]


def cluster_mean_interval(
    values: ArrayLike,
    clusters: ArrayLike,
    rng: np.random.Generator,
    *,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Percentile bootstrap interval of the mean, resampling whole clusters; `values`, `clusters` ``(n_items,)``.

    Estimand: the mean over items of further clusters of this kind (a cluster is a question template), for this one
    run. Items of one template rise and fall together, so this interval is usually wider than `mean_interval`.
    As many clusters are drawn as there are; clusters of unequal size make the resampled mean a ratio, the sum of
    values over the number of items drawn. Only the number of clusters, not of items, makes the interval reliable.

    `clusters` holds any labels that can be sorted. NaN ends for fewer than two clusters or equal cluster means.
    Raises InputError as `mean_interval`, and for arrays of different length.
    """
    generator(rng), draws(resamples, "resamples"), confidence_level(level)
    array, labels = _finite(values, ndim=1), np.asarray(clusters)
    if labels.shape != array.shape:
        raise InputError("every item needs one cluster label", value=(array.shape, labels.shape))
    n = array.size
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    _, index = np.unique(labels, return_inverse=True)
    order = np.lexsort((array, index))
    sizes = np.bincount(index)
    sums = np.add.reduceat(array[order], np.concatenate([[0], np.cumsum(sizes)[:-1]]))
    distinct, counts = np.unique(np.column_stack([sums, sizes]), axis=0, return_counts=True)
    mean = float(distinct[:, 0] @ counts) / n
    if np.unique(distinct[:, 0] / distinct[:, 1]).size < 2:
        return Interval(mean, math.nan, math.nan, n)
    drawn = _resampled(distinct, counts, rng, resamples)
    low, high = _ends(drawn[:, 0] / drawn[:, 1], level)
    return Interval(mean, low, high, n)


def _finite(values: ArrayLike, ndim: int) -> NumberArray:
    array = np.asarray(values)
    if array.ndim != ndim:
        raise InputError(f"values must have {ndim} axis(es), the last one over items", value=array.shape)
    if array.size and array.dtype.kind not in "iubf":
        raise InputError("values must be numbers", value=array.ravel()[0])
    if array.dtype.kind == "f":
        if not np.all(np.isfinite(array)):
            raise InputError(
                "values hold NaN or infinity", next_step="leave unscored items out, and report how many there are"
            )
        return array.astype(np.float64)
    return array.astype(np.int64)


def _sums_by_convolution(
    distinct: NumberArray, counts: IntArray, rng: np.random.Generator, resamples: int
) -> NumberArray:
    """Sums ``(resamples,)`` of bootstrap samples of whole numbers, in ascending order."""
    total = int(counts.sum())
    offsets = distinct - distinct[0]
    step = int(np.gcd.reduce(offsets))
    last = total * int(offsets[-1]) // step
    length = next_fast_len(last + 1, real=True)
    shares = np.zeros(length)
    shares[offsets // step] = counts / total
    probability = irfft(rfft(shares) ** total, length)[: last + 1]
    # The transform leaves rounding of about 1e-17 where a sum is impossible or next to it.
    possible = np.flatnonzero(probability > 1e-15)
    times = rng.multinomial(resamples, probability[possible] / probability[possible].sum())
    return np.repeat(possible, times) * step + total * int(distinct[0])


def _sums_by_value(distinct: NumberArray, counts: IntArray, rng: np.random.Generator, resamples: int) -> NumberArray:
    return _resampled(distinct.reshape(-1, 1), counts, rng, resamples)[:, 0]


def _resampled(distinct: NumberArray, counts: IntArray, rng: np.random.Generator, resamples: int) -> NumberArray:
    """Column sums ``(resamples, n_columns)`` of `resamples` bootstrap samples of the rows of `distinct`."""
    total = int(counts.sum())
    share = counts / total
    block = max(1, _CELLS_AT_ONCE // len(distinct))
    parts = []
    for start in range(0, resamples, block):
        drawn = rng.multinomial(total, share, size=min(block, resamples - start))
        parts.append(drawn @ distinct)
    return np.concatenate(parts)


def _ends(statistics: NumberArray, level: float) -> tuple[float, float]:
    low, high = np.quantile(statistics, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
