"""The combined decision: right concept in another language, and nothing else.

Names in the cases are CLDR's and school knowledge; each says which difference it stands for.
"""

from __future__ import annotations

import math

import pandas as pd
import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from alifba.errors import InputError
from alifba.text.chains import CHAINS, normalise
from alifba.text.confusion import (
    FLAGS,
    detect,
    detect_table,
    flag_alphabet,
    flag_concept,
    flag_lexicon,
    flag_lid,
    known_targets,
    load_target,
    recovered,
)

AZ, TR = Locale.parse("az"), Locale.parse("tr")

# gold, answer in another language, that language.
OTHER_LANGUAGE = [
    ("fransız dili", "Fransızca", "tr"),
    ("Qahirə", "Kahire", "tr"),
    ("qızıl", "Altın", "tr"),
    ("fotosintez", "fotosentez", "tr"),
    ("Xəzər dənizi", "Hazar Denizi", "tr"),
    ("Avstraliya dolları", "Avustralya Doları", "tr"),
    ("latın əlifbası", "Latin alfabesi", "tr"),
    ("1898-ci ildə", "1898 yılında", "tr"),
    ("12 oktyabr 1813", "12 Ekim 1813", "tr"),
    ("Cənub-şərqdə", "Güneydoğuda", "tr"),
    ("Pekin", "Beijing", "en"),
    ("hidrogen", "сутек", "kk"),
    ("fransız dili", "француз тілі", "kk"),
    ("Moskva", "Мәскеу", "kk"),
    ("Paris", "Париж", "kk"),
    ("alman dili", "Deutsch", "de"),
]
# No list holds these: only the spelling rules join them.
RESPELLED = [
    ("Nəriman Nərimanov", "Neriman Narimanov"),
    ("Fritaun", "Freetown"),
    ("Albert Eynşteyn", "Einstein"),
    ("Keyptaun", "Cape Town"),
    ("Uaqaduqu", "Ouagadougou"),
    ("Filosofiya", "Philosophy"),
]
ANOTHER_CONCEPT = [
    ("fransız dili", "Almanca"),
    ("Qahirə", "Kudüs"),
    ("qızıl", "Gümüş"),
    ("Avstriya", "Avustralya"),
    ("latın əlifbası", "Arap alfabesi"),
    ("Kür çayı", "Aras Nehri"),
    ("Avstraliya dolları", "Kanada Doları"),
    ("Müslüm Maqomayev", "Müslüm Gürses"),
    ("1898-ci ildə", "1989 yılında"),
    ("7 qitə", "5 kıta"),
    ("Karbon", "Karbon dioksit"),
    ("Gəncə", "Gence şehri değil Bakü şehridir"),
]
# Right answers as a speaker writes them.
INFLECTED = [
    ("Bakı", "Bakıdadır"),
    ("yanacaq", "yanacağın"),
    ("fransız dili", "fransız dilindədir"),
    ("Paris", "Parisdə"),
    ("ürək", "ürəyi"),
]


@pytest.mark.parametrize(("gold", "answer", "language"), OTHER_LANGUAGE)
def test_the_right_concept_in_another_language_is_flagged_with_the_language(gold, answer, language):
    found = detect(gold, answer)
    assert (found.flag, found.flag_concept, found.language) == (True, True, language)


@pytest.mark.parametrize(("gold", "answer"), RESPELLED)
def test_a_foreign_spelling_is_flagged_without_any_list(gold, answer):
    assert detect(gold, answer).flag


@pytest.mark.parametrize(("gold", "answer"), ANOTHER_CONCEPT)
def test_a_wrong_answer_in_another_language_is_wrong_and_no_confusion(gold, answer):
    assert not detect(gold, answer).flag


@pytest.mark.parametrize(("gold", "answer"), INFLECTED)
def test_inflection_is_no_other_language(gold, answer):
    assert not detect(gold, answer).flag


def test_a_sentence_wholly_in_another_language_counts_when_it_holds_the_concept():
    assert detect("latın əlifbası", "Испан тілі латын әліпбиін пайдаланады").flag
    assert not detect("latın əlifbası", "Испан тілі араб әліпбиін пайдаланады").flag


@given(st.text(max_size=30))
def test_no_text_is_confused_with_itself(text):
    found = detect(text, text)
    assert not found.flag
    assert not found.flag_concept


@given(st.sampled_from(sorted({*AZ.territories.values(), *AZ.languages.values(), *AZ.currencies.values()})))
def test_what_a_chain_makes_equal_is_not_flagged(name):
    for chain in CHAINS:
        assert not detect(name, normalise(name, chain)).flag


