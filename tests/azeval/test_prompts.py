"""What a model is sent: instruction, the same example facts in both languages, the question."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.azeval.prompts import prefix, prompt, template_sha
from alifba.items import read_items
from alifba.text.chains import normalise
from samples import PILOT, REFERENCE

STYLES = {"default": 2, "plain": 2, "oneshot": 1, "zeroshot": 0, "script": 2}
LABELS = {"az": ("Sual:", "Cavab:"), "en": ("Question:", "Answer:")}


@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize(("style", "shots"), STYLES.items())
def test_a_style_shows_its_number_of_examples(language, style, shots):
    question, answer = LABELS[language]
    text = prompt("???", language, style)
    assert text.count(question) == text.count(answer) == shots + 1
    assert text.endswith(f"{question} ???\n{answer}")
    assert text.startswith(prefix(language, style))


def test_only_script_asks_for_the_latin_alphabet():
    for language, words in (("az", "latın əlifbası"), ("en", "Latin alphabet")):
        assert [words in prompt("", language, style) for style in STYLES] == [style == "script" for style in STYLES]


def test_both_languages_show_the_capital_of_egypt_and_the_formula_of_water():
    assert ["Misir" in prefix("az", "default"), "Qahirə" in prefix("az", "default")] == [True, True]
    assert ["Egypt" in prefix("en", "default"), "Cairo" in prefix("en", "default")] == [True, True]
    assert prefix("az", "default").count("H2O") == prefix("en", "default").count("H2O") == 1
    assert "H2O" not in prefix("az", "oneshot")


@pytest.mark.parametrize("path", [PILOT, pytest.param(REFERENCE / "az_eval_v0.jsonl", marks=pytest.mark.reference)])
def test_no_example_is_an_item(path):
    shown = {
        normalise(question, "strict")
        for language, (label, _) in LABELS.items()
        for question in re.findall(f"{label} (.+)", prefix(language, "default"))
    }
    assert len(shown) == 4
    for item in read_items(path):
        assert not shown & {normalise(item.question_az, "strict"), normalise(item.question_en, "strict")}


@given(st.text())
def test_any_question_is_sent_word_for_word(question):
    assert prompt(question, "az") == prefix("az", "default") + f"Sual: {question}\nCavab:"


def test_every_template_has_its_own_hash():
    # plain is default without the chat template, which the run records apart.
    hashes = {template_sha(language, style) for language in LABELS for style in STYLES if style != "plain"}
    assert len(hashes) == 8
    assert template_sha("az", "plain") == template_sha("az", "default")
