"""Shares of items: Wilson intervals, and retention between two answer formats."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from alifba.errors import InputError
from alifba.stats._checked import FloatArray, binary, confidence_level, same_shape
from alifba.stats.paired import exact_binary_p


def wilson_interval(successes: ArrayLike, n: ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Wilson score interval of a share in [0, 1]: ends ``(low, high)``, each of the broadcast shape of the arguments.

    Estimand: the share in the population that the `n` items are a simple random sample of. Unlike a bootstrap it
    keeps a width at 0 and at `n` successes. NaN where ``n == 0``.

    Raises InputError unless ``0 <= successes <= n``. Source: Wilson, JASA 22 (1927).
    """
    hits, total = np.broadcast_arrays(np.asarray(successes, np.float64), np.asarray(n, np.float64))
    if not np.all((hits >= 0) & (hits <= total)):
        raise InputError("successes must lie between 0 and n", value=(successes, n))
    z = float(ndtri((1 + confidence_level(level)) / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = hits / total
        centre = (share + z**2 / (2 * total)) / (1 + z**2 / total)
        half = z / (1 + z**2 / total) * np.sqrt(share * (1 - share) / total + z**2 / (4 * total**2))
    # At the borders the formula is exactly 0 or 1; without this, rounding leaves 1e-17.
    low = np.where(hits == 0, 0.0, centre - half)
    high = np.where(hits == total, 1.0, centre + half)
    defined = total > 0
    # [()] turns an array without axes into a number.
    return np.where(defined, low, np.nan)[()], np.where(defined, high, np.nan)[()]


class Retention(NamedTuple):
    """Of `n_recognised` items right as multiple choice, `n_retained` are right as short answer too."""

    n_items: int
    n_recognised: int
    n_retained: int
    share: float
    low: float
    high: float


class RetentionContrast(NamedTuple):
    """Of `n_both` items that both runs recognise, those that only one of them can produce, and the exact p."""

    n_both: int
    only_a: int
    only_b: int
    p: float


def retention(choice_right: ArrayLike, short_right: ArrayLike, level: float = 0.95) -> Retention:
    """Share of the items right in multiple choice that are right in short answer, with its Wilson interval.

    Both arguments are 0/1 with shape ``(n_items,)``, the same items in both formats. Guessing cannot earn retention,
    since a short answer has no options to guess from; lucky choices can only lower it.
    Estimand: the share among further items of this kind that this run recognises. NaN when it recognises none.
    """
    choice, short = binary(choice_right, "choice_right", 1), binary(short_right, "short_right", 1)
    same_shape(choice, short, "choice_right and short_right")
    recognised, retained = int(choice.sum()), int((choice & short).sum())
    low, high = wilson_interval(retained, recognised, level)
    share = retained / recognised if recognised else math.nan
    return Retention(choice.size, recognised, retained, share, float(low), float(high))


def retention_contrast(
    choice_a: ArrayLike, short_a: ArrayLike, choice_b: ArrayLike, short_b: ArrayLike
) -> RetentionContrast:
    """Exact paired p that runs `a` and `b` retain alike, on the items that both recognise; all 0/1, ``(n_items,)``.

    Two retention shares rest on different items, so comparing them as they are is not paired. Here an item counts only
    when both runs have it right in multiple choice, and the short answers are compared by `exact_binary_p`.
    NaN when no item is recognised by both.
    """
    arrays = [binary(x, name, 1) for x, name in zip((choice_a, short_a, choice_b, short_b), _NAMES, strict=True)]
    for array, name in zip(arrays[1:], _NAMES[1:], strict=True):
        same_shape(arrays[0], array, f"{_NAMES[0]} and {name}")
    both = (arrays[0] & arrays[2]) == 1
    a, b = arrays[1][both], arrays[3][both]
    return RetentionContrast(int(both.sum()), int((a > b).sum()), int((a < b).sum()), exact_binary_p(a, b))


_NAMES = ("choice_a", "short_a", "choice_b", "short_b")
