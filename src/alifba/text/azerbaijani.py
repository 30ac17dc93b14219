"""Azerbaijani casing, diacritic folding and heuristic suffix stripping."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from alifba.text.resources import load_toml

_TABLE = load_toml("azerbaijani.toml")

ALPHABET_LOWER: str = _TABLE["alphabet_lower"]
ALPHABET_UPPER: str = _TABLE["alphabet_upper"]
VOWELS = frozenset(_TABLE["vowels"])
SUFFIXES: tuple[str, ...] = tuple(sorted(_TABLE["suffixes"], key=len, reverse=True))
FOLD = str.maketrans(_TABLE["fold"])
FOLDED_SUFFIXES: tuple[str, ...] = tuple(dict.fromkeys(s.translate(FOLD) for s in SUFFIXES))

# str.lower() maps I to i and İ to i + U+0307; both are wrong in Azerbaijani and Turkish.
_TO_LOWER = str.maketrans({"I": "ı", "İ": "i"})
_TO_UPPER = str.maketrans({"i": "İ", "ı": "I"})


def lower(text: str) -> str:
    """Lower case by Azerbaijani rules: I → ı, İ → i, then Unicode."""
    return text.translate(_TO_LOWER).lower()


def upper(text: str) -> str:
    """Upper case by Azerbaijani rules: i → İ, ı → I, then Unicode."""
    return text.translate(_TO_UPPER).upper()


def fold(text: str) -> str:
    """Replace the seven letters with marks by their plain neighbours (ə → e, ğ → g, ...). Lower case only."""
    return text.translate(FOLD)


@lru_cache(maxsize=1 << 16)
def strip_suffixes(token: str, suffixes: Sequence[str] = SUFFIXES) -> str:
    """Cut up to three listed suffixes from a lower-case token, longest first.

    A cut happens only if what stays has at least three letters, one of them a vowel. This is a heuristic for
    scoring, applied to prediction and gold alike; it is not a morphological analysis.
    """
    for _ in range(_TABLE["strip_at_most"]):
        for suffix in suffixes:
            stem = token[: -len(suffix)]
            if token.endswith(suffix) and len(stem) >= _TABLE["stem_at_least"] and not VOWELS.isdisjoint(stem):
                token = stem
                break
        else:
            return token
    return token
