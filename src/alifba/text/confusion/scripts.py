"""Alphabets and scripts: the word-level rule, script shares, and the known hole of the transliteration."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from alifba.text.chains import translit
from alifba.text.confusion.target import Target
from alifba.text.cyrillic import contains_cyrillic

_WORD = re.compile(r"[^\W\d_]+")


def outside_alphabet(text: str, target: Target) -> bool:
    """True if a word of `text` has a letter outside the target's alphabet.

    The word-level rule of Marchisio et al. (EMNLP 2024, "Understanding and mitigating language confusion"). Turkish
    letters are a subset of the Azerbaijani ones, so for that pair it sees little but "w".
    """
    return any(not target.alphabet.issuperset(word) for word in _WORD.findall(target.lower(text)))


@lru_cache(maxsize=1 << 12)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "UNKNOWN").split()[0].capitalize()


def script_shares(text: str) -> dict[str, float]:
    """Share of the letters of `text` in each script ("Latin", "Cyrillic", ...), in [0, 1], the largest first.

    Empty when there is no letter. The script is the first word of the letter's Unicode name.
    """
    counts: dict[str, int] = {}
    for letter in text:
        if letter.isalpha():
            counts[_script(letter)] = counts.get(_script(letter), 0) + 1
    total = sum(counts.values())
    return {name: n / total for name, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))}


def is_g_q_hole(answer: str, gold: str) -> bool:
    """True if a Cyrillic `answer` misses `gold` under TRANSLIT only because г gives g where Azerbaijani writes q.

    Вашингтон gives "vaşington", the gold is "vaşinqton": a hole of the transliteration, not a factual error.
    """
    if not contains_cyrillic(answer):
        return False
    found, wanted = translit(answer), translit(gold)
    return found != wanted and found.replace("g", "q") == wanted.replace("g", "q")
