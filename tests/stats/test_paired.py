"""Exact paired tests against scipy, statsmodels, brute force and whole-number counting."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test
from statsmodels.stats.contingency_tables import mcnemar

from alifba.errors import InputError
from alifba.stats import (
    exact_binary_family,
    exact_binary_p,
    exact_signflip_family,
    exact_signflip_p,
    signflip_monte_carlo_p,
)

score_pairs = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=80)
small = st.lists(st.integers(-2, 2), min_size=1, max_size=60)


def by_enumeration(differences):
    """Every one of the 2**n sign assignments, one by one."""
    observed = abs(sum(differences))
    signs = itertools.product((-1, 1), repeat=len(differences))
    hits = sum(abs(sum(s * d for s, d in zip(row, differences, strict=True))) >= observed for row in signs)
    return Fraction(hits, 2 ** len(differences))


def by_counting(differences):
    """Sign assignments counted by their sum in Python integers: exact at any n, slow."""
    ways = {0: 1}
    for d in differences:
        after = {}
        for total, count in ways.items():
            for signed in (total + d, total - d):
                after[signed] = after.get(signed, 0) + count
        ways = after
    hits = sum(count for total, count in ways.items() if abs(total) >= abs(sum(differences)))
    return Fraction(hits, 2 ** len(differences))


def binomial_row(n):
    """C(n, 0) ... C(n, n) as Python integers."""
    return list(itertools.accumulate(range(n), lambda c, k: c * (n - k) // (k + 1), initial=1))


def of_two_sizes(ones, twos, observed):
    """P(|S| >= observed) for `ones` differences of 1 and `twos` of 2, in Python integers; n in the thousands."""
    limit = (ones + 2 * twos - observed) // 2
    below = list(itertools.accumulate(binomial_row(ones)))
    hits = sum(ways * below[min(limit - 2 * k, ones)] for k, ways in enumerate(binomial_row(twos)) if 2 * k <= limit)
    return 2 * hits / 2 ** (ones + twos)


def discordant(wins, losses, ties=3):
    a = [1] * wins + [0] * losses + [1] * ties
    b = [0] * wins + [1] * losses + [1] * ties
    return a, b


@pytest.mark.parametrize(("wins", "losses"), [(0, 1), (5, 0), (7, 7), (3, 12), (40, 61), (0, 300), (512, 431)])
def test_binary_is_exact_mcnemar_of_statsmodels_and_binomtest_of_scipy(wins, losses):
    p = exact_binary_p(*discordant(wins, losses))
    assert p == pytest.approx(mcnemar([[3, wins], [losses, 0]], exact=True).pvalue, rel=1e-12)
    assert p == pytest.approx(binomtest(wins, wins + losses, 0.5).pvalue, rel=1e-12)


def test_a_strict_comparison_would_be_too_small():
    # Pitfall: 12 discordant of which 9 on one side. Closed form with ties: 2 (C(12,0)+C(12,1)+C(12,2)+C(12,3)) / 2^12.
    assert exact_binary_p(*discordant(9, 3)) == pytest.approx(2 * (1 + 12 + 66 + 220) / 4096, rel=1e-13)
    assert exact_signflip_p([1] * 9 + [-1] * 3) == pytest.approx(598 / 4096, rel=1e-13)


@given(score_pairs)
def test_binary_and_signflip_agree(pairs):
    a, b = np.array(pairs).T
    assert exact_binary_p(a, b) == pytest.approx(exact_signflip_p(a - b), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=12))
def test_signflip_is_the_brute_force_enumeration(differences):
    assert exact_signflip_p(differences) == pytest.approx(float(by_enumeration(differences)), rel=1e-14)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=120))
def test_signflip_is_within_its_stated_error_of_whole_number_counting(differences):
    bound = 2 * sum(map(abs, differences)) * np.finfo(float).eps
    assert exact_signflip_p(differences) == pytest.approx(float(by_counting(differences)), rel=max(bound, 1e-15))


@pytest.mark.parametrize(
    ("ones", "twos", "observed"),
    [(300, 700, 100), (5000, 5000, 10), (5000, 5000, 300), (9000, 1000, 1500), (10, 9990, 400), (2000, 0, 900)],
)
def test_signflip_keeps_its_error_bound_at_ten_thousand_items(ones, twos, observed):
    # Enough losses to bring the sum down to `observed`.
    lost = (ones + 2 * twos - observed) // 2
    negative_twos = min(twos, lost // 2)
    negative_ones = lost - 2 * negative_twos
    differences = np.repeat([1, -1, 2, -2], [ones - negative_ones, negative_ones, twos - negative_twos, negative_twos])
    assert differences.sum() == observed
    expected = of_two_sizes(ones, twos, observed)
    # Far inside the stated bound; a central binomial term from log-gamma already fails this.
    assert exact_signflip_p(differences) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(("wins", "losses"), [(5100, 4900), (5300, 4700), (2600, 2400), (700, 300)])
def test_binary_keeps_eleven_digits_at_ten_thousand_discordant_items(wins, losses):
    hits = sum(binomial_row(wins + losses)[: losses + 1])
    assert exact_binary_p(*discordant(wins, losses)) == pytest.approx(2 * hits / 2 ** (wins + losses), rel=1e-11)


def test_scipy_enumerates_to_the_same_p():
    differences = np.array([2, 1, 1, -1, 2, 0, 1, -2, 1, 1])
    theirs = permutation_test((differences,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert exact_signflip_p(differences) == pytest.approx(theirs.pvalue, rel=1e-12)


@given(small, st.randoms(use_true_random=False))
def test_swapping_the_sides_or_permuting_the_items_keeps_p(differences, random):
    shuffled = differences.copy()
    random.shuffle(shuffled)
    p = exact_signflip_p(differences)
    assert exact_signflip_p([-d for d in differences]) == p
    assert exact_signflip_p(shuffled) == p


@given(small)
def test_p_is_a_probability_that_the_identity_alone_already_supports(differences):
    signs = sum(d != 0 for d in differences)
    assert 2.0 ** -max(signs - 1, 0) * (1 - 1e-12) <= exact_signflip_p(differences) <= 1


@given(small, st.integers(1, 30))
def test_concordant_items_and_a_common_factor_change_nothing(differences, padding):
    p = exact_signflip_p(differences)
    assert exact_signflip_p(differences + [0] * padding) == p
    assert exact_signflip_p([3 * d for d in differences]) == pytest.approx(p, rel=1e-13)


def test_a_family_is_its_tests_one_by_one():
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, (2, 30, 200))
    assert exact_binary_family(a, b).tolist() == [exact_binary_p(x, y) for x, y in zip(a, b, strict=True)]
    excess = rng.integers(-2, 3, (30, 200))
    excess[0], excess[1, 20:] = 0, 0
    assert exact_signflip_family(excess) == pytest.approx([exact_signflip_p(row) for row in excess], rel=1e-12)


def test_no_item_is_undefined_and_no_discordant_item_is_one():
    assert math.isnan(exact_binary_p([], []))
    assert math.isnan(exact_signflip_p([]))
    assert math.isnan(signflip_monte_carlo_p([], np.random.default_rng(0)))
    assert np.isnan(exact_signflip_family(np.zeros((3, 0), int))).tolist() == [True] * 3
    assert np.isnan(exact_binary_family(np.zeros((3, 0), int), np.zeros((3, 0), int))).tolist() == [True] * 3
    assert exact_binary_p([1, 0], [1, 0]) == 1
    assert exact_signflip_p([0, 0]) == 1


def test_a_p_below_every_float_is_not_zero():
    everything_lost = np.ones(10_000, int)
    assert 0 < exact_binary_p(everything_lost, 0 * everything_lost) < 1e-300
    assert 0 < exact_signflip_p(2 * everything_lost) < 1e-300


def test_the_published_monte_carlo_p_agrees_within_its_error():
    differences = [1] * 30 + [-1] * 18 + [2] * 9 + [-2] * 6 + [0] * 100
    exact = exact_signflip_p(differences)
    flips = 200_000
    estimate = signflip_monte_carlo_p(differences, np.random.default_rng(1), flips)
    # Five standard errors of a share.
    assert estimate == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / flips))


def test_the_monte_carlo_p_is_never_zero():
    # (0 + 1) / (10,000 + 1): the smallest p of the published tables, printed there as 0.0001.
    assert signflip_monte_carlo_p([1] * 100, np.random.default_rng(0)) == 1 / 10_001


def test_only_the_generator_decides_the_monte_carlo_p():
    differences = [1] * 40 + [-1] * 30
    before = np.random.get_state()[1].copy()
    first = signflip_monte_carlo_p(differences, np.random.default_rng(1))
    assert first == signflip_monte_carlo_p(differences, np.random.default_rng(1))
    assert first != signflip_monte_carlo_p(differences, np.random.default_rng(2))
    assert (np.random.get_state()[1] == before).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: exact_binary_p([0, 2], [0, 1]), "0 or 1"),
        (lambda: exact_binary_p([0, 1], [0, 1, 1]), "intersect the items by id"),
        (lambda: exact_binary_p([[0, 1], [1, 1]], [[0, 1], [1, 1]]), "1 axis"),
        (lambda: exact_signflip_p([0.5, 1]), "whole numbers"),
        (lambda: exact_signflip_p([1, math.nan]), "leave unscored items out"),
        (lambda: exact_signflip_p(["1"]), "whole numbers"),
        (lambda: exact_signflip_p(np.zeros(2, np.uint8) - np.ones(2, np.uint8)), "unsigned"),
        (lambda: signflip_monte_carlo_p([1], 7), "Generator"),
        (lambda: signflip_monte_carlo_p([1], np.random.default_rng(0), flips=0), "at least 1"),
    ],
)
def test_bad_scores_are_refused_with_the_likely_mistake(call, says):
    with pytest.raises(InputError, match=says):
        call()
