"""Intervals over items and seeds against closed forms of the bootstrap, and their coverage by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from alifba.errors import InputError
from alifba.stats import mean_interval
from alifba.stats.nested import contrast_interval

Z = norm.ppf(0.975)


def rng(seed=0):
    return np.random.default_rng(seed)


def half_width(interval):
    return (interval.high - interval.low) / 2


def test_one_group_of_one_seed_is_the_plain_bootstrap():
    values = rng(1).normal(0.3, 1, 300)
    found = contrast_interval([values[None]], [1.0], rng(), resamples=20_000)
    # Closed form: the bootstrap variance of a mean is the variance (divisor n) over n; near-normal at n = 300.
    assert half_width(found) == pytest.approx(Z * values.std() / math.sqrt(300), rel=0.03)
    plain = mean_interval(values, rng(2), resamples=20_000)
    assert (found.mean, found.n) == (pytest.approx(plain.mean), 300)
    assert half_width(found) == pytest.approx(half_width(plain), rel=0.03)


@pytest.mark.parametrize("k", [2, 3, 8])
def test_seeds_add_their_own_bootstrap_variance(k):
    """With items that vary alike in all seeds, the statistic is (mean over drawn items) + (mean over drawn seeds)."""
    items, seeds = rng(3).normal(0, 1, 200), rng(4).normal(0, 0.2, k)
    found = contrast_interval([items[None] + seeds[:, None]], [1.0], rng(), resamples=20_000, level=0.6826894921)
    # Closed form of either bootstrap: variance with divisor n over n, and with divisor k over k.
    expected = math.sqrt(items.var() / 200 + seeds.var() / k)
    # The middle 68 % of a sum of a normal and a lumpy part is one standard deviation within a few percent.
    assert half_width(found) == pytest.approx(expected, rel=0.08)


def test_the_variance_over_seeds_is_the_closed_form():
    """Items all alike: only seeds vary, and the resampled means take the values that the multinomial allows."""
    seeds = np.array([0.0, 0.0, 3.0])
    found = contrast_interval([np.repeat(seeds[:, None], 4, axis=1)], [1.0], rng(), resamples=30_000, level=0.9)
    # How often the third is drawn is Binomial(3, 1/3): P(0) = 8/27, and P(3) = 1/27 < 0.05 <= P(2 or 3) = 7/27.
    assert (found.mean, found.low, found.high) == pytest.approx((1.0, 0.0, 2.0))


def test_pairing_on_items_takes_what_they_share_out_of_a_contrast():
    shared, rest = rng(5).normal(0, 5, 250), rng(6).normal(0.1, 0.5, 250)
    found = contrast_interval([(shared + rest)[None], shared[None]], [1.0, -1.0], rng(), resamples=20_000)
    assert found.mean == pytest.approx(rest.mean())
    assert half_width(found) == pytest.approx(Z * rest.std() / math.sqrt(250), rel=0.03)


def test_weights_are_linear():
    groups = [rng(seed).normal(seed, 1, (seed, 60)) for seed in (1, 2, 3)]
    weights = [0.5, -1.0, 0.25]
    found = contrast_interval(groups, weights, rng())
    assert found.mean == pytest.approx(sum(w * g.mean() for w, g in zip(weights, groups, strict=True)))
    doubled = contrast_interval(groups, [2 * weight for weight in weights], rng())
    opposite = contrast_interval([-group for group in groups], weights, rng())
    assert doubled[:3] == pytest.approx([2 * value for value in found[:3]])
    assert opposite[:3] == pytest.approx([-found.mean, -found.high, -found.low])


def test_the_order_of_groups_and_a_shift_change_what_they_should():
    groups = [rng(seed).normal(0, 1, (1, 50)) for seed in (1, 2)]
    found = contrast_interval(groups, [1.0, -1.0], rng())
    shifted = contrast_interval([group + 7 for group in groups], [1.0, -1.0], rng())
    assert shifted[:3] == pytest.approx(found[:3])
    assert contrast_interval([groups[0] + 7], [1.0], rng()).mean == pytest.approx(groups[0].mean() + 7)


def test_same_seed_same_interval_other_seed_another_and_the_global_state_is_left_alone():
    group = rng(1).normal(0, 1, (3, 80))
    before = np.random.get_state()[1].copy()
    first, again, other = (contrast_interval([group], [1.0], rng(seed)) for seed in (0, 0, 1))
    assert first == again
    assert first != other
    assert (np.random.get_state()[1] == before).all()


def test_a_wider_level_is_wider_and_more_draws_than_fit_at_once_are_drawn_in_portions(monkeypatch):
    group = rng(1).normal(0, 1, (2, 80))
    narrow, wide = (contrast_interval([group], [1.0], rng(), level=level) for level in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high
    whole = contrast_interval([group], [1.0], rng(), resamples=20_000)
    monkeypatch.setattr("alifba.stats.nested._CELLS_AT_ONCE", 80 * 300)
    pieces = contrast_interval([group], [1.0], rng(), resamples=20_000)
    # 20,000 is no multiple of 300. The ends agree to the error of a quantile of 20,000 draws.
    assert pieces[:3] == pytest.approx(whole[:3], abs=0.03)


@pytest.mark.parametrize("constant", [0.0, 0.1])
def test_without_spread_there_is_no_interval(constant):
    found = contrast_interval([np.full((2, 30), constant)], [1.0], rng())
    assert found.mean == pytest.approx(constant)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    empty = contrast_interval([np.empty((2, 0))], [1.0], rng())
    assert all(map(math.isnan, empty[:3]))
    assert empty.n == 0


@pytest.mark.parametrize(
    ("groups", "weights", "message"),
    [
        ([np.zeros((1, 3)), np.zeros((1, 4))], [1.0, -1.0], "same items"),
        ([np.zeros(3)], [1.0], "same items"),
        ([np.zeros((1, 3)), np.zeros((0, 3))], [1.0, -1.0], "at least one seed"),
        ([np.array([[0.0, math.nan]])], [1.0], "finite"),
        ([np.zeros((1, 3))], [1.0, -1.0], "one weight"),
    ],
)
def test_what_cannot_be_contrasted_is_refused(groups, weights, message):
    with pytest.raises(InputError, match=message):
        contrast_interval(groups, weights, rng())


def test_randomness_comes_from_a_generator():
    with pytest.raises(InputError, match="numpy Generator"):
        contrast_interval([np.zeros((1, 3))], [1.0], np.random)


@pytest.mark.parametrize("seeds", [1, 6])
def test_the_interval_covers_the_truth(seeds):
    """Items and seeds drawn anew each time; the truth is 0.1. Bootstrap over few seeds is somewhat too narrow: with k
    seeds its variance is short by the share 1/k, hence the generous band below 95 %."""
    draw = rng(11)
    hits, rounds = 0, 300
    for _ in range(rounds):
        effect = 0.1 + draw.normal(0, 0.5, 60) + draw.normal(0, 0.1 if seeds > 1 else 0, (seeds, 1))
        found = contrast_interval([effect + draw.normal(0, 0.3, (seeds, 60))], [1.0], draw, resamples=400)
        hits += found.low <= 0.1 <= found.high
    # 300 rounds: a true 95 % gives 0.90 to 0.99 within four standard errors.
    assert 0.87 <= hits / rounds <= 0.99
