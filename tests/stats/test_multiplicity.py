"""Holm's correction against statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from alifba.errors import InputError
from alifba.stats import holm, holm_by_family

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(probabilities)
def test_holm_is_that_of_statsmodels(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-15)


@given(probabilities, probabilities)
def test_growing_one_family_never_changes_another(confirmatory, exploratory):
    p = confirmatory + exploratory
    family = ["declared pairs"] * len(confirmatory) + ["all pairs"] * len(exploratory)
    assert holm_by_family(p, family)[: len(confirmatory)].tolist() == holm(confirmatory).tolist()


@given(probabilities, st.randoms(use_true_random=False))
def test_the_order_of_the_tests_changes_nothing(p, random):
    order = list(range(len(p)))
    random.shuffle(order)
    assert holm(np.array(p)[order]).tolist() == holm(p)[order].tolist()


@given(probabilities)
def test_adjusting_raises_and_keeps_the_order(p):
    adjusted = holm(p)
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


def test_an_undefined_p_stays_undefined_and_is_not_counted():
    with_gap = holm([0.01, np.nan, 0.04])
    assert np.isnan(with_gap[1])
    assert with_gap[[0, 2]].tolist() == holm([0.01, 0.04]).tolist()
    assert np.isnan(holm([np.nan, np.nan])).all()
    assert holm([]).tolist() == []
    mixed = holm_by_family([0.01, np.nan, 0.04], ["a", "b", "a"])
    assert mixed == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)


@pytest.mark.parametrize(
    "call", [lambda: holm([1.2]), lambda: holm([[0.1]]), lambda: holm_by_family([0.1], ["a", "b"])]
)
def test_bad_input_is_refused(call):
    with pytest.raises(InputError):
        call()
