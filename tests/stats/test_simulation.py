"""Do the tests and intervals keep their promises on synthetic pairs? Rates are checked against closed forms.

A synthetic pair is 0/1 scores of base and tuned model in both languages, 1,000 items. Every tolerance is a number of
standard errors of the simulated rate, so a failure means a wrong method and not bad luck (seeds are fixed as well).
"""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from alifba.stats import cluster_mean_interval, exact_binary_family, exact_signflip_family, mean_interval

PAIRS, ITEMS, ALPHA = 2_000, 1_000, 0.05


def size_of_exact_test(ones, twos=0):
    """Closed form: how often a true null with these absolute differences gives p <= 0.05.

    S = 2 T - (ones + 2 twos), T = Binomial(ones, 1/2) + 2 Binomial(twos, 1/2): add up the largest |S| while their
    probability stays within 5 %.
    """
    doubled = np.zeros(2 * twos + 1)
    doubled[::2] = binom.pmf(np.arange(twos + 1), twos, 0.5)
    lower_half = np.convolve(binom.pmf(np.arange(ones + 1), ones, 0.5), doubled)[: (ones + 2 * twos + 1) // 2]
    tails = 2 * np.cumsum(lower_half)
    return max(tails[tails <= ALPHA], default=0.0)


def assert_rate(hits, expected, errors=4):
    """The share of `hits` lies within `errors` standard errors of the closed form."""
    assert hits.mean() == pytest.approx(expected, abs=errors * math.sqrt(expected * (1 - expected) / len(hits)))


def scores(rng, share, pairs=PAIRS):
    return (rng.random((pairs, ITEMS)) < share).astype(np.int8)


def test_without_an_effect_the_test_of_two_models_rejects_as_often_as_its_closed_form_says():
    rng = np.random.default_rng(31)
    difficulty = rng.beta(1, 3, ITEMS)
    a, b = scores(rng, difficulty), scores(rng, difficulty)
    rejected = exact_binary_family(a, b) <= ALPHA
    # Given its discordant count a test has a known size, below 5 % because p is discrete; the rate is their mean.
    sizes = [size_of_exact_test(int(m)) for m in (a != b).sum(axis=1)]
    assert max(sizes) <= ALPHA
    assert_rate(rejected, float(np.mean(sizes)))
    assert rejected.mean() <= ALPHA + 4 * math.sqrt(ALPHA * (1 - ALPHA) / PAIRS)


def test_without_excess_damage_the_test_rejects_as_often_as_its_closed_form_says():
    rng = np.random.default_rng(32)
    az, en = rng.beta(1, 5, ITEMS), rng.beta(2, 4, ITEMS)
    # Fine-tuning changes which items are right, in both languages, and costs nothing on average.
    excess = (scores(rng, az) - scores(rng, az)) - (scores(rng, en) - scores(rng, en))
    rejected = exact_signflip_family(excess) <= ALPHA
    ones, twos = (np.abs(excess) == 1).sum(axis=1), (np.abs(excess) == 2).sum(axis=1)
    sizes = [size_of_exact_test(int(x), int(y)) for x, y in zip(ones, twos, strict=True)]
    assert max(sizes) <= ALPHA
    assert_rate(rejected, float(np.mean(sizes)))
    assert rejected.mean() <= ALPHA + 4 * math.sqrt(ALPHA * (1 - ALPHA) / PAIRS)


def test_equal_losses_in_both_languages_are_not_excess_damage():
    # Both languages fall 10 points from different heights. Signs of single items are then no fair coins, so the test
    # is exact only in the limit; the normal limit of its size is 5 %.
    rng = np.random.default_rng(33)
    excess = (scores(rng, 0.25) - scores(rng, 0.15)) - (scores(rng, 0.60) - scores(rng, 0.50))
    assert_rate(exact_signflip_family(excess) <= ALPHA, ALPHA)


@pytest.mark.parametrize("planted", [0.03, 0.05])
def test_a_planted_excess_is_found_with_the_power_of_the_normal_closed_form(planted):
    # Azerbaijani: `planted` + 5 % of items lost, 5 % gained. English: 5 % lost, 5 % gained.
    rng = np.random.default_rng(34)

    def loss(lost, gained):
        draw = rng.random((PAIRS, ITEMS))
        return (draw < lost).astype(int) - (draw > 1 - gained)

    excess = loss(planted + 0.05, 0.05) - loss(0.05, 0.05)
    found = (exact_signflip_family(excess) <= ALPHA) & (excess.sum(axis=1) > 0)
    variance = (planted + 0.10 - planted**2) + 0.10
    # The sum has mean n * planted and this variance; the test measures it against the sum of squares, which the planted
    # shift enlarges. Given the absolute differences the sum moves in steps of 2, so p <= 5 % needs half a step more.
    critical = norm.ppf(1 - ALPHA / 2) * math.sqrt(ITEMS * (variance + planted**2)) + 1
    power = norm.sf((critical - ITEMS * planted) / math.sqrt(ITEMS * variance))
    assert_rate(found, float(power))


def test_a_planted_loss_of_five_points_is_found_with_the_power_of_the_exact_closed_form():
    # 12 % of items lost, 7 % gained. m ~ Binomial(n, 0.19) are discordant, losses ~ Binomial(m, 0.12 / 0.19).
    lost, gained = 0.12, 0.07
    draw = np.random.default_rng(35).random((PAIRS, ITEMS))
    base, tuned = (draw < lost + 0.3).astype(int), ((draw >= lost) & (draw < lost + 0.3 + gained)).astype(int)
    found = exact_binary_family(base, tuned) <= ALPHA
    power = 0.0
    for m in range(100, 300):
        critical = int(binom.ppf(ALPHA / 2, m, 0.5))
        critical -= 2 * binom.cdf(critical, m, 0.5) > ALPHA
        rejects = binom.cdf(critical, m, lost / (lost + gained)) + binom.cdf(critical, m, gained / (lost + gained))
        power += binom.pmf(m, ITEMS, lost + gained) * rejects
    assert 0.9 < power < 0.97
    assert_rate(found, power)


def covered(intervals, truth):
    return np.mean([interval.low <= truth <= interval.high for interval in intervals])


@pytest.mark.parametrize(
    ("values", "shares"),
    [([0, 1], [0.88, 0.12]), ([-2, -1, 0, 1, 2], [0.01, 0.10, 0.70, 0.16, 0.03])],
    ids=["accuracy", "excess damage"],
)
def test_intervals_cover_the_truth_95_percent_of_the_time(values, shares):
    rng = np.random.default_rng(36)
    samples = rng.choice(values, p=shares, size=(PAIRS, ITEMS))
    found = [mean_interval(row, rng, resamples=1_000) for row in samples]
    assert covered(found, float(np.dot(values, shares))) == pytest.approx(0.95, abs=0.02)


def test_cluster_intervals_cover_new_templates_where_item_intervals_do_not():
    # 60 templates of 5 to 35 items; a template's items share a difficulty.
    rng = np.random.default_rng(37)
    by_item, by_template = [], []
    for _ in range(1_000):
        sizes = rng.integers(5, 36, 60)
        templates = np.repeat(np.arange(60), sizes)
        values = (rng.random(templates.size) < np.repeat(rng.beta(1, 2, 60), sizes)).astype(int)
        by_item.append(mean_interval(values, rng, resamples=1_000))
        by_template.append(cluster_mean_interval(values, templates, rng, resamples=1_000))
    assert covered(by_template, 1 / 3) == pytest.approx(0.95, abs=0.02)
    assert covered(by_item, 1 / 3) < 0.75
