"""The declared analysis: weights by hand, planted effects found, p corrected as statsmodels corrects them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from adaptation_kit import arm, declared, study_of
from statsmodels.stats.multitest import multipletests

from alifba.azeval.adaptation.contrasts import (
    arms_table,
    contrasts_table,
    interaction_weights,
    languages_table,
    relatedness_weights,
    script_weights,
)
from alifba.azeval.adaptation.outcomes import OUTCOMES, Outcomes
from alifba.config import Resampling, load_study
from alifba.paths import repo_root

SAMPLING = Resampling(resamples=400)
N = 60
# Planted: what Cyrillic adds, what a related target adds, and what both together add on top.
SCRIPT, RELATED, BOTH = 0.2, -0.1, 0.06


@pytest.fixture(scope="module")
def adaptation():
    return load_study(repo_root() / "studies" / "controlled.yaml").adaptation


def planted(adaptation, noise=0.3, without=()):
    """Every arm's values are its planted effect and noise that is zero on average over the items, seeds that differ."""
    rng = np.random.default_rng(7)
    shared = rng.normal(0, 1, N)
    values = {}
    for one in adaptation.arms:
        effect = SCRIPT * (one.script == "Cyrillic") + RELATED * one.related
        effect += BOTH * (one.related and one.script == "Cyrillic")
        own = rng.normal(0, noise, (one.seeds, N)) + shared
        values[one.slug] = effect + own - own.mean(axis=1, keepdims=True)
    values["untouched"] = np.zeros((1, N))
    kept = {slug: value for slug, value in values.items() if slug not in without}
    return Outcomes(adaptation, dict.fromkeys(OUTCOMES, kept), {"az": 1.0, "en": 1.0}, [])


def test_the_weights_of_the_script_contrast_are_those_of_six_languages(adaptation):
    languages = ("kk", "tr", "tk", "sr", "ru", "az")
    expected = {f"{code}-cyrl": 1 / 6 for code in languages} | {f"{code}-latn": -1 / 6 for code in languages}
    assert script_weights(adaptation) == pytest.approx(expected)
    assert script_weights(adaptation, only="kazakh") == {"kk-cyrl": 1, "kk-latn": -1}


def test_the_weights_of_the_relatedness_contrast_compare_within_each_script(adaptation):
    # Cyrillic: five Turkic targets and three others. Latin: three Turkic and four others. Azerbaijani is no neighbour.
    expected = dict.fromkeys(("kk-cyrl", "tr-cyrl", "tk-cyrl", "ky", "tt"), 1 / 2 / 5)
    expected |= dict.fromkeys(("sr-cyrl", "ru-cyrl", "uk"), -1 / 2 / 3)
    expected |= dict.fromkeys(("kk-latn", "tr-latn", "tk-latn"), 1 / 2 / 3)
    expected |= dict.fromkeys(("sr-latn", "ru-latn", "nb", "fr"), -1 / 2 / 4)
    assert relatedness_weights(adaptation) == pytest.approx(expected)


def test_the_weights_of_the_interaction_are_the_difference_of_two_script_contrasts(adaptation):
    # Three Turkic languages and two others have both scripts, Azerbaijani left out.
    expected = {f"{code}-cyrl": 1 / 3 for code in ("kk", "tr", "tk")}
    expected |= {f"{code}-latn": -1 / 3 for code in ("kk", "tr", "tk")}
    expected |= {f"{code}-cyrl": -1 / 2 for code in ("sr", "ru")} | {f"{code}-latn": 1 / 2 for code in ("sr", "ru")}
    assert interaction_weights(adaptation) == pytest.approx(expected)


@pytest.mark.parametrize("weights", [script_weights, relatedness_weights, interaction_weights])
def test_weights_add_up_to_zero_and_leave_controls_and_sensitivity_arms_out(adaptation, weights):
    found = weights(adaptation)
    assert sum(found.values()) == pytest.approx(0, abs=1e-12)
    roles = {one.slug: one.role for one in adaptation.arms}
    assert {roles[slug] for slug in found} == {"target"}


