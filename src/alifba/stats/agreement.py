"""Krippendorff's alpha: agreement of any number of coders, with missing codes, at four levels of measurement."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from alifba.errors import InputError
from alifba.stats._checked import FloatArray

Level = Literal["nominal", "ordinal", "interval", "ratio"]


class Agreement(NamedTuple):
    """`alpha` (1: perfect, 0: as by chance), with `n_units` that two or more coders coded and `n_codes` on these."""

    alpha: float
    n_units: int
    n_codes: int


def krippendorff_alpha(codes: ArrayLike, level: Level) -> Agreement:
    """Krippendorff's alpha of `codes`, shape ``(n_coders, n_units)``, NaN where a coder did not code a unit.

    ``1 - D_o / D_e``: observed over expected disagreement, both mean squared differences of pairs of codes; within
    units (each unit's pairs weighted by ``1 / (m_u - 1)`` for its ``m_u`` codes), and over all pairs of codes at all.
    Units with fewer than two codes say nothing of agreement and are left out. The order of coders, and of units, does
    not matter. NaN where all codes are equal or none can be paired: then there is nothing to disagree on.

    Estimand: agreement beyond chance of interchangeable coders, of whom these are a sample, on units of this kind.
    Raises InputError for another shape, an unknown level, an infinite code, and a negative one at level "ratio".
    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011); Content Analysis, 2nd ed. (2004), ch. 11.
    """
    array = np.asarray(codes, np.float64)
    if array.ndim != 2:
        raise InputError("codes have two axes, coders and units", value=array.shape)
    if level not in _SQUARED:
        raise InputError("no such level of measurement", value=level, next_step=f"one of {', '.join(_SQUARED)}")
    if np.any(np.isinf(array)):
        raise InputError("codes hold infinity", next_step="leave a code that is not there out as NaN")
    if level == "ratio" and np.any(array < 0):
        raise InputError("a ratio scale begins at 0", value=float(np.nanmin(array)))
    paired = array[:, (~np.isnan(array)).sum(axis=0) >= 2]
    n_codes = int((~np.isnan(paired)).sum())
    values, coincidences = _coincidences(paired)
    margins = coincidences.sum(axis=1)
    squared = _SQUARED[level](values, margins)
    expected = float(margins @ squared @ margins)
    if not expected:
        return Agreement(math.nan, paired.shape[1], n_codes)
    observed = float((coincidences * squared).sum())
    return Agreement(1 - (n_codes - 1) * observed / expected, paired.shape[1], n_codes)


def _coincidences(paired: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The distinct codes ``(v,)`` and how often each pair of them stands in one unit ``(v, v)``; sums to n codes."""
    present = ~np.isnan(paired)
    values = np.unique(paired[present])
    counts = np.stack([(paired == value).sum(axis=0) for value in values]) if values.size else np.zeros((0, 0))
    weights = 1 / (present.sum(axis=0) - 1)
    pairs = (counts * weights) @ counts.T
    return values, pairs - np.diag(counts @ weights)


def _nominal(values: FloatArray, margins: FloatArray) -> FloatArray:
    return np.asarray(values[:, None] != values[None, :], np.float64)


def _ordinal(values: FloatArray, margins: FloatArray) -> FloatArray:
    # The codes between two ranks, both ends counted half: their distance on the scale of ranks.
    middle = np.cumsum(margins) - margins / 2
    return np.square(middle[:, None] - middle[None, :])


def _interval(values: FloatArray, margins: FloatArray) -> FloatArray:
    return np.square(values[:, None] - values[None, :])


def _ratio(values: FloatArray, margins: FloatArray) -> FloatArray:
    total = values[:, None] + values[None, :]
    share: FloatArray = np.divide(values[:, None] - values[None, :], total, out=np.zeros_like(total), where=total > 0)
    return np.square(share)


_SQUARED: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}
