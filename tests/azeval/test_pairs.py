"""Pairs: losses and excess by hand, what makes a pair invalid by name, families of tests, and the published pair."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from alifba.azeval.between import published as published_pairs
from alifba.azeval.gates import failures, gates_table
from alifba.azeval.pairs import PairRuns, is_damaged, is_model, losses_table, pair_runs, pairs_table
from alifba.azeval.prompts import prompt
from alifba.azeval.scorebook import ScoreBook, score_runs
from alifba.azeval.sweep import pairwise_table
from alifba.config import Study, load_study
from alifba.items import read_items
from alifba.paths import repo_root
from alifba.runs import read_runs
from samples import CAPITALS, REFERENCE, answer_row, item_row, published, write_rows, write_study

N = len(CAPITALS)
PAIR = {"target": "Kazakh", "related": True, "script": "Cyrillic", "base_family": "Qwen"}
BASE, TUNED = "org/base", "org/tuned"
# Which of the six items each half answers rightly: az base, az tuned, en base, en tuned.
RIGHT = {(BASE, "az"): "111110", (TUNED, "az"): "110000", (BASE, "en"): "111111", (TUNED, "en"): "111110"}


def write_run(folder: Path, model: str, language: str, right: str, style: str = "default", **changes: Any) -> None:
    """A run that answers item i rightly where `right` has a 1; another digit or sign leaves the item out."""
    place = 2 if language == "az" else 3
    rows = [
        answer_row(
            i,
            CAPITALS[i % N][place] if mark == "1" else "x",
            model=model,
            language=language,
            prompt_style=style,
            prompt=prompt(item_row(i)[f"question_{language}"], language, style),
            **changes,
        )
        for i, mark in enumerate(right)
        if mark in "01"
    ]
    write_rows(folder / "raw" / f"{model.replace('/', '__')}__{language}__{style}.jsonl", rows)


def found_in(folder: Path, **keys: Any) -> tuple[list[PairRuns], Study, ScoreBook]:
    """The pairs of what `write_run` wrote, by way of scores, gates and a study file."""
    keys = {"pairs": [{"name": "P", "base": BASE, "tuned": TUNED, **PAIR}], "styles": ["default"]} | keys
    study = load_study(write_study(folder, bootstrap={"resamples": 500}, **keys))
    items = read_items(write_rows(folder / "d.jsonl", [item_row(i) for i in range(N)]))
    runs = read_runs(folder / "raw")
    score_runs(runs, items, folder / "scores")
    book = ScoreBook.open(items, folder / "scores")
    failed = failures(gates_table(runs, items, study.gates))
    return pair_runs(book, study, failed, {run.key: run for run in runs}), study, book


def write_pair(folder: Path, **changes: dict[str, Any]) -> None:
    """The four runs of RIGHT; `changes` by "base_az", "tuned_en" and so on add fields to the rows of one."""
    for (model, language), right in RIGHT.items():
        name = f"{'base' if model == BASE else 'tuned'}_{language}"
        write_run(folder, model, language, right, **changes.get(name, {}))


def test_losses_and_excess_by_hand(tmp_path):
    write_pair(tmp_path)
    found, study, _ = found_in(tmp_path)
    row = pairs_table(found, study).set_index("chain").loc["strict"]
    assert (row["n"], row["valid"], row["reason"]) == (6, 1, "")
    assert [row[name] for name in ("az_base", "az_tuned", "en_base", "en_tuned")] == pytest.approx(
        [5 / 6, 2 / 6, 1, 5 / 6]
    )
    # Per item: az 0 0 1 1 1 0, en 0 0 0 0 0 1.
    assert (row["az_loss"], row["en_loss"], row["excess"]) == pytest.approx((3 / 6, 1 / 6, 2 / 6))
    # All sign flips of 1, 1, 1, -1: |sum| >= 2 in 10 of 16.
    flips = [abs(sum(signs)) for signs in product((-1, 1), repeat=4)]
    assert row["p"] == pytest.approx(np.mean([total >= 2 for total in flips]))
    assert row["ci_low"] <= row["excess"] <= row["ci_high"]
    assert row["damaged"] == 0, "the interval of six items holds zero"
    assert row["cyrillic_share"] == 0


def test_the_columns_come_in_the_agreed_order(tmp_path):
    write_pair(tmp_path)
    found, study, _ = found_in(tmp_path)
    agreed = [
        *("pair", "style", "chain", "n", "az_base", "az_tuned", "en_base", "en_tuned", "az_loss", "en_loss"),
        *("excess", "ci_low", "ci_high", "p", "damaged", "cyrillic_share", "valid", "reason"),
    ]
    assert list(pairs_table(found, study).columns[: len(agreed)]) == agreed
    assert list(pairs_table([], study).columns[: len(agreed)]) == agreed


def test_an_item_that_one_run_lacks_counts_in_none(tmp_path):
    write_pair(tmp_path)
    write_run(tmp_path, TUNED, "en", "1-1110")
    found, study, _ = found_in(tmp_path, gates={"coverage": 0.5})
    row = pairs_table(found, study).iloc[0]
    assert row["n"] == 5
    assert (row["az_base"], row["az_tuned"]) == pytest.approx((4 / 5, 1 / 5))


@pytest.mark.parametrize(
    ("ci_low", "az_loss", "damaged"),
    [(0.03, 0.02, True), (0.03, 0.0, False), (0.03, -0.04, False), (0.0, 0.1, False), (-0.01, 0.1, False)],
)
def test_damage_needs_both_an_excess_and_a_fall(ci_low, az_loss, damaged):
    assert is_damaged(ci_low, az_loss) is damaged
    assert not is_damaged(math.nan, az_loss)


def test_both_published_blind_spots_are_seen_through():
    by_pair = {figure.pair: figure for figure in published_pairs("data/published/azeval-v2-pairs.csv")}
    luth, turkish = by_pair["Latin 5"], by_pair["Turkish 1"]
    assert luth.ci_low > 0
    assert luth.az_loss < 0
    assert not luth.damaged
    assert turkish.ci_high < 0
    assert turkish.az_loss == 10.9
    assert not turkish.damaged


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tuned_az": {"precision": "float16"}}, "the halves differ in precision (unknown and float16)"),
        (
            {"base_en": {"device": "cuda"}, "tuned_en": {"device": "cpu"}},
            "the halves differ in device (cuda and cpu)",
        ),
        (
            {"tuned_az": {"generation": {"do_sample": True, "temperature": 0.7}}},
            "the halves differ in decoding (greedy,max=32,seed=0 and sample,t=0.7,max=None,seed=None)",
        ),
    ],
)
def test_halves_that_were_measured_unlike_are_refused_by_name(tmp_path, changes, reason):
    write_pair(tmp_path, **changes)
    found, study, _ = found_in(tmp_path)
    assert [entry.reason for entry in found] == [reason]
    table = pairs_table(found, study)
    assert set(table["valid"]) == {0}
    assert table["excess"].notna().all(), "the figure is shown, the verdict is not"
    assert table[["damaged", "p_holm"]].isna().all(axis=None)
    assert losses_table(found, study).empty


@pytest.mark.parametrize("half", ["base", "tuned"])
def test_a_chat_template_on_one_half_only_is_named(tmp_path, half):
    made = {"do_sample": False, "max_new_tokens": 32, "seed": 0, "batch_size": 8}
    other = {"base": "tuned", "tuned": "base"}[half]
    changes = {f"{half}_{lang}": {"generation": made | {"chat_template": "5f2e"}} for lang in ("az", "en")}
    changes |= {f"{other}_{lang}": {"generation": made | {"chat_template": "none"}} for lang in ("az", "en")}
    write_pair(tmp_path, **changes)
    found, _, _ = found_in(tmp_path)
    assert found[0].reason == f"a chat template on one half only (org/{half})"


def test_two_different_chat_templates_are_allowed(tmp_path):
    # Each half has its own; what both were asked is the same.
    write_pair(tmp_path, **{f"{half}_{lang}": {"generation": {"chat_template": half}}
                            for half in ("base", "tuned") for lang in ("az", "en")})  # fmt: skip
    assert found_in(tmp_path)[0][0].valid


def test_other_prompts_are_found_where_no_field_tells(tmp_path):
    write_pair(tmp_path)
    rows = [answer_row(i, "Paris", model=TUNED, prompt="<|user|>Sual: ?\nCavab:") for i in range(N)]
    write_rows(tmp_path / "raw" / "org__tuned__az__default.jsonl", rows)
    found, _, _ = found_in(tmp_path)
    assert found[0].reason == "the halves were sent different az prompts (6 of 6)"


def test_a_missing_run_is_named(tmp_path):
    write_pair(tmp_path)
    (tmp_path / "raw" / "org__tuned__en__default.jsonl").unlink()
    found, study, _ = found_in(tmp_path)
    assert [entry.reason for entry in found] == ["no en default run of org/tuned"]
    table = pairs_table(found, study)
    assert table["n"].tolist() == [0] * 4
    assert table["excess"].isna().all()


def test_a_pair_without_any_run_is_one_excluded_pair(tmp_path):
    write_run(tmp_path, "org/other", "az", "111111")
    found, study, _ = found_in(tmp_path)
    assert [(entry.style, entry.reason) for entry in found] == [("", "no run of either half")]
    assert set(pairs_table(found, study)["pair"]) == {"P"}


def test_a_run_that_fails_a_gate_excludes_its_pair_with_the_figure(tmp_path):
    write_pair(tmp_path)
    rows = [
        answer_row(i, "" if i < 4 else "x", model=TUNED, prompt=prompt(item_row(i)["question_az"], "az"))
        for i in range(N)
    ]
    write_rows(tmp_path / "raw" / "org__tuned__az__default.jsonl", rows)
    found, study, _ = found_in(tmp_path)
    assert found[0].reason == "org/tuned az default: empty 66.7 % > 20 %"
    assert pairs_table(found, study)["damaged"].isna().all()


def test_a_declared_name_without_an_organisation_matches_any():
    assert is_model("Racka-4B", "elte/Racka-4B")
    assert is_model("elte/Racka-4B", "elte/Racka-4B")
    assert not is_model("other/Racka-4B", "elte/Racka-4B")
    assert not is_model("Racka-4", "elte/Racka-4B")


def both_styles(folder: Path) -> tuple[list[PairRuns], Study, ScoreBook]:
    """P in both styles; Q, with the halves exchanged, in the one-example style alone."""
    write_pair(folder)
    for (model, language), right in RIGHT.items():
        write_run(folder, model, language, right[::-1], style="oneshot")
    names = [("P", BASE, TUNED), ("Q", TUNED, "org/third")]
    for language in ("az", "en"):
        write_run(folder, "org/third", language, "010101", style="oneshot")
    return found_in(folder, pairs=[{"name": n, "base": b, "tuned": t, **PAIR} for n, b, t in names])


def test_the_confirmatory_family_holds_each_pair_once(tmp_path):
    found, study, _ = both_styles(tmp_path)
    losses = losses_table(found, study)
    family = losses[losses["family"] == "confirmatory"]
    assert sorted(set(zip(family["pair"], family["style"], strict=True))) == [("P", "default"), ("Q", "oneshot")]
    assert len(family) == 2 * 4 * 2
    expected = multipletests(family["p"], method="holm")[1]
    assert family["p_holm"].to_numpy() == pytest.approx(expected)
    other = losses[losses["family"] == "other style"]
    assert set(zip(other["pair"], other["style"], strict=True)) == {("P", "oneshot")}
    assert other["p_holm"].to_numpy() == pytest.approx(multipletests(other["p"], method="holm")[1])


def test_each_loss_is_tested_by_mcnemar(tmp_path):
    write_pair(tmp_path)
    found, study, _ = found_in(tmp_path)
    losses = losses_table(found, study).set_index(["chain", "language"])
    # az: lost on three items, gained on none; en: lost on one.
    assert losses.loc[("strict", "az"), "p"] == pytest.approx(mcnemar([[2, 3], [0, 1]], exact=True).pvalue)
    assert losses.loc[("strict", "en"), "p"] == pytest.approx(mcnemar([[5, 1], [0, 0]], exact=True).pvalue)
    assert losses.loc[("strict", "az"), "loss"] == pytest.approx(3 / 6)


def test_growing_the_sweep_leaves_every_confirmatory_p_unchanged(tmp_path):
    write_pair(tmp_path)
    found, study, book = found_in(tmp_path)
    before, pairs, sweep = losses_table(found, study), pairs_table(found, study), pairwise_table(book)
    for number, right in enumerate(("000000", "111111", "010101")):
        for language in ("az", "en"):
            write_run(tmp_path, f"org/more{number}", language, right)
    found, study, book = found_in(tmp_path)
    pd.testing.assert_frame_equal(losses_table(found, study), before)
    pd.testing.assert_frame_equal(pairs_table(found, study), pairs)
    assert len(pairwise_table(book)) > len(sweep)


def test_the_sweep_compares_every_two_models_alike(tmp_path):
    write_pair(tmp_path)
    write_run(tmp_path, "org/third", "az", "01-1--")
    write_run(tmp_path, "org/third", "az", "111111", style="oneshot")
    _, _, book = found_in(tmp_path)
    table = pairwise_table(book)
    keys = table[table["chain"] == "strict"][["model_a", "model_b", "language", "prompt_style"]].to_numpy().tolist()
    assert keys == [
        [BASE, "org/third", "az", "default"],
        [BASE, TUNED, "az", "default"],
        ["org/third", TUNED, "az", "default"],
        [BASE, TUNED, "en", "default"],
    ]
    row = table[(table["model_a"] == BASE) & (table["model_b"] == "org/third") & (table["chain"] == "strict")].iloc[0]
    # Scored in both: items 0, 1 and 3, of which the base has all and the third model the last two.
    assert (row["n"], row["em_a"], row["em_b"], row["difference"]) == pytest.approx((3, 1, 2 / 3, 1 / 3))
    assert row["p"] == pytest.approx(mcnemar([[2, 1], [0, 0]], exact=True).pvalue)
    assert table["p_holm"].to_numpy() == pytest.approx(multipletests(table["p"], method="holm")[1])


def test_the_sweep_of_one_run_is_empty_and_of_none_in_common_undefined(tmp_path):
    write_run(tmp_path, BASE, "az", "111---")
    _, _, book = found_in(tmp_path)
    assert pairwise_table(book).empty
    write_run(tmp_path, TUNED, "az", "---111")
    _, _, book = found_in(tmp_path)
    table = pairwise_table(book)
    assert table["n"].tolist() == [0] * 4
    assert table[["em_a", "difference", "p", "p_holm"]].isna().all(axis=None)


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> dict[str, pd.DataFrame]:
    study = load_study(repo_root() / "studies" / "azeval-v0.yaml")
    items = read_items(REFERENCE / "az_eval_v0.jsonl")
    runs = read_runs(REFERENCE / "raw_outputs")
    folder = tmp_path_factory.mktemp("v0")
    score_runs(runs, items, folder)
    book = ScoreBook.open(items, folder)
    failed = failures(gates_table(runs, items, study.gates))
    found = pair_runs(book, study, failed, {run.key: run for run in runs})
    return {"pairs": pairs_table(found, study), "pairwise": pairwise_table(book)}


@pytest.mark.reference
def test_the_published_pair_from_the_published_outputs(reference):
    # Figures of the published study's tables (modes.csv: 12.6 - 3.1, 29.5 - 29.5) and of its text.
    pairs = reference["pairs"].set_index("chain")
    strict, translit = pairs.loc["strict"], pairs.loc["translit"]
    assert [round(100 * strict[name], 1) for name in ("az_loss", "en_loss", "excess")] == [9.6, 0.0, 9.6]
    assert strict["ci_low"] > 0
    assert strict["damaged"] == 1
    assert round(100 * strict["cyrillic_share"], 1) == 91.6
    assert [round(100 * row["az_tuned"], 1) for row in (strict, translit)] == [3.1, 12.1]
    assert strict["n"] == 356


@pytest.mark.reference
def test_the_published_pairwise_table(reference):
    ours = reference["pairwise"]
    az = ours[ours["language"] == "az"].set_index(["model_a", "model_b", "chain"])
    printed = published("pairwise_az")
    assert len(az) == len(printed) == 12
    for row in printed:
        mine = az.loc[(row["model_a"], row["model_b"], row["chain"])]
        assert mine["n"] == int(row["n"])
        for name, column in (("em_a", "a_em_pct"), ("em_b", "b_em_pct"), ("difference", "difference_points")):
            assert round(100 * mine[name], 1) == pytest.approx(float(row[column]))
        # Theirs is (hits + 1) / 10 001 over random flips: within four standard errors, and never below 1 / 10 001.
        error = 4 * math.sqrt(mine["p"] * (1 - mine["p"]) / 10_000) + 1 / 10_001
        assert abs(mine["p"] - float(row["p_monte_carlo"])) <= error + 5e-5


def test_a_declared_style_without_runs_is_named(tmp_path):
    write_pair(tmp_path)
    declared = {"name": "P", "base": BASE, "tuned": TUNED, **PAIR, "styles": ["default", "oneshot"]}
    found, _, _ = found_in(tmp_path, pairs=[declared])
    assert [(entry.style, entry.valid) for entry in found] == [("default", True), ("oneshot", False)]
    assert found[1].reason.startswith("no az oneshot run of org/base; no az oneshot run of org/tuned")