def test_planted_effects_come_out_with_their_size_and_sign(adaptation):
    table = contrasts_table(planted(adaptation), SAMPLING).set_index(["contrast", "outcome"])
    # Of the six languages of the script contrast four are Turkic; relatedness averages Cyrillic and Latin.
    expected = {"script": SCRIPT + BOTH * 4 / 6, "relatedness": RELATED + BOTH / 2, "interaction": BOTH}
    for contrast, size in expected.items():
        row = table.loc[(contrast, "excess_nll")]
        assert row["mean"] == pytest.approx(size)
        assert row["low"] < size < row["high"]
        assert row["n_items"] == N
    script = table.loc[("script", "excess_nll")]
    assert script["p"] < 1e-6
    assert script["as_predicted"] == "yes"
    relatedness = table.loc[("relatedness", "excess_nll")]
    assert relatedness["high"] < 0
    assert relatedness["as_predicted"] == "no", "declared above zero, planted below"
    assert table.loc[("script", "other_language"), "as_predicted"] == "no", "declared below zero, planted above"


def test_an_interval_over_zero_decides_nothing(adaptation):
    table = contrasts_table(planted(adaptation, noise=30.0), SAMPLING)
    wide = table[(table["low"] < 0) & (table["high"] > 0)]
    assert len(wide) > 0
    assert (wide["as_predicted"] == "").all()


def test_p_is_corrected_within_each_declared_family(adaptation):
    table = contrasts_table(planted(adaptation, noise=2.0), SAMPLING)
    assert sorted(table["family"]) == ["primary"] * 3 + ["secondary"] * 3
    for _, rows in table.groupby("family"):
        theirs = multipletests(rows["p"], method="holm")[1]
        assert rows["p_holm"].to_numpy() == pytest.approx(theirs)
    assert (table["p_holm"] > table["p"]).any()


def test_p_over_languages_is_that_of_all_64_signs(adaptation):
    found = planted(adaptation)
    table = contrasts_table(found, SAMPLING)
    means = languages_table(found, SAMPLING).query("outcome == 'excess_nll'")["mean"].to_numpy()
    assert means == pytest.approx([SCRIPT + BOTH] * 3 + [SCRIPT] * 2 + [SCRIPT + BOTH])
    sums = [abs(np.dot(signs, means)) for signs in itertools.product((1, -1), repeat=6)]
    expected = np.mean([value >= abs(means.sum()) - 1e-9 for value in sums])
    row = table.query("contrast == 'script' and outcome == 'excess_nll'").iloc[0]
    assert (row["p_languages"], row["smallest_p_languages"]) == pytest.approx((expected, 2 / 64))
    assert row["n_languages"] == 6
    others = table[table["contrast"] != "script"]
    assert others["p_languages"].isna().all()


def test_p_over_languages_where_one_goes_the_other_way(adaptation):
    found = planted(adaptation)
    values = dict(found.values["excess_nll"])
    values["ru-cyrl"] = values["ru-cyrl"] - 0.25
    changed = Outcomes(adaptation, dict(found.values) | {"excess_nll": values}, found.base_nll, [])
    row = contrasts_table(changed, SAMPLING).query("contrast == 'script' and outcome == 'excess_nll'").iloc[0]
    means = [SCRIPT + BOTH] * 3 + [SCRIPT, SCRIPT - 0.25, SCRIPT + BOTH]
    sums = [abs(np.dot(signs, means)) for signs in itertools.product((1, -1), repeat=6)]
    # Reached by all plus, by Russian alone turned over, and by their opposites.
    assert row["p_languages"] == np.mean([value >= abs(sum(means)) - 1e-9 for value in sums]) == 4 / 64


def test_a_missing_arm_leaves_its_contrasts_undefined_and_out_of_the_correction(adaptation):
    # Azerbaijani takes part in the script contrast alone.
    table = contrasts_table(planted(adaptation, noise=2.0, without=["az-latn"]), SAMPLING)
    gone = table[table["contrast"] == "script"]
    assert gone[["mean", "low", "high", "p", "p_holm", "p_languages"]].isna().all(axis=None)
    assert (gone["n_items"] == 0).all()
    assert (gone["as_predicted"] == "").all()
    left = table[table["contrast"] != "script"]
    assert left["p_holm"].to_numpy() == pytest.approx(multipletests(left["p"], method="holm")[1])
    languages = languages_table(planted(adaptation, without=["az-latn"]), SAMPLING)
    assert languages.loc[languages["language"] == "Azerbaijani", "mean"].isna().all()
    assert languages.loc[languages["language"] != "Azerbaijani", "mean"].notna().all()


