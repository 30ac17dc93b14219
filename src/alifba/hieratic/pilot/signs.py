"""Which signs there are, by Unicode's own character names: ``EGYPTIAN HIEROGLYPH G017`` is Gardiner's G17."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from alifba.hieratic.categories import category

# The block of Unicode 5.2. Later extensions name their signs by code point, not by Gardiner's list.
_FIRST, _LAST = 0x13000, 0x1342F
_NAME = re.compile(r"EGYPTIAN HIEROGLYPH (AA|[A-IK-Z])0*(\d{1,3})([A-Z]?)")


def gardiner_code(character: str) -> str | None:
    """Gardiner's code in the Unicode name of `character`, or None: the nome signs (NL, NU) and all other characters.

    >>> gardiner_code(chr(0x13153)), gardiner_code("A")
    ('G17', None)
    """
    found = _NAME.fullmatch(unicodedata.name(character, ""))
    if found is None:
        return None
    category, number, suffix = found.groups()
    return f"{'Aa' if category == 'AA' else category}{number}{suffix}"


def _coded() -> Iterator[tuple[str, str]]:
    for point in range(_FIRST, _LAST + 1):
        code = gardiner_code(chr(point))
        # A variant (Z4A beside Z4) differs from its base by so little that a rendering cannot tell them apart.
        if code and code[-1].isdigit():
            yield code, chr(point)


@cache
def signs() -> Mapping[str, str]:
    """Every sign that is no variant of another: Gardiner code to character, in the order of Unicode."""
    return dict(_coded())


def chosen_signs(per_category: int, rng: np.random.Generator) -> list[str]:
    """Codes, `per_category` drawn without replacement from each of the 26 categories, in the order of Unicode."""
    by_category: dict[str, list[str]] = {}
    for code in signs():
        by_category.setdefault(category(code), []).append(code)
    drawn = [
        members[index]
        for members in by_category.values()
        for index in sorted(rng.choice(len(members), size=per_category, replace=False))
    ]
    order = {code: place for place, code in enumerate(signs())}
    return sorted(drawn, key=order.__getitem__)
