"""Exact sign flips of real numbers against enumeration, scipy, the exact test of integers and the normal law."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, permutation_test

from alifba.errors import InputError
from alifba.stats import exact_signflip_p
from alifba.stats.signflip import exact_signflip_real_p

STEPS = 2**17
"""So many steps span the sum of absolute values, says the docstring."""
small = st.lists(st.integers(-9, 9), min_size=1, max_size=40)
reals = st.lists(st.floats(-5, 5, allow_subnormal=False), min_size=1, max_size=12)


def enumerated(values, slack=0.0):
    """Share of all 2^n assignments whose absolute sum is at least the observed one minus `slack`."""
    signs = np.array(list(itertools.product((1, -1), repeat=len(values))))
    return np.mean(np.abs(signs @ np.asarray(values)) >= abs(sum(values)) - slack)


@settings(max_examples=80)
@given(reals)
def test_every_assignment_of_real_numbers_is_counted(values):
    # Rounding to a step moves a sum by at most n/2 steps, so two sums apart by at most n.
    step = sum(map(abs, values)) / STEPS
    slack = 1.001 * len(values) * step + 1e-8 * step * STEPS
    assert enumerated(values, -slack) <= exact_signflip_real_p(values) <= enumerated(values, slack)


@settings(max_examples=80)
@given(st.lists(st.integers(-200, 200), min_size=1, max_size=12), st.sampled_from([1, 3, 7, 18, 0.01]))
def test_averages_of_counts_are_enumerated_to_the_same_p(values, divisor):
    assert exact_signflip_real_p([value / divisor for value in values]) == pytest.approx(enumerated(values), rel=1e-12)


@settings(max_examples=80)
@given(small, st.sampled_from([1, 3, 18, 360]))
def test_small_integers_and_their_averages_give_the_p_of_the_integer_test(values, divisor):
    averages = [value / divisor for value in values]
    assert exact_signflip_real_p(averages) == pytest.approx(exact_signflip_p(values), rel=1e-12)


def test_a_tie_that_rounding_would_break_is_counted():
    # 400 averages of three seeds and six languages, most of them 0: sums tie all the time. The integer test is exact.
    rng = np.random.default_rng(3)
    counts = rng.integers(-4, 5, 400) * (rng.random(400) < 0.2)
    # Averaged as the analysis does it: first over seeds, then over languages, with rounding on the way.
    averages = sum(weight * counts for weight in [1 / 3 / 6] * 3) / 3
    assert exact_signflip_real_p(averages) == pytest.approx(exact_signflip_p(counts), rel=1e-10)


@pytest.mark.parametrize("values", [[0.3, -0.1, 0.7, 1.9, 0.2], [-2.5, 0.4, 0.3, 0.3], [1.25, 1.5, -0.125] * 3])
def test_scipy_gives_the_same_p(values):
    theirs = permutation_test(
        (np.array(values),),
        lambda x: abs(x.sum()),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="greater",
    )
    assert exact_signflip_real_p(values) == pytest.approx(theirs.pvalue, abs=1e-12)


@given(reals, st.randoms(use_true_random=False))
def test_flipping_all_signs_reordering_and_the_unit_change_nothing(values, random):
    p = exact_signflip_real_p(values)
    shuffled = values.copy()
    random.shuffle(shuffled)
    # Twice as large is the same share of the total, to the last bit.
    assert exact_signflip_real_p([-value for value in values]) == p
    assert exact_signflip_real_p([2 * value for value in values]) == p
    # In another order the total may differ in its last bit, which moves p only where a sum lies on an edge of the grid.
    step = sum(map(abs, values)) / STEPS
    slack = 1.001 * len(values) * step + 1e-8 * step * STEPS
    assert enumerated(values, -slack) <= exact_signflip_real_p(shuffled) <= enumerated(values, slack)


@settings(max_examples=40)
@given(small, st.randoms(use_true_random=False))
def test_the_order_of_items_changes_nothing(values, random):
    shuffled = values.copy()
    random.shuffle(shuffled)
    assert exact_signflip_real_p([v / 18 for v in shuffled]) == pytest.approx(
        exact_signflip_real_p([v / 18 for v in values]), rel=1e-12
    )


@pytest.mark.parametrize("n", [1, 2, 6, 30])
def test_the_smallest_p_is_two_of_all_assignments(n):
    # All of one sign: only that assignment and its opposite reach the sum. Powers of a number near 1: no two sums tie.
    values = [1.01**place for place in range(n)]
    assert exact_signflip_real_p(values) == pytest.approx(2 / 2**n)
    assert exact_signflip_real_p([1.0] * n) == pytest.approx(2 / 2**n)


def test_a_p_that_no_float_can_hold_is_not_zero():
    assert 0 < exact_signflip_real_p(np.full(3000, 0.5)) < 1e-300


@pytest.mark.parametrize("mean", [0.0, 0.05, 0.12])
def test_four_hundred_real_values_follow_the_normal_law_and_monte_carlo(mean):
    values = np.random.default_rng(1).normal(mean, 1, 400)
    p = exact_signflip_real_p(values)
    # The sum of signed values has mean 0 and variance sum(v^2); with kurtosis -2 sum(v^4)/sum(v^2)^2 < 0.02.
    assert p == pytest.approx(2 * norm.sf(abs(values.sum()) / math.sqrt((values**2).sum())), rel=0.03)
    signs = np.random.default_rng(2).choice([1.0, -1.0], (20_000, 400))
    drawn = np.mean(np.abs(signs @ values) >= abs(values.sum()))
    assert abs(p - drawn) < 4 * math.sqrt(p * (1 - p) / len(signs)) + 1 / len(signs)


def test_the_p_of_no_effect_is_uniform():
    rng = np.random.default_rng(5)
    p = np.array([exact_signflip_real_p(rng.normal(0, 1, 24)) for _ in range(600)])
    for level in (0.05, 0.2, 0.5):
        assert abs(np.mean(p <= level) - level) < 4 * math.sqrt(level * (1 - level) / len(p))


def test_zeros_carry_no_sign():
    values = [0.3, 0.1, -0.25, 0.4]
    assert exact_signflip_real_p([*values, 0.0, 0.0]) == exact_signflip_real_p(values)
    assert exact_signflip_real_p([0.0, 0.0]) == 1.0
    assert exact_signflip_real_p([0.5, -0.5]) == 1.0
    assert math.isnan(exact_signflip_real_p([]))


@pytest.mark.parametrize("values", [[1.0, math.nan], [math.inf], [[1.0, 2.0]]])
def test_what_is_no_row_of_finite_numbers_is_refused(values):
    with pytest.raises(InputError, match="finite numbers in one row"):
        exact_signflip_real_p(values)
