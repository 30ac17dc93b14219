"""Target profiles: what the detectors must know about a language. A profile is a file, ``data/<code>.toml``."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from alifba.errors import InputError, closest
from alifba.text.azerbaijani import lower as turkic_lower
from alifba.text.chains import Chain
from alifba.text.resources import load_toml

PACKAGE = "alifba.text.confusion"
_PLAIN = str.maketrans({"ə": "e", "ı": "i", "ø": "o", "ł": "l", "ß": "s", "æ": "a", "đ": "d", "ð": "d", "þ": "t"})


@lru_cache(maxsize=1 << 16)
def fold(text: str) -> str:
    """Lower-case text without diacritics and with ə as e: what two spellings of one word are compared by."""
    decomposed = unicodedata.normalize("NFD", text.translate(_PLAIN))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).translate(_PLAIN)


@dataclass(frozen=True)
class Confuser:
    """A language that an answer may come in by mistake.

    `cldr`, `lingua` and `lexicon` name it in babel, in the language identifier and among the word lists; None where
    that source does not know it. `suffixes` are folded, longest first.
    """

    code: str
    cldr: str | None
    lingua: str | None
    lexicon: str | None
    suffixes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Target:
    """A language that answers are expected in, and the languages it may be confused with."""

    code: str
    cldr: str
    lingua: str | None
    lexicon: str
    alphabet: frozenset[str]
    vowels: frozenset[str]
    own_letters: frozenset[str]
    turkic_casing: bool
    chains: tuple[Chain, ...]
    suffixes: tuple[str, ...]
    confusers: tuple[Confuser, ...]
    softening: tuple[tuple[str, str], ...]
    respelling: tuple[tuple[str, str], ...]
    slips: tuple[tuple[str, str], ...]
    foreign_patterns: tuple[str, ...]

    def lower(self, text: str) -> str:
        """NFC and lower case by the rules of the target."""
        text = unicodedata.normalize("NFC", text)
        return turkic_lower(text) if self.turkic_casing else text.lower()

    def writes(self, word: str) -> bool:
        """True if lower-case `word` is a number or has no letter outside the alphabet."""
        return word.isdigit() or self.alphabet.issuperset(word)


def _suffixes(listed: list[str]) -> tuple[str, ...]:
    return tuple(sorted({fold(s) for s in listed}, key=lambda s: (-len(s), s)))


def _rules(table: dict[str, list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((own, other) for own, others in table.items() for other in others)


def known_targets() -> list[str]:
    """Codes of the profiles that ship."""
    names = (entry.name for entry in (files(PACKAGE) / "data").iterdir())
    return sorted(n.removesuffix(".toml") for n in names if n.endswith(".toml") and n != "lexicons.toml")


@lru_cache(maxsize=8)
def load_target(code: str) -> Target:
    """The profile ``data/<code>.toml``.

    Raises:
        InputError: no such profile ships.
    """
    if code not in known_targets():
        raise InputError(
            "no profile for this target language",
            value=code,
            likely=closest(code, known_targets()),
            next_step=f"use one of {', '.join(known_targets())}, or add a profile beside az.toml",
        )
    table = load_toml(f"{code}.toml", PACKAGE)
    return Target(
        code=code,
        cldr=table["cldr"],
        lingua=table.get("lingua"),
        lexicon=table["lexicon"],
        alphabet=frozenset(table["alphabet"]),
        vowels=frozenset(table["vowels"]),
        own_letters=frozenset(table["own_letters"]),
        turkic_casing=table["casing"] == "turkic",
        chains=tuple(table["chains"]),
        suffixes=_suffixes(table["suffixes"]),
        confusers=tuple(
            Confuser(
                code=entry["code"],
                cldr=entry.get("cldr"),
                lingua=entry.get("lingua"),
                lexicon=entry.get("lexicon"),
                suffixes=_suffixes(entry.get("suffixes", [])),
            )
            for entry in table["confuser"]
        ),
        softening=tuple(table.get("softening", {}).items()),
        respelling=_rules(table["respelling"]),
        slips=_rules(table["slips"]),
        foreign_patterns=tuple(table["foreign"]["patterns"]),
    )
