"""How signs are grouped: by the category of Gardiner's list, and by the period of the document."""

from __future__ import annotations

import re
from functools import cache

from alifba.hieratic.records import Item
from alifba.text.resources import load_toml


def category(code: str) -> str:
    """The category of a Gardiner code: its letters before the number.

    >>> category("Aa1"), category("N35A")
    ('Aa', 'N')
    """
    return re.split(r"\d", code, maxsplit=1)[0]


def sign_category(item: Item) -> str:
    """The category of the first accepted code of a single sign; "" for other items."""
    return category(item.gardiner[0]) if item.gardiner else ""


@cache
def periods() -> tuple[str, ...]:
    """The periods of Egyptian history, in order."""
    return tuple(load_toml("periods.toml", "alifba.hieratic")["periods"])


def period(item: Item) -> str:
    """The period that an item's record names, the first in time of several; its own words where it names none of ours.

    "" where the record says nothing.
    """
    said = item.object.period or ""
    return next((name for name in periods() if name.lower() in said.lower()), said)


def group_order(group: str) -> tuple[int, int, str]:
    """Sorts categories A to Z and then Aa, and periods in order of time, those of other names last."""
    known = periods()
    return known.index(group) if group in known else len(known), len(group), group
