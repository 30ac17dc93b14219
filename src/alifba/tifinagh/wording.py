"""The leaderboard page in each of its languages: words, numbers, and settings as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

from babel.numbers import format_decimal
from markupsafe import Markup, escape

from alifba.text.resources import load_toml

_SHA_LETTERS = 12
# Signs that must not be torn from their word at the end of a line.
_TEARABLE = re.compile(r" (?=[:;?!%»])|(?<=[«±]) ")
_STORED_DIGITS = 10  # of a float: what the order of summation cannot change


@dataclass(frozen=True)
class Language:
    """One language of the page: its code, own name, CLDR locale, the file it is written to, and its words."""

    code: str
    name: str
    locale: str
    file: str
    words: dict[str, str] = field(hash=False)

    def __call__(self, key: str, **values: object) -> Markup:
        """The text `key` with its ``{places}`` filled; values that are no markup are escaped. KeyError if unknown."""
        return Markup(self.words[key]).format(**values)

    @property
    def colon(self) -> str:
        return "\u00a0:" if self.code == "fr" else ":"

    def number(self, value: float | None, digits: int) -> str:
        """`value` rounded half up to `digits`, written as this language writes it; in words where it is undefined."""
        if value is None or value != value:
            return self.words["undefined"]
        exact = Decimal(f"{value:.{_STORED_DIGITS}g}").quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        pattern = "#,##0" + ("." + "0" * digits if digits else "")
        return str(format_decimal(exact if exact else abs(exact), pattern, self.locale)).replace("-", "\u2212")

    def integer(self, value: int) -> str:
        """A count, with its thousands grouped."""
        return self.number(value, 0)

    def percent(self, share: float | None) -> str:
        """A share in [0, 1] in percent with one digit, without the sign."""
        return self.number(None if share is None else 100 * share, 1)

    def cells(self, cells: Iterable[tuple[str, str]]) -> str:
        """Cells (dialect, task) by name, with commas between them."""
        return ", ".join(f"{self.words[f'dialect_{dialect}']}, {self.words[f'task_{task}']}" for dialect, task in cells)

    def field(self, field: str) -> str:
        """What a field of the setup is called."""
        name, _, dialect = field.partition(".")
        return self.words[name] + (f" ({self.words[f'dialect_{dialect}']})" if dialect else "")

    def setting(self, field: str, value: Any) -> Markup | str:
        """The value of a field of the setup: dialects and tasks by name, a hash cut short, None in words."""
        if value is None:
            return self.words["sample_all" if field == "sample" else "no_judge_set"]
        if field in ("dialects", "tasks"):
            return ", ".join(self.words[f"{field[:-1]}_{name}"] for name in value)
        if isinstance(value, int):
            return self.integer(value)
        text = str(value)[:_SHA_LETTERS] if field.startswith("dictionaries.") else str(value)
        return Markup('<span class="name" translate="no">{}</span>').format(escape(text))


@cache
def languages() -> tuple[Language, ...]:
    """Every language of ``data/leaderboard.toml``, English first."""
    return tuple(
        Language(
            code,
            entry["name"],
            entry["locale"],
            f"leaderboard.{code}.html",
            {key: _TEARABLE.sub("\u00a0", text) for key, text in entry["words"].items()},
        )
        for code, entry in load_toml("leaderboard.toml", "alifba.tifinagh")["languages"].items()
    )
