"""Per-item integer scores: exact match 0/1 and SQuAD token F1 as a pair of counts, under every chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import pandas as pd

from alifba.azeval.choice import chosen_option
from alifba.errors import InputError
from alifba.items import Item, ItemSet
from alifba.runs import Row, Run
from alifba.text.chains import CHAINS, Chain, normalise
from alifba.text.extraction import extract, unclosed_thought

# Every item of the dataset has exactly one status in every run:
# scored; no_answer = scored as wrong because a thought never closed; failed = the request failed; missing = no row.
Status = Literal["scored", "no_answer", "failed", "missing"]
UNSCORED: tuple[Status, ...] = ("failed", "missing")


@dataclass(frozen=True)
class Golds:
    """The accepted answers of one item in one language under one chain."""

    forms: frozenset[str]
    tokens: tuple[tuple[str, ...], ...]
    vocabulary: frozenset[str]


def accepted_answers(item: Item, language: str) -> list[str]:
    """What counts as right: in Azerbaijani the answer and its aliases; in English the answer and, where it has
    more words than the Azerbaijani one, each of its words ("association football player" for "futbolçu")."""
    if language == "az":
        return [item.answer, *item.answer_aliases]
    words = item.answer_en.split()
    return [item.answer_en, *(words if len(words) > max(1, len(item.answer.split())) else [])]


def golds(item: Item, language: str, chain: Chain) -> Golds:
    """Normalised gold forms of `item`.

    Raises:
        InputError: the answer or an alias is empty under `chain`, so it could match anything.
    """
    answers = accepted_answers(item, language)
    forms = [normalise(answer, chain) for answer in answers]
    required = forms if language == "az" else forms[:1]
    if "" in required:
        raise InputError(
            f"item {item.id}: an accepted {language} answer is empty under the {chain} chain",
            value=answers[required.index("")],
            likely="an answer made of marks only",
            next_step="spell the answer in letters or digits, or drop the item",
        )
    # A single word of a longer English answer may be all marks ("&"); it must not match an empty answer.
    distinct = frozenset(forms) - {""}
    tokens = tuple(tuple(form.split()) for form in sorted(distinct))
    return Golds(distinct, tokens, frozenset(token for form in tokens for token in form))


@lru_cache(maxsize=16)
def answer_key(items: ItemSet, language: str) -> list[tuple[Golds, ...]]:
    """The golds of every item, by chain: the same for all runs of a language."""
    return [tuple(golds(item, language, chain) for chain in CHAINS) for item in items]


def token_f1(prediction: Sequence[str], gold: Sequence[str]) -> tuple[int, int]:
    """SQuAD token F1 (Rajpurkar et al. 2016) as ``(2 x shared tokens, tokens of both)``; F1 is their ratio."""
    left = list(gold)
    shared = 0
    for token in prediction:
        if token in left:
            left.remove(token)
            shared += 1
    return 2 * shared, len(prediction) + len(gold)


def score(prediction: str, accepted: Golds, chain: Chain) -> tuple[int, int, int]:
    """(exact match, F1 numerator, F1 denominator) of an extracted answer, best over the golds."""
    form = normalise(prediction, chain)
    if form in accepted.forms:
        return 1, 1, 1
    tokens = form.split()
    if accepted.vocabulary.isdisjoint(tokens):
        return 0, 0, 1
    best = max((token_f1(tokens, gold) for gold in accepted.tokens), key=lambda f1: f1[0] / f1[1])
    return 0, *best


_NUMBERS = [f"{kind}_{chain}" for chain in CHAINS for kind in ("em", "f1_num", "f1_den")]


def score_run(run: Run, items: ItemSet) -> pd.DataFrame:
    """Score one run on every item of the dataset.

    Returns a frame with one row per item, in dataset order: ``id, status, answer`` and for each chain
    ``em_<chain>`` (0/1), ``f1_num_<chain>``, ``f1_den_<chain>`` (integers; <NA> where the item is unscored).
    """
    language = run.key[1]
    if any(row.nll is not None for row in run.rows.values()):
        raise InputError(
            "a likelihood run holds no answers of a model, so there is nothing to score",
            file=run.path,
            likely="a file of the folder of likelihoods among the raw outputs",
            next_step="move it back",
        )
    if language not in ("az", "en"):
        raise InputError("language is neither 'az' nor 'en'", file=run.path, value=language)
    key = answer_key(items, language)
    rows = [_score_item(item, run.rows.get(item.id), accepted) for item, accepted in zip(items, key, strict=True)]
    table = pd.DataFrame(rows, columns=["id", "status", "answer", *_NUMBERS])
    table[_NUMBERS] = table[_NUMBERS].astype("Int64")
    assert table["em_strict"].count() + table["status"].isin(UNSCORED).sum() == len(items)
    return table


def _score_item(item: Item, row: Row | None, accepted: tuple[Golds, ...]) -> tuple[object, ...]:
    if row is None or row.raw_response is None:
        return item.id, "missing" if row is None else "failed", "", *[None] * len(_NUMBERS)
    status: Status = "no_answer" if unclosed_thought(row.raw_response) else "scored"
    answer = given_answer(item, row, row.raw_response)
    numbers = [number for chain, gold in zip(CHAINS, accepted, strict=True) for number in score(answer, gold, chain)]
    return item.id, status, answer, *numbers


def n_other_wording(run: Run, items: ItemSet) -> int:
    """How many rows were asked another question than the dataset now has for their item: it was edited since."""
    language = run.key[1]
    return sum(item.question(language) not in run.rows[item.id].prompt for item in items if item.id in run.rows)


def given_answer(item: Item, row: Row, response: str) -> str:
    """What `response` answers: the extracted text, or the text of the option whose letter was chosen; "" if nothing."""
    if row.prompt_style == "choice":
        return chosen_option(row.prompt, item.question(row.language), response) or ""
    return extract(response)


def majority_baseline(items: ItemSet, language: str) -> float:
    """Share in [0, 1] of items that the single most frequent gold answer (STRICT) would get right."""
    if not len(items):
        return float("nan")
    answers = Counter(normalise(i.answer if language == "az" else i.answer_en, "strict") for i in items)
    return max(answers.values()) / len(items)
