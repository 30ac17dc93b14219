"""Figures of TifinaghBench: an empty cell is no 0, tiers are cut where the table says, every glyph is there."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from pypdf import PdfReader

from alifba.report.drawing import save
from alifba.report.tifinagh_figures import cells_heatmap, near_misses, strict_folded, tier_plot

DIALECTS, TASKS = ("ircam", "tarifit", "kabyle"), ("tif-to-en", "en-to-tif", "transliterate")
NOTICE = "fictional: made for a test"


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def cells(score):
    keys = itertools.product(("Fictional α", "Fictional ə"), TASKS, DIALECTS)
    return pd.DataFrame([{"label": label, "task": task, "dialect": d, "score": score(task)} for label, task, d in keys])


def places(*rows):
    columns = ["score", "status", "label", "value", "low", "high", "tier", "rank"]
    return pd.DataFrame(rows, columns=columns)


RANKED = places(
    ("tifinaghbench", "ranked", "a", 28.6, 26.6, 30.6, 1, 1),
    ("tifinaghbench", "ranked", "b", 26.0, 24.0, 28.0, 1, 1),
    ("tifinaghbench", "ranked", "c", 10.0, 9.0, 11.0, 2, 3),
    ("tifinaghbench", "other setup", "d", 90.0, None, None, None, None),
    ("script_score", "no score", "a", None, None, None, None, None),
)


def test_a_cell_without_a_score_is_hatched_and_has_no_number():
    axes = cells_heatmap(cells(lambda task: None if task == "tif-to-en" else 0.0), NOTICE).axes[0]
    assert len([patch for patch in axes.patches if patch.get_hatch()]) == 6
    assert [text.get_text() for text in axes.texts].count("0") == 12
    assert "no score" in axes.get_xlabel()


def test_full_cells_have_their_percent_and_no_hatch():
    axes = cells_heatmap(cells(lambda task: 0.256), None).axes[0]
    assert [text.get_text() for text in axes.texts].count("26") == 18
    assert not axes.patches
    assert axes.get_xlabel() == "Score, %"


def test_tiers_are_cut_where_the_table_says_and_only_ranked_runs_are_drawn():
    upper, lower = tier_plot(RANKED, NOTICE).axes
    assert [label.get_text() for label in upper.get_yticklabels()] == ["a", "b", "c"]
    # One cut, between the second and the third row.
    cuts = [line for line in upper.lines if list(line.get_xdata()) == [0, 1]]
    assert [cut.get_ydata()[0] for cut in cuts] == [1.5]
    assert [text.get_text() for text in upper.texts] == ["tier 1", "tier 2"]
    assert [text.get_text() for text in lower.texts] == ["no run has this score yet"]


def test_strict_and_folded_are_drawn_where_they_are():
    totals = pd.DataFrame({"label": ["a"], "score": ["script_score"], "folded": [84.0], "strict": [62.0]})
    axes = strict_folded(totals, NOTICE).axes[0]
    drawn = {line.get_label(): line.get_xdata()[0] for line in axes.lines}
    assert drawn == {"strict": 62.0, "folded": 84.0}


def test_near_misses_are_shares_of_the_wrong_answers():
    rows = [("a", "en-to-tif", 0.0, 0, 8), ("a", "en-to-tif", 0.5, 2, 8), ("a", "en-to-tif", 1.0, 6, 8)]
    table = pd.DataFrame(rows, columns=["label", "task", "cer", "n_within", "n_wrong"])
    (axes,) = near_misses(table, NOTICE).axes
    assert list(axes.lines[0].get_ydata()) == [0, 25, 75]


def test_twelve_runs_have_twelve_kinds_of_line():
    rows = [(f"run {at}", "en-to-tif", edge, 1, 2) for at in range(12) for edge in (0.0, 1.0)]
    table = pd.DataFrame(rows, columns=["label", "task", "cer", "n_within", "n_wrong"])
    lines = near_misses(table, None).axes[0].lines
    assert len({(line.get_color(), line.get_linestyle(), str(line._dash_pattern)) for line in lines}) == 12


@pytest.mark.parametrize("empty", [True, False])
def test_every_figure_can_be_saved_and_says_what_it_rests_on(tmp_path, empty):
    totals = pd.DataFrame({"label": ["a"], "score": ["script_score"], "folded": [84.0], "strict": [62.0]})
    misses = pd.DataFrame([("a", "transliterate", 0.5, 1, 2)], columns=["label", "task", "cer", "n_within", "n_wrong"])
    cut = 0 if empty else None
    made = {
        "cells": cells_heatmap(cells(lambda task: None if empty else 1.0), NOTICE),
        "tiers": tier_plot(RANKED[:cut], NOTICE),
        "strict": strict_folded(totals[:cut], NOTICE),
        "near_misses": near_misses(misses[:cut], NOTICE),
    }
    for name, figure in made.items():
        _, pdf = save(figure, tmp_path, name)
        text = PdfReader(pdf).pages[0].extract_text()
        assert NOTICE in text
        if name != "cells":  # whose empty cells are hatched
            assert (" yet" in text) == (empty or name == "tiers"), name
