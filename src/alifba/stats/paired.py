"""Exact paired tests on per-item integer scores, and the Monte Carlo test of the published study beside them.

The null hypothesis of every test here: the sign of each item's difference is a fair coin, independent between items
(the two sides of a pair are exchangeable within an item). Statistic: the sum of the differences. Two-sided:
p = share of the sign assignments whose absolute sum is at least the observed one, ties included. Items whose
difference is 0 carry no sign and drop out. Conditional on the absolute differences nothing is sampled, so p is a
number, not an estimate. It speaks of these items; it says nothing of other items or other decoding seeds.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from alifba.errors import InputError
from alifba.stats._checked import FloatArray, IntArray, binary, draws, generator, integers, same_shape

_LARGEST_DIFFERENCE = 100
# An exact p is never 0. What a float cannot hold is reported as the smallest normal float: too large, never too small.
_SMALLEST_P = float(np.finfo(np.float64).tiny)


def exact_binary_p(a: ArrayLike, b: ArrayLike) -> float:
    """Two-sided exact p for 0/1 scores `a` and `b` of the same items, each of shape ``(n_items,)``.

    The sign-flip null then depends only on the discordant counts: this is exact McNemar, a binomial with share 1/2.
    1.0 when no item is discordant, NaN when there is no item. Relative error below 1e-11 at 10,000 discordant items.

    Raises InputError for scores other than 0 and 1 or for different shapes.
    Source: McNemar, Psychometrika 12 (1947); the exact conditional form.
    """
    return float(exact_binary_family(binary(a, "a", 1)[None, :], binary(b, "b", 1)[None, :])[0])


def exact_binary_family(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """`exact_binary_p` of every row: `a` and `b` of shape ``(n_tests, n_items)``, result ``(n_tests,)``.

    A family whose tests differ in their number of items can be padded with items that are 0 on both sides.
    """
    left, right = binary(a, "a", 2), binary(b, "b", 2)
    same_shape(left, right, "a and b")
    wins, losses = (left > right).sum(axis=1), (left < right).sum(axis=1)
    fewer, discordant = np.minimum(wins, losses), wins + losses
    # P(K <= fewer) for K ~ Binomial(discordant, 1/2), as the regularised incomplete beta function. Twice that is above
    # 1 when both sides are equal; without a discordant item the arguments (1, 1) give 1/2, and so p = 1.
    tail = betainc(np.maximum(discordant - fewer, 1), fewer + 1, 0.5)
    return np.full(len(left), np.nan) if left.shape[1] == 0 else np.clip(2 * tail, _SMALLEST_P, 1.0)


def exact_signflip_p(differences: ArrayLike) -> float:
    """Two-sided exact sign-flip p of small integer `differences`, shape ``(n_items,)``.

    For differences of differences of 0/1 scores (-2..2), scores in halves, and any small integers (at most 100 in
    absolute value). 1.0 when the sum is 0, NaN when there is no item.

    Accuracy: all terms are non-negative binomial products, so the relative error stays below
    ``2 * sum(|differences|) * 2.2e-16`` (9e-12 for 10,000 items of 2); p below 2.2e-308 is given as that number.

    Raises InputError for numbers that are not whole or not small.
    Source: Fisher, The Design of Experiments (1935), section 21.
    """
    return float(exact_signflip_family(integers(differences, "differences", 1)[None, :])[0])


def exact_signflip_family(differences: ArrayLike) -> FloatArray:
    """`exact_signflip_p` of every row: shape ``(n_tests, n_items)``, result ``(n_tests,)``.

    Rows of different lengths can be padded with 0.
    """
    array = integers(differences, "differences", 2)
    if array.shape[1] == 0:
        return np.full(len(array), np.nan)
    sizes, counts, sums = _sufficient(array)
    return np.array([_two_sided(sizes, row, abs(int(total))) for row, total in zip(counts, sums, strict=True)])


def signflip_monte_carlo_p(differences: ArrayLike, rng: np.random.Generator, flips: int = 10_000) -> float:
    """The published estimate of `exact_signflip_p`: ``(hits + 1) / (flips + 1)`` over `flips` random sign assignments.

    Shape ``(n_items,)``. Sums are compared as integers with ``>=``. Signs of equal absolute differences are drawn
    together as one binomial, which has the same distribution as flipping them one by one. NaN when there is no item.
    """
    generator(rng), draws(flips, "flips")
    array = integers(differences, "differences", 1)
    if array.size == 0:
        return math.nan
    sizes, counts, sums = _sufficient(array[None, :])
    flipped = np.zeros(flips, dtype=np.int64)
    for size, count in zip(sizes, counts[0], strict=True):
        flipped += size * (2 * rng.binomial(count, 0.5, size=flips) - count)
    hits = int(np.count_nonzero(np.abs(flipped) >= abs(int(sums[0]))))
    return (hits + 1) / (flips + 1)


def _sufficient(array: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Absolute differences that occur ``(s,)``, how often per test ``(n_tests, s)``, and the sums ``(n_tests,)``."""
    absolute = np.abs(array)
    if absolute.size and int(absolute.max()) > _LARGEST_DIFFERENCE:
        raise InputError(
            f"a difference is larger than {_LARGEST_DIFFERENCE} in absolute value",
            value=int(array.flat[int(absolute.argmax())]),
            likely="unsigned scores subtracted (0 - 1 became 255), or scores in percent",
            next_step="subtract per-item scores as signed integers",
        )
    present = np.flatnonzero(np.bincount(absolute.ravel(), minlength=1))
    sizes = present[present > 0].astype(np.int64)
    counts = np.empty((len(array), sizes.size), dtype=np.int64)
    for column, size in enumerate(sizes):
        counts[:, column] = (absolute == size).sum(axis=1)
    return sizes, counts, array.sum(axis=1)


