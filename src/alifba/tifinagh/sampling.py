"""Which words are asked, and in what order: the recipe ``alifba-1``, by integers alone.

TifinaghBench names the parts (Fisher-Yates, Mulberry32, FNV-1a) but not its seed strings, so our words cannot be those
of the original site; hence the recipe has a name of its own, which is part of every run's setup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

RECIPE = "alifba-1"

_T = TypeVar("_T")
_MASK = 0xFFFFFFFF
_TWO_TO_32 = 1 << 32


def fnv1a(text: str) -> int:
    """The 32-bit FNV-1a hash of `text` in UTF-8."""
    hashed = 0x811C9DC5
    for byte in text.encode("utf-8"):
        hashed = ((hashed ^ byte) * 0x01000193) & _MASK
    return hashed


def mulberry32(seed: int) -> Iterator[int]:
    """An endless stream of 32-bit integers (Mulberry32, T. Ettinger)."""
    state = seed & _MASK
    while True:
        state = (state + 0x6D2B79F5) & _MASK
        mixed = ((state ^ (state >> 15)) * (state | 1)) & _MASK
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61))) & _MASK
        yield (mixed ^ (mixed >> 14)) & _MASK


def stream(*parts: str | int) -> Iterator[int]:
    """The stream that belongs to `parts`, joined by "/"."""
    return mulberry32(fnv1a("/".join(map(str, parts))))


def shuffled(items: Iterable[_T], draws: Iterator[int]) -> list[_T]:
    """`items` in a drawn order: Fisher-Yates, from the last place down."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        # floor(u * (last + 1)) of a u in [0, 1), without a float.
        place = next(draws) * (last + 1) // _TWO_TO_32
        order[last], order[place] = order[place], order[last]
    return order


def sample(ids: Iterable[str], dialect: str, seed: int, n: int | None) -> list[str]:
    """`n` entry ids of a dialect, or all of them: the first n of one order, so that a smaller sample is part of a
    larger one. The order in which `ids` come does not matter."""
    return shuffled(sorted(ids), stream(seed, "sample", dialect))[:n]


def is_to_latin(dialect: str, entry_id: str, seed: int) -> bool:
    """Whether an entry is transliterated from Tifinagh to Latin, or else the other way."""
    return next(stream(seed, "direction", dialect, entry_id)) < _TWO_TO_32 // 2


def ranked(ids: Sequence[str], task: str, dialect: str, seed: int) -> list[str]:
    """`ids` in the order in which they are asked; entries of the same rank by id."""
    return sorted(ids, key=lambda id_: (next(stream(seed, "rank", task, dialect, id_)), id_))
