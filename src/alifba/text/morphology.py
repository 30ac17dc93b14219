"""Azerbaijani noun forms by rule: vowel harmony, linking consonants, softening, and suffixes on digits.

The rules are those of any school grammar of Azerbaijani. They see the spelling alone: whether a word already ends in a
possessive (``Dominikan Respublikası``) or is a proper name, which keeps its k and q (``Mozambikin``), the caller says.
"""

from __future__ import annotations

from alifba.errors import InputError
from alifba.text.azerbaijani import VOWELS, lower
from alifba.text.resources import load_toml

_TABLE = load_toml("morphology.toml")
_SOFTENED = {"k": "y", "q": "ğ"}

CASES: tuple[str, ...] = tuple(_TABLE["suffixes"])


def last_vowel(word: str) -> str:
    """The vowel that decides harmony, in lower case. A word without one raises `InputError`."""
    for letter in reversed(lower(word)):
        if letter in VOWELS:
            return letter
    raise InputError("no vowel in the word, so no suffix can be chosen", value=word, likely="an abbreviation or a code")


def harmonise(suffix: str, word: str) -> str:
    """`suffix` with its A (two-way) and I (four-way) filled in after `word`.

    >>> harmonise("dAn", "Paris"), harmonise("In", "göz")
    ('dən', 'ün')
    """
    filled = ""
    for letter in suffix:
        filled += _TABLE["harmony"][letter][last_vowel(word + filled)] if letter in "AI" else letter
    return filled


def soften(word: str) -> str:
    """A final k or q of a word of more than one syllable as it stands before a vowel (çörək → çörəy, otaq → otağ)."""
    syllables = sum(letter in VOWELS for letter in lower(word))
    return word[:-1] + _SOFTENED[word[-1]] if syllables > 1 and word[-1] in _SOFTENED else word


def inflect(word: str, case: str, *, possessed: bool = False, softening: bool = False) -> str:
    """`word` in one of `CASES`: genitive, dative, accusative, locative, ablative, plural, possessive, copula.

    possessed: the word already ends in the third person possessive, so the linking consonant is n. Plural and
    possessive do not exist for such a word. softening: for common nouns; a proper name keeps its final k or q.

    >>> inflect("Bakı", "locative"), inflect("Komor adaları", "dative", possessed=True)
    ('Bakıda', 'Komor adalarına')
    """
    forms = _TABLE["suffixes"].get(case)
    ending = "possessed" if possessed else "vowel" if lower(word)[-1:] in VOWELS else "consonant"
    if forms is None or ending not in forms:
        raise InputError("no such form of a noun", value=f"{case} of {word!r}", next_step=f"use one of {CASES}")
    suffix = harmonise(forms[ending], word)
    return (soften(word) if softening and suffix[0] in VOWELS else word) + suffix


def without_possessive(word: str) -> str:
    """The stem of a word in the third person possessive: manatı → manat, lirəsi → lirə.

    A stem that ends in vowel + s cannot be told from one that ends in a vowel: the latter is assumed.
    """
    if lower(word)[-1:] not in "ıiuü":
        raise InputError("the word does not end in a possessive", value=word)
    linked = lower(word)[-2:-1] == "s" and lower(word)[-3:-2] in VOWELS
    return word[:-2] if linked else word[:-1]


def last_numeral(number: int) -> str:
    """The last word of `number` as it is read aloud: 268 → səkkiz, 120 → iyirmi, 1000 → min. Below 10¹²."""
    numerals = _TABLE["numerals"]
    if not 0 <= number < 1000 ** len(numerals["powers"]):
        raise InputError("no reading for this number", value=number)
    if number == 0:
        return str(numerals["units"][0])
    power = 0
    while number % 1000 == 0:
        number, power = number // 1000, power + 1
    if power:
        return str(numerals["powers"][power])
    if number % 10:
        return str(numerals["units"][number % 10])
    return str(numerals["tens"][number // 10 % 10] if number % 100 else numerals["hundred"])


def inflect_number(number: int, case: str) -> str:
    """`number` in digits with the suffix it takes when read: 268-in, 120-nin, 40-a. `case` as in `inflect`.

    >>> inflect_number(268, "genitive"), inflect_number(6, "ablative")
    ('268-in', '6-dan')
    """
    word = last_numeral(number)
    return f"{number}-{inflect(word, case)[len(word) :]}"


def ordinal(number: int) -> str:
    """The ordinal in digits: 3-cü, 6-cı, 10-cu, 1918-ci."""
    return f"{number}-{harmonise('cI', last_numeral(number))}"
