"""Exact label permutation against scipy, enumeration and the published accounts."""

import csv
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, rankdata

from alifba.errors import InputError
from alifba.paths import repo_root
from alifba.stats import label_permutation, predictions_right

tenths = st.lists(st.tuples(st.integers(-160, 120), st.booleans()), min_size=2, max_size=9).filter(
    lambda rows: 0 < sum(mark for _, mark in rows) < len(rows)
)


def by_enumeration(values, marks):
    """p and the smallest p over every assignment of the labels, in fractions."""
    n, k = len(values), sum(marks)

    def statistic(chosen):
        labelled = sum(values[i] for i in chosen)
        return abs(Fraction(labelled, k) - Fraction(sum(values) - labelled, n - k))

    every = [statistic(chosen) for chosen in itertools.combinations(range(n), k)]
    observed = statistic([i for i, mark in enumerate(marks) if mark])
    return sum(s >= observed for s in every) / len(every), every.count(max(every)) / len(every)


@settings(deadline=None, max_examples=60)
@given(tenths)
def test_every_assignment_is_counted(rows):
    values, marks = zip(*rows, strict=True)
    found = label_permutation([v / 10 for v in values], marks)
    assert (found.p_mean, found.smallest_p_mean) == by_enumeration(values, marks)
    ranks = [int(r) for r in 2 * rankdata(values)]
    assert (found.p_rank, found.smallest_p_rank) == by_enumeration(ranks, marks)


def test_scipy_enumerates_to_the_same_p():
    values, marks = np.array([9.8, 10.7, 6.0, 2.3, 0.1, -16.0, 1.5]), np.array([1, 1, 1, 0, 0, 0, 1], bool)
    found = label_permutation(values, marks)
    for numbers, p in ((values, found.p_mean), (rankdata(values), found.p_rank)):
        theirs = permutation_test(
            (numbers[marks], numbers[~marks]), lambda a, b: abs(a.mean() - b.mean()), alternative="greater"
        )
        assert p == pytest.approx(theirs.pvalue, abs=1e-12)
    assert found.difference == pytest.approx(values[marks].mean() - values[~marks].mean())


@settings(deadline=None, max_examples=60)
@given(tenths)
def test_swapping_the_labels_flips_the_difference_and_keeps_p(rows):
    values, marks = zip(*rows, strict=True)
    found, swapped = label_permutation(values, marks), label_permutation(values, [not mark for mark in marks])
    assert swapped.difference == pytest.approx(-found.difference)
    assert (swapped.p_mean, swapped.p_rank) == (found.p_mean, found.p_rank)


@settings(deadline=None, max_examples=60)
@given(tenths, st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_changes_nothing(rows, random):
    shuffled = rows.copy()
    random.shuffle(shuffled)
    assert label_permutation(*zip(*rows, strict=True)) == label_permutation(*zip(*shuffled, strict=True))


@pytest.mark.parametrize(("n", "k"), [(10, 5), (8, 4), (10, 4), (10, 6), (7, 1)])
def test_the_smallest_p_knows_the_symmetry_of_the_split(n, k):
    # Powers of two: no two sets of k have the same sum, and one set is extreme. Balanced splits count it twice.
    found = label_permutation([2**i for i in range(n)], [i < k for i in range(n)])
    assert found.smallest_p_mean == pytest.approx((2 if 2 * k == n else 1) / math.comb(n, k))
    assert found.smallest_p_rank == pytest.approx(2 / math.comb(n, k))
    assert found.n_assignments == math.comb(n, k)


def test_decimals_that_print_alike_tie():
    # In binary 0.1 + 0.2 != 0.3, so float statistics of these two assignments differ by one bit.
    values = [0.1, 0.2, 0.3, 0.0]
    assert label_permutation(values, [True, True, False, False]) == label_permutation(
        ["0.1", "0.2", "0.3", "0"], [True, True, False, False]
    )
    assert label_permutation(values, [True, True, False, False]).p_mean == 1.0


def test_a_label_on_all_or_none_compares_nothing():
    for labels in ([True, True], [False, False]):
        found = label_permutation([1, 2], labels)
        assert found.n_assignments == 1
        assert np.isnan(found[3:]).all()
    assert math.isnan(label_permutation([], []).p_mean)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: label_permutation([1, 2], [True]), "one label"),
        (lambda: label_permutation([1, 2], ["yes", "no"]), "true or false"),
        (lambda: label_permutation([1, math.nan], [True, False]), "finite number"),
        (lambda: label_permutation([1, math.inf], [True, False]), "finite number"),
        (lambda: label_permutation([1, "n/a"], [True, False]), "finite number"),
        (lambda: label_permutation([2**i for i in range(30)], [i < 15 for i in range(30)]), "round the values"),
        (lambda: predictions_right([True], [True, False]), "one outcome"),
    ],
)
def test_bad_input_is_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()


def test_predictions_right_counts_agreements():
    assert predictions_right([True, False, True], [True, False, False]) == (2, 3)


ACCOUNTS = {
    "Cyrillic target": lambda row: row["script"] == "Cyrillic",
    "Qwen base": lambda row: row["base_family"] == "Qwen",
    "strong adaptation": lambda row: abs(float(row["az_loss_points"])) + abs(float(row["en_loss_points"])) > 3.5,
    "related target": lambda row: row["related"] == "yes",
}
# Published between-pairs table: p by means, p by ranks.
PUBLISHED = [(0.0714, 0.0952), (0.0238, 0.0381), (0.5667, 0.1714), (0.9667, 0.6095)]


def published_pairs(preferred_style):
    path = repo_root().parent / "shared" / "reference" / "azeval-v2" / "pairs.csv"
    if not path.exists():
        pytest.skip(f"the published pair figures are not here: {path}")
    chosen = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["pair"] not in chosen or row["style"] == preferred_style:
                chosen[row["pair"]] = row
    return list(chosen.values())


@pytest.mark.reference
@pytest.mark.parametrize(("account", "expected"), list(zip(ACCOUNTS, PUBLISHED, strict=True)))
def test_the_published_accounts_come_out_to_the_printed_digit(account, expected):
    pairs = published_pairs("default")
    found = label_permutation([row["excess_points"] for row in pairs], map(ACCOUNTS[account], pairs))
    assert found.n == 10
    assert (round(found.p_mean, 4), round(found.p_rank, 4)) == expected


@pytest.mark.reference
@pytest.mark.parametrize(("style", "right"), [("default", 8), ("oneshot", 9)])
def test_script_predicts_nine_of_ten_by_the_published_style_rule(style, right):
    # "Script predicts nine of ten" is printed beside the figures of the oneshot rule.
    pairs = published_pairs(style)
    damaged = [float(row["ci_low"]) > 0 and float(row["az_loss_points"]) > 0 for row in pairs]
    assert predictions_right(map(ACCOUNTS["Cyrillic target"], pairs), damaged) == (right, 10)


@pytest.mark.reference
def test_the_published_balanced_split_cannot_reach_one_in_252():
    pairs = published_pairs("default")
    found = label_permutation([row["excess_points"] for row in pairs], map(ACCOUNTS["Cyrillic target"], pairs))
    assert (found.n_labelled, found.n_assignments) == (5, 252)
    assert found.smallest_p_mean == found.smallest_p_rank == 2 / 252
