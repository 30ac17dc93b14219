"""Amazigh spelling. Fold vectors: the spec of the protocol's folding (TifinaghBench, "Spelling conventions")."""

from __future__ import annotations

import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from alifba.text.tifinagh import (
    fold_latin,
    fold_tifinagh,
    is_tifinagh,
    normalise_english,
    normalise_latin,
    normalise_tifinagh,
    to_latin,
    to_tifinagh,
)

LATIN = st.text("abcčdḍeəǝéēẹëfgǧɣhḥijklmnqrřṛsṣštṭṯuwxyzẓžɛέ̣̱ ", max_size=8)
TIFINAGH = st.text("ⴰⴱⴲⴳⴵⴷⴸⴻⴼⴽⴿⵜⵝⵯ ", max_size=8)


@pytest.mark.parametrize(
    ("text", "folded"),
    [("ⵜⴻⵎⵖⴰⵔⵜ", "ⵜⵎⵖⴰⵔⵜ"), ("ⵝⴰⵎⵖⴰⵔⵝ", "ⵜⴰⵎⵖⴰⵔⵜ"), ("ⴰⴸⴼⴻⵍ", "ⴰⴷⴼⵍ"), ("ⴲⴿⴵ", "ⴱⴽⴳ"), ("ⴻ", "")],
)
def test_tifinagh_folds_as_the_protocol_says(text, folded):
    assert fold_tifinagh(text) == folded


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("tameṭṭut", "tamṭṭut"),
        ("ṯamɣarṯ", "tamɣart"),
        ("aḏfel", "adfl"),
        ("ažellid", "ajllid"),
        ("aǧellid", "ajllid"),
        ("Ǝrgaz", "rgaz"),
        ("aḍar", "aḍar"),
        # č is not š, ř is not r, ğ is not ǧ: only what the protocol lists is folded.
        ("ačar", "ačar"),
        ("ušřan", "ucřan"),
        ("ağ", "ağ"),
        ("éèê", ""),
        ("aε", "aɛ"),
        ("ḇṯḏ", "btd"),
        # A letter with a mark that is no accent is another letter.
        ("ëẹ", "ëẹ"),
    ],
)
def test_latin_folds_as_the_protocol_says(text, folded):
    assert fold_latin(text) == folded


def test_normalisation_mends_what_the_sources_mix():
    # U+01DD and U+0259; Greek and Latin epsilon; NFD and NFC; case; white space.
    assert normalise_latin("  AṬ\u01ddΕ\u00a0\tx ") == normalise_latin("a\u0074\u0323əɛ x") == "aṭəɛ x"
    assert normalise_tifinagh(" ⴰⵎⴰⵏ  ⵏ\nⵜⴰ ") == "ⴰⵎⴰⵏ ⵏ ⵜⴰ"
    assert normalise_english("  The  House?!. ") == "the house"
    assert normalise_english("bank (of a river)") == "bank (of a river)"
    assert normalise_english(" ?! ") == ""


def test_only_the_block_spaces_and_hyphens_are_tifinagh():
    assert is_tifinagh("ⴰⵎⴰⵏ ⵏ-ⵜⴰ")
    assert is_tifinagh("\u2d30\u2d7f")
    assert not any(map(is_tifinagh, ("", " - ", "ⴰa", "ⴰ1", "\u2d2fⴰ", "\u2d80ⴰ")))


@given(LATIN)
def test_folding_latin_twice_changes_nothing(text):
    assert fold_latin(fold_latin(text)) == fold_latin(text)


@given(TIFINAGH)
def test_folding_tifinagh_twice_changes_nothing(text):
    assert fold_tifinagh(fold_tifinagh(text)) == fold_tifinagh(text)


@given(TIFINAGH.filter(lambda text: not text.isspace()))
def test_letters_go_to_latin_and_back(text):
    # All of these letters have a Latin one of their own.
    assert to_tifinagh(to_latin(text)) == normalise_tifinagh(text)


def test_letters_agree_with_the_two_scripts_of_tachelhit_in_cldr():
    # CLDR writes the same names in shi_Tfng and shi_Latn. A handful are other words; they cannot be one by rule.
    tifinagh, latin = Locale.parse("shi_Tfng").currencies, Locale.parse("shi_Latn").currencies
    pairs = [(name, normalise_latin(latin[code])) for code, name in tifinagh.items()]
    assert len(pairs) > 50
    assert [pair for pair in pairs if to_latin(pair[0]) != pair[1]] == []
    assert [pair for pair in pairs if to_tifinagh(pair[1]) != pair[0]] == []
    places, theirs = Locale.parse("shi_Tfng").territories, Locale.parse("shi_Latn").territories
    same = sum(to_latin(name) == normalise_latin(theirs[code]) for code, name in places.items())
    assert same / len(places) > 0.95
