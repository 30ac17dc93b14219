"""A key file, for whoever has one: what sealed sentences say. None ships, and none exists for the published items."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, StrictStr, model_validator

from alifba.errors import InputError
from alifba.hieratic.records import Item
from alifba.hieratic.scoring import canonical
from alifba.jsonl import read_bytes, validated
from alifba.text.egyptian import skeleton


class Answers(BaseModel):
    """What is right for one item: several readings each, or the name of the item that says the same."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    signs: list[list[StrictStr]] = []
    """Sequences of Gardiner codes."""
    transliteration: list[StrictStr] = []
    translation: list[StrictStr] = []
    same_as: StrictStr | None = Field(default=None, alias="sameAs")

    @model_validator(mode="after")
    def _says_something(self) -> Answers:
        readings = [self.signs, self.transliteration, self.translation]
        if (self.same_as is None) == (not any(readings)):
            raise ValueError("give readings, or 'sameAs' alone")
        # A reading that folds to nothing would make every answer wrong, or right.
        if not all(canonical(codes) for codes in self.signs):
            raise ValueError("an empty sequence of signs")
        if not all(map(skeleton, self.transliteration)) or not all(text.strip() for text in self.translation):
            raise ValueError("an empty reading")
        return self

    def texts(self) -> list[str]:
        """Every reading as text, to look for."""
        return [" ".join(codes) for codes in self.signs] + self.transliteration + self.translation


NO_ANSWERS = Answers.model_construct()
"""An item without a key."""


class Key(dict[str, Answers]):
    """Answers by item id."""

    def of(self, item: Item) -> Answers:
        """The answers of `item`, followed through ``sameAs`` and, where it has none, the item's ``sameTextAs``."""
        name, seen = item.id if item.id in self else item.same_text_as, set[str]()
        while name is not None and name in self and name not in seen:
            seen.add(name)
            found = self[name]
            if found.same_as is None:
                return found
            name = found.same_as
        return NO_ANSWERS


def load_key(path: Path | None) -> Key:
    """The key in `path`; empty where None.

    Raises:
        InputError: not a JSON object of this shape, or a ``sameAs`` that leads to no readings.
    """
    if path is None:
        return Key()
    try:
        whole = json.loads(read_bytes(path).decode("utf-8-sig"))
    except (ValueError, RecursionError):
        # What stands in the file is secret: no part of it may be shown.
        raise InputError("the key is no JSON", file=path) from None
    if not isinstance(whole, dict) or not all(isinstance(row, dict) for row in whole.values()):
        raise InputError("a key is an object of objects by item id", file=path)
    key = Key()
    for name, row in whole.items():
        key[name] = _told_without_value(row, path, name)
    for name in key:
        if key.of(Item(id=name, split="sealed", rungs=(), image="")) is NO_ANSWERS:
            raise InputError(f"'sameAs' of {name!r} leads to no readings", file=path)
    return key


def _told_without_value(row: dict[str, object], path: Path, name: str) -> Answers:
    try:
        return validated(Answers, row, path, 1)
    except InputError as fault:
        raise InputError(f"item {name!r}: {fault.what}", file=path) from None