def test_arms_are_measured_each_and_corrected_by_outcome_and_role(adaptation):
    found = planted(adaptation)
    table = arms_table(found, SAMPLING)
    assert len(table) == len(adaptation.arms) * len(found.values)
    rows = table[table["outcome"] == "excess_nll"].set_index("arm")
    assert rows.loc["kk-cyrl", "mean"] == pytest.approx(SCRIPT + RELATED + BOTH)
    assert rows.loc["fr", "mean"] == pytest.approx(0, abs=1e-12)
    assert rows.loc["kk-cyrl", ["n_seeds", "n_items"]].tolist() == [3, N]
    for slug in ("kk-cyrl", "uk"):
        seeds = found.values["excess_nll"][slug].mean(axis=1)
        assert rows.loc[slug, ["seed_low", "seed_high"]].tolist() == pytest.approx([seeds.min(), seeds.max()])
    for _, family in rows.groupby("role"):
        assert family["p_holm"].to_numpy() == pytest.approx(multipletests(family["p"], method="holm")[1])


def test_an_arm_without_a_model_has_a_row_and_no_number(adaptation):
    table = arms_table(planted(adaptation, without=["fr", "uk"]), SAMPLING)
    gone = table[table["arm"].isin(["fr", "uk"])]
    assert len(table) == len(adaptation.arms) * len(OUTCOMES)
    assert (gone["n_seeds"] == 0).all()
    assert gone[["mean", "low", "high", "p", "p_holm", "seed_low", "seed_high"]].isna().all(axis=None)
    targets = table[(table["outcome"] == "excess_nll") & (table["role"] == "target") & table["p"].notna()]
    assert targets["p_holm"].to_numpy() == pytest.approx(multipletests(targets["p"], method="holm")[1])


def test_the_untouched_base_is_exactly_zero_and_has_no_interval(adaptation):
    table = arms_table(planted(adaptation), SAMPLING)
    untouched = table[table["arm"] == "untouched"]
    assert (untouched["mean"] == 0).all()
    assert (untouched["p"] == 1).all()
    assert untouched[["low", "high"]].isna().all(axis=None)


def test_another_arm_moves_no_interval(adaptation):
    whole, fewer = (
        arms_table(planted(adaptation, without=w), SAMPLING).set_index(["outcome", "arm"]) for w in ((), ["fr"])
    )
    shared = [key for key in fewer.index if key[1] != "fr"]
    columns = ["mean", "low", "high", "p", "seed_low", "seed_high"]
    pd.testing.assert_frame_equal(whole.loc[shared, columns], fewer.loc[shared, columns])


def test_seeds_that_differ_widen_the_interval(tmp_path):
    study = study_of(tmp_path, declared(arms=[arm("kk", seeds=3)]))
    rng = np.random.default_rng(0)
    alike = np.repeat(rng.normal(0, 1, (1, N)), 3, axis=0)
    widths = []
    for spread in (0.0, 1.0):
        values = {"kk": alike + spread * np.array([[-1.0], [0.0], [1.0]])}
        found = Outcomes(study.adaptation, {"excess_nll": values}, {"az": 1.0, "en": 1.0}, [])
        row = arms_table(found, SAMPLING).iloc[0]
        widths.append(row["high"] - row["low"])
    assert widths[1] > 3 * widths[0]


def test_a_study_without_contrasts_has_tables_without_rows(tmp_path):
    study = study_of(tmp_path, declared(arms=[arm("kk")]))
    found = Outcomes(study.adaptation, {name: {} for name in OUTCOMES}, {"az": math.nan, "en": math.nan}, ["kk-1"])
    assert languages_table(found, SAMPLING)["outcome"].empty
    assert contrasts_table(found, SAMPLING)["p_holm"].empty
    assert arms_table(found, SAMPLING)["mean"].dropna().empty
