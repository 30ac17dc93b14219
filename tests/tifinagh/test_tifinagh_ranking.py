"""Which runs are ranked, which are listed apart, and what each lacks. Runs are fictional; vectors are the spec's."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leaderboard_kit import HIGHER, LETTERS, LOWER, write_run, write_season

from alifba.errors import InputError
from alifba.tifinagh.ranking import (
    HEADLINES,
    Missing,
    board,
    choose_reference,
    differences,
    missing,
    read_runs,
    score_of,
    setup_of,
)
from alifba.tifinagh.records import DIALECTS, SUMMARY_FILE, TASKS
from alifba.tifinagh.standings import cells, notice, standings


@pytest.fixture(scope="module")
def season(tmp_path_factory):
    return read_runs(write_season(tmp_path_factory.mktemp("season")))


def by_slug(runs):
    return {run.slug: run for run in runs}


def test_the_worked_example_of_the_specification(season):
    # Spec, "Ranking": 26.0 with SE 0.996438, 28.6, a tie; script 84.0 with SE 1.30094.
    runs = by_slug(season)
    lower, higher = score_of(runs["gamma"], "tifinaghbench"), score_of(runs["beta"], "tifinaghbench")
    assert (lower.value, lower.se) == pytest.approx((26.0, 0.996438), abs=5e-7)
    assert (lower.low, lower.high) == pytest.approx((24.0470, 27.9530), abs=5e-5)
    assert higher.value == pytest.approx(28.6)
    script = score_of(runs["beta"], "script_score")
    assert (script.value, script.se) == pytest.approx((84.0, 1.30094), abs=5e-6)
    tier = {entry.run.slug: (entry.tier, entry.rank) for entry in board(season, "tifinaghbench").placed}
    assert tier["beta"] == tier["gamma"] == (2, 2)


def test_tiers_of_a_season(season):
    placed = board(season, "tifinaghbench").placed
    assert [(entry.run.slug, entry.tier, entry.rank) for entry in placed] == [
        ("alpha", 1, 1), ("beta", 2, 2), ("gamma", 2, 2), ("zeta", 2, 2), ("delta", 3, 5),
    ]  # fmt: skip
    assert all(entry.strict <= entry.score.value for entry in placed)


def test_every_run_is_in_exactly_one_list(season):
    for headline in HEADLINES:
        made = board(season, headline)
        named = [entry.run.slug for entry in made.placed]
        named += [run.slug for run, _ in made.unplaced] + [run.slug for run, _ in made.apart]
        assert sorted(named) == sorted(run.slug for run in season)


def test_other_setups_say_what_differs_and_have_no_rank(season):
    apart = {run.slug: [other.field for other in found] for run, found in board(season, "script_score").apart}
    assert apart == {
        "eta": ["judge"],
        "iota": ["dialects", "dictionaries.kabyle"],
        "theta": ["seed", "batch_size"],
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sampling", "other"), ("seed", 2), ("sample", None), ("batch_size", 1), ("retries", 0), ("prompts", "f" * 12),
        ("max_new_tokens", 1), ("dictionaries", {"ircam": "x", "tarifit": "tarifit" * 8, "kabyle": "kabyle" * 8}),
    ],
)  # fmt: skip
def test_a_difference_in_any_field_keeps_a_run_out(tmp_path, field, value):
    for slug, more in (("a", {}), ("b", {}), ("c", {field: value})):
        write_run(tmp_path, slug, LOWER | LETTERS, n=250, **({"sample": 250} | more))
    made = board(read_runs(tmp_path), "tifinaghbench")
    assert [(run.slug, [other.field.split(".")[0] for other in found]) for run, found in made.apart] == [("c", [field])]


def test_a_judge_of_another_revision_is_another_judge(tmp_path):
    write_run(tmp_path, "a", LOWER | LETTERS)
    write_run(tmp_path, "b", LOWER | LETTERS, judge="2")
    a, b = read_runs(tmp_path)
    assert [other.field for other in differences(a.summary, b.summary)] == ["judge"]
    assert differences(a.summary, a.summary) == []


def test_the_order_of_dialects_and_tasks_is_no_difference(tmp_path):
    write_run(tmp_path, "a", LOWER | LETTERS)
    write_run(tmp_path, "b", LOWER | LETTERS, dialects=list(DIALECTS)[::-1], tasks=list(TASKS)[::-1])
    a, b = read_runs(tmp_path)
    assert setup_of(a.summary) == setup_of(b.summary)


def test_the_setup_that_is_ranked_can_be_chosen(season):
    assert choose_reference(season).summary.judge == "fictional/judge@1"
    assert [entry.run.slug for entry in board(season, "tifinaghbench", "eta").placed] == ["eta"]
    with pytest.raises(InputError, match="slug"):
        board(season, "tifinaghbench", "etta")


def test_a_score_that_waits_is_listed_with_what_it_waits_for(season):
    runs = by_slug(season)
    # 3 * 250 questions, of which 240 are exact senses; the others wait.
    assert missing(runs["epsilon"], "tifinaghbench") == [Missing("awaiting_judge", 3 * 250 - 240)]
    assert missing(runs["epsilon"], "script_score") == []
    assert missing(runs["zeta"], "script_score") == [Missing("awaiting_model", 10)]
    lacking = tuple(itertools.product(["kabyle"], HEADLINES["tifinaghbench"]))
    assert missing(runs["iota"], "tifinaghbench") == [Missing("not_covered", 2, lacking)]
    assert [run.slug for run, _ in board(season, "tifinaghbench").unplaced] == ["epsilon"]


def test_without_a_judge_there_is_no_score_but_a_script_score(tmp_path):
    waiting = {(dialect, "tif-to-en"): "judge" for dialect in DIALECTS}
    write_run(tmp_path, "alone", LOWER | LETTERS, judge=None, waiting=waiting)
    runs = read_runs(tmp_path)
    made = board(runs, "tifinaghbench")
    assert made.placed == []
    assert made.unplaced == [(runs[0], [Missing("no_judge", 510)])]
    assert [entry.score.value for entry in board(runs, "script_score").placed] == [pytest.approx(84)]


def test_one_question_a_cell_gives_no_interval_and_no_rank(tmp_path):
    write_run(tmp_path, "tiny", dict.fromkeys(LOWER | LETTERS, (1, 0)), n=1)
    made = board(read_runs(tmp_path), "tifinaghbench")
    assert made.placed == []
    assert made.unplaced[0][1][0].state == "too_few"


def test_counts_that_do_not_give_the_stated_score_are_refused(tmp_path):
    folder = write_run(tmp_path, "edited", LOWER | LETTERS)
    path = folder / SUMMARY_FILE
    content = json.loads(path.read_text(encoding="utf-8"))
    content["tifinaghbench"] = 62.0
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=r"62\.0, but its cells give 26\.0"):
        board(read_runs(tmp_path), "tifinaghbench")


def test_no_runs_and_one_slug_twice_are_refused(tmp_path):
    with pytest.raises(InputError, match="no runs"):
        read_runs(tmp_path)
    write_run(tmp_path, "a", LOWER | LETTERS)
    (tmp_path / "a").rename(tmp_path / "b")
    write_run(tmp_path, "a", LOWER | LETTERS)
    with pytest.raises(InputError, match="same slug"):
        read_runs(tmp_path)


@given(st.permutations(range(9)))
def test_the_order_of_the_folders_changes_nothing(season, order):
    shuffled = [season[at] for at in order]
    for headline in HEADLINES:
        one, two = board(season, headline), board(shuffled, headline)
        assert one.placed == two.placed
        assert one.unplaced == two.unplaced


def test_tables_hold_what_the_boards_hold(season):
    table = standings([board(season, headline) for headline in HEADLINES])
    assert len(table) == 2 * len(season)
    ranked = table[table["status"] == "ranked"]
    assert ranked["why"].isna().all()
    assert ((ranked["low"] < ranked["value"]) & (ranked["value"] < ranked["high"])).all()
    without = table[table["status"] == "no score"]
    assert without[["value", "rank", "low"]].isna().all(axis=None)
    counted = cells(season)
    parts = counted[["n_correct", "n_partial", "n_wrong", "n_error", "n_awaiting"]].sum(axis=1)
    assert (parts == counted["n"]).all()


def test_the_label_of_a_dictionary_stands_beside_every_number(season, tmp_path):
    assert notice(season) == "fictional: made for a test"
    write_run(tmp_path, "plain", HIGHER | LETTERS, label="")
    assert "see run.json" in notice(read_runs(tmp_path))
