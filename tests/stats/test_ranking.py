"""Scores with standard errors, ties and tiers. Vectors: the worked examples of TifinaghBench's specification."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from alifba.errors import InputError
from alifba.stats.ranking import Z95, CellMoments, Score, cell_moments, equal_weight_score, is_tie, tiers

# Spec, "Ranking": cells (n, correct, partial) with the printed score, standard error and interval.
LOWER = [(250, 100, 50), (250, 40, 0), (250, 60, 30), (250, 20, 0), (250, 80, 40), (250, 30, 0)]
HIGHER = [(250, 110, 50), (250, 45, 0), (250, 66, 30), (250, 25, 0), (250, 90, 40), (250, 33, 0)]
SCRIPT = [(250, 200, 0), (250, 190, 0), (250, 240, 0)]


def score_of(cells):
    return equal_weight_score(cell_moments(*zip(*cells, strict=True)))


def test_the_worked_example():
    score = score_of(LOWER)
    assert score.value == pytest.approx(26.0, abs=1e-9)
    assert score.se == pytest.approx(0.996438, abs=5e-7)
    assert (score.low, score.high) == pytest.approx((24.0470, 27.9530), abs=5e-5)


def test_the_script_score():
    score = score_of(SCRIPT)
    assert score.value == pytest.approx(84.0, abs=1e-9)
    assert score.se == pytest.approx(1.30094, abs=5e-6)


def test_the_worked_tie():
    a, b = score_of(LOWER), score_of(HIGHER)
    assert b.value == pytest.approx(28.6, abs=1e-9)
    assert b.value - a.value == pytest.approx(2.6, abs=1e-9)
    assert Z95 * math.hypot(a.se, b.se) == pytest.approx(2.8022, abs=5e-5)
    assert is_tie(a, b)
    assert is_tie(b, a)


@st.composite
def counts(draw):
    n = draw(st.integers(2, 300))
    correct = draw(st.integers(0, n))
    return n, correct, draw(st.integers(0, n - correct))


@given(counts())
def test_a_cell_is_the_mean_of_its_questions_and_the_variance_of_that_mean(cell):
    n, correct, partial = cell
    questions = [1.0] * correct + [0.5] * partial + [0.0] * (n - correct - partial)
    moments = cell_moments([n], [correct], [partial])
    assert moments.mean[0] == pytest.approx(np.mean(questions))
    # numpy's own variance over the questions, divided by their number.
    assert moments.variance[0] == pytest.approx(np.var(questions) / n, abs=1e-15)
    assert moments.variance[0] >= 0


def test_the_interval_of_one_cell_is_the_one_of_a_z_test():
    score = score_of([(250, 100, 0)])
    # scipy.stats.norm.interval with the standard error of a share, 1.959964 for the rounded 1.96.
    low, high = stats.norm.interval(0.95, 40, 100 * math.sqrt(0.4 * 0.6 / 250))
    assert (score.low, score.high) == pytest.approx((low, high), abs=2e-4)


def test_what_one_question_or_none_cannot_tell_is_undefined():
    moments = cell_moments([0, 1, 2], [0, 1, 1], [0, 0, 0])
    assert np.isnan(moments.mean).tolist() == [True, False, False]
    assert np.isnan(moments.variance).tolist() == [True, True, False]
    assert math.isnan(equal_weight_score(moments).value)
    assert math.isnan(equal_weight_score(CellMoments(np.array([]), np.array([]))).value)


@pytest.mark.parametrize("cell", [(10, 6, 5), (10, -1, 0), (10, 0, -1), (-1, 0, 0), (10, 0.5, 0)])
def test_impossible_counts_are_refused(cell):
    with pytest.raises(InputError):
        cell_moments(*([value] for value in cell))
    with pytest.raises(InputError):
        cell_moments([10, 10], [1], [1])


def test_tiers_go_by_the_leader_and_share_its_rank():
    # Steps of 2 with a margin of 1.96 √2 = 2.77: neighbours tie, but 6 and 10 do not, so no chain joins them all.
    placed = tiers([Score(10, 1), Score(8, 1), Score(6, 1), Score(4, 1), Score(0, 1)])
    assert placed.order.tolist() == [0, 1, 2, 3, 4]
    assert placed.tier.tolist() == [1, 1, 2, 2, 3]
    assert placed.rank.tolist() == [1, 1, 3, 3, 5]


def test_a_difference_of_exactly_the_margin_is_no_tie():
    # 3-4-5: SE 3 and 4 give a margin of 1.96 * 5 = 9.8; "<" is strict.
    assert not is_tie(Score(9.8, 3), Score(0, 4))
    assert is_tie(Score(9.79, 3), Score(0, 4))


def test_equal_scores_tie_even_without_spread():
    assert is_tie(Score(0, 0), Score(0, 0))
    assert tiers([Score(0, 0), Score(5, 0), Score(0, 0)]).rank.tolist() == [2, 1, 2]


def test_nothing_to_rank():
    assert tiers([]).order.tolist() == []


@pytest.mark.parametrize("bad", [Score(math.nan, 1), Score(1, math.nan), Score(1, -1), Score(math.inf, 1)])
def test_an_undefined_score_has_no_place(bad):
    with pytest.raises(InputError, match="rank"):
        tiers([Score(1, 1), bad])
    with pytest.raises(InputError, match="rank"):
        is_tie(bad, Score(1, 1))


SCORES = st.lists(st.builds(Score, st.floats(0, 100), st.floats(0, 10)), min_size=1, max_size=12)


@given(SCORES)
def test_what_holds_for_every_ranking(scores):
    placed = tiers(scores)
    ordered = [scores[run] for run in placed.order]
    assert sorted(placed.order) == list(range(len(scores)))
    assert all(a.value >= b.value for a, b in itertools.pairwise(ordered))
    tier, rank = placed.tier[placed.order].tolist(), placed.rank[placed.order].tolist()
    assert tier == sorted(tier)
    assert set(tier) == set(range(1, tier[-1] + 1))
    leader = 0
    for place in range(len(scores)):
        if place and tier[place] != tier[place - 1]:
            assert not is_tie(ordered[place], ordered[leader])
            leader = place
        else:
            assert is_tie(ordered[place], ordered[leader])
        assert rank[place] == leader + 1


@given(SCORES, st.randoms())
def test_the_order_of_the_input_changes_no_rank(scores, random):
    shuffled = list(scores)
    random.shuffle(shuffled)
    ranks = {(score, rank) for score, rank in zip(scores, tiers(scores).rank.tolist(), strict=True)}
    again = {(score, rank) for score, rank in zip(shuffled, tiers(shuffled).rank.tolist(), strict=True)}
    # Runs of equal score and another standard error may lead in turn, so they are left out.
    if len({score.value for score in scores}) == len(scores):
        assert ranks == again


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12), st.floats(0, 10), st.floats(1, 3))
def test_more_uncertainty_never_makes_more_tiers(values, se, factor):
    # Only where all runs are equally uncertain: otherwise a precise run may come to lead a tier, and cut it short.
    narrow, wide = ([Score(value, error) for value in values] for error in (se, se * factor))
    assert tiers(wide).tier.max() <= tiers(narrow).tier.max()
