"""Figures of the controlled experiment: they show what the tables say, in one column, every letter drawn."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from pypdf import PdfReader

from alifba.azeval.adaptation.familiarity import familiarity_table
from alifba.config import load_study
from alifba.paths import repo_root
from alifba.report import adaptation_figures
from alifba.report.drawing import COLUMN, GREY, PAGE, save, statement_in

NOTICE = "pilot items, not verified by a person"
STEPS = 12


@pytest.fixture(scope="module")
def adaptation():
    return load_study(repo_root() / "studies" / "controlled.yaml").adaptation


@pytest.fixture(scope="module")
def arms(adaptation):
    """One row per arm and outcome, as 90_adaptation writes them; French has no model yet."""
    rng = np.random.default_rng(0)
    rows = []
    for outcome in ("excess_nll", "cyrillic", "other_language"):
        for number, arm in enumerate(adaptation.arms):
            mean = 0.0 if arm.language is None else rng.normal(0.02, 0.03)
            row = {"arm": arm.slug, "label": arm.label, "language": arm.language or "none", "script": arm.script}
            row |= {
                "related": int(arm.related),
                "role": arm.role,
                "outcome": outcome,
                "n_seeds": arm.seeds,
                "mean": mean,
            }
            row |= {"low": mean - 0.03, "high": mean + 0.03, "p_holm": 0.01 if number % 2 else 0.2}
            if arm.language is None:
                row |= {"low": math.nan, "high": math.nan, "p_holm": 1.0}
            if arm.slug == "fr":
                row |= {"n_seeds": 0} | dict.fromkeys(("mean", "low", "high", "p_holm"), math.nan)
            rows.append(row)
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def languages():
    names = ("Kazakh", "Turkish", "Turkmen", "Serbian", "Russian", "Azerbaijani")
    means = np.array([0.05, 0.02, -0.01, 0.03, 0.0, math.nan])
    table = pd.DataFrame({"language": names, "related": [1, 1, 1, 0, 0, 1], "outcome": "excess_nll", "mean": means})
    return table.assign(low=means - 0.02, high=means + 0.02)


@pytest.fixture(scope="module")
def contrasts():
    told = {"contrast": "script", "outcome": "excess_nll", "mean": 0.02, "low": 0.005, "high": 0.035}
    return pd.DataFrame([told, told | {"contrast": "relatedness", "mean": 0.9}])


@pytest.fixture(scope="module")
def curves(adaptation):
    rows = [
        (arm.slug, seed, step, 1.5 - 0.04 * step + 0.01 * seed)
        for arm in adaptation.arms
        for seed in range(1, arm.seeds + 1)
        for step in range(1, STEPS + 1)
    ]
    return pd.DataFrame(rows, columns=["arm", "seed", "step", "nats_per_character"])


@pytest.fixture
def draw(adaptation, arms, languages, contrasts, curves):
    """Each figure by name, and how wide it may be."""
    return {
        "design": (lambda: adaptation_figures.design(adaptation, NOTICE), COLUMN),
        "forest": (lambda: adaptation_figures.forest(arms, NOTICE), COLUMN),
        "script_contrast": (lambda: adaptation_figures.script_contrast(languages, contrasts, NOTICE), COLUMN),
        "marker": (lambda: adaptation_figures.marker(arms, NOTICE), PAGE),
        "curves": (lambda: adaptation_figures.curves(curves, adaptation, NOTICE), PAGE),
        "familiarity": (
            lambda: adaptation_figures.familiarity(familiarity_table(adaptation, arms, curves), NOTICE),
            COLUMN,
        ),
    }


NAMES = ("design", "forest", "script_contrast", "marker", "curves", "familiarity")


def marks(axes):
    """(x, y) to (shape, colour, filled) of every single mark."""
    lines = [line for line in axes.lines if line.get_marker() not in ("None", "", None) and len(line.get_xdata()) == 1]
    return {
        tuple(np.ravel(line.get_xydata()[0])): (
            line.get_marker(),
            line.get_color(),
            line.get_markerfacecolor() == line.get_color(),
        )
        for line in lines
    }


@pytest.mark.parametrize("name", NAMES)
def test_each_fits_its_columns_draws_every_letter_and_is_the_same_bytes_twice(draw, tmp_path, name):
    make, width = draw[name]
    # `save` raises where a glyph is missing.
    for folder in ("a", "b"):
        save(make(), tmp_path / folder, name)
    for kind in ("png", "pdf"):
        assert (tmp_path / "a" / f"{name}.{kind}").read_bytes() == (tmp_path / "b" / f"{name}.{kind}").read_bytes()
    page = PdfReader(tmp_path / "a" / f"{name}.pdf").pages[0]
    # savefig crops to what is drawn, plus 0.03 inches on either side.
    assert float(page.mediabox.width) / 72 <= width + 0.08
    assert statement_in(tmp_path / "a" / f"{name}.pdf") == NOTICE
    assert NOTICE in page.extract_text()


def test_the_design_shows_a_mark_for_every_seed_of_every_target(draw, adaptation):
    figure = draw["design"][0]()
    targets = [arm for arm in adaptation.arms if arm.role == "target"]
    shown = [shape for shape, _, _ in marks(figure.axes[0]).values()]
    assert shown.count("s") == sum(arm.seeds for arm in targets if arm.script == "Cyrillic")
    assert shown.count("o") == sum(arm.seeds for arm in targets if arm.script == "Latin")
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {arm.language for arm in targets} <= set(texts)
    assert texts.count("by rule") == sum(arm.transliterate is not None for arm in targets)
    plt.close(figure)


def test_the_forest_shows_every_arm_at_its_mean_with_its_script_and_whether_it_is_clear(draw, arms, adaptation):
    figure = draw["forest"][0]()
    axes = figure.axes[0]
    rows = arms[arms["outcome"] == "excess_nll"]
    names = {place: label.get_text() for place, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)}
    assert set(rows["label"]) | {"Targets", "Controls", "Sensitivity"} == set(names.values())
    shown = {names[y]: (x, *rest) for (x, y), rest in marks(axes).items()}
    scripts = {"Cyrillic": "s", "Latin": "o"}
    for row in rows.to_dict("records"):
        x, shape, colour, filled = shown[row["label"]]
        assert x == pytest.approx(row["mean"], nan_ok=True)
        assert filled == (row["p_holm"] < 0.05)
        assert shape == ("D" if row["language"] == "none" else scripts[row["script"]])
        assert (colour == GREY) == (row["language"] == "none"), "no text, no script"
    ends = [tuple(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 2]
    for row in rows[rows["low"].notna()].to_dict("records"):
        assert any(end == pytest.approx((row["low"], row["high"])) for end in ends)
    targets = [names[y] for y in sorted(names)][1 : 1 + sum(arm.role == "target" for arm in adaptation.arms)]
    means = rows.set_index("label").loc[targets, "mean"].dropna()
    assert means.is_monotonic_decreasing
    plt.close(figure)


def test_the_script_contrast_is_that_of_likelihood_and_of_the_declared_test(draw, languages):
    figure = draw["script_contrast"][0]()
    axes = figure.axes[0]
    shown = {y: (x, shape) for (x, y), (shape, _, _) in marks(axes).items()}
    for place, row in enumerate(languages.to_dict("records")):
        assert shown[place][0] == pytest.approx(row["mean"], nan_ok=True)
        assert shown[place][1] == ("D" if row["related"] else "^")
    assert shown[max(shown)][0] == 0.02, "the other contrast is not drawn"
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == "all languages"
    plt.close(figure)


def test_the_marker_figure_is_in_points_and_without_sensitivity_arms(draw, arms, adaptation):
    figure = draw["marker"][0]()
    for axes, outcome in zip(figure.axes, ("cyrillic", "other_language"), strict=True):
        rows = arms[(arms["outcome"] == outcome) & (arms["role"] != "sensitivity") & arms["mean"].notna()]
        assert sorted(x for x, _ in marks(axes)) == pytest.approx(sorted(100 * rows["mean"]))
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert sorted(labels) == sorted(arm.label for arm in adaptation.arms if arm.role != "sensitivity")
    plt.close(figure)


def test_the_curves_show_every_seed_of_both_scripts_of_a_language(draw, adaptation):
    figure = draw["curves"][0]()
    names = [axes.get_title() for axes in figure.axes]
    assert names == ["Kazakh", "Turkish", "Turkmen", "Serbian", "Russian", "Azerbaijani"]
    for axes in figure.axes:
        assert sorted(line.get_marker() for line in axes.lines) == ["o"] * 3 + ["s"] * 3
        assert all(list(line.get_xdata()) == list(range(1, STEPS + 1)) for line in axes.lines)
    ticks = figure.axes[-1].get_xticks()
    assert all(float(tick).is_integer() for tick in ticks), "half a step is none"
    plt.close(figure)


def test_the_familiarity_figure_shows_every_target_and_joins_the_scripts_of_a_language(draw, adaptation, arms, curves):
    figure = draw["familiarity"][0]()
    axes = figure.axes[0]
    table = familiarity_table(adaptation, arms, curves).dropna()
    shown = marks(axes)
    assert "French" not in set(table["language"]), "it has no model yet"
    assert len(shown) == len(table)
    for row in table.to_dict("records"):
        shape, _, filled = shown[row["novelty"], row["excess"]]
        assert (shape, filled) == ({"Cyrillic": "s", "Latin": "o"}[row["script"]], bool(row["related"]))
    joined = [line for line in axes.lines if len(line.get_xdata()) == 2 and list(line.get_xdata()) != [0, 1]]
    assert len(joined) == len({arm.contrast for arm in adaptation.arms if arm.contrast})
    assert {text.get_text() for text in axes.texts} == {slug.partition("-")[0] for slug in table["arm"]}
    plt.close(figure)
