"""The four nested normalisation chains: STRICT, MORPH, LENIENT, TRANSLIT.

Each chain adds one step to the one before, and is applied to prediction and gold alike, so the first chain under
which an answer is right names the cause of the error. Source: the published Azerbaijani-English study.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, get_args

from alifba.text.azerbaijani import FOLDED_SUFFIXES, SUFFIXES, fold, lower, strip_suffixes
from alifba.text.cyrillic import to_latin

Chain = Literal["strict", "morph", "lenient", "translit"]
CHAINS: tuple[Chain, ...] = get_args(Chain)


class _MarksToSpace(dict[int, str | int]):
    """A translation table that fills itself: every P* and S* character becomes a space."""

    def __missing__(self, code: int) -> str | int:
        self[code] = " " if unicodedata.category(chr(code))[0] in "PS" else code
        return self[code]


_MARKS_TO_SPACE = _MarksToSpace()


@lru_cache(maxsize=1 << 17)
def common(text: str) -> str:
    """The steps that every chain shares: NFKC, Azerbaijani lower case, punctuation and symbols to space, trimmed."""
    # NFC once more: some letters are composed in lower case alone (J + caron has two characters, ǰ has one).
    lowered = unicodedata.normalize("NFC", lower(unicodedata.normalize("NFKC", text)))
    return " ".join(lowered.translate(_MARKS_TO_SPACE).split())


def _stripped(text: str, suffixes: tuple[str, ...]) -> str:
    return " ".join(strip_suffixes(token, suffixes) for token in text.split())


def strict(text: str) -> str:
    """The common steps only."""
    return common(text)


def morph(text: str) -> str:
    """STRICT, then heuristic suffix stripping."""
    return _stripped(common(text), SUFFIXES)


def _lenient(commoned: str) -> str:
    return _stripped(fold(commoned), FOLDED_SUFFIXES)


def lenient(text: str) -> str:
    """MORPH with diacritic folding before the stripping, the suffix list folded the same way."""
    return _lenient(common(text))


def translit(text: str) -> str:
    """LENIENT with Cyrillic turned into Azerbaijani Latin before the folding."""
    return _lenient(to_latin(common(text)))


_BY_NAME: dict[Chain, Callable[[str], str]] = {
    "strict": strict,
    "morph": morph,
    "lenient": lenient,
    "translit": translit,
}


@lru_cache(maxsize=1 << 17)
def normalise(text: str, chain: Chain) -> str:
    """`text` under `chain`; "" when nothing but marks and space was there.

    Raises:
        KeyError: `chain` is none of `CHAINS`.
    """
    return _BY_NAME[chain](text)
