"""Between pairs: does a label (an account of the damage) separate the pairs better than chance labelling would?

With ten pairs nothing needs sampling. Every assignment of the label to k of N pairs is counted, by dynamic
programming over (pairs labelled, sum), in exact rational arithmetic: equal statistics are equal, never 1e-16 apart.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from alifba.errors import InputError

Number = int | float | str | Decimal | Fraction
_MOST_SUMS = 2_000_000


class LabelPermutation(NamedTuple):
    """What the exact label permutation found; means in the unit of the values, p in (0, 1].

    `smallest_p_mean` and `smallest_p_rank` are the smallest p that any assignment of the labels could have reached
    with these values: no account with this split can be "more significant" than that.
    """

    n: int
    n_labelled: int
    n_assignments: int
    difference: float
    p_mean: float
    p_rank: float
    smallest_p_mean: float
    smallest_p_rank: float


def label_permutation(values: Iterable[Number], labels: Iterable[bool]) -> LabelPermutation:
    """Exact two-sided permutation test of ``|mean(labelled) - mean(others)|`` on the values and on their midranks.

    `values` and `labels` hold one entry a pair, ``(n_pairs,)``. p = share of all C(n, k) assignments of k labels whose
    statistic is at least the observed one. A float is read as the decimal it prints as (9.8 is 98/10), so published
    figures tie when they print alike. NaN throughout when the label is on none or on all: nothing is compared.

    Estimand: none beyond these pairs; the test asks whether their split is unusual among its relabellings.

    Symmetry: in a balanced split an assignment and its complement have the same statistic, so the smallest p is at
    least 2/C(n, k): 2/252 = 0.0079 for 5 of 10, not 1/252 = 0.0040. Untied ranks are symmetric for every split.

    The published ten pairs (one style each, default preferred, so Cyrillic 3 alone is in oneshot; "mixed" script is
    not Cyrillic; strong means |AZ loss| + |EN loss| > 3.5 points) give p mean / p rank: Cyrillic target
    0.0714 / 0.0952, Qwen base 0.0238 / 0.0381, strong adaptation 0.5667 / 0.1714, related target 0.9667 / 0.6095.

    Raises InputError for different lengths, a value that is no finite number, or sums too many to count.
    """
    exact, marks = [_exact(value) for value in values], _marks(labels)
    if len(exact) != len(marks):
        raise InputError("every value needs one label", value=(len(exact), len(marks)))
    n, k = len(exact), sum(marks)
    assignments = math.comb(n, k)
    if k in (0, n):
        nan = math.nan
        return LabelPermutation(n, k, assignments, nan, nan, nan, nan, nan)
    scale = math.lcm(*(value.denominator for value in exact))
    whole = [int(value * scale) for value in exact]
    p_mean, least_mean = _two_sided(whole, marks)
    p_rank, least_rank = _two_sided(_double_midranks(whole), marks)
    labelled = sum(value for value, mark in zip(exact, marks, strict=True) if mark)
    difference = float(labelled / k - (sum(exact) - labelled) / (n - k))
    return LabelPermutation(n, k, assignments, difference, p_mean, p_rank, least_mean, least_rank)


def predictions_right(labels: Iterable[bool], damaged: Iterable[bool]) -> tuple[int, int]:
    """``(right, n)``: pairs where an account's label says what happened. `labels`, `damaged`: ``(n_pairs,)``.

    With the published pairs and the two-part rule of damage (excess interval above zero, and Azerbaijani fell), the
    account "Cyrillic target" is right on 8 of 10 by the default style and on 9 of 10 by oneshot.
    """
    said, happened = _marks(labels), _marks(damaged)
    if len(said) != len(happened):
        raise InputError("every label needs one outcome", value=(len(said), len(happened)))
    return sum(a == b for a, b in zip(said, happened, strict=True)), len(said)


def _exact(value: Number) -> Fraction:
    try:
        # str() of a float is its shortest decimal; float() first, because numpy scalars print their type.
        return Fraction(value if isinstance(value, int | Decimal | Fraction | str) else str(float(value)))
    except (ValueError, TypeError, OverflowError, InvalidOperation) as error:
        raise InputError(
            "a value is no finite number", value=value, next_step="leave out the pair and say so"
        ) from error


def _marks(labels: Iterable[bool]) -> list[bool]:
    marks = list(labels)
    for mark in marks:
        # bool("no") is True: a column read from CSV must not become a label on every pair.
        if not isinstance(mark, bool | np.bool_):
            raise InputError("a label must be true or false", value=mark, next_step="compare the column, == 'yes'")
    return [bool(mark) for mark in marks]


def _double_midranks(whole: Sequence[int]) -> list[int]:
    """Twice the midrank, so that ties stay whole numbers."""
    return [2 * sum(other < value for other in whole) + sum(other == value for other in whole) + 1 for value in whole]


def _two_sided(whole: Sequence[int], marks: Sequence[bool]) -> tuple[float, float]:
    """p of the observed labelling, and the smallest p of any labelling.

    ``n * sum(labelled) - k * sum(all)`` is the difference of means times k (n - k), a constant of the split.
    """
    n, k, total = len(whole), sum(marks), sum(whole)
    reached: Counter[int] = Counter()
    for labelled, ways in _subset_sums(whole, k).items():
        reached[abs(n * labelled - k * total)] += ways
    observed = abs(n * sum(value for value, mark in zip(whole, marks, strict=True) if mark) - k * total)
    all_ways = math.comb(n, k)
    at_least = sum(ways for statistic, ways in reached.items() if statistic >= observed)
    return at_least / all_ways, reached[max(reached)] / all_ways


def _subset_sums(whole: Sequence[int], k: int) -> Counter[int]:
    """How many subsets of `k` of the numbers have each sum."""
    by_size: list[Counter[int]] = [Counter({0: 1})] + [Counter() for _ in range(k)]
    for value in whole:
        for size in range(k, 0, -1):
            for partial, ways in by_size[size - 1].items():
                by_size[size][partial + value] += ways
        if sum(map(len, by_size)) > _MOST_SUMS:
            raise InputError(
                "too many different sums to count exactly",
                value=f"{len(whole)} values",
                next_step="round the values to the decimals that you print",
            )
    return by_size[k]
