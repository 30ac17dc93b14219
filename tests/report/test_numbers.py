"""The text of a number. Expected texts follow from decimal arithmetic by hand and the SI rule of thin groups."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.errors import InputError
from alifba.report.numbers import NOT_AVAILABLE, format_value


@pytest.mark.parametrize(
    ("value", "unit", "digits", "options", "text"),
    [
        (0.1234, "percent", 1, {}, "12.3%"),
        (0.1234, "percent", 1, {"bare": True}, "12.3"),
        (29 / 400, "percent", 1, {}, "7.3%"),  # exactly 7.25: half up, where binary rounding says 7.2
        (-0.034, "points", 1, {}, "\u22123.4"),
        (0.034, "points", 1, {"signed": True}, "+3.4"),
        (-0.0004, "points", 1, {"signed": True}, "0.0"),
        (1064, "count", 0, {}, "1\u202f064"),
        (999, "count", 0, {}, "999"),
        (1234567, "count", 3, {}, "1\u202f234\u202f567"),
        (np.int64(12), "count", 0, {}, "12"),
        (3.0, "count", 0, {}, "3"),
        (0.0432, "p", 3, {}, "=\u00a00.043"),
        (0.0432, "p", 3, {"bare": True}, "0.043"),
        (1, "p", 3, {}, "=\u00a01.000"),
        (0.00099, "p", 3, {}, "<\u00a00.001"),
        (0.0, "p", 3, {"bare": True}, "<0.001"),
        (1.336, "number", 2, {}, "1.34"),
        (4.25, "seconds", 1, {}, "4.3\u00a0s"),
        ("2026-11-30", "date", 0, {}, "30\u00a0November\u00a02026"),
        (datetime.date(2026, 1, 2), "date", 0, {}, "2\u00a0January\u00a02026"),
        ("o\u0308z", "text", 0, {}, "\u00f6z"),
        ("NA", "text", 0, {}, "NA"),
        (None, "points", 1, {}, NOT_AVAILABLE),
        (math.nan, "percent", 1, {}, NOT_AVAILABLE),
        (None, "text", 0, {}, NOT_AVAILABLE),
    ],
)
def test_text(value: object, unit: str, digits: int, options: dict[str, bool], text: str) -> None:
    assert format_value(value, unit, digits, **options) == text


@pytest.mark.parametrize(
    ("value", "unit", "complaint"),
    [
        (1.5, "count", "whole number"),
        (1.01, "p", "outside 0 to 1"),
        (-1e-9, "p", "outside 0 to 1"),
        ("five", "points", "needs a number"),
        (5, "text", "needs a text"),
        ("30.11.2026", "date", "YYYY-MM-DD"),
        (math.inf, "points", "infinite"),
        (True, "count", "flag"),
        ([1], "count", "not a number"),
        (0.5, "per cent", "did you mean 'percent'"),
    ],
)
def test_a_value_that_the_unit_cannot_hold(value: object, unit: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        format_value(value, unit, 1)


@given(st.floats(-1, 1), st.integers(0, 4))
def test_the_text_is_near_the_value_and_negation_only_flips_its_sign(share: float, digits: int) -> None:
    text = format_value(share, "points", digits, signed=True)
    number = float(text.replace("\u2212", "-"))
    assert abs(number - 100 * share) <= 0.5 * 10**-digits + 1e-7
    opposite = format_value(-share, "points", digits, signed=True)
    assert opposite == text.translate({ord("+"): "\u2212", 0x2212: "+"})


@given(st.integers(0, 10**15))
def test_a_count_reads_back(count: int) -> None:
    assert int(format_value(count, "count").replace("\u202f", "")) == count
