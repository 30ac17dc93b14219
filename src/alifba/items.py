"""Dataset rows: parallel Azerbaijani-English questions with a short answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from alifba.config import Text
from alifba.errors import InputError
from alifba.jsonl import Notices, iter_objects, read_bytes, validated

Verification = Literal["human", "pending", "llm-draft", "external"]
# Fields of older dataset versions that carry no information: read past, counted.
IGNORED_FIELDS = ("difficulty",)


class Item(BaseModel):
    """One question in both languages, with its answer."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: Text
    question_az: Text
    question_en: Text
    answer: Text
    answer_en: Text
    answer_aliases: list[Text] = Field(default_factory=list)
    category: Text
    source: str = ""
    provenance: str = ""
    verified_by: Verification
    notes: str = ""

    def note(self, key: str) -> str | None:
        """The value of `key` in ``notes`` ("template=country_capital;variant=1"), or None."""
        for part in self.notes.split(";"):
            name, _, value = part.partition("=")
            if name.strip() == key:
                return value.strip()
        return None

    @property
    def template(self) -> str:
        """The template that made the item; hand-made items share the name "none"."""
        return self.note("template") or "none"

    def question(self, language: str) -> str:
        return self.question_az if language == "az" else self.question_en


# Compared by identity: one file read twice is two sets, and a set is a cheap cache key.
@dataclass(frozen=True, eq=False)
class ItemSet:
    """All items of one file, in file order, with the sha256 of its bytes and what was noticed on the way in."""

    path: Path
    items: tuple[Item, ...]
    sha256: str
    notices: Notices

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @cached_property
    def by_id(self) -> dict[str, Item]:
        return {item.id: item for item in self.items}

    @cached_property
    def position(self) -> dict[str, int]:
        """Place of each id in the file, from 0."""
        return {item.id: place for place, item in enumerate(self.items)}

    @cached_property
    def n_verified(self) -> int:
        """How many items a person has accepted."""
        return sum(item.verified_by == "human" for item in self.items)

    @property
    def notice(self) -> str | None:
        """What every table, figure and paper on these items must say, or None if a person accepted each of them."""
        if self.n_verified == len(self):
            return None
        if not self.n_verified:
            return "pilot items, not verified by a person"
        return f"{len(self) - self.n_verified} of {len(self)} items not verified by a person"


def read_items(path: Path) -> ItemSet:
    """Read a dataset file.

    Raises:
        InputError: the file is missing or empty, or a row is torn, lacks a field, has an unknown field or a wrong
            type, or repeats an id; the message names file and line.
    """
    data = read_bytes(path)
    notices = Notices(path)
    seen: dict[str, int] = {}
    items: list[Item] = []
    for line, row in iter_objects(path, data, notices):
        for name in IGNORED_FIELDS:
            if row.pop(name, None) is not None:
                notices.note(f"field {name!r} ignored", line)
        item = validated(Item, row, path, line)
        if item.id in seen:
            raise InputError(
                "this id was used before",
                file=path,
                line=line,
                value=item.id,
                likely=f"a copy of line {seen[item.id]}",
                next_step="give the item an id of its own, or remove it",
            )
        seen[item.id] = line
        items.append(item)
    return ItemSet(path, tuple(items), hashlib.sha256(data).hexdigest(), notices)
