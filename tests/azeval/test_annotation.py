"""What people said, counted: kappa against statsmodels, shares by hand, samples by their properties."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.inter_rater import cohens_kappa as published_kappa
from statsmodels.stats.proportion import proportion_confint

from alifba.azeval.annotation import (
    acceptance_table,
    agreement_table,
    allocate,
    baseline_table,
    blind_rows,
    cohens_kappa,
    kappa_table,
    stratified_sample,
)
from alifba.azeval.scorebook import ScoreBook, score_runs
from alifba.decisions import DecisionLog, read_decisions, text_sha
from alifba.errors import InputError
from alifba.items import Item, read_items
from alifba.paths import repo_root
from alifba.report.tidy import load_table
from alifba.runs import read_runs
from samples import PILOT, item_row, write_answers, write_rows, write_study

LABELS = st.sampled_from(["correct", "wrong", "unsure"])


def decide(folder: Path, task: str, row: dict[str, Any], decision: str, who: str = "anna", **fields: Any) -> None:
    log = DecisionLog(folder, task, who)
    standing = log.replay.in_force.get(row["id"])
    log.append(row["id"], decision, text_sha(task, row), seen=standing and standing.id, **fields)


def items_of(*rows: dict[str, Any]) -> list[Item]:
    return [Item.model_validate(row) for row in rows]


# --- kappa -----------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(LABELS, LABELS), min_size=2, max_size=60))
def test_kappa_and_its_interval_are_those_of_statsmodels(pairs):
    first, second = zip(*pairs, strict=True)
    ours = cohens_kappa(first, second)
    assert ours.agreement == pytest.approx(np.mean([one == two for one, two in pairs]))
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert math.isnan(ours.kappa)
        assert math.isnan(ours.low)
        return
    names = sorted({*first, *second})
    counts = Counter(pairs)
    with np.errstate(invalid="ignore"):
        theirs = published_kappa(np.array([[counts[one, two] for two in names] for one in names]))
    assert ours.kappa == pytest.approx(theirs.kappa)
    # Of perfect agreement the variance is zero, which rounding may put below zero: then statsmodels has no interval.
    half = theirs.kappa_upp - theirs.kappa if theirs.var_kappa > 0 else 0
    assert ours.low == pytest.approx(theirs.kappa - half, abs=1e-6)
    assert ours.high == pytest.approx(theirs.kappa + half, abs=1e-6)


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40))
def test_kappa_knows_no_first_rater(pairs):
    first, second = zip(*pairs, strict=True)
    assert cohens_kappa(first, second) == pytest.approx(cohens_kappa(second, first), nan_ok=True)


def test_a_wider_level_is_a_wider_interval():
    first, second = ["correct"] * 12 + ["wrong"] * 8, ["correct"] * 9 + ["wrong"] * 11
    narrow, wide = (cohens_kappa(first, second, level) for level in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_raters_of_different_items_are_refused():
    with pytest.raises(InputError, match="the same items"):
        cohens_kappa(["correct"], [])


# --- acceptance and agreement ----------------------------------------------------------------------------------------


def test_acceptance_counts_every_draft_once_and_has_wilson_s_interval(tmp_path):
    rows = [item_row(number, notes=f"template={'ab'[number % 2]}") for number in range(6)]
    decide(tmp_path, "review", rows[0], "accept")
    decide(tmp_path, "review", rows[2], "edit", changes={"answer_en": "Tiflis"})
    decide(tmp_path, "review", rows[4], "reject", reason="wrong")
    decide(tmp_path, "review", rows[1], "skip")
    table = acceptance_table(items_of(*rows), read_decisions(tmp_path, "review")).set_index("template")
    assert table.loc["all", ["n", "accepted", "edited", "rejected", "undecided"]].tolist() == [6, 1, 1, 1, 3]
    low, high = proportion_confint(2, 3, method="wilson")
    assert table.loc["a", ["share", "ci_low", "ci_high"]].tolist() == pytest.approx([2 / 3, low, high])
    assert table.loc["b", "undecided"] == 3
    assert math.isnan(table.loc["b", "share"])


def test_without_decisions_every_table_is_empty_and_keeps_its_columns():
    items = items_of(item_row(0))
    assert acceptance_table(items, {})["undecided"].tolist() == [1, 1]
    assert acceptance_table(items, {})["share"].isna().all()
    for table in (agreement_table(items, {}), kappa_table(items, {}, {})):
        assert len(table) == 0
        assert len(table.columns) > 5


def second_opinions(tmp_path: Path, labels: str, who: str = "bela", n: int = 0) -> list[dict[str, Any]]:
    """Rows and one opinion on each: c(orrect), w(rong), u(nsure), - (none)."""
    names = {"c": "correct", "w": "wrong", "u": "unsure"}
    rows = [item_row(number) for number in range(max(n, len(labels)))]
    for row, label in zip(rows, labels, strict=False):
        if label in names:
            decide(tmp_path, "second", row, names[label], who=who, **({} if label == "c" else {"note": "?"}))
    return rows


def test_agreement_and_rejection_of_a_second_annotator(tmp_path):
    rows = second_opinions(tmp_path, "ccccwu")
    (row,) = agreement_table(items_of(*rows), read_decisions(tmp_path, "second")).to_dict("records")
    assert (row["annotator"], row["n"], row["correct"], row["wrong"], row["unsure"]) == ("bela", 6, 4, 1, 1)
    for name, count, ends in (("correct", 4, ("ci_low", "ci_high")), ("wrong", 1, ("wrong_low", "wrong_high"))):
        interval = binomtest(count, 6).proportion_ci(0.95, method="wilson")
        assert row[f"share_{name}"] == pytest.approx(count / 6)
        assert [row[end] for end in ends] == pytest.approx([interval.low, interval.high])


def test_an_opinion_on_another_text_does_not_count(tmp_path):
    rows = second_opinions(tmp_path, "ccw")
    rows[0]["answer"] = "Lion"
    rows[2]["source"] = "https://example.org"  # not shown to a second annotator, so no other text for them
    (row,) = agreement_table(items_of(*rows), read_decisions(tmp_path, "second")).to_dict("records")
    assert (row["correct"], row["wrong"]) == (1, 1)


def test_kappa_of_review_and_second_is_undefined_where_all_were_accepted(tmp_path):
    rows = second_opinions(tmp_path, "cccw")
    for row in rows:
        decide(tmp_path, "review", row, "accept")
    (row,) = _kappas(tmp_path, rows)
    assert (row["kind"], row["n"], row["agreement"]) == ("review-second", 4, 0.75)
    assert math.isnan(row["kappa"])


def _kappas(tmp_path: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    review, second = (read_decisions(tmp_path, task) for task in ("review", "second"))
    return kappa_table(items_of(*rows), review, second).to_dict("records")


def test_kappa_of_review_and_second_on_accepted_and_rejected_drafts(tmp_path):
    rows = second_opinions(tmp_path, "ccwwcu")
    for number, row in enumerate(rows):
        fields = {"reason": "wrong"} if number in (2, 3, 5) else {}
        decide(tmp_path, "review", row, "reject" if fields else "accept", **fields)
    (row,) = _kappas(tmp_path, rows)
    # The unsure one is left out; on the other five both say correct, correct, wrong, wrong, correct.
    assert (row["n"], row["agreement"], row["kappa"]) == (5, 1, 1)


def test_two_blind_annotators_are_compared_on_what_both_judged(tmp_path):
    rows = second_opinions(tmp_path, "ccwwc")
    second_opinions(tmp_path, "cwwc-", who="cem")
    pairs = [row for row in _kappas(tmp_path, rows) if row["kind"] == "second-second"]
    assert [(row["first"], row["second"], row["n"], row["agreement"], row["kappa"]) for row in pairs] == [
        ("bela", "cem", 4, 0.5, 0.0)
    ]


def test_an_item_that_entered_counts_as_called_correct_whatever_its_draft_was(tmp_path):
    rows = second_opinions(tmp_path, "cw")
    built = [row | {"verified_by": "human"} for row in rows]
    (row,) = _kappas(tmp_path, built)
    assert (row["n"], row["agreement"]) == (2, 0.5)


# --- human baseline --------------------------------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path) -> ScoreBook:
    """Six items and two Azerbaijani runs: one has the first three right, the other lacks the last item."""
    path = write_rows(tmp_path / "items.jsonl", [item_row(number) for number in range(6)])
    answers = ["Paris", "Roma", "Tiflis", "x", "x", "x"]
    write_answers(tmp_path / "runs", "org/three", "az", answers)
    write_answers(tmp_path / "runs", "org/five", "az", answers[:5])
    write_answers(tmp_path / "runs", "org/five", "en", answers)
    items = read_items(path)
    score_runs(read_runs(tmp_path / "runs"), items, tmp_path / "scores")
    return ScoreBook.open(items, tmp_path / "scores")


def answered(tmp_path: Path, *answers: str | None) -> Any:
    for number, answer in enumerate(answers):
        if answer is not None:
            decide(tmp_path / "said", "baseline", item_row(number), "answer", answer=answer)
    return read_decisions(tmp_path / "said", "baseline")


def test_people_stand_beside_models_on_the_items_they_answered(tmp_path, book):
    said = answered(tmp_path, "Paris.", "", "tiflis", None, "Afina")
    table = baseline_table(book.items.items, said, book, chains=("strict",))
    human, *models = table.to_dict("records")
    # Paris, tiflis and Afina are right, the blank is an error, the fourth and sixth were not answered.
    assert (human["kind"], human["n"], human["n_blank"], human["exact_match"]) == ("human", 4, 1, 0.75)
    low, high = proportion_confint(3, 4, method="wilson")
    assert (human["ci_low"], human["ci_high"]) == pytest.approx((low, high))
    assert [(row["model"], row["n"], row["exact_match"], row["human"]) for row in models] == [
        ("org/five", 4, 0.75, 0.75),
        ("org/three", 4, 0.75, 0.75),
    ]
    # One item each way among four: exact McNemar of 1 against 1 is 1.
    assert [row["p"] for row in models] == [1, 1]


def test_a_model_that_lacks_an_item_is_compared_on_the_rest(tmp_path, book):
    said = answered(tmp_path, "Paris", "Roma", "Tiflis", "Moskva", "Afina", "Stokholm")
    rows = {
        row["model"]: row for row in baseline_table(book.items.items, said, book, chains=("strict",)).to_dict("records")
    }
    assert (rows["org/five"]["n"], rows["org/three"]["n"]) == (5, 6)
    assert rows["org/three"]["human"] == 1
    # Three items that only the person has: 2 · (1/2)³.
    assert rows["org/three"]["p"] == pytest.approx(0.25)
    assert rows["org/five"]["p"] == pytest.approx(0.5)


def test_a_blank_never_matches_and_an_accepted_form_does(tmp_path, book):
    table = baseline_table(book.items.items, answered(tmp_path, "  ", "Romada"), book)
    human = table[table["kind"] == "human"].set_index("chain")["exact_match"]
    assert human["strict"] == 0
    assert human["morph"] == human["translit"] == 0.5


# --- samples ---------------------------------------------------------------------------------------------------------

SIZES = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("uvwxyz")), st.integers(1, 40), min_size=1, max_size=12
)


@given(SIZES, st.data())
def test_every_stratum_gives_one_at_least_none_more_than_it_has_and_the_rest_is_proportional(sizes, data):
    total = sum(sizes.values())
    n = data.draw(st.integers(len(sizes), total))
    counts = allocate(sizes, n)
    assert sum(counts.values()) == n
    assert all(1 <= counts[stratum] <= sizes[stratum] for stratum in sizes)
    for stratum, size in sizes.items():
        # Never above the share rounded up; the one that each must have is the only exception.
        assert counts[stratum] <= max(1, math.ceil(n * size / total))


@given(SIZES)
def test_all_of_them_are_a_sample_too(sizes):
    assert allocate(sizes, sum(sizes.values())) == sizes


def test_proportions_are_exact_where_they_can_be():
    assert allocate({("a", "x"): 60, ("a", "y"): 30, ("b", "z"): 10}, 10) == {
        ("a", "x"): 6,
        ("a", "y"): 3,
        ("b", "z"): 1,
    }


@pytest.mark.parametrize("n", [0, 2, 101])
def test_too_few_and_too_many_are_refused(n):
    with pytest.raises(InputError, match="ask for 3 to 100"):
        allocate({("a", "x"): 60, ("a", "y"): 30, ("b", "z"): 10}, n)


def test_a_sample_has_no_item_twice_and_tells_nothing_by_its_order():
    items = read_items(PILOT).items
    drawn = stratified_sample(items, 200, np.random.default_rng(3))
    assert len({item.id for item in drawn}) == 200
    assert {item.template for item in drawn} == {item.template for item in items}
    changes = sum(one.template != two.template for one, two in pairwise(drawn))
    # 36 templates in blocks would change 35 times; mixed, nearly every neighbour is of another.
    assert changes > 150


def test_no_other_task_has_samples():
    with pytest.raises(InputError, match="second, baseline"):
        blind_rows([], "review")


# --- the notebook ----------------------------------------------------------------------------------------------------


def run_notebook(**parameters: str) -> None:
    """The code of the notebook in this process, with its parameters replaced."""
    scope: dict[str, Any] = {}
    for cell in nbformat.read(repo_root() / "notebooks/azeval/80_annotation.ipynb", as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, scope)
            if "parameters" in cell.metadata.get("tags", []):
                assert set(parameters) <= set(scope)
                scope |= parameters


def small_study(tmp_path: Path) -> dict[str, str]:
    rows = [item_row(number, notes=f"template=t;created=2026-11-{number + 1:02}") for number in range(6)]
    items = read_items(write_rows(tmp_path / "items.jsonl", rows))
    for language in ("az", "en"):
        write_answers(tmp_path / "runs", "org/one", language, ["Paris", "x", "x", "x", "x", "x"])
    score_runs(read_runs(tmp_path / "runs"), items, tmp_path / "out" / "tables" / "items")
    places = {"dataset": "items.jsonl", "out": "out", "decisions": "decisions"}
    study = write_study(tmp_path, bootstrap={"resamples": 200})
    return {"study": str(study)} | {name: str(tmp_path / place) for name, place in places.items()}


def table(tmp_path: Path, name: str) -> pd.DataFrame:
    return load_table(tmp_path / "out" / "tables" / f"{name}.csv")


def test_the_notebook_says_so_where_nobody_has_decided_anything(tmp_path, capsys):
    run_notebook(**small_study(tmp_path))
    assert capsys.readouterr().out.count("nobody has decided anything yet") == 3
    for name in ("agreement", "kappa", "human_baseline"):
        assert len(table(tmp_path, name)) == 0
    assert table(tmp_path, "acceptance")["undecided"].tolist() == [6, 6]
    assert set(table(tmp_path, "acceptance")["items_status"]) == {"pilot items, not verified by a person"}


def test_the_notebook_counts_what_people_said(tmp_path):
    places = small_study(tmp_path)
    rows = [item.model_dump() for item in read_items(tmp_path / "items.jsonl")]
    logs = tmp_path / "decisions"
    for row in rows[:4]:
        decide(logs, "review", row, "accept")
        decide(logs, "second", row, "correct", who="bela")
    decide(logs, "baseline", rows[0], "answer", answer="Paris")
    run_notebook(**places)
    assert table(tmp_path, "acceptance")["share"].tolist() == [1, 1]
    assert table(tmp_path, "agreement")["share_correct"].tolist() == [1]
    assert table(tmp_path, "kappa")["kappa"].isna().all()
    assert table(tmp_path, "human_baseline")["exact_match"].tolist() == [1] * 8
    assert set(table(tmp_path, "contamination")["n_computed"]) == {6}
