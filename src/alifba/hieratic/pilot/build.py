"""Build the pilot set: images and item records, the same bytes for the same seed, fonts and versions."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import PIL

from alifba.hieratic.pilot.fonts import Font, fonts, package
from alifba.hieratic.pilot.lines import Writing, writings
from alifba.hieratic.pilot.page import page
from alifba.hieratic.pilot.signs import chosen_signs, signs
from alifba.paths import write_atomic

NOTICE = "pilot: rendered from a font, not comparable"
SEED = 20261130
# The day of the build that is committed; a date of today would change every record at every build.
CREATED = "2026-11-30"
_PER_CATEGORY = 6  # the smallest category, Q, has seven signs
_SIGN_SIZE = (64, 112)  # pixels of letter height: a sign cut from a photographed page
_SEALED = "pilot-sealed-1"
Files = Mapping[str, Path]
"""Font files by name, their sums checked."""


@dataclass(frozen=True)
class Rendered:
    """An item of the pilot set: its record as in the JSON file, and its image as PNG bytes."""

    record: dict[str, Any]
    image: bytes


def build(folder: Path, seed: int = SEED) -> Iterator[Rendered]:
    """Every item, drawn with the fonts in `folder`: single signs, identify items, then the sealed demonstration.

    Each item has random numbers of its own, from `seed` and its id: adding an item changes no other.
    """
    files = {font.file: font.within(folder) for font in fonts().values()}
    yield from _single_signs(files, seed)
    for name, writing in writings().items():
        for number in range(1, writing.items + 1):
            yield _identify(f"pilot-{name}-{number:02}", writing, files, seed)
    yield from _sealed(files, seed)


def write_pilot(out: Path, fonts_folder: Path, seed: int = SEED) -> list[Rendered]:
    """Write ``items/<id>.json``, ``images/<id>.png`` and ``rendered.json`` (what drew them) below `out`."""
    items = list(build(fonts_folder, seed))
    for item in items:
        name = item.record["id"]
        write_atomic(out / "images" / f"{name}.png", item.image)
        write_atomic(out / "items" / f"{name}.json", _json(item.record))
    made = {
        "notice": NOTICE,
        "seed": seed,
        "pillow": PIL.__version__,
        "numpy": np.__version__,
        "fonts": {font.file: font.sha256 for font in fonts().values()},
        "font_package": f"{package()['name']} {package()['version']}",
        "font_licence": f"{package()['licence']}, {package()['holder']}",
    }
    write_atomic(out / "rendered.json", _json(made))
    return items


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _generator(seed: int, name: str) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def _single_signs(files: Files, seed: int) -> Iterator[Rendered]:
    font = fonts()["hieroglyphs"]
    for code in chosen_signs(_PER_CATEGORY, _generator(seed, "signs")):
        name = f"pilot-{code.lower()}"
        rng = _generator(seed, name)
        image = page([signs()[code]], files[font.file], _size(_SIGN_SIZE, rng), rng)
        about: dict[str, Any] = {"rungs": ["signs"], "script": "hieroglyphic", "gardiner": [code]}
        yield Rendered(_record(name, "A single sign", font, **about), image)


def _identify(name: str, writing: Writing, files: Files, seed: int) -> Rendered:
    font, rng = fonts()[writing.font], _generator(seed, name)
    lines = writing.draw_lines(rng)
    image = page(lines, files[font.file], _size(writing.size, rng), rng, right=writing.right_to_left)
    about: dict[str, Any] = {"rungs": ["identify"], "script": writing.script}
    content = f"{writing.writing}: letters in random order, no text"
    return Rendered(_record(name, "Lines of writing", font, content=content, **about), image)


def _sealed(files: Files, seed: int) -> Iterator[Rendered]:
    """One line of random signs in two renderings, as the published set has one sentence in two hands."""
    writing, font = writings()["hieroglyphic"], fonts()["hieroglyphs"]
    line = writing.draw_lines(_generator(seed, _SEALED))[:1]
    for name in (_SEALED, "pilot-sealed-2"):
        rng = _generator(seed, f"{name} page")
        about: dict[str, Any] = {"split": "sealed", "rungs": ["identify", "signs", "transliterate", "translate"]}
        if name != _SEALED:
            about["sameTextAs"] = _SEALED
        record = _record(name, "A line of signs, to show the seal", font, script=writing.script, **about)
        record["notes"] += ". A demonstration of the seal: signs in random order, no key is stored"
        yield Rendered(record, page(line, files[font.file], _size(writing.size, rng), rng))


def _size(ends: tuple[int, int], rng: np.random.Generator) -> int:
    return int(rng.integers(ends[0], ends[1] + 1))


def _record(name: str, title: str, font: Font, content: str | None = None, **about: Any) -> dict[str, Any]:
    """The fields of an item in the published order."""
    object_ = {"name": "computed image", "material": "computed paper"} | ({"content": content} if content else {})
    source = {
        "url": font.chart,
        "license": "CC BY 4.0",
        "licenseUrl": "https://creativecommons.org/licenses/by/4.0/",
        "attribution": f"alifba; drawn from {font.name} ({package()['licence']}, {package()['holder']})",
        "retrieved": CREATED,
    }
    record = {"id": name, "split": "public", "image": f"images/{name}.png", "title": title} | about
    record |= {"object": object_, "source": source, "famous": False, "notes": NOTICE}
    order = ("id", "split", "rungs", "image", "title", "script", "gardiner", "sameTextAs")
    return {key: record[key] for key in (*order, "object", "source", "famous", "notes") if key in record}
