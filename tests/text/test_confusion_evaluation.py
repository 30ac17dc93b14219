"""Scores against labels: counts by hand, intervals against statsmodels, undefined where there is nothing."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from alifba.text.confusion import FLAGS, evaluate, evaluate_table, label_counts, missed

LABELS = ["wrong_language"] * 10 + ["factual"] * 5 + ["unrelated"] * 5
FLAGGED = [1] * 7 + [0] * 3 + [1] * 2 + [0] * 8
rows = st.lists(st.tuples(st.booleans(), st.sampled_from(["wrong_language", "factual", "format"])), max_size=40)


def test_counts_and_shares_by_hand():
    found = evaluate(FLAGGED, LABELS)
    assert (found.true_positive, found.false_positive, found.false_negative, found.true_negative) == (7, 2, 3, 8)
    assert (found.precision, found.recall) == (7 / 9, 7 / 10)
    assert found.f1 == pytest.approx(2 * 7 / (2 * 7 + 2 + 3))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_are_wilsons(level):
    found = evaluate(FLAGGED, LABELS, level=level)
    assert found.precision_interval == pytest.approx(proportion_confint(7, 9, 1 - level, "wilson"))
    assert found.recall_interval == pytest.approx(proportion_confint(7, 10, 1 - level, "wilson"))


def test_nothing_flagged_and_nothing_positive_is_undefined_not_zero_or_one():
    unflagged = evaluate([0, 0], ["wrong_language", "factual"])
    assert math.isnan(unflagged.precision)
    assert all(map(math.isnan, unflagged.precision_interval))
    assert unflagged.recall == 0
    nothing = evaluate([], [])
    assert nothing.n == 0
    assert all(map(math.isnan, (nothing.precision, nothing.recall, nothing.f1, *nothing.f1_interval)))


@given(rows)
def test_the_four_cells_add_up_and_every_interval_holds_its_share(pairs):
    found = evaluate([flag for flag, _ in pairs], [label for _, label in pairs])
    cells = (found.true_positive, found.false_positive, found.false_negative, found.true_negative)
    assert sum(cells) == found.n == len(pairs)
    for name in ("precision", "recall", "f1"):
        low, high = getattr(found, f"{name}_interval")
        share = getattr(found, name)
        assert math.isnan(share) or low - 1e-12 <= share <= high + 1e-12


@given(rows)
def test_f1_is_the_harmonic_mean(pairs):
    found = evaluate([flag for flag, _ in pairs], [label for _, label in pairs])
    if found.true_positive:
        assert found.f1 == pytest.approx(2 / (1 / found.precision + 1 / found.recall))


def test_the_table_has_a_row_for_each_detector_and_the_missed_rows_are_listed():
    table = pd.DataFrame(dict.fromkeys((*FLAGS, "flag"), FLAGGED) | {"label": LABELS, "id": range(20)})
    scores = evaluate_table(table)
    assert scores["detector"].tolist() == [*FLAGS, "flag"]
    assert scores["recall"].tolist() == [0.7] * 5
    assert missed(table)["id"].tolist() == [7, 8, 9]
    assert label_counts(table).to_dict("index") == {
        "factual": {0: 3, 1: 2},
        "unrelated": {0: 5, 1: 0},
        "wrong_language": {0: 3, 1: 7},
    }
