"""Language identification of a short answer, restricted to the plausible languages, with "undetermined" allowed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from lingua import Language, LanguageDetector, LanguageDetectorBuilder

from alifba.text.confusion.target import Target
from alifba.text.confusion.words import words


class Guess(NamedTuple):
    """`language`: a code of the profile, or None for undetermined. `confidence`: share in [0, 1], NaN if unscorable."""

    language: str | None
    confidence: float


UNSCORABLE = Guess(None, float("nan"))


@lru_cache(maxsize=8)
def _detector(target: Target) -> tuple[LanguageDetector, dict[Language, str]]:
    named = {c.lingua: c.code for c in target.confusers if c.lingua} | {target.lingua: target.code}
    codes = {Language.from_str(name): code for name, code in named.items() if name}
    detector = LanguageDetectorBuilder.from_languages(*codes).build()
    return detector, codes


def scorable(text: str, target: Target, fewest_letters: int) -> bool:
    """True if `text` has at least `fewest_letters` letters in its words."""
    return sum(len(word) for word in words(text, target) if not word.isdigit()) >= fewest_letters


def identify(texts: Iterable[str], target: Target, *, threshold: float, fewest_letters: int) -> dict[str, Guess]:
    """The likeliest language of each distinct text.

    A text with fewer than `fewest_letters` letters is unscorable: no language, confidence NaN. A best confidence
    below `threshold` is undetermined: no language, the confidence as it is.
    """
    distinct = list(dict.fromkeys(texts))
    detector, codes = _detector(target)
    asked = [text for text in distinct if scorable(text, target, fewest_letters)]
    found = detector.compute_language_confidence_values_in_parallel(asked)
    guesses = dict.fromkeys(distinct, UNSCORABLE)
    for text, values in zip(asked, found, strict=True):
        best = values[0]
        # lingua adds in no fixed order, so the last digits differ from call to call.
        confidence = round(float(best.value), 9)
        guesses[text] = Guess(codes[best.language] if confidence >= threshold else None, confidence)
    return guesses
