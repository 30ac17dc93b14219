"""The weighted alignment, and the whole decision on names whose translators are not CLDR's."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz, process

from alifba.text.confusion import detect_table, load_target, recovered
from alifba.text.confusion.respelling import align
from alifba.text.confusion.same_concept import NEAR
from alifba.text.confusion.target import fold

AZ = load_target("az")
words = st.text("".join(sorted(AZ.alphabet)), min_size=3, max_size=14)


@given(words)
def test_a_word_is_no_respelling_of_itself(word):
    assert align(word, word, AZ) == (0.0, False)


@given(words, words)
def test_the_cost_is_a_share_of_a_word(own, other):
    assert 0 <= align(own, other, AZ).cost <= 2


# Loans as Azerbaijani writes them (phonetically) and as their own language does.
@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("nyuton", "newton"),
        ("şekspir", "shakespir"),
        ("filadelfiya", "philadelphia"),
        ("meksiko", "mexico"),
        ("qordon", "gordon"),
        ("ceyms", "jeyms"),
        ("federasiya", "federasyon"),
        ("biologiya", "biyoloji"),
        ("taxta", "tahta"),
    ],
)
def test_regular_respellings_are_near_and_directed(own, other):
    found = align(own, other, AZ)
    assert found.foreign
    assert found.cost <= NEAR


@pytest.mark.parametrize(("own", "other"), [("şəki", "şəkili"), ("tehran", "tehram"), ("ingilis", "ingiliz")])
def test_a_slip_of_the_pen_is_no_evidence(own, other):
    assert not align(own, other, AZ).foreign


@pytest.mark.parametrize(("own", "other"), [("iraq", "iran"), ("slovakiya", "sloveniya"), ("kuba", "kuvar")])
def test_different_names_stay_apart(own, other):
    found = align(own, other, AZ)
    assert not (found.foreign and found.cost <= NEAR)


def _catalogue(language: str, domain: str) -> dict[str, str]:
    """Translations of ISO names that pycountry ships: made by the iso-codes project, not by CLDR."""
    pycountry = pytest.importorskip("pycountry")
    path = Path(pycountry.__file__).parent / "locales" / language / "LC_MESSAGES" / f"{domain}.mo"
    with path.open("rb") as stream:
        table = gettext.GNUTranslations(stream)._catalog  # type: ignore[attr-defined]
    note = re.compile(r"\s*[\(\[;,].*")
    return {k: note.sub("", v) for k, v in table.items() if isinstance(k, str) and k and v}


@pytest.fixture(scope="module")
def countries():
    own, other = _catalogue("az", "iso3166-1"), _catalogue("tr", "iso3166-1")
    return {k: (own[k], other[k]) for k in own.keys() & other.keys() if own[k] != k}


def test_most_turkish_names_by_other_translators_are_found(countries):
    pairs = [pair for pair in countries.values() if not recovered(*pair)]
    found = detect_table(pd.DataFrame(pairs, columns=["gold", "answer"]))["flag"]
    assert len(pairs) > 80
    assert found.mean() >= 0.7


def test_the_most_similar_wrong_country_is_not_taken_for_the_right_one(countries):
    names = {fold(AZ.lower(turkish)): turkish for _, turkish in countries.values()}
    pairs = []
    for azerbaijani, turkish in countries.values():
        for near, _, _ in process.extract(fold(AZ.lower(azerbaijani)), list(names), scorer=fuzz.ratio, limit=3):
            if near != fold(AZ.lower(turkish)):
                pairs.append((azerbaijani, names[near]))
    flagged = detect_table(pd.DataFrame(pairs, columns=["gold", "answer"]))["flag"]
    assert len(pairs) > 200
    assert flagged.mean() <= 0.02
