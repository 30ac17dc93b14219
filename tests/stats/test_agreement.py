"""Krippendorff's alpha against the data that he publishes with its value at every level, and against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from alifba.errors import InputError
from alifba.stats.agreement import krippendorff_alpha

NAN = math.nan
# Four coders, twelve units, missing codes. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011),
# section C to E; Content Analysis (2004), ch. 11. Values to four digits: the check data, and the same to three
# in the paper (.743 nominal, .815 ordinal, .849 interval, .797 ratio).
STANDARD = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
LEVELS = {"nominal": 0.7434, "ordinal": 0.8154, "interval": 0.8491, "ratio": 0.7974}
codes = st.integers(2, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 5) | st.just(NAN), min_size=n, max_size=n), min_size=1, max_size=8)
)


@pytest.mark.parametrize(("level", "alpha"), LEVELS.items())
def test_standard_data(level, alpha):
    found = krippendorff_alpha(STANDARD, level)
    assert found.alpha == pytest.approx(alpha, abs=1e-4)
    # Eleven of twelve units have two codes or more; the paper counts 40 pairable values.
    assert (found.n_units, found.n_codes) == (11, 40)


def test_binary_data_of_two_coders():
    # Krippendorff (2011), section A: two coders, ten units, alpha = 0.095 (1 - 19 * 8 / (2 * 14 * 6) = 16 / 168).
    one = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    other = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    for level in ("nominal", "ordinal", "interval"):
        assert krippendorff_alpha([one, other], level).alpha == pytest.approx(16 / 168)


def by_pairs(rows, level):
    """The definition, pair by pair, with nothing shared with the implementation but the name of the level."""
    units = [[code for code in unit if not math.isnan(code)] for unit in zip(*rows, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    pool = sorted(code for unit in units for code in unit)

    def apart(a, b):
        low, high = min(a, b), max(a, b)
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        if level == "ratio":
            return ((a - b) / (a + b)) ** 2 if a + b else 0.0
        between = sum(low <= code <= high for code in pool)
        return (between - (pool.count(low) + pool.count(high)) / 2) ** 2 if a != b else 0.0

    n = len(pool)
    observed = sum(apart(a, b) / (len(unit) - 1) for unit in units for a in unit for b in unit) / n if n else 0
    expected = sum(apart(a, b) for a in pool for b in pool) / (n * (n - 1)) if n else 0
    return 1 - observed / expected if expected else math.nan


@given(codes, st.sampled_from(list(LEVELS)))
def test_is_its_definition_pair_by_pair(units, level):
    rows = np.array(units, float).T
    assert krippendorff_alpha(rows, level).alpha == pytest.approx(by_pairs(rows.tolist(), level), nan_ok=True)


@given(codes, st.sampled_from(list(LEVELS)), st.randoms(use_true_random=False))
def test_coders_and_units_have_no_order(units, level, random):
    rows = np.array(units, float).T
    shuffled = rows[:, random.sample(range(rows.shape[1]), rows.shape[1])][random.sample(range(len(rows)), len(rows))]
    expected = krippendorff_alpha(rows, level)
    found = krippendorff_alpha(shuffled, level)
    assert found.alpha == pytest.approx(expected.alpha, nan_ok=True)
    assert found[1:] == expected[1:]


@given(codes)
def test_ordinal_hangs_on_the_order_of_the_codes_alone(units):
    rows = np.array(units, float).T
    stretched = krippendorff_alpha(np.exp(rows), "ordinal").alpha
    assert stretched == pytest.approx(krippendorff_alpha(rows, "ordinal").alpha, nan_ok=True)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=8), st.sampled_from(list(LEVELS)))
def test_two_coders_who_always_agree(row, level):
    assume(len(set(row)) > 1)
    assert krippendorff_alpha([row, row], level).alpha == 1


@pytest.mark.parametrize("rows", [[[3, 3], [3, 3]], [[1, NAN], [NAN, 2]], [[], []]])
def test_nothing_to_disagree_on_is_undefined(rows):
    for level in LEVELS:
        assert math.isnan(krippendorff_alpha(rows, level).alpha)


@pytest.mark.parametrize(
    ("rows", "level", "said"),
    [
        ([1, 2], "ordinal", "two axes"),
        ([[1], [2]], "ranked", "no such level"),
        ([[1], [math.inf]], "interval", "infinity"),
        ([[1], [-1]], "ratio", "begins at 0"),
    ],
)
def test_refused(rows, level, said):
    with pytest.raises(InputError, match=said):
        krippendorff_alpha(rows, level)
