"""The three detectors that need no gold, the concept table, and scripts."""

from __future__ import annotations

import csv
import math
import tomllib
from collections import Counter
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.text.azerbaijani import ALPHABET_LOWER, VOWELS
from alifba.text.confusion import flag_alphabet, flag_lexicon, flag_lid, is_g_q_hole, load_target, script_shares
from alifba.text.confusion.concepts import concept_index
from alifba.text.confusion.lexicon import word_list
from alifba.text.confusion.lid import identify
from alifba.text.confusion.words import stems, words

AZ = load_target("az")
DATA = files("alifba.text.confusion") / "data"
LEXICONS = tomllib.loads((DATA / "lexicons.toml").read_text(encoding="utf-8"))["lexicon"]
TURKISH = "abcçdefgğhıijklmnoöprsştuüvyz"


def test_the_profile_has_the_alphabet_of_the_chains():
    assert AZ.alphabet == set(ALPHABET_LOWER)
    assert AZ.vowels == VOWELS


# Marchisio et al. (EMNLP 2024): flag a word with a character outside the target's alphabet.
@given(st.text(TURKISH + TURKISH.upper() + " .,-0123456789", max_size=30))
def test_the_alphabet_rule_never_sees_turkish(text):
    assert not flag_alphabet(text)


@pytest.mark.parametrize("answer", ["Newton", "Москва", "ελλάδα", "Żory", "北京", "a w b"])
def test_the_alphabet_rule_sees_other_letters(answer):
    assert flag_alphabet(answer)


@pytest.mark.parametrize("answer", ["", "1898", "H2O", "İSTANBUL", "I", "?!", "36.6 °C"])
def test_the_alphabet_rule_minds_neither_case_nor_marks_nor_numbers(answer):
    assert not flag_alphabet(answer)


@pytest.mark.parametrize("answer", ["okyanus", "başkent", "şehir", "kitap", "yüzyıl", "güneydoğu", "alphabet", "мұхит"])
def test_the_lexicon_knows_words_of_others(answer):
    assert flag_lexicon(answer)


@pytest.mark.parametrize(
    "answer", ["okean", "paytaxt", "şəhər", "kitab", "əsr", "ana", "dağ", "Bakı", "KGS", "Burkina Faso", "", "12"]
)
def test_the_lexicon_leaves_words_of_the_target_alone(answer):
    assert not flag_lexicon(answer)


@pytest.mark.parametrize("code", sorted(LEXICONS))
def test_a_word_list_holds_lower_case_words_of_its_alphabet(code):
    listed = word_list(code)
    letters = set(LEXICONS[code]["alphabet"])
    assert len(listed) > 50_000
    assert all(letters.issuperset(word) and len(word) > 1 for word in listed)


def test_what_cannot_be_scored_has_no_confidence():
    asked = ["", "12", "?!", "Fe", "3.14 m"]
    guesses = identify(asked, AZ, threshold=0.5, fewest_letters=4)
    assert set(guesses) == set(asked)
    assert all(guess.language is None and math.isnan(guess.confidence) for guess in guesses.values())


def test_undetermined_is_an_answer():
    text = "opera"
    sure = identify([text], AZ, threshold=0.0, fewest_letters=4)[text]
    unsure = identify([text], AZ, threshold=1.01, fewest_letters=4)[text]
    assert sure.language is not None
    assert unsure == (None, sure.confidence)


@pytest.mark.parametrize(
    ("answer", "flagged"),
    [
        ("Büyük Okyanus kıyılarında", True),
        ("Тынық мұхиты", True),
        ("Sakit okeanın sahillərində", False),
        ("yazıçı və şair", False),
    ],
)
def test_a_line_in_another_language_is_identified(answer, flagged):
    assert flag_lid(answer) == flagged


def test_script_shares_add_up_and_nothing_has_none():
    assert script_shares("") == {}
    assert script_shares("1898!") == {}
    assert script_shares("ab вг") == {"Cyrillic": 0.5, "Latin": 0.5}
    assert list(script_shares("əaж")) == ["Latin", "Cyrillic"]


@given(st.text())
def test_script_shares_are_a_distribution(text):
    shares = script_shares(text)
    assert not shares or math.isclose(sum(shares.values()), 1)


# The published example: Вашингтон gives vaşington, the gold is vaşinqton.
@pytest.mark.parametrize(
    ("answer", "gold", "hole"),
    [
        ("Вашингтон", "Vaşinqton", True),
        ("Гана", "Qana", True),
        ("Vaşington", "Vaşinqton", False),
        ("Лондон", "London", False),
        ("Париж", "Paris", False),
    ],
)
def test_the_hole_is_g_for_q_in_cyrillic_and_nothing_else(answer, gold, hole):
    assert is_g_q_hole(answer, gold) == hole


def test_words_drop_inflection_behind_an_apostrophe():
    assert words("Bakü'de 1898’de, Côte d'ivoire", AZ) == ("bakü", "1898", "de", "côte", "divoire")


@given(st.text("abdilnrsə", min_size=1, max_size=12))
def test_every_stem_begins_the_word_and_the_word_comes_first(word):
    found = stems(word, AZ.suffixes)
    assert found[0] == word
    assert all(word.startswith(stem) for stem in found)
    assert all(len(stem) >= 3 for stem in found[1:])


def _table() -> list[dict[str, str]]:
    text = (DATA / "concepts.tsv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def test_the_concept_table_is_whole():
    rows = _table()
    assert len(rows) > 800
    twice = [pair for pair, n in Counter((row["domain"], row["en"]) for row in rows).items() if n > 1]
    assert twice == []
    for row in rows:
        cells = [name for cell in row.values() for name in cell.split("|")]
        assert len(row) == 7
        assert all(name == name.strip() != "" for name in cells), row


@pytest.mark.parametrize(("language", "letters"), [("az", ALPHABET_LOWER), ("ru", "Cyrillic"), ("kk", "Cyrillic")])
def test_names_of_the_concept_table_are_in_their_script(language, letters):
    for row in _table():
        if letters == "Cyrillic":
            # "Исмаил I": a Roman numeral is Latin everywhere.
            assert script_shares(row[language].replace("I", "")) == {"Cyrillic": 1.0}, row
        else:
            assert not flag_alphabet(row[language]), row


def test_names_come_from_cldr_and_from_the_table():
    index = concept_index(AZ)
    assert "territories:EG" in index.concepts("misir")
    assert index.languages("misir", {"territories:EG"}, inflected=False) == ()
    assert "tr" in index.languages("altin", index.concepts("qizil"), inflected=False)
    assert index.kind_of(["fransiz", "dili"]) == "languages"
    assert index.is_generic("dollari")
    assert not index.is_generic("norvec")
