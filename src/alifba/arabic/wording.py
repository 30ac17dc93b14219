"""What the protocol calls things, in English and in Arabic."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml
from babel.dates import format_date
from babel.numbers import format_decimal

Language = Literal["en", "ar"]


@cache
def _words() -> dict[str, dict[str, dict[str, str]]]:
    text = (files("alifba.arabic") / "data" / "wording.yaml").read_text(encoding="utf-8")
    table: dict[str, dict[str, dict[str, str]]] = yaml.safe_load(text)
    return table


def label(group: str, name: str, language: Language) -> str:
    """The words for `name` of a group of ``data/wording.yaml`` ("sections", "criteria", ...). KeyError if unknown."""
    return _words()[group][name][language]


def known(group: str) -> list[str]:
    """The names of a group, in file order."""
    return list(_words()[group])


# Saudi Arabic writes Arabic-Indic digits and the Gregorian months by their Western names.
_LOCALES = {"en": "en_GB", "ar": "ar_SA"}
_DIGITS = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def number(value: int | Fraction, language: Language, digits: int = 0) -> str:
    """`value` with `digits` decimals (already rounded), in the digits of the language: ``68.57``, ``٦٨٫٥٧``."""
    pattern = "0." + "0" * digits if digits else "0"
    # Babel takes the separators of a numbering system and leaves the digits as they are.
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return shaped(format_decimal(exact, pattern, locale=_LOCALES[language], numbering_system="default"), language)


def day(value: date, language: Language) -> str:
    """A day of the Gregorian calendar in words."""
    return shaped(format_date(value, "d MMMM y", locale=_LOCALES[language]), language)


def shaped(text: str, language: Language) -> str:
    """`text` with its digits in those of the language."""
    return text.translate(_DIGITS) if language == "ar" else text


def isolated(text: str) -> str:
    """`text` of the Latin script, fenced off so that the right-to-left text around it does not reorder it."""
    return f"\u2066{text}\u2069"