def _two_sided(sizes: IntArray, counts: IntArray, observed: int) -> float:
    """P(|S| >= observed) where S is the sum over sizes of ``size * (2 Binomial(count, 1/2) - count)``.

    With T the sum of ``size * Binomial`` and M that of ``size * count``, S = 2T - M; by symmetry p is
    2 P(T <= (M - observed) / 2).
    The most frequent size enters by its cumulative distribution, the others by convolution.
    """
    if observed == 0:
        return 1.0
    limit = (int(sizes @ counts) - observed) // 2
    used = [(int(s), int(c)) for s, c in zip(sizes, counts, strict=True) if c]
    largest, largest_count = max(used, key=lambda pair: pair[1])
    others = np.ones(1)
    for size, count in used:
        if size != largest:
            spread = np.zeros(size * count + 1)
            spread[::size] = _half_binomial(count)[0]
            others = np.convolve(others, spread)[: limit + 1]
    reached = np.minimum((limit - np.arange(len(others))) // largest, largest_count)
    tail = float(others @ _half_binomial(largest_count)[1][reached])
    return min(max(2 * tail, _SMALLEST_P), 1.0)


@lru_cache(maxsize=256)
def _half_binomial(count: int) -> tuple[FloatArray, FloatArray]:
    """Probabilities and cumulative probabilities of Binomial(count, 1/2), each of shape ``(count + 1,)``.

    From the correctly rounded central term outwards by ratios: the relative error grows by a rounding or two a step.
    A log-gamma formula would take the difference of numbers near 80,000 at 10,000 items, and lose up to five digits.
    """
    middle = count // 2
    falling = np.arange(middle, 0, -1)
    centre = math.comb(count, middle) / 2**count
    lower = np.concatenate([[centre], centre * np.cumprod(falling / (count - falling + 1))])[::-1]
    probability = np.concatenate([lower, lower[: count - middle][::-1]])
    cumulative = np.cumsum(probability)
    for array in (probability, cumulative):
        array.setflags(write=False)
    return probability, cumulative
