"""Does the answer name the gold's concept in another language's word or spelling?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from alifba.text.confusion.concepts import ConceptIndex, concept_index
from alifba.text.confusion.lexicon import foreign_languages
from alifba.text.confusion.respelling import align
from alifba.text.confusion.target import Target, fold
from alifba.text.confusion.words import stems, words
from alifba.text.cyrillic import to_latin

# Highest cost per letter at which a word counts as a respelling (see `respelling.align`).
NEAR = 0.15
# The same for words of three letters: one rule, nothing else.
NEAR_SHORT = 0.07
# Shares of distinctive letters of the gold and of the answer that must find a partner. A gold whose last distinctive
# word is found may miss more: "Newton" answers "İsaak Nyuton".
_GOLD_SHARE, _GOLD_SHARE_LAST, _ANSWER_SHARE = 0.6, 0.4, 0.6
# Words of the answer shorter than this are no reason to reject it ("D.C", "de").
_SHORT = 3


class Match(NamedTuple):
    """`found`: the answer names the gold's concept in another language's word or spelling.

    `languages`: which, in the order of the profile; () when only the spelling says so and no list knows the word.
    """

    found: bool
    languages: tuple[str, ...]


NO_MATCH = Match(False, ())
# Of two words: the same word, inflected or misspelled at most.
SAME_WORD = Match(False, ())


def _cut(word: str, target: Target, at_most: int = 1) -> list[str]:
    """`word` itself, then what is left without up to `at_most` suffixes of the target."""
    return [word[: len(stem)] for stem in stems(fold(word), target.suffixes, at_most=at_most)]


def _inflected(own: str, other: str, target: Target) -> bool:
    """True if two words of the target share a stem, its last consonant softened or not."""
    own_stems, other_stems = _cut(own, target, 2), _cut(other, target, 2)
    if not {fold(stem) for stem in own_stems}.isdisjoint(fold(stem) for stem in other_stems):
        return True
    soft = {stem[:-1] + to for stem in own_stems for hard, to in target.softening if stem.endswith(hard)}
    return not soft.isdisjoint(other_stems)


def _respelled(own: str, other: str, index: ConceptIndex, target: Target) -> Match | None:
    """The answer's word `other` as a spelling of the gold's `own`: foreign, a slip of the pen (same word), or None."""
    concepts = index.concepts(fold(own))
    if concepts and index.names_something_else(fold(other), concepts):
        return None
    latin = to_latin(other)
    near = [
        aligned
        for form in _cut(own, target)
        for other_form in _cut(latin, target)
        if (aligned := align(form, other_form, target)).cost
        <= (NEAR if min(len(form), len(other_form)) > _SHORT else NEAR_SHORT)
    ]
    if not near:
        return None
    aligned = min(near)
    listed = foreign_languages(other, target) or index.foreign_spelling(other)
    spelled = any(pattern in latin and pattern not in own for pattern in target.foreign_patterns)
    return Match(True, listed) if aligned.foreign or spelled or listed or latin != other else SAME_WORD


@lru_cache(maxsize=1 << 17)
def _compare(own: str, other: str, kind: str | None, target: Target) -> Match | None:
    """The answer's word `other` against the gold's word `own`: `SAME_WORD`, a match, or None."""
    plain, other_plain = fold(own), fold(to_latin(other))
    if plain == fold(other) and not target.writes(other):
        # The same letters but for one that the target does not have: "dəniz" in Turkish.
        return Match(True, foreign_languages(other, target))
    if plain == other_plain:
        return SAME_WORD
    if own.isdigit() or other.isdigit():
        return None
    if not target.own_letters.isdisjoint(other):
        return SAME_WORD if _inflected(own, other, target) else None
    index = concept_index(target)
    concepts = index.concepts(plain, kind)
    for inflected in (False, True):
        languages = index.languages(fold(other), concepts, inflected=inflected)
        if languages:
            return Match(True, languages)
        # What inflection of the target explains is no other language, unless another language's name reads so.
        if not inflected and _inflected(own, to_latin(other), target):
            return SAME_WORD
    return _respelled(own, other, index, target)


def _pair_up(
    gold: Sequence[str], answer: Sequence[str], kind: str | None, target: Target
) -> dict[int, tuple[int, Match]]:
    """Position in the gold → position in the answer and how they match, each word used once, same words first."""
    candidates = []
    for i, own in enumerate(gold):
        for j, other in enumerate(answer):
            match = _compare(own, other, kind, target)
            if match is not None:
                candidates.append((match.found, abs(i - j), i, j, match))
    pairs: dict[int, tuple[int, Match]] = {}
    used: set[int] = set()
    for _, _, i, j, match in sorted(candidates):
        if i not in pairs and j not in used:
            pairs[i] = (j, match)
            used.add(j)
    return pairs


def _by_words(gold: Sequence[str], answer: Sequence[str], kind: str | None, target: Target, *, complete: bool) -> Match:
    """Word by word: enough of what is distinctive on both sides has a partner, and nothing contradicts.

    With `complete` every word of both sides must have one: the answer is a name of something else.
    """
    index = concept_index(target)
    pairs = _pair_up(gold, answer, kind, target)
    foreign = [match for _, match in pairs.values() if match.found]
    if not foreign:
        return NO_MATCH
    partner = {j: i for i, (j, _) in pairs.items()}
    own_weight, other_weight = _weights(gold, index), _weights(answer, index)
    own_left = [i for i in range(len(gold)) if i not in pairs]
    other_left = [j for j, word in enumerate(answer) if j not in partner and len(word) >= _SHORT]
    if complete and (own_left or other_left):
        return NO_MATCH
    # "Boliviya bolivianosu" is not "Bolivya pezosu", nor "Astara çayı" "Astara gölü": each has a word of a kind that
    # the other answers with another word of that kind.
    for distinctive in (True, False):
        if any(bool(own_weight[i]) == distinctive for i in own_left) and any(
            bool(other_weight[j]) == distinctive for j in other_left
        ):
            return NO_MATCH
    matched = sum(own_weight[i] for i in pairs)
    last = max(i for i, weight in enumerate(own_weight) if weight)
    enough = _GOLD_SHARE_LAST if last in pairs else _GOLD_SHARE
    matched_answer = sum(other_weight[j] for j in partner)
    if matched < enough * sum(own_weight) or matched_answer < _ANSWER_SHARE * (
        matched_answer + sum(other_weight[j] for j in other_left)
    ):
        return NO_MATCH
    return Match(True, _agreed(foreign, target))


def _weights(words_of: Sequence[str], index: ConceptIndex) -> list[int]:
    """Letters of each word, 0 for one that only names a kind; the plain letters where all words do."""
    weights = [0 if index.is_generic(fold(word)) else len(word) for word in words_of]
    return weights if any(weights) else [len(word) for word in words_of]


def _agreed(matches: Sequence[Match], target: Target) -> tuple[str, ...]:
    """The languages that most of the matches name, in the order of the profile."""
    votes = {c.code: sum(c.code in match.languages for match in matches) for c in target.confusers}
    most = max(votes.values())
    return tuple(code for code, n in votes.items() if n == most) if most else ()


def _by_phrase(own: Sequence[str], answer: Sequence[str], concepts: set[str], target: Target) -> Match:
    """A name of one of `concepts` that makes up nearly all of the answer, or stands in a sentence that has no word
    of the target."""
    index = concept_index(target)
    plain, other = {fold(word) for word in own}, [fold(word) for word in answer]
    weight = [0 if len(word) < _SHORT or index.is_generic(word) else len(word) for word in other]
    strange = [len(word) < _SHORT or _strange(word, target) for word in answer]
    for start in range(len(other)):
        for end in range(len(other), start, -1):
            inside = sum(weight[start:end]) or len("".join(other[start:end]))
            outside = sum(weight[:start]) + sum(weight[end:])
            nearly_all = inside >= _ANSWER_SHARE * (inside + outside)
            if not (nearly_all or all(strange)) or plain.issuperset(other[start:end]):
                continue
            languages = index.languages(" ".join(other[start:end]), concepts, inflected=True)
            if languages:
                return Match(True, languages)
    return NO_MATCH


def _strange(word: str, target: Target) -> bool:
    return word.isdigit() or not target.writes(word) or bool(foreign_languages(word, target))


def _concepts_of(own: Sequence[str], kind: str | None, index: ConceptIndex) -> set[str]:
    """What the gold names: as it stands, and without the head that fixes its kind ("yapon" in "yapon dili")."""
    concepts = index.concepts(_joined(own))
    bare = [word for word in own if not index.is_generic(fold(word))]
    return concepts | index.concepts(_joined(bare), kind) if kind and bare else concepts


def _joined(words_of: Sequence[str]) -> str:
    return " ".join(fold(word) for word in words_of)


@lru_cache(maxsize=1 << 17)
def same_concept(gold: str, answer: str, target: Target) -> Match:
    """Whether `answer` names the concept of `gold` in another language's word or spelling.

    Numbers must be the same in both. A word is taken for the other's counterpart if it is the same, a listed name of
    the same concept in another language, or a respelling by the rules of the profile that needs a directed rule.
    """
    own, other = words(gold, target), words(answer, target)
    if all(not target.own_letters.isdisjoint(word) for word in other):
        return NO_MATCH
    if not own or not other or sorted(filter(str.isdigit, own)) != sorted(filter(str.isdigit, other)):
        return NO_MATCH
    index = concept_index(target)
    kind = index.kind_of([fold(word) for word in own])
    concepts = _concepts_of(own, kind, index)
    exact = index.languages(_joined(other), concepts, inflected=False)
    if exact:
        return Match(True, exact)
    native = all(target.writes(word) for word in other)
    if native and len(own) == len(other) and all(_inflected(*pair, target) for pair in zip(own, other, strict=True)):
        return NO_MATCH
    named = _by_phrase(own, other, concepts, target)
    if named.found:
        return named
    taken = bool(concepts) and index.names_something_else(_joined(other), concepts)
    by_words = _by_words(own, other, kind, target, complete=taken)
    return by_words if by_words.found or taken else _joined_up(own, other, index, target)


def _joined_up(own: Sequence[str], other: Sequence[str], index: ConceptIndex, target: Target) -> Match:
    """ "Ulan-Bator" and "Ulaanbaatar", "Keyptaun" and "Cape Town": one writes apart what the other joins."""
    one_word = min(len(own), len(other)) == 1 < max(len(own), len(other))
    if not one_word or any(index.is_generic(fold(word)) for word in (*own, *other)):
        return NO_MATCH
    aligned = align("".join(own), to_latin("".join(other)), target)
    return Match(aligned.foreign and aligned.cost <= NEAR, ())
