"""The arithmetic of the protocol, exact (fractions), with null wherever a number was not earned. No files.

Source: the protocol, v1.0: criteria 0 to 5, median of three attempts, mean of items, weighted mean of sections.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from statistics import median
from typing import TypeVar

from alifba.errors import InputError

Number = Fraction | None
"""A score from 0 to 100, or None: not earned yet. Never 0 for something that is missing."""
_TOP = 5
_Name = TypeVar("_Name", bound=str)


def criterion_points(first: int, second: int, third: int | None, gap: int) -> Number:
    """Points of one criterion: the mean of two, or where they are more than `gap` apart the median of three.

    None while a gap waits for its third scorer.
    """
    if abs(first - second) <= gap:
        return Fraction(first + second, 2)
    return None if third is None else Fraction(median((first, second, third)))


def attempt_score(points: Iterable[Number]) -> Number:
    """Mean of the criteria, of 5, times 100; None if there is none or one of them is."""
    return _over(_mean(points), _TOP)


def item_score(attempts: Sequence[Number]) -> Number:
    """Median of exactly three attempts; None if one is missing. Raises InputError for another number of them."""
    if len(attempts) != 3:
        raise InputError("an item has three attempts", value=len(attempts))
    scores = [one for one in attempts if one is not None]
    return median(scores) if len(scores) == len(attempts) else None


def section_score(items: Iterable[Number]) -> Number:
    """Mean of the items of a section; None if there is none or one of them is."""
    return _mean(items)


def normalised(weights: Mapping[_Name, int], applicable: Collection[_Name]) -> dict[_Name, Fraction]:
    """The weights of the sections that apply, re-normalised to sum to 1.

    Raises InputError for an unknown section and where none applies.
    """
    if not applicable or not set(applicable) <= set(weights):
        raise InputError("no such sections", value=sorted(applicable), next_step=f"known: {', '.join(weights)}")
    total = sum(weights[name] for name in set(applicable))
    return {name: Fraction(weights[name], total) for name in weights if name in applicable}


def composite(sections: Mapping[_Name, Number], weights: Mapping[_Name, int]) -> Number:
    """Weighted mean of the sections that apply, which are the keys of `sections`; None if one has no score."""
    total = Fraction(0)
    for name, weight in normalised(weights, sections).items():
        score = sections[name]
        if score is None:
            return None
        total += weight * score
    return total


def review_score(raw: Mapping[_Name, float | None], weights: Mapping[_Name, int]) -> int | None:
    """Directory review: weight × raw × 10 summed over the five raw criteria (0 to 10), rounded half up.

    None if one is missing: no partial total. Raises InputError for an unknown criterion or one outside 0 to 10.
    """
    if strange := set(raw) - set(weights):
        raise InputError("no such criterion", value=min(strange), next_step=f"known: {', '.join(weights)}")
    total = Fraction(0)
    for name, weight in weights.items():
        value = raw.get(name)
        if value is None:
            return None
        if not 0 <= value <= 10:
            raise InputError(f"{name} goes from 0 to 10", value=value)
        # By way of its digits: 7.1 is meant, not the nearest binary fraction.
        total += Fraction(weight, 100) * Fraction(str(value)) * 10
    return int(half_up(total))


def half_up(value: Fraction, digits: int = 0) -> Fraction:
    """`value` (not negative) rounded to `digits` decimals, halves up: 71.5 is 72, 80.5 is 81."""
    scale = 10**digits
    return Fraction((value * scale + Fraction(1, 2)) // 1, scale)


def _mean(values: Iterable[Number]) -> Number:
    listed = list(values)
    present = [one for one in listed if one is not None]
    return sum(present, Fraction(0)) / len(present) if present and len(present) == len(listed) else None


def _over(value: Number, top: int) -> Number:
    return None if value is None else value / top * 100
