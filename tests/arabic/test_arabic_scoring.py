"""The arithmetic: check values of the protocol, then properties."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.arabic.methodology import methodologies, methodology
from alifba.arabic.scoring import (
    attempt_score,
    composite,
    criterion_points,
    half_up,
    item_score,
    normalised,
    review_score,
    section_score,
)
from alifba.errors import InputError

RULES = methodology("1.0")
points = st.integers(0, 5)
scores = st.fractions(0, 100, max_denominator=30)
some_sections = st.sets(st.sampled_from(list(RULES.sections)), min_size=1)


def reviewed(*raw):
    return review_score(dict(zip(RULES.review, raw, strict=True)), RULES.review)


def test_weights_are_those_of_the_protocol():
    # The protocol: 35/20/15/15/15, and MSA 20, Gulf 15, Egyptian 10, Levantine 10, direction 10, diacritics 5, OCR 10,
    # speech 10, niche 10.
    assert list(RULES.review.values()) == [35, 20, 15, 15, 15]
    assert list(RULES.sections.values()) == [20, 15, 10, 10, 10, 5, 10, 10, 10]


def test_review_of_the_protocol():
    # Check value of the protocol: (8, 7, 6, 9, 5) -> 72.
    assert reviewed(8, 7, 6, 9, 5) == 72


@pytest.mark.parametrize(("raw", "expected"), [((9, 7, 7, 6, 4), 71), ((8, 8, 8, 8, 8), 80), ((10,) * 5, 100)])
def test_review_by_hand(raw, expected):
    # .35 * 9 + .2 * 7 + .15 * 17 = 7.1.
    assert reviewed(*raw) == expected


def test_halves_go_up():
    # Check values of the protocol: 71.5 -> 72, 80.5 -> 81. Python's round() and a float sum give 72 and 80.
    assert half_up(Fraction("71.5")) == 72
    assert half_up(Fraction("80.5")) == 81
    # .35 * 9 + .2 * 7 + .15 * 18 = 7.25 and .35 * 9 + .2 * 8 + .15 * 22 = 8.05: 72.5 and 80.5.
    assert reviewed(9, 7, 6, 6, 6) == 73
    assert reviewed(9, 8, 8, 7, 7) == 81
    assert half_up(Fraction(2, 3), 4) == Fraction("0.6667")


@pytest.mark.parametrize("place", range(5))
def test_a_review_without_a_criterion_has_no_number(place):
    raw = [8, 7, 6, 9, 5]
    raw[place] = None
    assert reviewed(*raw) is None
    assert review_score({}, RULES.review) is None


@pytest.mark.parametrize(("raw", "said"), [({"ease": 11}, "0 to 10"), ({"stars": 5}, "no such criterion")])
def test_a_review_is_strict(raw, said):
    with pytest.raises(InputError, match=said):
        review_score({"arabic_quality": 5, "accuracy": 5, "value": 5, "privacy": 5} | {"ease": 5} | raw, RULES.review)


def test_composite_of_the_protocol():
    # Check value of the protocol: weights 70 -> 68.5714.
    six = {"msa": 80, "gulf": 60, "egyptian": 70, "levantine": 50, "direction": 90, "diacritics": 40}
    exact = composite({name: Fraction(value) for name, value in six.items()}, RULES.sections)
    assert exact == Fraction(4800, 70)
    assert float(half_up(exact, 4)) == 68.5714


@given(some_sections)
def test_weights_of_any_subset_sum_to_one(applicable):
    weights = normalised(RULES.sections, applicable)
    assert sum(weights.values()) == 1
    assert set(weights) == applicable
    # The ratio of two weights is that of the nominal ones.
    assert len({weights[name] / RULES.sections[name] for name in applicable}) == 1


@given(some_sections, st.data())
def test_a_composite_lies_between_its_sections_and_falls_with_any_of_them(applicable, data):
    sections = {name: data.draw(scores) for name in applicable}
    whole = composite(sections, RULES.sections)
    assert min(sections.values()) <= whole <= max(sections.values())
    gone = data.draw(st.sampled_from(sorted(applicable)))
    assert composite(sections | {gone: None}, RULES.sections) is None


@pytest.mark.parametrize("applicable", [[], ["klingon"]])
def test_sections_must_be_known(applicable):
    with pytest.raises(InputError, match="no such sections"):
        normalised(RULES.sections, applicable)


@given(points, points, points | st.none())
def test_a_third_decides_only_where_two_are_apart(first, second, third):
    found = criterion_points(first, second, third, RULES.gap)
    if abs(first - second) <= 1:
        assert found == Fraction(first + second, 2)
    elif third is None:
        assert found is None
    else:
        assert found == sorted((first, second, third))[1]
    assert found == criterion_points(second, first, third, RULES.gap)


def test_scale():
    # Mean of the criteria, of 5, times 100.
    assert attempt_score([Fraction(4), Fraction(5), Fraction(3)]) == 80
    assert attempt_score([Fraction(0)]) == 0
    assert attempt_score([]) is attempt_score([Fraction(4), None]) is None


@given(st.lists(scores, min_size=3, max_size=3))
def test_an_item_is_the_median_of_three(three):
    assert item_score(three) == sorted(three)[1]
    assert item_score([*three[:2], None]) is None
    with pytest.raises(InputError, match="three attempts"):
        item_score(three[:2])


@given(st.lists(scores, min_size=1, max_size=6))
def test_a_section_is_the_mean_of_its_items(items):
    assert section_score(items) * len(items) == sum(items)
    assert section_score([*items, None]) is section_score([]) is None


def test_what_applies_is_what_the_protocol_says():
    chat = ["msa", "gulf", "egyptian", "levantine", "direction", "diacritics"]
    expected = {"chat": chat, "writing": chat, "agent": [*chat, "niche"], "coding": ["msa", "direction", "niche"]}
    expected |= {"image": ["niche"], "video": ["niche"], "voice": ["speech"], "ocr": ["ocr"], "game": ["niche"]}
    assert RULES.kinds == expected


def test_the_change_log_is_in_order_and_an_unknown_version_is_refused():
    days = [entry.date for entry in methodologies().values()]
    assert days == sorted(days)
    with pytest.raises(InputError, match=r"known: 1\.0"):
        methodology("9")


three = st.lists(st.lists(st.integers(0, 5).map(Fraction), min_size=2, max_size=2), min_size=3, max_size=3)


@given(st.dictionaries(st.sampled_from(list(RULES.sections)), three, min_size=1, max_size=4), st.data())
def test_a_removed_criterion_makes_everything_above_it_null(sections, data):
    def whole():
        return composite(
            {
                name: section_score([item_score([attempt_score(criteria) for criteria in attempts])])
                for name, attempts in sections.items()
            },
            RULES.sections,
        )

    assert 0 <= whole() <= 100
    name = data.draw(st.sampled_from(sorted(sections)))
    attempt, criterion = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 1))
    sections[name][attempt][criterion] = None
    assert whole() is None
