"""Drafts as they lie in their files: rows that may have any fault, each with the place it stands at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from alifba.errors import InputError
from alifba.jsonl import Notices, iter_objects, read_bytes
from alifba.paths import shown

REJECTED = "rejected.jsonl"


@dataclass(frozen=True)
class Draft:
    """One row of a draft file, not yet judged. `row` is NFC and otherwise as it stands."""

    file: str
    line: int
    row: dict[str, Any]

    @property
    def id(self) -> str:
        """The row's id, "" if it has none."""
        id_ = self.row.get("id")
        return id_.strip() if isinstance(id_, str) else ""

    @property
    def name(self) -> str:
        """The id, or the place where the row stands if it has none."""
        return self.id or f"{self.file}:{self.line}"

    @cached_property
    def _notes(self) -> dict[str, str]:
        notes = self.row.get("notes")
        parts = [part.partition("=") for part in notes.split(";")] if isinstance(notes, str) else []
        # The first of two of one name counts, as in `Item.note`.
        return {name.strip(): value.strip() for name, _, value in reversed(parts)}

    def note(self, key: str) -> str | None:
        """As `Item.note`, of a row that may be none."""
        return self._notes.get(key)

    @property
    def template(self) -> str:
        return self.note("template") or "none"


def draft_files(places: Iterable[Path]) -> list[Path]:
    """The draft files at `places`: a file as it is, of a folder each ``*.jsonl`` but the record of rejected drafts.

    Raises:
        InputError: a place does not exist.
    """
    files: dict[Path, None] = {}
    for place in places:
        if not place.exists():
            raise InputError("no such file or folder of drafts", file=place, next_step="check --drafts")
        found = [path for path in sorted(place.glob("*.jsonl")) if path.name != REJECTED] if place.is_dir() else [place]
        files |= dict.fromkeys(path.resolve() for path in found)
    return list(files)


def read_drafts(files: Iterable[Path]) -> tuple[list[Draft], list[str]]:
    """All rows of `files` in order, and lines of what was repaired on the way.

    Raises:
        InputError: a file is empty or torn; the message names file and line.
    """
    drafts: list[Draft] = []
    said: list[str] = []
    for path in files:
        notices = Notices(Path(shown(path)))
        drafts += [Draft(shown(path), line, row) for line, row in iter_objects(notices.file, read_bytes(path), notices)]
        said += notices.lines()
    return drafts, said
