"""Codes of Gardiner's list and consonant skeletons. The vectors are those of HieraticBench 0.1.0."""

from __future__ import annotations

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.text.egyptian import gardiner_codes, skeleton, trimmed, without_space


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("g017, AA1 and n35a then X1", "G17 Aa1 N35A X1"),
        ("M17:X1*N35", "M17 X1 N35"),
        ("G 17", "G17"),
        ("G  17", ""),
        ("J1", ""),
        ("A1234", ""),
        ("U+13153", ""),
        ("a 3-sign group: G17", "A3 G17"),
    ],
)
def test_the_vectors_of_the_protocol_for_codes(text, codes):
    assert gardiner_codes(text) == codes.split()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("aa1 Aa1 AA1", "Aa1 Aa1 Aa1"),
        ("aA1", ""),
        ("Aa 27", "Aa27"),
        ("G\t17 G\u00a017", "G17 G17"),
        ("G0017", "G17"),
        ("G17BC", ""),
        ("xG17 _G17", ""),
        ("(G17)[X1]{N35}", "G17 X1 N35"),
        # ASCII boundaries: a letter of another script is no word character.
        ("ꜥG17 éX1", "G17 X1"),
        ("Ｇ17 G１７", ""),
    ],
)
def test_codes_stand_at_word_boundaries_with_at_most_one_space(text, codes):
    assert gardiner_codes(text) == codes.split()


@given(
    st.lists(st.tuples(st.sampled_from(["Aa", *set(string.ascii_uppercase) - {"J"}]), st.integers(1, 999))),
    st.sampled_from([" ", ", ", "-", ":", "*"]),
)
def test_canonical_codes_are_read_as_they_are_in_any_case(pairs, between):
    codes = [f"{category}{number}" for category, number in pairs]
    assert gardiner_codes(between.join(codes)) == codes
    assert gardiner_codes(between.join(codes).lower()) == codes


@pytest.mark.parametrize(
    ("one", "other", "folded"),
    [
        ("ḏd mdw jn Wsjr", "Dd mdw in wsir", "Ddmdwinwsir"),
        ("sḏm.f", "sDm.f", "sDmf"),
        ("ꜥnḫ wḏꜣ snb", "anx wDA snb", "anxwDAsnb"),
        ("Imn-m-ḥꜣt", "Imn-m-HAt", "imnmHAt"),
        ("zꜣ", "s3", "sA"),
    ],
)
def test_the_vectors_of_the_protocol_for_the_skeleton(one, other, folded):
    assert skeleton(one) == skeleton(other) == folded


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ḥ Ḫ H̱ Š Ṯ Ḏ Ḳ", "HxXSTDq"),
        ("ꜣꜢȝȜ3é", "AAAAAe"),
        ("ꜥꜤʿʕˁ", "aaaaa"),
        ("ı j ỉ z", "iiis"),
        ("ʾ ꞽ 1 2 é", "e"),
        ("AHDSTX", "AHDSTX"),
        ("BCEFGJZ", "bcefgis"),
        ("1.2-4", ""),
    ],
)
def test_every_letter_of_the_table(text, folded):
    assert skeleton(text) == folded


@given(st.text())
def test_a_skeleton_has_only_its_own_letters_and_is_the_same_for_composed_and_decomposed_text(text):
    folded = skeleton(text)
    assert set(folded) <= set(string.ascii_lowercase) - {"j", "z"} | set("ADHSTX")
    assert skeleton(folded) == folded
    if not text.isascii():
        for form in ("NFC", "NFD"):
            assert skeleton(unicodedata.normalize(form, text)) == folded or unicodedata.normalize(form, text).isascii()


def test_white_space_is_that_of_the_published_harness():
    assert trimmed("\ufeff\u00a0 a b\u2028\r\n") == "a b"
    assert trimmed("\x1ca\x85") == "\x1ca\x85"
    assert without_space(" a\u00a0b\tc\ufeff ") == "abc"
