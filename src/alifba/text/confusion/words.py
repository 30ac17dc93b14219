"""Words of a short answer, and the stems they may have."""

from __future__ import annotations

import re
from functools import lru_cache

from alifba.text.confusion.target import Target, fold

# A run of letters or digits. A suffix behind an apostrophe ("Bakü'de", "1898'de") is inflection, not part of the
# word; in "Côte d'Ivoire" or "п'ять" the part before is short and both parts belong together.
_WORD = re.compile(r"\d+|[^\W\d_]+(?:['’ʼ][^\W\d_]+)*")
_APOSTROPHE = re.compile(r"['’ʼ]")


@lru_cache(maxsize=1 << 16)
def words(text: str, target: Target) -> tuple[str, ...]:
    """Lower-case words and numbers of `text`, in order, without what stands behind an apostrophe of inflection."""
    return tuple(_bare(found) for found in _WORD.findall(target.lower(text)))


def _bare(word: str) -> str:
    parts = _APOSTROPHE.split(word)
    return parts[0] if len(parts) > 1 and len(parts[0]) > 2 else "".join(parts)


@lru_cache(maxsize=1 << 17)
def stems(folded: str, suffixes: tuple[str, ...], *, at_least: int = 3, at_most: int = 2) -> tuple[str, ...]:
    """`folded` itself, then what is left after cutting up to `at_most` suffixes, every possible cut."""
    found = {folded: None}
    frontier = [folded]
    for _ in range(at_most):
        frontier = [w[: -len(s)] for w in frontier for s in suffixes if w.endswith(s) and len(w) - len(s) >= at_least]
        found.update(dict.fromkeys(sorted(frontier, key=lambda w: (-len(w), w))))
    return tuple(found)


def key(text: str, target: Target) -> str:
    """The folded words of `text`, joined by a space: equal for two spellings that differ in marks and case only."""
    return " ".join(fold(word) for word in words(text, target))
