"""Aliases: forms from grammars, and what no list of aliases may hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.azeval.aliases import answer_aliases
from alifba.errors import InputError

stems = st.from_regex(r"[bcçdfgğhjkqlmnprsştvyz]?([aeəıioöuü][bcçdfgğhjkqlmnprsştvyz]?){1,4}", fullmatch=True)


def test_a_proper_name_gets_its_case_forms_and_is_never_softened():
    # Declension of Bakı and Mozambik in school grammars.
    assert {"Bakının", "Bakıda", "Bakıya", "Bakıdan", "Bakını", "Bakıdır"} <= set(answer_aliases("Bakı", "name"))
    assert "Mozambikin" in answer_aliases("Mozambik", "name")
    assert not [form for form in answer_aliases("Mozambik", "name") if form.startswith("Mozambiy")]


def test_a_common_noun_is_accepted_softened_and_unsoftened():
    forms = answer_aliases("çörək", "word")
    assert {"çörəyin", "çörəkin", "çörəyi", "çörəkdə", "çörəklər"} <= set(forms)
    assert {"otağa", "otaqa"} <= set(answer_aliases("otaq", "word"))


def test_a_possessed_answer_links_with_n_and_has_no_plural():
    forms = answer_aliases("alman dili", "possessed")
    assert {"alman dilinin", "alman dilində", "alman dilindən", "alman dilinə", "alman dilini"} <= set(forms)
    assert not [form for form in forms if "lər" in form]


@pytest.mark.parametrize("kind", ["number", "code"])
def test_numbers_and_codes_get_no_forms(kind):
    assert answer_aliases("1918", kind) == []


def test_year_forms_are_for_years_alone():
    assert answer_aliases("1918", "year") == ["1918-ci il", "1918-ci ildə", "1918-ci ilin", "1918-ci ildir"]
    with pytest.raises(InputError):
        answer_aliases("Bakı", "year")


def test_another_spelling_comes_with_its_own_forms():
    forms = answer_aliases("flüor", "word", [("ftor", "word")])
    assert {"ftor", "ftorun", "flüorun"} <= set(forms)


@given(stems, st.sampled_from(["word", "name"]), st.lists(st.tuples(stems, st.just("word")), max_size=2))
def test_no_alias_is_empty_double_or_the_answer_itself(answer, kind, variants):
    forms = answer_aliases(answer, kind, [*variants, (answer, kind)])
    assert len(forms) == len(set(forms))
    assert answer not in forms
    assert all(form.strip() for form in forms)
