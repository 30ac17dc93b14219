"""ANALYSE, per question: exact rules first, the judge where they do not decide, and nothing where it has not spoken.

Source: TifinaghBench, methodology, "Scoring", "Spelling conventions", "Character error rate".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import Levenshtein

from alifba.text.tifinagh import fold_latin, fold_tifinagh, normalise_english, normalise_latin, normalise_tifinagh
from alifba.tifinagh.questions import Question
from alifba.tifinagh.records import ItemRecord, Score
from alifba.tifinagh.rounds import State

_VERDICT_SCORES: dict[str, Score] = {"correct": 1.0, "partial": 0.5, "wrong": 0.0}


@dataclass(frozen=True)
class Spelling:
    """How one script is compared: as the dictionary spells it, and with its conventions folded together."""

    normalise: Callable[[str], str]
    fold: Callable[[str], str]


TIFINAGH = Spelling(normalise_tifinagh, fold_tifinagh)
LATIN = Spelling(normalise_latin, fold_latin)


def spelling_of(question: Question) -> Spelling:
    """The script in which the answer to a spelling question is written."""
    return LATIN if question.direction == "tif-to-lat" else TIFINAGH


def exact_sense(question: Question, answer: str) -> str | None:
    """The entry one of whose senses `answer` is, by normalised text; None if it is none of them."""
    given = normalise_english(answer)
    if not given:
        return None
    return next((sense.entry_id for sense in question.accepted if normalise_english(sense.text) == given), None)


def needs_judge(question: Question, answer: str) -> bool:
    """Whether exact rules leave the answer open."""
    return question.task == "tif-to-en" and bool(answer.strip()) and exact_sense(question, answer) is None


def cer(question: Question, answer: str) -> float | None:
    """Code-point edits to the nearest accepted answer over that answer's length, both normalised and not folded.

    Of equally near ones the longest counts. None if every accepted answer is of length 0.
    """
    normalise = spelling_of(question).normalise
    given = normalise(answer)
    lengths = {text: len(text) for accepted in question.accepted if (text := normalise(accepted.text))}
    if not lengths:
        return None
    distance, minus_length = min((Levenshtein.distance(given, text), -length) for text, length in lengths.items())
    return distance / -minus_length


def score_question(
    question: Question, replies: State[str], verdicts: State[tuple[str, str]], *, finished: bool
) -> ItemRecord:
    """One question with its answer and score. `finished`: nothing more is going to be asked, so what has no answer
    has failed; otherwise it waits for the model."""
    answer = replies.values.get(question.key)
    given: dict[str, Any] = {
        "dialect": question.dialect,
        "task": question.task,
        "direction": question.direction,
        "entry_id": question.entry_id,
        "input": question.input,
        "accepted": [accepted.text for accepted in question.accepted],
        "answer": answer,
        "tries": replies.tries[question.key],
    }
    if answer is None:
        return ItemRecord(**given | _unanswered(question, replies, finished))
    if question.task == "tif-to-en":
        return ItemRecord(**given | _meaning(question, answer, verdicts))
    return ItemRecord(**given | _spelling(question, answer))


def _scores(**known: Any) -> dict[str, Any]:
    names = ("scored_by", "awaiting", "score", "strict", "cer", "matched_entry_id", "note")
    return dict.fromkeys(names) | known


def _unanswered(question: Question, replies: State[str], finished: bool) -> dict[str, Any]:
    if finished:
        return _scores(scored_by="error", note=replies.faults.get(question.key, "never asked"))
    return _scores(awaiting="model", note=replies.faults.get(question.key))


def _meaning(question: Question, answer: str, verdicts: State[tuple[str, str]]) -> dict[str, Any]:
    if not answer.strip():
        return _scores(scored_by="empty", score=0.0)
    if matched := exact_sense(question, answer):
        return _scores(scored_by="exact-sense", score=1.0, matched_entry_id=matched)
    # Exact rules go before a judge that spoke of an earlier answer; a judge that failed says nothing of the model.
    if question.key in verdicts.values:
        verdict, note = verdicts.values[question.key]
        return _scores(scored_by="judge", score=_VERDICT_SCORES[verdict], note=note)
    return _scores(awaiting="judge", note=verdicts.faults.get(question.key))


def _spelling(question: Question, answer: str) -> dict[str, Any]:
    spelling = spelling_of(question)
    given, folded = spelling.normalise(answer), spelling.fold(answer)
    # What folding leaves nothing of never matches, not even itself.
    own = [a.entry_id for a in question.accepted if folded and spelling.normalise(a.text) == given]
    alike = [a.entry_id for a in question.accepted if folded and spelling.fold(a.text) == folded]
    return _scores(
        scored_by="exact" if answer.strip() else "empty",
        score=1.0 if alike else 0.0,
        strict=bool(own),
        cer=cer(question, answer),
        matched_entry_id=next(iter(own + alike), None),
    )
