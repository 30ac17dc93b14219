"""Exact match and token F1: against an implementation of their own, and on every item that ships."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.azeval.scoring import accepted_answers, golds, majority_baseline, score, score_run, token_f1
from alifba.errors import InputError
from alifba.items import Item, read_items
from alifba.runs import read_run
from alifba.text.chains import CHAINS, normalise
from alifba.text.extraction import extract
from samples import PILOT, REFERENCE, answer_row, item_row, published, write_answers, write_rows

words = st.lists(st.sampled_from(["the", "cat", "sat", "on", "mat", "ə"]), max_size=6)


def item(**changes) -> Item:
    return Item(**item_row(**changes))


def squad_f1(prediction: list[str], gold: list[str]) -> Fraction:
    """Rajpurkar et al. 2016, section 6.1: harmonic mean of precision and recall over bags of tokens."""
    shared = sum(min(prediction.count(token), gold.count(token)) for token in set(gold))
    if not shared:
        return Fraction(0)
    precision, recall = Fraction(shared, len(prediction)), Fraction(shared, len(gold))
    return 2 * precision * recall / (precision + recall)


@given(words, words.filter(bool))
def test_token_f1_equals_the_definition(prediction, gold):
    assert Fraction(*token_f1(prediction, gold)) == squad_f1(prediction, gold)


@given(words, words.filter(bool))
def test_token_f1_is_symmetric_and_blind_to_order(prediction, gold):
    assert token_f1(prediction, gold) == token_f1(gold, prediction) == token_f1(prediction[::-1], sorted(gold))


@given(st.lists(words.filter(bool), min_size=1, max_size=4), words)
def test_the_best_gold_counts(answers, prediction):
    gold = golds(item(answer=" ".join(answers[0]), answer_aliases=[" ".join(a) for a in answers[1:]]), "az", "strict")
    em, num, den = score(" ".join(prediction), gold, "strict")
    assert em == (prediction in answers)
    assert Fraction(num, den) == max(squad_f1(prediction, answer) for answer in answers)


@pytest.mark.parametrize(
    ("answer", "answer_en", "accepted"),
    [
        ("Paris", "Paris", ["Paris"]),
        (
            "futbolçu",
            "association football player",
            ["association football player", "association", "football", "player"],
        ),
        ("Nyu York", "New York", ["New York"]),
        ("Nyu York", "New York City", ["New York City", "New", "York", "City"]),
        ("Vaşinqton", "Washington, D.C.", ["Washington, D.C.", "Washington,", "D.C."]),
    ],
)
def test_a_word_of_a_longer_english_answer_counts(answer, answer_en, accepted):
    assert accepted_answers(item(answer=answer, answer_en=answer_en), "en") == accepted


def test_aliases_count_in_azerbaijani_alone():
    made = item(answer_aliases=["Parisdə"])
    assert accepted_answers(made, "az") == ["Paris", "Parisdə"]
    assert accepted_answers(made, "en") == ["Paris"]


@pytest.mark.parametrize("chain", CHAINS)
@given(st.text("«»!?,. \u00a0", max_size=5))
def test_an_empty_answer_never_matches(chain, answer):
    # "&" is a word of the English answer and nothing but a mark.
    made = item(answer="Trinidad", answer_en="Trinidad & Tobago")
    for language in ("az", "en"):
        assert score(answer, golds(made, language, chain), chain)[:2] == (0, 0)


@pytest.mark.parametrize("changes", [{"answer": "?!"}, {"answer_aliases": ["Paris", "—"]}, {"answer": "€"}])
def test_an_answer_of_marks_alone_is_refused_by_item(changes):
    with pytest.raises(InputError, match="t-000"):
        golds(item(**changes), "az", "strict")


def test_an_answer_that_only_translit_empties_is_refused_there():
    soft_sign = item(answer="ьъ")
    assert golds(soft_sign, "az", "lenient").forms == {"ьъ"}
    with pytest.raises(InputError, match="translit"):
        golds(soft_sign, "az", "translit")


@pytest.mark.parametrize("path", [PILOT, pytest.param(REFERENCE / "az_eval_v0.jsonl", marks=pytest.mark.reference)])
def test_every_right_answer_of_every_item_is_right_under_every_chain(path):
    for made in read_items(path):
        for language in ("az", "en"):
            for chain in CHAINS:
                gold = golds(made, language, chain)
                for answer in accepted_answers(made, language):
                    if normalise(answer, chain):
                        assert score(answer, gold, chain) == (1, 1, 1), (made.id, answer, chain)
                        assert score(extract(f" {answer}.\n"), gold, chain) == (1, 1, 1), (made.id, answer, chain)


@pytest.mark.parametrize("answer", ["NA", "None", "nan", "null", "İ", "1e5"])
def test_answers_that_look_like_nothing_are_scored(tmp_path, answer):
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(answer=answer)]))
    table = score_run(read_run(write_answers(tmp_path, "org/one", "az", [answer])), items)
    assert table[["answer", "em_strict"]].to_numpy().tolist() == [[answer, 1]]


def test_every_item_has_one_status(tmp_path):
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(5)]))
    rows = [
        answer_row(0, "Paris"),
        answer_row(1, "<think>Roma"),
        answer_row(2, None, error="429"),
        answer_row(3, ""),
        answer_row(99, "x"),
    ]
    table = score_run(read_run(write_rows(tmp_path / "r.jsonl", rows)), items)
    assert table["status"].tolist() == ["scored", "no_answer", "failed", "scored", "missing"]
    assert table["em_strict"].fillna(-1).tolist() == [1, 0, -1, 0, -1]
    assert table["id"].tolist() == list(items.by_id)


def test_a_language_of_no_chain_is_refused(tmp_path):
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row()]))
    with pytest.raises(InputError, match="neither 'az' nor 'en'"):
        score_run(read_run(write_answers(tmp_path, "org/one", "de", ["Paris"])), items)


def test_the_majority_baseline_is_the_most_frequent_answer(tmp_path):
    answers = ["Paris", "paris!", "Roma", "PARİS", "Bakı"]
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(i, answer=a) for i, a in enumerate(answers)]))
    assert majority_baseline(items, "az") == 3 / 5


@pytest.mark.reference
def test_the_published_majority_baselines():
    items = read_items(REFERENCE / "az_eval_v0.jsonl")
    for row in published("main"):
        assert f"{100 * majority_baseline(items, row['language']):.1f}" == row["majority_baseline_pct"]


# A second implementation of the published rules, short and slow, that shares no code with the first.
def strict_by_regex(text: str) -> str:
    lowered = re.sub("İ", "i", text.replace("I", "ı")).lower()
    return " ".join(re.sub(r"[^\w\s]|_", " ", lowered).split())


@given(st.text("abcəıİIğşöüç ,.-!“”19", max_size=30))
def test_strict_equals_a_second_implementation(text):
    assert normalise(text, "strict") == strict_by_regex(text)
