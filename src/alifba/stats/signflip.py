"""Exact sign-flip test of real numbers, by counting every assignment of signs on a grid."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alifba.errors import InputError

_FINEST = 2**17
"""So many steps of the grid span the largest possible sum; rounding moves that sum by less than n/2 of them."""
_SMALLEST_P = np.finfo(float).tiny


def exact_signflip_real_p(values: ArrayLike, unit: float | None = None) -> float:
    """Two-sided exact sign-flip p of ``|sum(values)|``, shape ``(n,)``: the share of all 2^n signs that reach it.

    The values are rounded to whole multiples of `unit` (default: the sum of absolute values over 131,072), and of the
    rounded values the p is exact: every assignment is counted, by adding one value after the other to the
    distribution of the sum. 1.0 when the sum is 0; NaN when there is no value. The smallest p of n values is
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
    unit = unit or total / _FINEST
    whole = np.rint(array / unit).astype(np.int64)
    return _tail(np.abs(whole[whole != 0]), abs(int(whole.sum())))


def _tail(sizes: NDArray[np.int64], observed: int) -> float:
    """P(|S| >= observed) for S the sum of sizes with random signs.

    S = 2T - M, T being the sum of those with a plus and M the sum of all; by symmetry p is 2 P(T <= (M - observed)/2).
    """
    if observed == 0:
        return 1.0
    limit = (int(sizes.sum()) - observed) // 2
    reached = np.zeros(limit + 1)
    reached[0] = 1.0
    for size in np.sort(sizes):
        reached *= 0.5
        if size <= limit:
            # The right side is read before it is overwritten: both are halves of the same distribution.
            reached[size:] += reached[: limit + 1 - size].copy()
    return min(max(2 * float(reached.sum()), _SMALLEST_P), 1.0)
