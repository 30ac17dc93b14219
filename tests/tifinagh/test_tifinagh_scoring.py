"""Scores of single questions. Rules: TifinaghBench, methodology, "Scoring", "Normalisation", "Spelling conventions"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.tifinagh.questions import Accepted, Question
from alifba.tifinagh.rounds import State
from alifba.tifinagh.scoring import cer, score_question


def question(task, accepted, direction=None):
    pairs = tuple(Accepted(text, f"e{number}") for number, text in enumerate(accepted))
    return Question("ircam", task, direction, "e0", "input", pairs)


def scored(asked, answer, verdict=None, finished=True, tries=1):
    replies, verdicts = State(), State()
    if answer is not None:
        replies.values[asked.key] = answer
    replies.tries[asked.key] = tries
    if verdict:
        verdicts.values[asked.key] = verdict
    return score_question(asked, replies, verdicts, finished=finished)


MEANING = question("tif-to-en", ["Woman", "old woman"])
SPELLING = question("en-to-tif", ["ⵜⴰⵎⵖⴰⵔⵜ", "ⵜⴰⵎⵟⵟⵓⵜ"])
LATIN = question("transliterate", ["tameṭṭut", "aḍar"], "tif-to-lat")


@pytest.mark.parametrize(
    ("answer", "verdict", "by", "score", "matched"),
    [
        ("", None, "empty", 0.0, None),
        (" \n", ("correct", ""), "empty", 0.0, None),
        ("woman", None, "exact-sense", 1.0, "e0"),
        ("  OLD  woman. ", None, "exact-sense", 1.0, "e1"),
        ("woman", ("wrong", "not she"), "exact-sense", 1.0, "e0"),
        ("wife", ("correct", ""), "judge", 1.0, None),
        ("person", ("partial", "wider"), "judge", 0.5, None),
        ("goat", ("wrong", "an animal"), "judge", 0.0, None),
        # Only punctuation: not empty, and nothing an exact rule can match.
        ("?", ("wrong", ""), "judge", 0.0, None),
    ],
)
def test_meanings(answer, verdict, by, score, matched):
    item = scored(MEANING, answer, verdict)
    assert (item.scored_by, item.score, item.matched_entry_id, item.awaiting) == (by, score, matched, None)
    assert (item.strict, item.cer) == (None, None)


def test_an_answer_that_no_exact_rule_decides_waits_for_a_judge_and_is_never_wrong():
    item = scored(MEANING, "wife")
    assert (item.scored_by, item.score, item.awaiting) == (None, None, "judge")


@pytest.mark.parametrize(
    ("answer", "score", "strict", "matched", "rate"),
    [
        ("ⵜⴰⵎⵖⴰⵔⵜ", 1.0, True, "e0", 0),
        (" ⵜⴰⵎⵟⵟⵓⵜ ", 1.0, True, "e1", 0),
        # A schwa more and a spirant: the same word in another convention, one and two edits away from its own spelling.
        ("ⵜⴰⵎⴻⵟⵟⵓⵜ", 1.0, False, "e1", 1 / 7),
        ("ⵝⴰⵎⵖⴰⵔⵝ", 1.0, False, "e0", 2 / 7),
        # A doubled letter missing: wrong, and near.
        ("ⵜⴰⵎⵟⵓⵜ", 0.0, False, None, 1 / 7),
        ("", 0.0, False, None, 1),
        ("ⴻ", 0.0, False, None, 1),
        ("aaaaaaaaaaaaaa", 0.0, False, None, 2),
    ],
)
def test_spellings(answer, score, strict, matched, rate):
    item = scored(SPELLING, answer)
    assert (item.score, item.strict, item.matched_entry_id) == (score, strict, matched)
    assert item.cer == pytest.approx(rate)
    assert item.scored_by == ("exact" if answer else "empty")


@pytest.mark.parametrize(
    ("answer", "score", "strict"),
    [
        ("Tameṭṭut", 1.0, True),
        ("tamǝṭṭut", 1.0, False),
        ("tamettut", 0.0, False),
        ("adar", 0.0, False),
        ("ⵜⴰⵎⴻⵟⵟⵓⵜ", 0.0, False),
    ],
)
def test_the_dot_below_stays_and_case_does_not_count(answer, score, strict):
    item = scored(LATIN, answer)
    assert (item.score, item.strict) == (score, strict)


def test_a_question_without_an_answer_has_failed_or_waits():
    failed, waiting = scored(SPELLING, None, tries=3), scored(SPELLING, None, finished=False)
    assert (failed.scored_by, failed.awaiting) == ("error", None)
    assert (waiting.scored_by, waiting.awaiting) == (None, "model")
    for item in (failed, waiting):
        assert (item.answer, item.score, item.strict, item.cer) == (None, None, None, None)


def test_the_rate_takes_the_nearest_answer_and_its_length():
    # kitten and sitting are 3 apart (Levenshtein 1966, the common example); "sitting" has 7 letters.
    assert cer(question("transliterate", ["sitting", "zzzzzzzzzzzzzzzzzzzz"], "tif-to-lat"), "kitten") == 3 / 7
    assert cer(question("transliterate", [" "], "tif-to-lat"), "a") is None


TIFINAGH = st.text("ⴰⴱⴲⴳⴵⴷⴸⴻⴼⴽⴿⵜⵝ ", max_size=6)
LATINS = st.text("abcčdḍeəǝéǧjšžṭṯ' ", max_size=6)


def spelled(task, texts, direction):
    return st.tuples(st.just(task), st.lists(texts, min_size=1, max_size=3), texts, st.just(direction))


@given(spelled("en-to-tif", TIFINAGH, None) | spelled("transliterate", LATINS, "tif-to-lat"))
def test_folded_is_never_below_strict_and_empty_never_matches(case):
    task, accepted, answer, direction = case
    item = scored(question(task, accepted, direction), answer)
    assert item.score >= item.strict
    assert (item.matched_entry_id is not None) == (item.score == 1)
    if not answer.strip():
        assert (item.score, item.strict, item.scored_by) == (0, False, "empty")
    if item.strict and item.cer is not None:
        assert item.cer == 0


@given(st.lists(TIFINAGH.filter(lambda text: text.replace("ⴻ", "").strip()), min_size=1, max_size=3))
def test_every_accepted_spelling_is_right_in_both_ways(accepted):
    for text in accepted:
        item = scored(question("en-to-tif", accepted), text)
        assert (item.score, item.strict, item.cer) == (1, True, 0)
