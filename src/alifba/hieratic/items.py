"""Load a folder of items, the published layout or ours: one JSON file an item, images beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from alifba.backends.base import Image
from alifba.errors import InputError
from alifba.hieratic.records import Item
from alifba.jsonl import validated
from alifba.paths import resolve

PILOT = Path("data/hieratic/pilot")
_LEVELS = 4
"""So many folders from an item upwards may its image be given from."""
_BEGINS: dict[bytes, Literal["image/png", "image/jpeg"]] = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
}
_NEEDED = {"id", "rungs", "image"}
_NOT_ITEMS = {"node_modules", "results", "site", "dist", "inbox"}


@dataclass(frozen=True)
class LoadedItem:
    """An item with the file that it was read from."""

    item: Item
    path: Path

    @property
    def image(self) -> Path | None:
        """The image's path: from the item's own folder, else from a folder above it; None where there is no such file.

        The published files give paths from the folder that holds all data.
        """
        for folder in self.path.parents[:_LEVELS]:
            if (found := folder / self.item.image).is_file():
                return found
        return None

    def read_image(self) -> Image:
        """The image as it lies in its file.

        Raises:
            InputError: no such file, or not a PNG or JPEG by its first bytes: nothing else may be sent to a model.
        """
        if (path := self.image) is None:
            raise InputError("the image is not there", file=self.path, value=self.item.image)
        data = path.read_bytes()
        for begins, media_type in _BEGINS.items():
            if data.startswith(begins):
                return Image(data, media_type)
        raise InputError("the image is neither PNG nor JPEG", file=self.path, value=self.item.image)


class ItemFolder(dict[str, LoadedItem]):
    """Items by id, sorted by id; `path` is the folder that was asked for."""

    def __init__(self, path: Path, loaded: list[LoadedItem]) -> None:
        self.path = path
        super().__init__((entry.item.id, entry) for entry in sorted(loaded, key=lambda entry: entry.item.id))

    @property
    def items_only(self) -> list[Item]:
        return [entry.item for entry in self.values()]

    def of_rung(self, rung: str) -> list[Item]:
        """The items that `rung` is asked of."""
        return [item for item in self.items_only if rung in item.rungs]


def load_items(folder: str | Path = PILOT) -> ItemFolder:
    """Every item below `folder`, which may be a whole checkout or the folder of the items itself.

    Raises:
        InputError: no items, a file that is no item, or an id that two files have. Whether an item keeps the rules
            of the protocol is told by ``alifba.hieratic.validation``.
    """
    path = resolve(folder)
    if not path.is_dir():
        raise InputError("no such folder of items", file=path, next_step="give a folder with one JSON file an item")
    loaded: dict[str, LoadedItem] = {}
    for file, row in _item_files(path):
        entry = LoadedItem(validated(Item, row, file, 1), file)
        # A site that is built from the items may hold a copy of them.
        if (other := loaded.setdefault(entry.item.id, entry)).item != entry.item:
            raise InputError(f"two files have the id {entry.item.id!r}", file=file, value=str(other.path))
    if not loaded:
        raise InputError(
            "no items in this folder",
            file=path,
            likely="an item is a JSON file with 'id', 'rungs' and 'image'",
            next_step="give the folder of the published items, or make the pilot",
        )
    return ItemFolder(path, list(loaded.values()))


def _item_files(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """(file, object) of each item. In a folder named ``items`` every JSON file must be one, elsewhere not."""
    for file in sorted(folder.rglob("*.json")):
        inside = file.relative_to(folder).parts[:-1]
        if any(part in _NOT_ITEMS or part.startswith(".") for part in inside):
            continue
        meant = "items" in (folder.name, *inside)
        try:
            row = json.loads(file.read_bytes().decode("utf-8-sig"))
        except (ValueError, RecursionError) as fault:
            if not meant:
                continue
            raise InputError(f"not a JSON file ({fault})", file=file) from None
        if isinstance(row, dict) and row.keys() >= _NEEDED:
            yield file, row
        elif meant and (not isinstance(row, dict) or _NEEDED & row.keys()):
            raise InputError("no item: 'id', 'rungs' and 'image' are needed", file=file, next_step="mend or move it")
