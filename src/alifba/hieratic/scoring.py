"""Score a final answer line on each rung. Pure: what a response says and what is right in, a share in [0, 1] out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import Levenshtein

from alifba.hieratic.prompts import LABELS
from alifba.text.egyptian import gardiner_codes, skeleton, without_space
from alifba.text.resources import load_toml

_SCRIPTS: dict[str, Any] = load_toml("scripts.toml", package="alifba.hieratic")
_SAYS_UNKNOWN = re.compile(rf"[^a-z0-9]*(?:{'|'.join(map(re.escape, _SCRIPTS['unknown']))})\b", re.ASCII)
_EGYPTIAN = frozenset(_SCRIPTS["egyptian"])
_LONGEST_GRAM, _BETA = 6, 2


@dataclass(frozen=True)
class Score:
    """A share in [0, 1] and, where it is 0 for want of an answer or missing, why. None: not scored."""

    value: float | None
    detail: str | None = None


def no_line(rung: str) -> Score:
    """The score of a response without a final answer line."""
    return Score(0.0, f"no {LABELS[rung]} line")


def classify(answer: str) -> str:
    """The script that an answer names: one of the protocol's scripts, "egyptian" or "unknown"; "other" for the rest."""
    text = answer.lower()
    if _SAYS_UNKNOWN.match(text):
        return "unknown"
    return next((script for part, script in _SCRIPTS["named"] if part in text), "other")


def family(script: str) -> str:
    """The script that `script` counts as."""
    return str(_SCRIPTS["family"].get(script, script))


def score_identify(parsed: str | None, script: str) -> Score:
    """1 for the right script or its family, 0.5 for another Egyptian one, 0 for the rest."""
    if parsed is None:
        return no_line("identify")
    named = classify(parsed)
    if family(named) == family(script):
        return Score(1.0)
    return Score(0.5 if {named, script} <= _EGYPTIAN else 0.0)


def score_single_sign(parsed: str | None, accepted: Iterable[str]) -> Score:
    """1 where the first code is an accepted one; further codes do not count."""
    if parsed is None:
        return no_line("signs")
    codes = gardiner_codes(parsed)
    if not codes:
        return Score(0.0, "no Gardiner code")
    return Score(float(codes[0] in set(canonical(accepted))))


def score_sign_sequence(parsed: str | None, references: Sequence[Sequence[str]]) -> Score:
    """1 - edit distance over codes / length of the reference, of the best reference, at least 0."""
    if parsed is None:
        return no_line("signs")
    codes = gardiner_codes(parsed)
    if not codes:
        return Score(0.0, "no Gardiner code")
    return Score(_best(codes, [canonical(reference) for reference in references]))


def canonical(codes: Iterable[str]) -> list[str]:
    """Codes of a key in the spelling of the scanner; what it does not know stays as it is."""
    return [found[0] if len(found := gardiner_codes(code)) == 1 else code for code in codes]


def score_transliteration(parsed: str | None, references: Sequence[str]) -> Score:
    """1 - character error rate on the consonant skeleton, of the best reference, at least 0."""
    if parsed is None:
        return no_line("transliterate")
    return Score(_best(skeleton(parsed), [skeleton(reference) for reference in references]))


def _best(answer: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    shares = [1 - Levenshtein.distance(answer, right) / len(right) for right in references if right]
    return max(0.0, *shares) if shares else 0.0


def score_translation(parsed: str | None, references: Sequence[str]) -> Score:
    """chrF of the best reference, as a share."""
    if parsed is None:
        return no_line("translate")
    return Score(max((chrf(parsed, reference) for reference in references), default=0.0))


def chrf(hypothesis: str, reference: str) -> float:
    """chrF (Popovic 2015): n-grams of 1 to 6 characters, beta 2, lower case, no white space, as a share in [0, 1].

    Precision and recall are averaged over the orders that both texts have, then combined; a text without any scores 0.
    """
    said, right = (without_space(text.lower()) for text in (hypothesis, reference))
    orders = min(_LONGEST_GRAM, len(said), len(right))
    if not orders:
        return 0.0
    precision = recall = 0.0
    for n in range(1, orders + 1):
        got, wanted = _grams(said, n), _grams(right, n)
        common = (got & wanted).total()
        precision += common / got.total()
        recall += common / wanted.total()
    precision, recall = precision / orders, recall / orders
    if not precision + recall:
        return 0.0
    return (1 + _BETA**2) * precision * recall / (_BETA**2 * precision + recall)


def _grams(text: str, n: int) -> Counter[str]:
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))
