"""Casing of the 32 letters, folding, and suffix stripping by the rules of the published chain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.text.azerbaijani import ALPHABET_LOWER, ALPHABET_UPPER, FOLDED_SUFFIXES, fold, lower, strip_suffixes, upper

# The alphabet as the law of 25 December 1991 lists it, with Ə where the amendment of 1992 put it.
ALPHABET = "Aa Bb Cc Çç Dd Ee Əə Ff Gg Ğğ Hh Xx Iı İi Jj Kk Qq Ll Mm Nn Oo Öö Pp Rr Ss Şş Tt Uu Üü Vv Yy Zz"
LETTERS = ALPHABET.split()
# The MORPH suffixes of the published study, in its order.
SUFFIX_LIST = "dan dən lar lər ıla ilə ula ülə da də la lə ın in un ün sı si su sü ya yə a ə ı i u ü"
SUFFIXES = SUFFIX_LIST.split()


def test_the_alphabet_has_its_32_letters():
    assert len(LETTERS) == 32
    assert set(ALPHABET_LOWER) == {small for _, small in LETTERS}
    assert set(ALPHABET_UPPER) == {great for great, _ in LETTERS}


@pytest.mark.parametrize("pair", LETTERS)
def test_every_letter_changes_case_both_ways(pair):
    great, small = pair
    assert (lower(great), lower(small)) == (small, small)
    assert (upper(small), upper(great)) == (great, great)


@pytest.mark.parametrize(
    ("text", "lowered"),
    [("IŞIQ", "ışıq"), ("İLİN", "ilin"), ("Iı İi", "ıı ii"), ("ƏLİFBA", "əlifba"), ("Straße", "straße")],
)
def test_words_are_lowered_by_azerbaijani_rules(text, lowered):
    assert lower(text) == lowered


@given(st.text(ALPHABET_LOWER + " -0123456789"))
def test_upper_then_lower_gives_the_word_back(word):
    assert lower(upper(word)) == word


def test_folding_replaces_the_seven_letters_and_no_other():
    assert fold("əğıöşüç") == "egiosuc"
    assert fold(ALPHABET_LOWER.translate(str.maketrans("", "", "əğıöşüç"))) == "abcdefghxijkqlmnoprstuvyz"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_each_suffix_is_stripped_and_its_folded_form_too(suffix):
    assert strip_suffixes("kitab" + suffix) == "kitab"
    assert strip_suffixes("kitab" + fold(suffix), FOLDED_SUFFIXES) == "kitab"


def test_there_is_no_other_suffix():
    assert {fold(suffix) for suffix in SUFFIXES} == set(FOLDED_SUFFIXES)
    # n-linked variants are left out on purpose, so the n stays.
    assert {strip_suffixes("kitab" + linked) for linked in ("nın", "na", "nda", "ndan")} == {"kitabn"}


@pytest.mark.parametrize(
    ("token", "stem", "why"),
    [
        ("evilə", "ev" + "i", "-ilə would leave two letters, -lə leaves three"),
        ("sular", "sular", "-lar would leave two letters"),
        ("ada", "ada", "-da and -a would leave fewer than three letters"),
        ("trnlar", "trnlar", "the stem would have no vowel"),
        ("kitablarındadan", "kitablar", "three cuts: -dan, -da, -ın"),
        ("kitablarında", "kitab", "three cuts: -da, -ın, -lar"),
        ("almadan", "alm", "-dan, then -a"),
        ("göldən", "göl", "the longest that fits is cut first"),
        ("", "", "nothing"),
    ],
)
def test_a_cut_leaves_three_letters_and_a_vowel_and_there_are_three_at_most(token, stem, why):
    assert strip_suffixes(token) == stem, why


@given(st.text(ALPHABET_LOWER, max_size=20))
def test_what_is_cut_is_a_tail_of_at_most_three_suffixes(token):
    stem = strip_suffixes(token)
    assert token.startswith(stem)
    assert len(token) - len(stem) <= 9
    assert stem == token or len(stem) >= 3
