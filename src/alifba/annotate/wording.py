"""The words of the interface, in every language of ``data/strings.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_FIRST = "en"


@dataclass(frozen=True)
class Wording:
    """One language: its code, own name, direction of writing ("ltr" or "rtl"), words, digits from 0 to 9, and signs
    between the parts of a list."""

    code: str
    name: str
    dir: str
    words: dict[str, str]
    digits: str = "0123456789"
    comma: str = ", "
    semicolon: str = "; "

    def __call__(self, key: str, **values: object) -> str:
        """The text `key` with its ``{places}`` filled, whole numbers in the language's digits. KeyError for an unknown
        key."""
        written = {name: self.number(value) if isinstance(value, int) else value for name, value in values.items()}
        return self.words[key].format(**written)

    def number(self, value: int) -> str:
        """A whole number in the language's digits."""
        return str(value).translate(str.maketrans("0123456789", self.digits))

    def joined(self, keys: Iterable[str]) -> str:
        """The texts of `keys`, with commas between them."""
        return self.comma.join(map(self, keys))

    def known(self, key: str, otherwise: str) -> str:
        """The text `key`, or `otherwise`: for words that may be a person's own."""
        return self.words.get(key, otherwise)


@cache
def wordings() -> dict[str, Wording]:
    """Every language by its code."""
    table = tomllib.loads((files("alifba.annotate") / "data" / "strings.toml").read_text(encoding="utf-8"))
    return {code: Wording(code, **entry) for code, entry in table.items()}


def choose(asked: str, kept: str, accepted: str) -> Wording:
    """The language of a page: the one asked for, else the one kept from before, else what the browser prefers
    (an Accept-Language header), else English."""
    known = wordings()
    preferred = [tag.lower() for tag in re.findall(r"(?:^|,)\s*([A-Za-z]{2,3})\b", accepted)]
    return known[next((code for code in (asked, kept, *preferred) if code in known), _FIRST)]
