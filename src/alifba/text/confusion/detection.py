"""The four detectors and their combination, for one answer and for a table of answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from alifba.errors import InputError
from alifba.text.chains import normalise
from alifba.text.confusion.concepts import concept_index
from alifba.text.confusion.lexicon import lexicon_languages
from alifba.text.confusion.lid import Guess, identify
from alifba.text.confusion.same_concept import same_concept
from alifba.text.confusion.scripts import is_g_q_hole, outside_alphabet
from alifba.text.confusion.target import Target, load_target

# Confidence (0 to 1) below which the language is undetermined, and letters below which nothing is asked.
LID_THRESHOLD = 0.8
LID_FEWEST_LETTERS = 4
FLAGS = ("flag_alphabet", "flag_lexicon", "flag_concept", "flag_lid")
REQUIRED = ("gold", "answer")


@dataclass(frozen=True)
class Detection:
    """What each detector says of one answer.

    flag_alphabet: a word has a letter outside the target's alphabet (needs no gold).
    flag_lexicon: a word is in another language's list and not in the target's (needs no gold).
    flag_concept: the gold's concept in another language's word or spelling.
    flag_lid: line-level language identification is sure of another language (needs no gold).
    flag: the decision "wrong language": right concept, another language, and no normalisation chain recovers it.
    language: code of the language the flags point at, "" when none or undetermined.
    """

    flag_alphabet: bool
    flag_lexicon: bool
    flag_concept: bool
    flag_lid: bool
    flag: bool
    language: str


def flag_alphabet(answer: str, target: str = "az") -> bool:
    """Baseline of Marchisio et al. (EMNLP 2024): a word with a letter outside the target's alphabet."""
    return outside_alphabet(answer, load_target(target))


def flag_lexicon(answer: str, target: str = "az") -> bool:
    """A word of `answer` is in the word list of a plausible other language and not in the target's."""
    return bool(lexicon_languages(answer, load_target(target)))


def flag_concept(gold: str, answer: str, target: str = "az") -> bool:
    """`answer` names the concept of `gold` in another language's word or spelling; false for equal answers."""
    return not recovered(gold, answer, target) and same_concept(gold, answer, load_target(target)).found


def flag_lid(answer: str, target: str = "az") -> bool:
    """lingua, restricted to the plausible languages, is at least `LID_THRESHOLD` sure of another one."""
    profile = load_target(target)
    return _other(_identify([answer], profile)[answer], profile)


def recovered(gold: str, answer: str, target: str = "az") -> bool:
    """True if a chain of the profile makes `answer` equal to `gold`: then the matter is orthographic."""
    return any(normalise(answer, chain) == normalise(gold, chain) != "" for chain in load_target(target).chains)


def _identify(answers: list[str], profile: Target) -> dict[str, Guess]:
    return identify(answers, profile, threshold=LID_THRESHOLD, fewest_letters=LID_FEWEST_LETTERS)


def _other(guess: Guess, profile: Target) -> bool:
    return guess.language not in (None, profile.code)


def _detect(gold: str, answer: str, guess: Guess, profile: Target) -> Detection:
    listed = lexicon_languages(answer, profile)
    right = recovered(gold, answer, profile.code)
    match = same_concept(gold, answer, profile)
    concept = match.found and not right
    named = (
        (match.languages or concept_index(profile).foreign_spelling(profile.lower(answer.strip()))) if concept else ()
    )
    return Detection(
        flag_alphabet=outside_alphabet(answer, profile),
        flag_lexicon=bool(listed),
        flag_concept=concept,
        flag_lid=_other(guess, profile),
        flag=concept and not ("translit" in profile.chains and is_g_q_hole(answer, gold)),
        language=_language(named, answer, listed, guess, profile),
    )


def _language(named: tuple[str, ...], answer: str, listed: dict[str, int], guess: Guess, profile: Target) -> str:
    """One language: of those that the concept names, the one that spelling, words and identification back most."""
    spelled = concept_index(profile).spelled.get(profile.lower(answer.strip()), set())
    votes = {
        code: (code in named, (code in spelled) + listed.get(code, 0) + (code == guess.language))
        for code in {*named, *listed, guess.language or profile.code}
        if code != profile.code
    }
    order = [c.code for c in profile.confusers]
    return max(votes, key=lambda code: (votes[code], -order.index(code)), default="")


def detect(gold: str, answer: str, target: str = "az") -> Detection:
    """Judge one answer. `gold`: the right answer in the target language; `target`: code of a profile.

    Raises:
        InputError: no profile for `target`.
    """
    profile = load_target(target)
    return _detect(gold, answer, _identify([answer], profile)[answer], profile)


def detect_table(table: pd.DataFrame, target: str = "az") -> pd.DataFrame:
    """`table` with the columns flag_alphabet, flag_lexicon, flag_concept, flag_lid, flag (0/1) and language added.

    Every row stays, in order; other columns are left alone. Missing cells count as empty answers.

    Raises:
        InputError: a column "gold" or "answer" is missing, or there is no profile for `target`.
    """
    missing = [name for name in REQUIRED if name not in table.columns]
    if missing:
        raise InputError(
            f"the table has no column {' and no column '.join(repr(name) for name in missing)}",
            value=list(table.columns),
            likely="another separator than the comma, or other column names",
            next_step="give columns named gold and answer (id is optional)",
        )
    profile = load_target(target)
    golds, answers = ([_text(cell) for cell in table[name]] for name in REQUIRED)
    guesses = _identify(answers, profile)
    judged = {
        pair: _detect(*pair, guesses[pair[1]], profile) for pair in dict.fromkeys(zip(golds, answers, strict=True))
    }
    found = [judged[pair] for pair in zip(golds, answers, strict=True)]
    result = table.copy()
    for name in (*FLAGS, "flag"):
        result[name] = [int(getattr(detection, name)) for detection in found]
    result["language"] = [detection.language for detection in found]
    return result


def _text(cell: object) -> str:
    return "" if cell is None or (isinstance(cell, float) and math.isnan(cell)) else str(cell)
