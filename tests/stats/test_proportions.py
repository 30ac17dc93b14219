"""Wilson intervals against statsmodels; retention against hand counts and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from alifba.errors import InputError
from alifba.stats import retention, retention_contrast, wilson_interval

counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, st.floats(0.5, 0.999))
def test_wilson_is_that_of_statsmodels(count, level):
    expected = proportion_confint(*count, alpha=1 - level, method="wilson")
    assert wilson_interval(*count, level) == pytest.approx(expected, abs=1e-12)


@given(counts, st.floats(0.5, 0.9), st.floats(0.91, 0.999))
def test_wilson_holds_the_share_widens_with_the_level_and_mirrors(count, narrow, wide):
    right, n = count
    low, high = wilson_interval(right, n, narrow)
    outer_low, outer_high = wilson_interval(right, n, wide)
    assert 0 <= outer_low <= low <= right / n <= high <= outer_high <= 1
    assert low < high
    mirrored_low, mirrored_high = wilson_interval(n - right, n, narrow)
    assert (1 - mirrored_high, 1 - mirrored_low) == pytest.approx((low, high), abs=1e-12)


def test_wilson_works_on_columns_and_is_undefined_without_items():
    low, high = wilson_interval([0, 5, 0], [10, 10, 0])
    # Closed forms: z**2 / (n + z**2) is the upper end at 0, z / (2 sqrt(n + z**2)) the half width at 1/2.
    z = 1.959963984540054
    half = z / (2 * math.sqrt(10 + z**2))
    assert low == pytest.approx([0, 0.5 - half, math.nan], nan_ok=True)
    assert high == pytest.approx([z**2 / (10 + z**2), 0.5 + half, math.nan], nan_ok=True)


@pytest.mark.parametrize("bad", [(3, 2), (-1, 2), (math.nan, 2)])
def test_impossible_counts_are_refused(bad):
    with pytest.raises(InputError, match="between 0 and n"):
        wilson_interval(*bad)


def test_retention_counts_items_right_in_both_formats_among_those_recognised():
    found = retention([1, 1, 1, 1, 0, 0], [1, 0, 0, 0, 1, 0])
    assert found[:4] == (6, 4, 1, 0.25)
    assert (found.low, found.high) == pytest.approx(proportion_confint(1, 4, method="wilson"), abs=1e-12)


def test_retention_of_nothing_recognised_is_undefined():
    found = retention([0, 0], [1, 0])
    assert found[:3] == (2, 0, 0)
    assert np.isnan(found[3:]).all()
    contrast = retention_contrast([1, 0], [1, 1], [0, 1], [1, 1])
    assert contrast.n_both == 0
    assert math.isnan(contrast.p)


def test_retention_is_compared_on_items_that_both_runs_recognise():
    # 12 items recognised by both: a alone produces 8 of them, b alone 1. The three others must not count.
    choice_a, choice_b = [1] * 12 + [1, 0, 0], [1] * 12 + [0, 1, 0]
    short_a, short_b = [1] * 8 + [0] * 4 + [0, 1, 1], [0] * 8 + [1] + [0] * 3 + [1, 0, 0]
    found = retention_contrast(choice_a, short_a, choice_b, short_b)
    assert found[:3] == (12, 8, 1)
    assert found.p == pytest.approx(binomtest(8, 9).pvalue)
    assert retention_contrast(choice_b, short_b, choice_a, short_a).p == found.p


def test_retention_needs_the_same_items():
    with pytest.raises(InputError, match="intersect the items"):
        retention([1, 0], [1])
    with pytest.raises(InputError, match="short_b"):
        retention_contrast([1], [1], [1], [1, 0])