def test_another_countrys_turkish_name_is_hardly_ever_taken_for_this_one():
    codes = [code for code in AZ.territories if code.isalpha()]
    pairs = [(AZ.territories[a], TR.territories[b]) for i, a in enumerate(codes) for b in codes[i % 7 :: 7] if a != b]
    flagged = sum(detect_table(pd.DataFrame(pairs, columns=["gold", "answer"]))["flag"])
    assert len(pairs) > 8000
    assert flagged / len(pairs) < 0.001


@given(st.integers(1000, 2100), st.integers(1000, 2100))
def test_a_year_must_be_the_same(gold, answer):
    assert detect(f"{gold}-ci ildə", f"{answer} yılında").flag == (gold == answer)


def test_a_hole_of_the_transliteration_is_not_wrong_language():
    found = detect("Vaşinqton", "Вашингтон")
    assert (found.flag_concept, found.flag) == (True, False)


def test_the_single_detectors_agree_with_the_record():
    for gold, answer, _ in OTHER_LANGUAGE:
        found = detect(gold, answer)
        assert found.flag_alphabet == flag_alphabet(answer)
        assert found.flag_lexicon == flag_lexicon(answer)
        assert found.flag_concept == flag_concept(gold, answer)
        assert found.flag_lid == flag_lid(answer)


def test_the_table_keeps_every_row_and_column_and_judges_like_one_by_one():
    table = pd.DataFrame(
        {
            "id": ["b", "a", "c", "d", "e"],
            "gold": ["Qahirə", "Paris", "Qahirə", "NA", "Bakı"],
            "answer": ["Kahire", "Paris", "Kahire", "None", math.nan],
        },
        index=[7, 7, 3, 1, 0],
    )
    judged = detect_table(table)
    assert judged.columns.tolist() == ["id", "gold", "answer", *FLAGS, "flag", "language"]
    pd.testing.assert_frame_equal(judged[["id", "gold", "answer"]], table)
    assert judged["flag"].tolist() == [1, 0, 1, 0, 0]
    for row in judged.to_dict("records")[:4]:
        single = detect(row["gold"], row["answer"])
        assert {name: bool(row[name]) for name in FLAGS} == {name: getattr(single, name) for name in FLAGS}


def test_a_table_of_no_rows_gains_the_columns():
    judged = detect_table(pd.DataFrame(columns=["gold", "answer"]))
    assert judged.columns.tolist() == ["gold", "answer", *FLAGS, "flag", "language"]


@pytest.mark.parametrize("missing", ["gold", "answer"])
def test_a_missing_column_is_named(missing):
    table = pd.DataFrame({"gold": ["a"], "answer": ["b"]}).drop(columns=missing)
    with pytest.raises(InputError, match=f"no column '{missing}'"):
        detect_table(table)


def test_an_unknown_target_is_named_with_those_that_ship():
    with pytest.raises(InputError, match="use one of az, tr"):
        detect("a", "b", target="zz")


@pytest.mark.parametrize(
    ("gold", "answer", "language"),
    [
        ("Cezayir", "Əlcəzair", "az"),
        ("okyanus", "okean", "az"),
        ("deniz", "dəniz", "az"),
        ("Japonca", "yapon dili", "az"),
        ("Altın", "Qızıl", "az"),
        ("Trigonometri", "Triqonometriya", "az"),
        ("Kahire", "Cairo", "en"),
    ],
)
def test_turkish_as_the_target_sees_azerbaijani_as_the_other_language(gold, answer, language):
    found = detect(gold, answer, target="tr")
    assert (found.flag, found.language) == (True, language)


@pytest.mark.parametrize(("gold", "answer"), [("Kahire", "Tahran"), ("Ankara", "Ankara'da"), ("kitap", "kitabı")])
def test_turkish_answers_are_at_home_in_turkish(gold, answer):
    assert not detect(gold, answer, target="tr").flag


def test_recovery_follows_the_chains_of_the_target():
    assert recovered("dəniz", "deniz", "az")
    assert not recovered("deniz", "dəniz", "tr")


@pytest.mark.parametrize("code", known_targets())
def test_a_profile_names_each_language_once_and_only_letters_it_has(code):
    target = load_target(code)
    codes = [confuser.code for confuser in target.confusers]
    assert len(set(codes)) == len(codes)
    assert code not in codes
    assert target.vowels | target.own_letters <= target.alphabet
    for own, _ in (*target.respelling, *target.slips):
        assert set(own.strip("^$")) <= target.alphabet
