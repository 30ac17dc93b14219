"""An error tells place, value, likely mistake and next step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from alifba.errors import InputError, closest


def test_all_that_is_known_is_told_in_a_fixed_order():
    fault = InputError("it broke", file="a.jsonl", line=3, value="x", likely="a typo", next_step="mend it")
    assert str(fault) == "a.jsonl:3: it broke\n  value: 'x'\n  likely: a typo\n  next: mend it"


def test_what_is_not_known_is_left_out():
    assert str(InputError("it broke")) == "it broke"
    assert str(InputError("it broke", file="a.jsonl")) == "a.jsonl: it broke"
    # A value of 0 or "" is a value.
    assert str(InputError("it broke", value="")) == "it broke\n  value: ''"


@given(st.text(st.characters()) | st.binary() | st.lists(st.integers()))
def test_any_value_is_shown_short_and_can_be_printed(value):
    text = str(InputError("it broke", value=value))
    assert len(text) < 230
    text.encode("utf-8")


def test_the_nearest_name_is_offered_and_nothing_far():
    assert closest("datset", ["dataset", "runs"]) == "did you mean 'dataset'?"
    assert closest("xyz", ["dataset", "runs"]) is None
