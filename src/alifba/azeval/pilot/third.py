"""A third of the pilot items, for studies of many models: every third of each template."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from alifba.items import Item, read_items
from alifba.paths import write_atomic

EVERY = 3


def every_third(items: list[Item]) -> list[int]:
    """The places of the first, fourth, seventh … item of each template."""
    seen: Counter[str] = Counter()
    places = []
    for place, item in enumerate(items):
        if seen[item.template] % EVERY == 0:
            places.append(place)
        seen[item.template] += 1
    return places


def write_third(pilot: Path, path: Path) -> None:
    """Write the chosen lines of `pilot` to `path` as they are."""
    lines = pilot.read_bytes().splitlines(keepends=True)
    write_atomic(path, b"".join(lines[place] for place in every_third(list(read_items(pilot)))))
