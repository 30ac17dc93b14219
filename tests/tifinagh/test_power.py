"""Margins by sample size and words to tell two models apart. Against the spec's table, statsmodels and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from leaderboard_kit import HIGHER, LETTERS, LOWER, write_run
from statsmodels.stats.power import normal_power

from alifba.errors import InputError
from alifba.stats.ranking import Z95, Score, is_tie
from alifba.tifinagh.power import margin, paired, points, power_at, power_table, sample_sizes, spread, words_needed
from alifba.tifinagh.ranking import HEADLINES, board, cells_of, read_runs, score_of
from alifba.tifinagh.records import read_item_records
from alifba.tifinagh.standings import near_misses


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pair")
    write_run(folder, "lower", LOWER | LETTERS)
    write_run(folder, "higher", HIGHER | LETTERS)
    return {run.slug: run for run in read_runs(folder)}


@pytest.mark.parametrize(("words", "points"), [(50, 13.9), (250, 6.2), (1000, 3.1), (13000, 0.86)])
def test_margins_are_those_of_the_specification(words, points):
    assert round(margin(words), 2 if points < 1 else 1) == points


def test_the_sample_size_table(runs):
    table = sample_sizes().set_index("words")
    assert {50, 250, 1000, 13000} <= set(table.index)
    # Means of 6 and of 3 independent cells.
    assert table["tifinaghbench"].to_numpy() * math.sqrt(6) == pytest.approx(table["cell"].to_numpy())
    assert table["script_score"].to_numpy() * math.sqrt(3) == pytest.approx(table["cell"].to_numpy())
    # The widest that any score of 250 words can be.
    score = score_of(runs["higher"], "tifinaghbench")
    assert Z95 * score.se < table.loc[250, "tifinaghbench"]


@given(st.integers(1, 20000), st.floats(0, 1))
def test_half_right_is_the_widest(words, share):
    assert margin(words, 6, share) <= margin(words, 6)
    assert margin(4 * words) == pytest.approx(margin(words) / 2)


@pytest.mark.parametrize("wrong", [{"words": 0}, {"words": 5, "n_cells": 0}, {"words": 5, "share": 40}])
def test_impossible_sizes_are_refused(wrong):
    with pytest.raises(InputError):
        margin(**wrong)


def test_the_spread_gives_the_standard_error_at_the_size_of_the_run(runs):
    for headline in HEADLINES:
        total = spread(cells_of(runs["lower"].summary, headline))
        assert math.sqrt(total / 250) == pytest.approx(score_of(runs["lower"], headline).se)


@given(st.floats(0.5, 30), st.floats(50, 4000), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_the_words_needed_have_the_power_that_statsmodels_computes(difference, total, power):
    words = words_needed(difference, total, power)
    # normal_power(d / sigma, n, alpha) of a two-sided z test; alpha of 1.96 is 0.0499958. Its far tail is negligible.
    reached = normal_power(difference / math.sqrt(total), words, 0.0499957902964409)
    assert reached >= power - 1e-6
    assert reached == pytest.approx(power_at(words, difference, total), abs=2e-3 if power == 0.5 else 1e-4)
    if words > 2:
        assert power_at(words - 1, difference, total) < power


def test_simulated_leaderboards_are_told_apart_as_often_as_promised():
    # Two models with 30 and 36 % in each of six cells, binary scores; the tie rule as the leaderboard applies it.
    shares, rng = (0.30, 0.36), np.random.default_rng(7)
    total = sum((100 / 6) ** 2 * 6 * p * (1 - p) for p in shares)
    words = words_needed(6.0, total)
    apart = 0
    for _ in range(1500):
        cells = [rng.binomial(words, p, 6) / words for p in shares]
        scores = [Score(100 * m.mean(), 100 / 6 * math.sqrt((m * (1 - m) / words).sum())) for m in cells]
        apart += not is_tie(*scores)
    # 0.8 within four standard errors of a share of 1500.
    assert apart / 1500 == pytest.approx(0.8, abs=4 * math.sqrt(0.8 * 0.2 / 1500))


def test_models_that_do_not_differ_are_never_told_apart():
    assert words_needed(0, 100) is None
    assert power_at(100, 0, 0) == 0
    assert words_needed(5, 0) == 2
    assert power_at(2, 5, 0) == 1
    with pytest.raises(InputError, match="percent"):
        words_needed(1, 1, 80)


def test_the_worked_tie_needs_more_words_than_it_has(runs):
    (row,) = power_table([board(list(runs.values()), "tifinaghbench")]).to_dict("records")
    assert (row["a"], row["b"], row["tie"]) == ("higher", "lower", True)
    assert row["difference"] == pytest.approx(2.6)
    assert row["margin"] == pytest.approx(2.8022, abs=5e-5)
    # Closed form: (1.96 + 0.841621)² * 250 * (SE² + SE²) / 2.6², SE² + SE² = (2.8022 / 1.96)².
    assert row["words"] == math.ceil((1.96 + 0.8416212) ** 2 * 250 * (2.8021829 / 1.96) ** 2 / 2.6**2)
    assert row["words"] > 250


def test_a_paired_comparison_has_the_same_difference_and_a_smaller_error(runs):
    scores = [points(read_item_records(runs[slug].folder), "tifinaghbench") for slug in ("higher", "lower")]
    same_words, total = paired(*scores)
    assert same_words.value == pytest.approx(2.6)
    assert math.sqrt(total / 250) == pytest.approx(same_words.se)
    # The fictional models agree word by word almost everywhere.
    unpaired = math.hypot(*(score_of(runs[slug], "tifinaghbench").se for slug in ("higher", "lower")))
    assert same_words.se < unpaired
    back, _ = paired(*scores[::-1])
    assert (back.value, back.se) == pytest.approx((-same_words.value, same_words.se))


def test_paired_by_hand(runs):
    # Only the script cells, two words each; a: right right, b: right wrong in every cell.
    some = [item for item in read_item_records(runs["lower"].folder) if item.task == "transliterate"]
    right, wrong = ({"score": 1.0, "scored_by": "exact"}, {"score": 0.0, "scored_by": "exact"})
    two = [item for item in some if item.entry_id in ("00000", "00001")]
    a = [item.model_copy(update=right) for item in two]
    b = [item.model_copy(update=right if item.entry_id == "00000" else wrong) for item in two]
    score, total = paired(points(a, "script_score"), points(b, "script_score"))
    # Differences 0 and 1 in three cells: mean 0.5, variance 0.25, so SE = 100 / 3 * √(3 * 0.25 / 2).
    assert score == pytest.approx((50.0, 100 / 3 * math.sqrt(0.375)))
    assert total == pytest.approx((100 / 3) ** 2 * 0.75)
    failed = [item.model_copy(update={"score": None, "scored_by": "error"}) for item in two]
    assert paired(points(failed, "script_score"), points(b, "script_score"))[0].value == pytest.approx(-50)


def test_pairs_that_are_none_are_refused(runs):
    items = list(read_item_records(runs["lower"].folder))
    scores = points(items, "script_score")
    with pytest.raises(InputError, match="one run only"):
        paired(scores, dict(list(scores.items())[1:]))
    with pytest.raises(InputError, match="no score yet"):
        points([items[-1].model_copy(update={"awaiting": "model"})], "script_score")


def test_near_misses_count_wrong_answers_alone(runs):
    table = near_misses(runs.values())
    one = table[(table["run"] == "lower") & (table["task"] == "transliterate")].set_index("cer")
    # LETTERS: 50 + 60 + 10 of 750 wrong; the kit gives wrong answers the rates 0.25, 0.5, 0.75 and 1 in turn.
    assert one["n_wrong"].unique().tolist() == [120]
    assert one["n_within"].loc[[0.0, 0.2, 1.0]].tolist() == [0, 0, 120]
    # From word 200: the rates are (at % 4) in quarters above 0.25; counted by hand, at % 4 == 0 is 0.25.
    by_hand = sum(at % 4 == 0 for first in (200, 190, 240) for at in range(first, 250))
    assert one["n_within"].loc[0.25] == by_hand
    assert one["n_within"].is_monotonic_increasing
