"""Bootstrap intervals against closed forms and scipy.stats.bootstrap."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, bootstrap

from alifba.errors import InputError
from alifba.stats import cluster_mean_interval, mean_interval, mean_intervals

MANY = 200_000
whole = st.lists(st.integers(-2, 2), min_size=2, max_size=60).filter(lambda v: len(set(v)) > 1)


@pytest.mark.parametrize(("right", "n"), [(37, 356), (500, 1000), (3, 200)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_for_binary_scores_the_ends_are_binomial_quantiles(right, n, level):
    # The bootstrap sum of 0/1 scores is Binomial(n, right / n): a closed form. One item of slack for the sampling.
    found = mean_interval([1] * right + [0] * (n - right), np.random.default_rng(3), resamples=MANY, level=level)
    low, high = binom.ppf([(1 - level) / 2, (1 + level) / 2], n, right / n) / n
    assert found.mean == pytest.approx(right / n)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1.001 / n)
    assert found.n == n


@pytest.mark.parametrize(
    "values",
    [
        np.repeat([-2, -1, 0, 1, 2], [5, 40, 200, 70, 12]),
        np.random.default_rng(9).choice([0, 0.4, 0.5, 2 / 3, 1], 300),
        np.random.default_rng(9).normal(size=150),
    ],
    ids=["excess", "token F1", "all distinct"],
)
def test_ends_agree_with_scipy(values):
    theirs = bootstrap(
        (values,), np.mean, n_resamples=40_000, method="percentile", batch=4000, random_state=np.random.default_rng(1)
    ).confidence_interval
    ours = mean_interval(values, np.random.default_rng(2), resamples=40_000)
    # A 2.5 % quantile of 40,000 draws has a sampling error of sqrt(.025 * .975 / 40,000) / normal density = 0.0134
    # standard errors of the mean; five of the difference of two such quantiles are 0.095.
    slack = 0.1 * values.std() / math.sqrt(len(values))
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=slack)


def test_clusters_agree_with_scipy_on_the_ratio_estimator():
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 40, 50)
    clusters = np.repeat(np.arange(50), sizes)
    values = (rng.random(len(clusters)) < np.repeat(rng.beta(1, 2, 50), sizes)).astype(int)
    sums = np.bincount(clusters, values)
    theirs = bootstrap(
        (sums, sizes),
        lambda s, m, axis: s.sum(axis) / m.sum(axis),
        paired=True,
        n_resamples=40_000,
        method="percentile",
        random_state=np.random.default_rng(1),
    )
    ours = cluster_mean_interval(values, clusters.astype(str), np.random.default_rng(2), resamples=40_000)
    assert ours.mean == pytest.approx(values.mean())
    expected = theirs.confidence_interval
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=0.1 * theirs.standard_error)
    assert ours.high - ours.low > 1.3 * np.subtract(*mean_interval(values, np.random.default_rng(2))[2:0:-1])


def test_clusters_of_one_item_are_the_plain_bootstrap():
    # The two draw by different routes: over the distribution of the sum, and over the clusters.
    values = np.repeat([-1, 0, 1, 2], [60, 250, 80, 10])
    plain = mean_interval(values, np.random.default_rng(8), resamples=40_000)
    single = cluster_mean_interval(values, np.arange(400), np.random.default_rng(9), resamples=40_000)
    assert single == pytest.approx(plain, abs=0.1 * values.std() / math.sqrt(400))


def test_whole_numbers_and_the_same_numbers_as_floats_agree():
    values = np.repeat([-2, -1, 0, 1, 2], [5, 40, 200, 70, 12])
    exact, drawn = (
        mean_interval(v, np.random.default_rng(8), resamples=40_000) for v in (values, values.astype(float))
    )
    assert drawn == pytest.approx(exact, abs=0.1 * values.std() / math.sqrt(len(values)))


def test_whole_numbers_far_apart_are_drawn_value_by_value():
    values = [0, 1, 10**9, 2 * 10**9] * 20
    far = mean_interval(values, np.random.default_rng(8), resamples=2_000)
    assert far == mean_interval(np.array(values, float), np.random.default_rng(8), resamples=2_000)


@settings(deadline=None, max_examples=40)
@given(whole, st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_the_order_of_the_items_changes_nothing(values, seed, random):
    shuffled = values.copy()
    random.shuffle(shuffled)
    one, other = (mean_interval(v, np.random.default_rng(seed), resamples=500) for v in (values, shuffled))
    assert one == other


@settings(deadline=None, max_examples=40)
@given(whole, st.integers(0, 2**32), st.floats(0.5, 0.9), st.floats(0.91, 0.99))
def test_a_wider_level_is_wider_and_the_ends_stay_among_the_values(values, seed, narrow, wide):
    inner = mean_interval(values, np.random.default_rng(seed), resamples=500, level=narrow)
    outer = mean_interval(values, np.random.default_rng(seed), resamples=500, level=wide)
    assert min(values) <= outer.low <= inner.low <= inner.high <= outer.high <= max(values)


@settings(deadline=None, max_examples=40)
@given(whole, st.integers(0, 2**32), st.integers(-5, 5), st.integers(1, 4))
def test_shifting_and_scaling_the_values_shifts_and_scales_the_ends(values, seed, shift, scale):
    base = mean_interval(values, np.random.default_rng(seed), resamples=500)
    moved = mean_interval([scale * v + shift for v in values], np.random.default_rng(seed), resamples=500)
    assert moved[:3] == pytest.approx([scale * x + shift for x in base[:3]], abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from("abcd")), min_size=2, max_size=40), st.randoms())
def test_the_order_of_items_and_the_names_of_clusters_change_nothing(rows, random):
    values, clusters = zip(*rows, strict=True)
    assume(len(set(values)) > 1)
    shuffled = rows.copy()
    random.shuffle(shuffled)
    again, names = zip(*shuffled, strict=True)
    one = cluster_mean_interval(values, clusters, np.random.default_rng(1), resamples=300)
    other = cluster_mean_interval(again, [f"template {c}" for c in names], np.random.default_rng(1), resamples=300)
    assert one == pytest.approx(other, nan_ok=True)


def test_only_the_generator_decides_the_ends():
    values = np.random.default_rng(0).normal(size=100)
    before = np.random.get_state()[1].copy()
    first = mean_interval(values, np.random.default_rng(1))
    assert first == mean_interval(values, np.random.default_rng(1))
    assert first != mean_interval(values, np.random.default_rng(2))
    clustered = cluster_mean_interval(values, np.arange(100) // 5, np.random.default_rng(1))
    assert clustered == cluster_mean_interval(values, np.arange(100) // 5, np.random.default_rng(1))
    assert clustered != cluster_mean_interval(values, np.arange(100) // 5, np.random.default_rng(2))
    assert (np.random.get_state()[1] == before).all()


def test_a_row_of_a_batch_does_not_depend_on_the_other_rows():
    rng = np.random.default_rng(0)
    values = rng.integers(-2, 3, (6, 80))
    together = mean_intervals(values, np.random.default_rng(7))
    assert together[:2] == mean_intervals(values[:2], np.random.default_rng(7))
    changed = np.where(np.arange(6)[:, None] < 2, values, 1 - values)
    assert together[:2] == mean_intervals(changed, np.random.default_rng(7))[:2]
    assert together[3] == mean_interval(values[3], np.random.default_rng(7).spawn(6)[3])


def test_many_distinct_values_drawn_in_blocks_are_the_same_draws(monkeypatch):
    values = np.random.default_rng(0).normal(size=300)
    at_once = mean_interval(values, np.random.default_rng(1), resamples=1000)
    monkeypatch.setattr("alifba.stats.bootstrap._CELLS_AT_ONCE", 3000)
    assert mean_interval(values, np.random.default_rng(1), resamples=1000) == at_once


@pytest.mark.parametrize("values", [[1], [0, 0, 0], [0.5] * 40])
def test_without_spread_there_is_a_mean_and_no_interval(values):
    found = mean_interval(values, np.random.default_rng(0))
    assert found.mean == values[0]
    assert found.n == len(values)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


@pytest.mark.parametrize(("values", "clusters"), [([0, 1, 1], "aaa"), ([0, 1, 0, 1], "aabb")])
def test_without_spread_between_clusters_there_is_no_interval(values, clusters):
    found = cluster_mean_interval(values, list(clusters), np.random.default_rng(0))
    assert found.mean == pytest.approx(np.mean(values))
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_no_item_is_undefined():
    rng = np.random.default_rng(0)
    for found in (mean_interval([], rng), cluster_mean_interval([], [], rng), *mean_intervals(np.zeros((2, 0)), rng)):
        assert np.isnan(found[:3]).all()
        assert found.n == 0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda rng: mean_interval([1, math.nan], rng), "leave unscored items out"),
        (lambda rng: mean_interval([[1, 2]], rng), "1 axis"),
        (lambda rng: mean_interval(["NA", "1"], rng), "numbers"),
        (lambda rng: mean_interval([1, 2], 1), "Generator"),
        (lambda rng: mean_interval([1, 2], np.random.RandomState(1)), "Generator"),
        (lambda rng: mean_interval([1, 2], rng, level=95), "percent"),
        (lambda rng: mean_interval([1, 2], rng, resamples=0), "resamples"),
        (lambda rng: cluster_mean_interval([1, 2], ["a"], rng), "one cluster label"),
        (lambda rng: mean_intervals([1, 2], rng), "2 axis"),
    ],
)
def test_bad_input_is_refused(call, says):
    with pytest.raises(InputError, match=says):
        call(np.random.default_rng(0))
