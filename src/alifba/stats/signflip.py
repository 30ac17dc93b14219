"""Exact sign-flip test of real numbers, by counting every assignment of signs on a grid."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alifba.errors import InputError

_FINEST = 2**17
"""So many steps of the finest grid span the sum of absolute values; rounding moves no sum by more than n/2 of them."""
_SAME = 1e-9
"""Shares of the sum of absolute values below which numbers are the same: the rounding of an average of small counts."""
_SMALLEST_P = float(np.finfo(float).tiny)


def exact_signflip_real_p(values: ArrayLike) -> float:
    """Two-sided exact sign-flip p of ``|sum(values)|``, shape ``(n,)``: the share of all 2^n signs that reach it.

    Every assignment is counted, by adding one value after the other to the distribution of the sum, and a tie with the
    observed sum reaches it. Values that are whole multiples of a common step (averages of scores over seeds) are
    counted in that step, so the p is exact. Others are rounded to the sum of absolute values over 131,072, and of the
    rounded values the p is exact. 1.0 when the sum is 0; NaN when there is no value. The smallest p of n values is
    ``2 / 2^n``.

    Estimand: none beyond the symmetry of each value about 0 under the null.
    Source: Fisher, The Design of Experiments (1935), section 21. Raises InputError for values that are not finite.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError("the values must be finite numbers in one row", value=array.shape)
    total = float(np.abs(array).sum())
    if array.size == 0:
        return math.nan
    if total == 0:
        return 1.0
    shares = array / total
    whole = np.rint(shares / _step(np.abs(shares))).astype(np.int64)
    return _tail(np.abs(whole[whole != 0]), abs(int(whole.sum())))


def _step(shares: NDArray[np.float64]) -> float:
    """The largest step of which all `shares` (they add up to 1) are whole multiples; the finest where that is finer.

    Without it sums that tie would be rounded apart, and half of the ties would not count: p would be too small.
    """
    finest = 1 / _FINEST
    step = 0.0
    for share in np.unique(shares[shares > _SAME]):
        # Euclid's algorithm; a remainder may be negative, so that one just below the divisor is as small as it is.
        divisor, step = step, float(share)
        while divisor > _SAME:
            step, divisor = divisor, abs(step - divisor * round(step / divisor))
        if step < finest:
            return finest
    return step


def _tail(sizes: NDArray[np.int64], observed: int) -> float:
    """P(|S| >= observed) for S the sum of sizes with random signs.

    S = 2T - M, T being the sum of those with a plus and M the sum of all; by symmetry p is 2 P(T <= (M - observed)/2).
    """
    if observed == 0:
        return 1.0
    limit = (int(sizes.sum()) - observed) // 2
    reached = np.zeros(limit + 1)
    reached[0] = 1.0
    highest = 0
    for size in np.sort(sizes):
        reached[: highest + 1] *= 0.5
        highest = min(highest + int(size), limit)
        if size <= limit:
            # The right side is copied before it is overwritten: both are halves of the same distribution.
            reached[size : highest + 1] += reached[: highest + 1 - size].copy()
    return min(max(2 * float(reached.sum()), _SMALLEST_P), 1.0)
