"""Finds characters that a PDF could not draw: a font's empty box, or a glyph of a last-resort font."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pypdf import PdfReader
from pypdf.generic import ByteStringObject, ContentStream, DictionaryObject, NameObject, StreamObject, TextStringObject

from alifba.errors import InputError

_LAST_RESORT = "LastResort"  # the font that draws a box for everything; matplotlib ships it and falls back to it
_BLANK = ("Zs", "Cf", "Cc")


class MissingGlyph(InputError):
    """A character on a page has no glyph in the fonts that the page may use."""


@dataclass(frozen=True)
class Undrawn:
    """An undrawn character: its page from 1, and the font that had no glyph for it."""

    page: int
    font: str


def undrawn(pdf: bytes) -> list[Undrawn]:
    """Every font and page with an undrawn character: glyph 0 of an Identity-H font, .notdef, or a last-resort font.

    Looks into page contents and into the drawings that they include.
    """
    reader = PdfReader(io.BytesIO(pdf))
    found: dict[Undrawn, None] = {}
    for number, page in enumerate(reader.pages, start=1):
        contents = page.get_contents()
        if contents is not None:
            for font in _fonts_at_fault(contents, page.get("/Resources", DictionaryObject()), reader):
                found[Undrawn(number, font)] = None
    return list(found)


def check_glyphs(pdf: bytes, source: str = "") -> None:
    """Raise MissingGlyph where `pdf` has an undrawn character.

    With `source`, the text that was set, the characters are named: those beyond ASCII that stand in the source and
    not in the text of the PDF.
    """
    faults = undrawn(pdf)
    if not faults:
        return
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)
    drawn = {letter for letter in source if ord(letter) > 127 and unicodedata.category(letter) not in _BLANK}
    lost = sorted(drawn - set(text))
    names = ", ".join(f"U+{ord(letter):04X} {unicodedata.name(letter, 'unnamed')}" for letter in lost)
    where = "; ".join(f"page {fault.page} ({fault.font})" for fault in faults)
    raise MissingGlyph(
        f"a character has no glyph: {where}",
        value=names or None,
        next_step="use another character, or add a font that has it to paper/template.typ",
    )


def _fonts_at_fault(stream: Any, resources: Any, reader: PdfReader) -> Iterator[str]:
    fonts, drawings = _entries(resources, "/Font"), _entries(resources, "/XObject")
    font: Any = None
    for operands, operator in ContentStream(stream, reader).operations:
        if operator == b"Tf":
            font = fonts.get(operands[0])
        elif operator in (b"Tj", b"TJ", b"'", b'"') and font is not None and _draws_nothing(operands[-1], font):
            yield str(font.get("/BaseFont", "/unnamed")).lstrip("/")
        elif operator == b"Do":
            drawing = drawings.get(operands[0])
            if drawing is not None and drawing.get("/Subtype") == "/Form":
                yield from _fonts_at_fault(drawing, drawing.get("/Resources", resources), reader)


def _entries(resources: Any, kind: str) -> dict[NameObject, Any]:
    entries = resources.get_object().get(kind, DictionaryObject()).get_object()
    return {name: entry.get_object() for name, entry in entries.items()}


def _draws_nothing(operand: Any, font: Any) -> bool:
    if _LAST_RESORT in str(font.get("/BaseFont", "")):
        return True
    strings = operand if isinstance(operand, list) else [operand]
    codes = b"".join(_raw(string) for string in strings)
    if font.get("/Encoding") == "/Identity-H":
        return any(_glyph(int.from_bytes(codes[at : at + 2]), font) == 0 for at in range(0, len(codes), 2))
    return not set(codes).isdisjoint(_notdef_codes(font))


def _raw(string: Any) -> bytes:
    if isinstance(string, TextStringObject | ByteStringObject):
        return string.original_bytes
    return b""  # a number in a TJ array: kerning


def _glyph(code: int, font: Any) -> int:
    """The glyph that a composite font draws for `code`: by its map, as matplotlib writes one, or the code itself."""
    mapped = font["/DescendantFonts"][0].get_object().get("/CIDToGIDMap", NameObject("/Identity")).get_object()
    if not isinstance(mapped, StreamObject):
        return code
    return int.from_bytes(mapped.get_data()[2 * code : 2 * code + 2])


def _notdef_codes(font: Any) -> set[int]:
    """Codes that a simple font's own encoding maps to .notdef."""
    encoding = font.get("/Encoding", DictionaryObject()).get_object()
    differences = encoding.get("/Differences", []) if isinstance(encoding, DictionaryObject) else []
    codes, code = set(), 0
    for entry in differences:
        if isinstance(entry, int):
            code = int(entry)
            continue
        if entry == "/.notdef":
            codes.add(code)
        code += 1
    return codes
