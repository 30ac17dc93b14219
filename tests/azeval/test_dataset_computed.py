"""Items that are computed: their day, their numbers, their answers."""

from __future__ import annotations

from datetime import date

import pytest
import sympy
from gate_kit import PILOT_ROWS

from alifba.azeval.dataset.checks import duplicates, parallel_faults, text_faults
from alifba.azeval.dataset.mathematics import generate
from alifba.azeval.pilot.mathematics import FAMILIES
from alifba.items import Item


def test_computed_items_of_a_day_carry_it_and_repeat_no_known_item():
    known = {(i.template, i.note("concept")) for i in map(Item.model_validate, PILOT_ROWS)}
    made = generate(date(2027, 1, 15), 13, known)
    assert len(made) >= 236
    assert {item.note("created") for item in made} == {"2027-01-15"}
    assert not {(item.template, item.note("concept")) for item in made} & known
    assert {item.template for item in made} == {f"math_{name}" for name in FAMILIES}
    assert not duplicates([*made, *map(Item.model_validate, PILOT_ROWS)])
    for item in made:
        assert not [*text_faults(item), *parallel_faults(item, worded_by_person=False, labels={})]
        assert item.answer == item.answer_en


def test_another_day_gives_other_numbers_and_the_same_day_the_same():
    first, again, other = (generate(date(2027, 1, day), 5) for day in (1, 1, 2))
    assert first == again
    assert len({item.id for item in first} & {item.id for item in other}) < len(first) / 2


@pytest.mark.parametrize("family", ["multiplication", "greatest_common_divisor", "next_prime", "combinations"])
def test_answers_agree_with_sympy(family):
    solve = {
        "multiplication": lambda a, b: sympy.Integer(a) * b,
        "greatest_common_divisor": sympy.gcd,
        "next_prime": sympy.nextprime,
        "combinations": sympy.binomial,
    }[family]
    made = [item for item in generate(date(2027, 1, 1), 20) if item.template == f"math_{family}"]
    assert len(made) >= 13
    for item in made:
        assert int(item.answer) == solve(*map(int, item.note("concept").split("-")))
