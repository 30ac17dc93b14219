"""From a response to its score: which scorer an item and rung ask for, and what a record should hold."""

from __future__ import annotations

from alifba.hieratic.keys import NO_ANSWERS, Answers
from alifba.hieratic.parsing import parse
from alifba.hieratic.records import Item, RunRecord
from alifba.hieratic.scoring import (
    Score,
    score_identify,
    score_sign_sequence,
    score_single_sign,
    score_translation,
    score_transliteration,
)

SEALED = "sealed"
NO_KEY = Score(None, "no answer key")


def judge(parsed: str | None, item: Item, rung: str, answers: Answers = NO_ANSWERS) -> Score:
    """The score of a final answer line; not scored where nothing says what is right.

    Raises:
        KeyError: no such rung.
    """
    if rung == "identify":
        return score_identify(parsed, item.script) if item.script else NO_KEY
    if rung == "signs":
        if item.gardiner:
            return score_single_sign(parsed, item.gardiner)
        if item.single_sign and answers.signs:
            return score_single_sign(parsed, [codes[0] for codes in answers.signs])
        return score_sign_sequence(parsed, answers.signs) if answers.signs else NO_KEY
    if rung == "transliterate":
        return score_transliteration(parsed, answers.transliteration) if answers.transliteration else NO_KEY
    if rung == "translate":
        return score_translation(parsed, answers.translation) if answers.translation else NO_KEY
    raise KeyError(rung)


def rejudge(record: RunRecord, item: Item, answers: Answers = NO_ANSWERS) -> tuple[str | None, Score]:
    """What `parsed` and the score of a record should be. A withheld text cannot be parsed again: its line is taken as
    recorded. A failed call has neither."""
    if record.failed:
        return None, Score(None)
    parsed = record.parsed if record.withheld else parse(record.response, record.rung)
    if item.is_sealed(record.rung) and answers is NO_ANSWERS:
        return parsed, Score(None, SEALED)
    return parsed, judge(parsed, item, record.rung, answers)
