"""Noun forms against those printed in grammars of Azerbaijani, then properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.errors import InputError
from alifba.text import morphology
from alifba.text.morphology import (
    CASES,
    inflect,
    inflect_number,
    last_numeral,
    last_vowel,
    ordinal,
    soften,
    without_possessive,
)

BACK, FRONT = "aıou", "eəiöü"
words = st.from_regex(r"[bcçdfgğhjlmnprsştvyz]?([aeəıioöuü][bcçdfgğhjlmnprsştvyz]?){1,4}", fullmatch=True)
VOWEL_FREE_CASES = ("locative", "ablative", "plural", "copula")


# Declension tables of school grammars (İsim, hal şəkilçiləri), the forms every textbook of Azerbaijani prints.
@pytest.mark.parametrize(
    ("word", "genitive", "dative", "accusative", "locative", "ablative"),
    [
        ("Bakı", "Bakının", "Bakıya", "Bakını", "Bakıda", "Bakıdan"),
        ("Gəncə", "Gəncənin", "Gəncəyə", "Gəncəni", "Gəncədə", "Gəncədən"),
        ("Şuşa", "Şuşanın", "Şuşaya", "Şuşanı", "Şuşada", "Şuşadan"),
        ("Türkiyə", "Türkiyənin", "Türkiyəyə", "Türkiyəni", "Türkiyədə", "Türkiyədən"),
        ("Paris", "Parisin", "Parisə", "Parisi", "Parisdə", "Parisdən"),
        ("kənd", "kəndin", "kəndə", "kəndi", "kənddə", "kənddən"),
        ("göz", "gözün", "gözə", "gözü", "gözdə", "gözdən"),
        ("quş", "quşun", "quşa", "quşu", "quşda", "quşdan"),
        ("müəllim", "müəllimin", "müəllimə", "müəllimi", "müəllimdə", "müəllimdən"),
        ("çörək", "çörəyin", "çörəyə", "çörəyi", "çörəkdə", "çörəkdən"),
        ("otaq", "otağın", "otağa", "otağı", "otaqda", "otaqdan"),
        ("uşaq", "uşağın", "uşağa", "uşağı", "uşaqda", "uşaqdan"),
    ],
)
def test_the_cases_of_known_words(word, genitive, dative, accusative, locative, ablative):
    made = [inflect(word, case, softening=True) for case in CASES[:5]]
    assert made == [genitive, dative, accusative, locative, ablative]


@pytest.mark.parametrize(
    ("word", "case", "form"),
    [
        ("Dominikan Respublikası", "genitive", "Dominikan Respublikasının"),
        ("Dominikan Respublikası", "locative", "Dominikan Respublikasında"),
        ("Amerika Birləşmiş Ştatları", "dative", "Amerika Birləşmiş Ştatlarına"),
        ("alman dili", "ablative", "alman dilindən"),
        ("Yaponiya yeni", "accusative", "Yaponiya yenini"),
    ],
)
def test_a_name_that_ends_in_a_possessive_links_with_n(word, case, form):
    assert inflect(word, case, possessed=True) == form


def test_a_proper_name_keeps_its_last_letter_and_a_monosyllable_is_not_softened():
    assert inflect("Mozambik", "genitive") == "Mozambikin"
    assert inflect("İraq", "dative") == "İraqa"
    assert soften("ok") == "ok"


# As numbers are read: iki → -nin, üç → -ün, altı → -nın, doqquz → -un, iyirmi → -nin, qırx → -ın, yüz → -ün, min → -in.
@pytest.mark.parametrize(
    ("number", "form"),
    [
        *[(2, "2-nin"), (3, "3-ün"), (6, "6-nın"), (9, "9-un"), (10, "10-un"), (20, "20-nin"), (40, "40-ın")],
        *[(50, "50-nin"), (60, "60-ın"), (268, "268-in"), (100, "100-ün"), (1000, "1000-in"), (10**6, "1000000-un")],
    ],
)
def test_the_genitive_of_a_number_follows_its_reading(number, form):
    assert inflect_number(number, "genitive") == form


# The orthographic rules of Azerbaijani write ordinals in Arabic digits with a hyphen: 1-ci, 3-cü, 6-cı, 9-cu.
@pytest.mark.parametrize(
    ("number", "form"),
    [(1, "1-ci"), (3, "3-cü"), (4, "4-cü"), (6, "6-cı"), (9, "9-cu"), (10, "10-cu"), (40, "40-cı"), (1918, "1918-ci")],
)
def test_ordinals(number, form):
    assert ordinal(number) == form


@given(words, st.sampled_from(CASES))
def test_every_suffix_vowel_agrees_in_backness_with_the_word(word, case):
    suffix = inflect(word, case)[len(word) :]
    classes = {letter in BACK for letter in suffix if letter in BACK + FRONT}
    assert classes <= {last_vowel(word) in BACK}


@given(words, st.sampled_from(VOWEL_FREE_CASES))
def test_a_suffix_that_begins_with_a_consonant_leaves_the_word_alone(word, case):
    assert inflect(word + "k", case, softening=True).startswith(word + "k")


@given(words.filter(lambda word: word[-1] in BACK + FRONT))
def test_without_possessive_undoes_the_possessive_of_a_word_in_a_vowel(word):
    assert without_possessive(inflect(word, "possessive")) == word


@given(st.integers(1, 10**12 - 1))
def test_a_number_ends_as_its_last_non_zero_group_does(number):
    zeros = len(str(number)) - len(str(number).rstrip("0"))
    expected = {1: "on", 2: "yüz"}.get(zeros % 3) if zeros % 3 == 2 or number % 100 == 10 else None
    if zeros >= 3:
        assert last_numeral(number) in ("min", "milyon", "milyard")
    elif expected:
        assert last_numeral(number) == expected
    else:
        assert last_numeral(number) in morphology._TABLE["numerals"]["units" if zeros == 0 else "tens"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: inflect("BMT", "genitive"),
        lambda: inflect("alman dili", "plural", possessed=True),
        lambda: inflect("kənd", "vocative"),
        lambda: without_possessive("manat"),
        lambda: last_numeral(-1),
        lambda: last_numeral(10**12),
    ],
    ids=["no vowel", "no such form", "no such case", "no possessive", "negative", "too great"],
)
def test_what_has_no_form_is_refused(call):
    with pytest.raises(InputError):
        call()
