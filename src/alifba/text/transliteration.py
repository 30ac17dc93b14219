"""Transliteration between Cyrillic and Latin, one table per language, each with its source.

A scheme goes one way and is named ``language-from-to`` (``sr-latn-cyrl``). It sees letters, not words: a Roman numeral
or a foreign word in the letters of the table is changed with the rest. Not to be confused with
`alifba.text.cyrillic`, which is a step of a published scoring chain.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from alifba.errors import InputError, closest
from alifba.text import azerbaijani
from alifba.text.resources import load_toml

Script = Literal["Cyrl", "Latn"]
_FOLDER = "transliteration"


@dataclass(frozen=True)
class Scheme:
    """What one direction of a table is, and how far it can be trusted.

    language: ISO 639-1. from_script, to_script: ISO 15924. source: the alphabets or the standard that the letters come
    from. reversible: the way back is a scheme too; `deviations` say what it does not bring back.
    """

    name: str
    language: str
    source: str
    from_script: Script
    to_script: Script
    reversible: bool
    deviations: tuple[str, ...]


@dataclass(frozen=True)
class _Table:
    scheme: Scheme
    letters: dict[str, str]
    open: dict[str, str]
    opens: frozenset[str]
    # Every spelling of a key in lower, title and upper case, to the key.
    keys: dict[str, str]
    longest: int
    # Words that begin so, and where in them a digraph is none.
    kept_apart: dict[str, int]
    lower: Callable[[str], str]
    upper: Callable[[str], str]

    def is_capital(self, letter: str) -> bool:
        return letter != self.lower(letter)

    def is_cased(self, letter: str) -> bool:
        return self.lower(letter) != self.upper(letter)


def _capitalised(word: str, upper: Callable[[str], str]) -> str:
    return upper(word[:1]) + word[1:]


def _build(data: dict[str, Any], direction: dict[str, Any], *, inverted: bool) -> _Table:
    language, source_script, target_script = data["language"], direction["from_script"], direction["to_script"]
    both = {target: key for key, target in data["letters"].items()} if inverted else data["letters"]
    letters: dict[str, str] = {**both, **direction.get("only", {})}
    lower, upper = (azerbaijani.lower, azerbaijani.upper) if data["dotted_i"] else (str.lower, str.upper)
    spellings = {spelling: key for key in letters for spelling in (upper(key), _capitalised(key, upper), key)}
    scheme = Scheme(
        name=f"{language}-{source_script}-{target_script}".lower(),
        language=language,
        source=data["source"],
        from_script=source_script,
        to_script=target_script,
        reversible=len(data["directions"]) == 2,
        deviations=tuple(direction["deviations"]),
    )
    return _Table(
        scheme=scheme,
        letters=letters,
        open=direction.get("open", {}),
        opens=frozenset(direction.get("opens", "")),
        keys=spellings,
        longest=max(map(len, spellings)),
        kept_apart={stem.replace("|", ""): stem.index("|") for stem in direction.get("kept_apart", ())},
        lower=lower,
        upper=upper,
    )


@lru_cache(maxsize=1)
def _tables() -> dict[str, _Table]:
    folder = files("alifba.text") / "data" / _FOLDER
    tables: dict[str, _Table] = {}
    for name in sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml")):
        data = load_toml(f"{_FOLDER}/{name}")
        for inverted, direction in enumerate(data["directions"]):
            table = _build(data, direction, inverted=bool(inverted))
            tables[table.scheme.name] = table
    return tables


def _table(name: str) -> _Table:
    tables = _tables()
    if name not in tables:
        known = ", ".join(tables)
        raise InputError(
            "no such transliteration scheme",
            value=name,
            likely=closest(name, tables),
            next_step=f"use one of {known}",
        )
    return tables[name]


def schemes() -> list[Scheme]:
    """Every scheme, sorted by language; the direction that the table is written in comes first."""
    return [table.scheme for table in _tables().values()]


def _in_word(char: str) -> bool:
    return char.isalpha() or unicodedata.category(char)[0] == "M"


def _split_points(text: str, table: _Table) -> frozenset[int]:
    """Positions that no digraph may reach across: the n and j of konjugacija, the d and ž of nadživeti."""
    if not table.kept_apart:
        return frozenset()
    # Letter by letter, so that positions stay: the small İ has two characters.
    small = "".join(letter if len(table.lower(letter)) > 1 else table.lower(letter) for letter in text)
    stems = "|".join(table.kept_apart)
    found = re.finditer(rf"(?<![^\W\d_])(?:{stems})", small)
    return frozenset(match.start() + table.kept_apart[match.group()] for match in found)


def _in_capitals(text: str, start: int, end: int, table: _Table) -> bool:
    """Whether text[start:end] stands in capitals: the next letter is one or, at the end of a word, the last two are."""
    after = end
    while after < len(text) and _in_word(text[after]):
        if table.is_cased(text[after]):
            return table.is_capital(text[after])
        after += 1
    before, capitals = end - 1, 0
    while before >= 0 and _in_word(text[before]) and capitals < 2:
        if table.is_cased(text[before]):
            if not table.is_capital(text[before]):
                return False
            capitals += 1
        before -= 1
    return capitals == 2


def _cased(target: str, text: str, start: int, end: int, table: _Table) -> str:
    """`target` in the case of text[start:end], which has the case of its neighbours where it has none or too little."""
    first, last = text[start], text[end - 1]
    if table.is_cased(first) and not table.is_capital(first):
        return target
    if end - start > 1 and table.is_cased(last):
        all_capitals = table.is_capital(last)
    elif table.is_cased(first) and len(target) == 1:
        all_capitals = True
    else:
        all_capitals = _in_capitals(text, start, end, table)
    if all_capitals:
        return table.upper(target)
    return _capitalised(target, table.upper) if table.is_cased(first) else target


def _pieces(text: str, table: _Table) -> Iterator[tuple[str, str | None]]:
    """The pieces of `text`, left to right and longest first, each with what it becomes; None: not in the table."""
    apart = _split_points(text, table)
    at = 0
    while at < len(text):
        for end in range(min(at + table.longest, len(text)), at, -1):
            if text[at:end] in table.keys and apart.isdisjoint(range(at + 1, end)):
                break
        else:
            yield text[at], None
            at += 1
            continue
        key = table.keys[text[at:end]]
        opening = at == 0 or not _in_word(text[at - 1]) or table.lower(text[at - 1]) in table.opens
        target = table.open[key] if opening and key in table.open else table.letters[key]
        yield text[at:end], _cased(target, text, at, end, table)
        at = end


def transliterate(text: str, scheme: str) -> str:
    """`text` in the other script by `scheme`, NFC in and out. What is not in the table stays as it is.

    Case is kept letter by letter; a letter that becomes two is Lj before a small letter and LJ in capitals.

    Raises:
        InputError: no scheme has this name.

    >>> transliterate("Љубав и ЊЕГОШ", "sr-cyrl-latn"), transliterate("Işık ve İğne", "tr-latn-cyrl")
    ('Ljubav i NJEGOŠ', 'Ышык ве Иғне')
    """
    pieces = _pieces(unicodedata.normalize("NFC", text), _table(scheme))
    return unicodedata.normalize("NFC", "".join(piece if target is None else target for piece, target in pieces))


def unmapped(text: str, scheme: str) -> Counter[str]:
    """How often each letter that `scheme` does not know stands in `text`; `.total()` is their number.

    >>> unmapped("Новак на Twitter", "sr-cyrl-latn").total()
    7
    """
    pieces = _pieces(unicodedata.normalize("NFC", text), _table(scheme))
    return Counter(piece for piece, target in pieces if target is None and piece.isalpha())
