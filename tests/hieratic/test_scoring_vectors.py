"""Scorers. Vectors: HieraticBench 0.1.0; chrF also against sacrebleu."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from vision_kit import item, record

from alifba.hieratic.judging import judge, rejudge
from alifba.hieratic.keys import Answers
from alifba.hieratic.records import PROTOCOL
from alifba.hieratic.scoring import (
    Score,
    chrf,
    classify,
    family,
    score_identify,
    score_sign_sequence,
    score_single_sign,
    score_translation,
    score_transliteration,
)


@pytest.mark.parametrize(
    ("answer", "script"),
    [
        ("Demotic (not hieratic)", "hieratic"),
        ("abnormal-hieratic", "hieratic"),
        ("Anatolian hieroglyphs", "hieroglyphic"),
        ("Ancient Egyptian script", "egyptian"),
        ("Sahidic Coptic (Egyptian)", "coptic"),
        ("N/A", "unknown"),
        ("not known", "other"),
        ("UNKNOWN (possibly hieratic)", "unknown"),
        ("Possibly unknown hieratic", "hieratic"),
        ("", "other"),
    ],
)
def test_the_vectors_of_the_protocol_for_named_scripts(answer, script):
    assert classify(answer) == script


@pytest.mark.parametrize(
    ("answer", "script"),
    [
        ("<UNKNOWN>", "unknown"),
        ("(unclear)", "unknown"),
        ("None of these", "unknown"),
        ("Nonetheless hieratic", "hieratic"),
        ("unknowns", "other"),
        ("Reformed Egyptian hieratic", "other"),
        ("Abnormal Hieratic", "abnormal-hieratic"),
        ("Hieratic or demotic", "hieratic"),
        ("Demotic hieroglyphs", "demotic"),
        ("Cursive hieroglyphs", "cursive-hieroglyphic"),
        ("cursive  hieroglyphs", "hieroglyphic"),
        ("Linear B", "other"),
    ],
)
def test_the_order_of_the_rules_for_named_scripts(answer, script):
    assert classify(answer) == script


@pytest.mark.parametrize(
    ("answer", "script", "score"),
    [
        ("Demotic", "hieratic", 0.5),
        ("hieroglyphic", "cursive-hieroglyphic", 1),
        ("UNKNOWN", "hieratic", 0),
        ("Hieratic", "abnormal-hieratic", 1),
        ("abnormal hieratic", "hieratic", 1),
        ("Egyptian", "demotic", 0.5),
        ("Egyptian", "coptic", 0),
        ("Coptic", "hieratic", 0),
        ("Hieratic", "coptic", 0),
        ("Coptic", "coptic", 1),
        ("Linear B", "other", 1),
        ("Linear B", "hieratic", 0),
    ],
)
def test_a_script_scores_by_its_family(answer, script, score):
    assert score_identify(answer, script) == Score(score)


@pytest.mark.parametrize("script", PROTOCOL["scripts"])
def test_every_script_is_right_for_itself(script):
    assert score_identify(script.replace("-", " "), script) == Score(1.0)
    assert family(family(script)) == family(script)


@pytest.mark.parametrize(
    ("answer", "accepted", "score"),
    [
        ("G1 or G17", ["G17"], Score(0)),
        ("Z4A", ["Z4", "Z4A"], Score(1)),
        ("z004a", ["Z4A"], Score(1)),
        ("Z4", ["Z4A"], Score(0)),
        ("the owl", ["G17"], Score(0, "no Gardiner code")),
        (None, ["G17"], Score(0, "no SIGNS line")),
    ],
)
def test_the_first_code_of_a_single_sign_counts(answer, accepted, score):
    assert score_single_sign(answer, accepted) == score


@pytest.mark.parametrize(
    ("answer", "references", "score"),
    [
        ("G17 X1", ["G17 X1 A1"], Score(1 - 1 / 3)),
        ("D21 D21 D21 D21 D21 D21", ["G17"], Score(0)),
        ("G17 X1", ["N35", "G17 X1"], Score(1)),
        ("Z4", ["Z4A"], Score(0)),
        ("g017 x1", ["G17 X1"], Score(1)),
        ("nothing", ["G17"], Score(0, "no Gardiner code")),
        (None, ["G17"], Score(0, "no SIGNS line")),
    ],
)
def test_a_sequence_of_signs_scores_by_edit_distance(answer, references, score):
    assert score_sign_sequence(answer, [reference.split() for reference in references]) == score


def test_a_transliteration_scores_by_its_skeleton():
    assert score_transliteration("Dd mdw in wsir", ["ḏd mdw jn Wsjr"]) == Score(1)
    # sDmf against sDm: one of three letters too many.
    assert score_transliteration("sḏm.f", ["sDm"]) == Score(1 - 1 / 3)
    assert score_transliteration("?", ["sDm"]) == Score(0)
    assert score_transliteration(None, ["sDm"]) == Score(0, "no TRANSLITERATION line")


VECTORS = [
    ("the king gave an offering", "Amun is in front", 0.1264124),
    ("Amun is at the front", "Amun is in front", 0.5045884),
    ("a", "abc", 0.3846154),
    ("abc", "abd", 0.3888889),
]


@pytest.mark.parametrize(("said", "right", "score"), VECTORS)
def test_the_vectors_of_the_protocol_for_chrf(said, right, score):
    assert chrf(said, right) == pytest.approx(score, abs=5e-8)


_ENGLISH = st.text(alphabet="abc xyzÀİß,.", min_size=1)


@given(_ENGLISH, _ENGLISH)
def test_chrf_is_that_of_sacrebleu(said, right):
    sacrebleu = pytest.importorskip("sacrebleu")
    # sacrebleu gives a small number, not 0, where an order has no n-gram: there the definitions part.
    assume(said.strip() and right.strip())
    theirs = sacrebleu.CHRF(word_order=0, lowercase=True).sentence_score(said, [right]).score / 100
    assert math.isclose(chrf(said, right), theirs, abs_tol=1e-12)


@given(st.text(), st.text())
def test_chrf_is_a_share_and_one_for_the_same_text(said, right):
    assert 0 <= chrf(said, right) <= 1
    assert chrf(said, said) == pytest.approx(1) or not said.split()


def test_the_best_reference_counts_and_without_one_nothing_is_scored():
    assert score_translation("abc", ["zzz", "abd", "abc"]) == Score(1)
    assert score_translation(None, ["abc"]) == Score(0, "no TRANSLATION line")
    assert judge("abc", item(), "translate").value is None
    assert judge("abc", item(), "translate", Answers(translation=["abc"])) == Score(1)


def test_a_record_without_text_is_not_scored_and_a_refusal_without_text_scores_zero():
    asked = item()
    assert rejudge(record(response=None, score=None, error="HTTP 500"), asked) == (None, Score(None))
    assert rejudge(record(response="", refusal=True), asked) == (None, Score(0, "no SCRIPT line"))
    assert rejudge(record(response=None, refusal=True, score=None), asked) == (None, Score(0, "no SCRIPT line"))
    assert rejudge(record(response="", withheld=True, parsed="Demotic"), asked) == ("Demotic", Score(0.5))
