"""Amazigh in Tifinagh and in Latin script: normalisation, folding of spelling conventions, letter for letter."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from alifba.text.resources import load_toml

_TABLE = load_toml("tifinagh.toml")
_SIGNS = re.compile(f"[{chr(_TABLE['first'])}-{chr(_TABLE['last'])}{re.escape(_TABLE['between_words'])}]+")
_CONFUSABLES = str.maketrans(_TABLE["latin_confusables"])
_LATIN_FOLDED = str.maketrans(_TABLE["latin_folded"])
_ACCENTS = "".join(map(chr, _TABLE["latin_dropped"]["marks"]))
# A letter with a mark that is no accent, such as ë, is another letter and stays.
_SCHWA = re.compile(f"[{''.join(_TABLE['latin_dropped']['letters'])}][{_ACCENTS}]*(?![\u0300-\u036f])")
_NO_ACCENTS = str.maketrans("", "", _ACCENTS)
_TIFINAGH_FOLDED = str.maketrans(_TABLE["tifinagh_folded"])
_LETTERS: dict[str, str] = _TABLE["letters"]
_TO_LATIN = str.maketrans(_LETTERS)
_TO_TIFINAGH = str.maketrans({latin: letter for letter, latin in _LETTERS.items()} | _TABLE["more_latin"])


def is_tifinagh(text: str) -> bool:
    """Whether `text` has Tifinagh letters (U+2D30 to U+2D7F) and beside them only spaces and hyphens."""
    return _SIGNS.fullmatch(text) is not None and bool(text.strip(_TABLE["between_words"]))


def _tidied(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def normalise_tifinagh(text: str) -> str:
    """NFC, trimmed, runs of white space as one space."""
    return _tidied(text)


def normalise_latin(text: str) -> str:
    """As Tifinagh, in lower case, with ǝ (U+01DD) as ə and Greek ε as ɛ."""
    # NFC once more: some letters are composed in lower case alone.
    return unicodedata.normalize("NFC", _tidied(text).lower().translate(_CONFUSABLES))


def normalise_english(text: str) -> str:
    """NFC, lower case, trimmed, runs of white space as one space, without the punctuation at the end."""
    return _tidied(_tidied(text).lower()).rstrip(_TABLE["trailing_punctuation"] + " ")


@lru_cache(maxsize=1 << 17)
def fold_tifinagh(text: str) -> str:
    """`text` normalised, without the schwa, with plain letters for spirants. May be empty."""
    return _tidied(normalise_tifinagh(text).translate(_TIFINAGH_FOLDED))


@lru_cache(maxsize=1 << 17)
def fold_latin(text: str) -> str:
    """`text` normalised; š, ž, ǧ as c, j, j; without schwas and without accents. May be empty.

    The dot below stays (ḍ is not d), and so does the caron of č and ř.
    """
    folded = unicodedata.normalize("NFD", normalise_latin(text).translate(_LATIN_FOLDED)).translate(_CONFUSABLES)
    return _tidied(_SCHWA.sub("", folded).translate(_NO_ACCENTS))


def to_tifinagh(latin: str) -> str:
    """Latin script letter for letter into Tifinagh; what the table lacks stays as it is, so `is_tifinagh` tells."""
    return normalise_latin(latin).translate(_TO_TIFINAGH)


def to_latin(tifinagh: str) -> str:
    """Tifinagh letter for letter into the Latin transcription; what the table lacks stays as it is."""
    return normalise_tifinagh(tifinagh).translate(_TO_LATIN)
