"""Is one word another language's spelling of the other? A weighted alignment with the target's spelling rules."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from alifba.text.confusion.target import Target, fold

# Costs in letters. A rule of the profile is nearly free; what no rule explains costs most of a letter or a whole one.
_RULE = 0.1
_SLIP = 0.3
_DOUBLED = 0.05
_MARK = 0.05
_VOWEL_FOR_VOWEL = 0.5
_LOST_VOWEL = 0.7
_LETTER = 1.0
# Words that share less than this of their folded letters (0 to 1) cannot come near after any rule.
_WORTH_ALIGNING = 0.34
# Shorter words meet by chance.
_SHORTEST = 3


class Alignment(NamedTuple):
    """Cost per letter of the longer word (0 = same letters), and whether a directed rule was needed on the way."""

    cost: float
    foreign: bool


class _State(NamedTuple):
    cost: float
    not_foreign: int


class _Rule(NamedTuple):
    own: str
    other: str
    at_start: bool
    at_end: bool
    foreign: bool

    def fits(self, own: str, i: int, other: str, j: int) -> bool:
        if not (own.startswith(self.own, i) and other.startswith(self.other, j)):
            return False
        starts = not self.at_start or (i == 0 and j == 0)
        ends = not self.at_end or (i + len(self.own) == len(own) and j + len(self.other) == len(other))
        return starts and ends


@lru_cache(maxsize=8)
def _rules(target: Target) -> dict[str, list[_Rule]]:
    """Spelling rules by the target's letter they start with."""
    by_letter: dict[str, list[_Rule]] = defaultdict(list)
    for rules, foreign in ((target.respelling, True), (target.slips, False)):
        for own, other in rules:
            bare = own.removeprefix("^").removesuffix("$")
            by_letter[bare[0]].append(_Rule(bare, other, own.startswith("^"), own.endswith("$"), foreign))
    return dict(by_letter)


def _single_step(own: str, other: str, vowels: frozenset[str]) -> float:
    """The cost of reading letter `other` for letter `own` without a rule."""
    if own == other:
        return 0.0
    if fold(own) == fold(other):
        return _MARK
    if own in vowels and fold(other) in {fold(v) for v in vowels}:
        return _VOWEL_FOR_VOWEL
    return _LETTER


@lru_cache(maxsize=1 << 16)
def align(own: str, other: str, target: Target) -> Alignment:
    """The cheapest way to read `other` as another language's spelling of the target's word `own`.

    Both lower case. The cost is divided by the length of the longer word. `foreign` is true only if the cheapest way
    uses a directed rule ("q" written "g"), not merely an edit that a slip of the pen explains as well.
    """
    longest = max(len(own), len(other))
    if min(len(own), len(other)) < _SHORTEST or not _worth_aligning(own, other):
        return Alignment(1.0, False)
    best: dict[tuple[int, int], _State] = {(0, 0): _State(0.0, 1)}
    for i in range(len(own) + 1):
        for j in range(len(other) + 1):
            if (i, j) in best:
                _relax(best, own, other, i, j, target)
    end = best[len(own), len(other)]
    return Alignment(end.cost / longest, not end.not_foreign)


def _worth_aligning(own: str, other: str) -> bool:
    return Levenshtein.normalized_similarity(_rough(own), _rough(other)) >= _WORTH_ALIGNING


@lru_cache(maxsize=1 << 16)
def _rough(word: str) -> str:
    """Folded letters with the classes that spelling rules mix most merged, and no letter doubled."""
    merged = fold(word).translate(str.maketrans("qgcwxyjzd", "kkkvhiist"))
    return "".join(letter for letter, _ in groupby(merged))


def _relax(best: dict[tuple[int, int], _State], own: str, other: str, i: int, j: int, target: Target) -> None:
    """Extend the best alignment of `own[:i]` with `other[:j]` by one step of each kind."""
    cost, not_foreign = best[i, j]

    def offer(to_i: int, to_j: int, price: float, foreign: bool = False) -> None:
        state = _State(cost + price, 0 if foreign else not_foreign)
        if (to_i, to_j) not in best or state < best[to_i, to_j]:
            best[to_i, to_j] = state

    if i < len(own):
        for rule in _rules(target).get(own[i], []):
            if rule.fits(own, i, other, j):
                offer(i + len(rule.own), j + len(rule.other), _RULE if rule.foreign else _SLIP, foreign=rule.foreign)
        # The target writes one letter where others double it; the reverse is no sign of another language.
        lost = _LOST_VOWEL if own[i] in target.vowels else _LETTER
        offer(i + 1, j, _DOUBLED if i and own[i] == own[i - 1] else lost)
    if j < len(other):
        doubled = j > 0 and other[j] == other[j - 1]
        lost = _LOST_VOWEL if other[j] in target.vowels else _LETTER
        offer(i, j + 1, _DOUBLED if doubled else lost, foreign=doubled)
    if i < len(own) and j < len(other):
        offer(i + 1, j + 1, _single_step(own[i], other[j], target.vowels))
