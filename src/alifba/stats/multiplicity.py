"""Holm's step-down correction, one family at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from alifba.errors import InputError
from alifba.stats._checked import FloatArray


def holm(p: ArrayLike) -> FloatArray:
    """Holm-adjusted p of one family, shape ``(n_tests,)``: at most a share alpha of families holds a false rejection.

    A NaN (an undefined test) stays NaN and does not count towards the size of the family.
    Raises InputError for a p outside [0, 1]. Source: Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    raw = np.asarray(p, dtype=np.float64)
    if raw.ndim != 1:
        raise InputError("p must have one axis over the tests of the family", value=raw.shape)
    if np.any((raw < 0) | (raw > 1)):
        raise InputError("a p lies between 0 and 1", value=float(raw[(raw < 0) | (raw > 1)][0]))
    adjusted = np.full(raw.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(raw))
    order = defined[np.argsort(raw[defined], kind="stable")]
    steps = raw[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def holm_by_family(p: ArrayLike, family: ArrayLike) -> FloatArray:
    """`holm` within every family apart; `p` and `family` (any labels) have shape ``(n_tests,)``.

    A family is corrected alone: adding tests to another one never changes its adjusted p.
    """
    raw, labels = np.asarray(p, dtype=np.float64), np.asarray(family)
    if raw.ndim != 1 or labels.shape != raw.shape:
        raise InputError("every p needs one family label", value=(raw.shape, labels.shape))
    adjusted = np.full(raw.shape, np.nan)
    for label in np.unique(labels):
        members = labels == label
        adjusted[members] = holm(raw[members])
    return adjusted
