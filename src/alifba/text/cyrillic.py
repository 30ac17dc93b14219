"""Cyrillic: transliteration to Azerbaijani Latin, and who writes it."""

from __future__ import annotations

import re

from alifba.text.azerbaijani import upper
from alifba.text.resources import load_toml

_TABLE = load_toml("cyrillic.toml")
_LETTERS: dict[str, str] = {**_TABLE["russian"], **_TABLE["kazakh"]}
_TO_LATIN = str.maketrans(_LETTERS | {c.upper(): upper(latin[:1]) + latin[1:] for c, latin in _LETTERS.items()})
# Cyrillic, its supplement, Extended-A, -B, -C and the phonetic extension.
_CYRILLIC = re.compile(r"[\u0400-\u052F\u1C80-\u1C8F\u1D2B\u1D78\u2DE0-\u2DFF\uA640-\uA69F]")


def to_latin(text: str) -> str:
    """Transliterate Russian and Kazakh letters; every other character stays."""
    return text.translate(_TO_LATIN)


def contains_cyrillic(text: str) -> bool:
    """True if at least one character is Cyrillic."""
    return _CYRILLIC.search(text) is not None
