"""Whether items and run records keep the rules of the protocol. Every fault is told, each as a line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from alifba.errors import InputError
from alifba.hieratic.items import ItemFolder, LoadedItem
from alifba.hieratic.records import PROTOCOL, RUNGS, Item
from alifba.hieratic.runs import RunFile
from alifba.paths import shown
from alifba.text.egyptian import gardiner_codes

_FREE = re.compile(r"public domain|cc0|cc by(-sa)? [0-9]|cc by(-sa)?$")
_NOT_FREE = re.compile(r"\b(nc|nd)\b")


def item_faults(items: ItemFolder) -> list[str]:
    """A line for each rule that an item breaks, such as ``items/wm-1.json: identify needs a script``."""
    return [f"{shown(entry.path)}: {what}" for entry in items.values() for what in _of_item(entry, items)]


def _of_item(entry: LoadedItem, known: Mapping[str, object]) -> Iterator[str]:
    item = entry.item
    if entry.path.stem != item.id:
        yield f"the file is not named after the id {item.id!r}"
    yield from _of_lists(item)
    yield from _of_image(entry)
    if "identify" in item.rungs and item.script is None:
        yield "identify needs a script"
    if item.same_text_as is not None and item.same_text_as not in known:
        yield f"sameTextAs names no item: {item.same_text_as!r}"
    if item.split == "public":
        yield from _of_public(item)
    elif item.gardiner is not None:
        yield "a sealed item holds its own answer: 'gardiner'"


def _of_lists(item: Item) -> Iterator[str]:
    if item.split not in PROTOCOL["splits"]:
        yield f"no such split: {item.split!r}"
    if strange := [rung for rung in item.rungs if rung not in RUNGS]:
        yield f"no such rung: {strange[0]!r}"
    elif list(item.rungs) != [rung for rung in RUNGS if rung in item.rungs]:
        yield "the rungs are not in canonical order, each once"
    if not item.rungs:
        yield "no rungs"
    if item.script is not None and item.script not in PROTOCOL["scripts"]:
        yield f"no such script: {item.script!r}"
    if item.gardiner is not None and not item.gardiner:
        yield "'gardiner' names no code"
    for code in item.gardiner or ():
        if gardiner_codes(code) != [code]:
            yield f"not a code of Gardiner's list as it is spelled: {code!r}"


def _of_image(entry: LoadedItem) -> Iterator[str]:
    name = entry.item.image
    if name.startswith(("/", "\\")) or not name.lower().endswith(tuple(PROTOCOL["image_endings"])):
        yield f"the image is not a relative path of a PNG or JPEG: {name!r}"
        return
    try:
        size = len(entry.read_image().data)
    except InputError as fault:
        yield f"{fault.what}: {name!r}"
        return
    if size > PROTOCOL["max_image_bytes"]:
        yield f"the image has {size:,} bytes, more than {PROTOCOL['max_image_bytes']:,}"


def _of_public(item: Item) -> Iterator[str]:
    if "signs" in item.rungs and item.gardiner is None:
        yield "a public signs item needs 'gardiner'"
    if not item.source.url:
        yield "a public item needs source.url"
    if not is_free(item.source.license or ""):
        yield f"not a licence that allows sharing and changing: {item.source.license!r}"


def is_free(license: str) -> bool:
    """Whether a public image may have this licence: public domain, CC0, CC BY or CC BY-SA."""
    name = license.strip().lower()
    return bool(_FREE.match(name)) and not _NOT_FREE.search(name)


def record_faults(runs: Iterable[RunFile], items: ItemFolder) -> list[str]:
    """A line for each rule that a public record breaks, with file and line."""
    return [f"{shown(run.path)}:{line}: {what}" for run in runs for line, what in _of_run(run, items)]


def _of_run(run: RunFile, items: ItemFolder) -> Iterator[tuple[int, str]]:
    for line, record in run.lines:
        if record.item_id not in items:
            yield line, f"no such item: {record.item_id!r}"
            continue
        item = items[record.item_id].item
        if record.rung not in item.rungs:
            yield line, f"the item is not asked on the rung {record.rung!r}"
        if record.score is not None and not (math.isfinite(record.score) and 0 <= record.score <= 1):
            yield line, f"the score is not in [0, 1]: {record.score!r}"
        if item.split == "sealed" and record.response:
            yield line, "the public record of a sealed item holds a response"
        if record.private_copy:
            yield line, "a private copy in a public file"
