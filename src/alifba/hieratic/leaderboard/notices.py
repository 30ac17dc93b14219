"""What must be said of the items and the models wherever their numbers stand."""

from __future__ import annotations

from collections.abc import Iterable

from alifba.hieratic.records import Item, RunRecord
from alifba.text.resources import load_toml

BETWEEN = " · "
_WORDS = load_toml("notices.toml", "alifba.hieratic")


def notice_of(items: Iterable[Item], records: Iterable[RunRecord]) -> str:
    """What the labels rest on, and that models are fake where they are; parts are joined by `BETWEEN`."""
    pilot = any(item.prefix == _WORDS["pilot_prefix"] for item in items)
    fake = any(record.model.provider == _WORDS["fake_provider"] for record in records)
    return BETWEEN.join([_WORDS["pilot" if pilot else "published"], *([_WORDS["fake"]] if fake else [])])
