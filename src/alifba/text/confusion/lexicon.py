"""Word lists: is a word known to another language and not to the target?"""

from __future__ import annotations

import lzma
import re
from functools import lru_cache
from importlib.resources import files

from alifba.text.confusion.concepts import concept_index
from alifba.text.confusion.target import PACKAGE, Target
from alifba.text.confusion.words import words

# Shorter words are shared by too many languages to say anything.
_SHORTEST = 3
# "KGS", "USD": an abbreviation is no word of any language.
_ABBREVIATION = re.compile(r"\b[^\W\d_a-z]{2,4}\b")


@lru_cache(maxsize=8)
def word_list(name: str) -> frozenset[str]:
    """The shipped list `name`: lower-case word forms. Origin, licence and cleaning: ``data/lexicons.toml``."""
    packed = (files(PACKAGE) / "data" / f"lexicon-{name}.txt.xz").read_bytes()
    return frozenset(lzma.decompress(packed).decode("utf-8").split("\n"))


@lru_cache(maxsize=1 << 16)
def foreign_languages(word: str, target: Target) -> tuple[str, ...]:
    """Codes of the languages that know the lower-case `word`, or () if the target knows it too or nobody does."""
    if len(word) < _SHORTEST or word.isdigit():
        return ()
    # Turkic lower case makes "Isaac" "ısaac".
    forms = {word, word.replace("ı", "i")}
    found = tuple(c.code for c in target.confusers if c.lexicon and not forms.isdisjoint(word_list(c.lexicon)))
    # Web text inflects "bakı-" the Turkish way more often than it names the city: names of CLDR count as known.
    if not found or word in word_list(target.lexicon) or word in concept_index(target).own_words:
        return ()
    return found


def _unless_lower(found: re.Match[str]) -> str:
    return " " if found[0].isupper() else found[0]


def lexicon_languages(text: str, target: Target) -> dict[str, int]:
    """How many words of `text` each language knows that the target does not; empty when none.

    Abbreviations (up to four capitals) are passed over.
    """
    counts: dict[str, int] = {}
    for word in words(_ABBREVIATION.sub(_unless_lower, text), target):
        for code in foreign_languages(word, target):
            counts[code] = counts.get(code, 0) + 1
    return counts
