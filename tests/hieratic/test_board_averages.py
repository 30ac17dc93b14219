"""Samples, then items: means, intervals and what is left out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from board_kit import a_record, an_item, by_id, of_model
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import sem
from statsmodels.stats.proportion import proportion_confint

from alifba.errors import InputError
from alifba.hieratic.leaderboard import entries, estimate

ITEMS = by_id(*(an_item(f"hb-{n}") for n in range(40)))


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_samples_are_averaged_within_an_item_then_items():
    records = [a_record("hb-0", 1.0), a_record("hb-0", 0.0, sample=1), a_record("hb-1", 1.0)]
    (entry,) = entries(records, ITEMS)
    assert entry.item_means("identify") == {"hb-0": 0.5, "hb-1": 1.0}
    # By hand: (0.5 + 1) / 2. A mean over samples would be 2/3.
    assert estimate(entry.item_means("identify"), ITEMS, rng()).score == 0.75


def test_a_failed_call_is_left_out_and_a_refusal_is_a_zero():
    records = [
        a_record("hb-0", 1.0),
        a_record("hb-1", None, response=None, parsed=None, error="503"),
        a_record("hb-2", 0.0, response="", parsed=None, refusal=True),
        a_record("hb-3", None, rung="translate"),
        a_record("hb-404", 1.0),
    ]
    (entry,) = entries(records, ITEMS)
    assert entry.item_means("identify") == {"hb-0": 1.0, "hb-2": 0.0}
    assert (entry.failed, entry.refusals, entry.unscored, entry.strays) == (1, 1, 1, 1)


def test_the_private_copy_of_an_answer_is_not_counted_twice():
    public = a_record("hb-0", 0.5, response="", withheld=True)
    (entry,) = entries([public, a_record("hb-0", 0.5, privateCopy=True)], ITEMS)
    assert entry.scores["identify"]["hb-0"] == [0.5]


def test_two_efforts_are_two_rows():
    records = [a_record("hb-0", 1.0, **of_model("m", effort=effort)) for effort in ("high", "low")]
    assert [entry.name for entry in entries(records, ITEMS)] == ["m-high", "m-low"]


def test_an_unknown_rung_is_refused():
    with pytest.raises(InputError, match="no such rung"):
        entries([a_record("hb-0", 1.0, rung="read")], ITEMS)


def test_the_standard_error_is_the_one_of_the_mean_of_items():
    means = {f"hb-{n}": score for n, score in enumerate([0.0, 0.5, 1.0, 1.0, 0.25, 0.0, 1.0])}
    # scipy.stats.sem is the textbook s / sqrt(n).
    assert estimate(means, ITEMS, rng()).se == pytest.approx(sem(list(means.values())))


def test_items_with_the_same_text_count_as_one():
    pairs = by_id(*(an_item(f"hb-{n}", **({"sameTextAs": f"hb-{n - 1}"} if n % 2 else {})) for n in range(12)))
    scores = [0.0, 1.0, 1.0, 0.0, 0.5, 0.0]
    means = {f"hb-{n}": scores[n // 2] for n in range(12)}
    found = estimate(means, pairs, rng())
    # With twins that agree, twelve items say no more than six.
    assert found.se == pytest.approx(sem(scores))
    assert found.n_items == 12
    alone = estimate(means, by_id(*(an_item(f"hb-{n}") for n in range(12))), rng())
    assert found.high - found.low > alone.high - alone.low


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_where_all_items_score_alike_the_interval_is_wilsons(score):
    found = estimate({f"hb-{n}": score for n in range(30)}, ITEMS, rng())
    assert found.method == "wilson"
    expected = proportion_confint(30 * score, 30, method="wilson")
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)
    assert found.se > 0


def test_what_has_no_spread_and_is_no_share_has_no_interval():
    found = estimate({f"hb-{n}": 0.5 for n in range(30)}, ITEMS, rng())
    assert math.isnan(found.low)
    assert found.method == ""


def test_nothing_scored_is_not_zero():
    assert math.isnan(estimate({}, ITEMS, rng()).score)


SCORES = st.dictionaries(st.sampled_from(sorted(ITEMS)), st.sampled_from([0.0, 0.5, 1.0]), min_size=2)


@given(SCORES)
def test_the_interval_holds_the_score(means):
    found = estimate(means, ITEMS, rng())
    assert math.isnan(found.low) or found.low - 1e-12 <= found.score <= found.high + 1e-12


@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_records_changes_nothing(means, shuffler):
    records = [a_record(item, score) for item, score in means.items()]
    turned = records.copy()
    shuffler.shuffle(turned)
    first, second = (entries(given, ITEMS)[0].item_means("identify") for given in (records, turned))
    assert estimate(first, ITEMS, rng()) == estimate(second, ITEMS, rng()) or len(set(means.values())) == 1
