"""Text of ancient Egyptian: codes of Gardiner's sign list, and the consonant skeleton of a transliteration."""

from __future__ import annotations

import re
import unicodedata
from string import ascii_uppercase

from alifba.text.resources import load_toml

SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""White space as a class of a pattern. Spelled out: what Python counts as white space differs from what the published
harness does, by U+FEFF and by control characters."""
_AROUND = "".join(map(chr, (*range(9, 14), 32, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029))) + (
    "\u202f\u205f\u3000\ufeff"
)

# ASCII word boundaries on purpose: a code may follow any letter of another script.
_CODE = re.compile(rf"\b(Aa|AA|aa|[A-IK-Za-ik-z])[{SPACE}]?0*([0-9]{{1,3}})([A-Za-z]?)\b", re.ASCII)
_NOT_SPACE = re.compile(rf"[^{SPACE}]+")

_TABLES = load_toml("egyptian.toml")
_MARKED: dict[str, str] = _TABLES["marked"]
_LETTERS: dict[str, str] = _TABLES["letters"]
_CAPITALS: str = _TABLES["ascii"]["capitals"]
_PAIR = re.compile("|".join(_MARKED))


class _OnlyConsonants(dict[int, str | None]):
    """A translation table that fills itself: letters of the skeleton are mapped or kept, everything else goes."""

    def __missing__(self, code: int) -> str | None:
        sign = chr(code)
        self[code] = _LETTERS.get(sign, sign if "a" <= sign <= "z" or sign in _CAPITALS else None)
        return self[code]


_TO_SKELETON = _OnlyConsonants()
_LOWERED = {ord(sign): sign.lower() for sign in ascii_uppercase if sign not in _CAPITALS}


def trimmed(text: str) -> str:
    """`text` without white space at its ends."""
    return text.strip(_AROUND)


def without_space(text: str) -> str:
    """`text` without any white space."""
    return "".join(_NOT_SPACE.findall(text))


def gardiner_codes(text: str) -> list[str]:
    """Every code of Gardiner's sign list in `text`, in order, in canonical spelling.

    >>> gardiner_codes("g017, AA1 and n35a then X1")
    ['G17', 'Aa1', 'N35A', 'X1']
    """
    return [_canonical(*found) for found in _CODE.findall(text)]


def _canonical(category: str, number: str, suffix: str) -> str:
    return ("Aa" if len(category) == 2 else category.upper()) + number + suffix.upper()


def skeleton(text: str) -> str:
    """The consonants of a transliteration, one ASCII letter each: Unicode and Manuel de Codage come out the same.

    >>> skeleton("ḏd mdw jn Wsjr"), skeleton("Dd mdw in wsir")
    ('Ddmdwinwsir', 'Ddmdwinwsir')
    """
    if text.isascii():
        return text.translate(_LOWERED).translate(_TO_SKELETON)
    # Once all is lower case, a capital can only stand for a marked letter.
    plain = unicodedata.normalize("NFD", text).lower()
    return _PAIR.sub(lambda pair: _MARKED[pair[0]], plain).translate(_TO_SKELETON)
