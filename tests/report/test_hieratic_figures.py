"""The figures of the hieratic leaderboard show what its tables say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from alifba.paths import repo_root
from alifba.report.drawing import save
from alifba.report.hieratic_figures import rungs_by_model, script_confusion, signs_by_group

PUBLISHED = pd.read_csv(repo_root() / "data" / "published" / "hieratic-0.1.0.csv")
NOTICE = "published figures · not ours"


def published_board() -> pd.DataFrame:
    """The published scores in the shape of ``tables/leaderboard.csv``: no intervals were printed."""
    rows = PUBLISHED.assign(
        kind="model",
        key=PUBLISHED["model"],
        label=PUBLISHED["model"],
        rung=PUBLISHED["rung"].replace("single signs", "signs"),
        score=PUBLISHED["score_percent"] / 100,
        low=np.nan,
        high=np.nan,
        coverage=(PUBLISHED["items_answered"] / PUBLISHED["items"]).fillna(1),
        n_items=PUBLISHED["items_answered"].fillna(PUBLISHED["items"]).astype("Int64"),
        tier=pd.array([pd.NA] * len(PUBLISHED), dtype="Int64"),
    )
    baseline = {"kind": "baseline", "key": "always-hieratic", "label": "always", "rung": "identify", "score": 0.8}
    return pd.concat([rows, pd.DataFrame([baseline])], ignore_index=True)


def test_the_published_scores_stand_where_they_belong(tmp_path):
    figure = rungs_by_model(published_board(), NOTICE)
    identify, signs = figure.axes
    assert [label.get_text() for label in identify.get_yticklabels()][:2] == ["Fable 5.1", "Opus 5.5"]
    drawn = {int(line.get_ydata()[0]): line for line in identify.lines if line.get_marker() == "o"}
    # As printed: the fifth is Qwen3.8 Max with 75.7 % on 70 of 118 items.
    assert [round(drawn[place].get_xdata()[0], 1) for place in range(5)] == [93.6, 91.1, 89.0, 79.2, 75.7]
    assert [place for place, line in drawn.items() if line.get_markerfacecolor() == "white"] == [4]
    assert "70 items" in [text.get_text() for text in identify.texts]
    assert [line.get_xdata()[0] for line in identify.lines if line.get_linestyle() == "--"] == [80]
    assert len([line for line in signs.lines if line.get_marker() == "o"]) == 4
    assert figure.get_supxlabel() == "published figures\nnot ours"
    save(figure, tmp_path, "rungs")


def test_intervals_and_tiers_are_drawn(tmp_path):
    table = published_board()
    table.loc[table["key"] == "Kimi K3", ["low", "high", "tier"]] = [0.7, 0.86, 2]
    identify = rungs_by_model(table, NOTICE).axes[0]
    lines = [line.get_xdata() for line in identify.lines if line.get_marker() == "None" and len(line.get_xdata()) == 2]
    assert [70, 86] in [pytest.approx(list(line)) for line in lines]
    assert "2" in [text.get_text() for text in identify.texts]


def test_two_models_of_one_label_stay_two():
    table = published_board()
    table["label"] = "the same"
    assert len(rungs_by_model(table, NOTICE).axes[0].get_yticklabels()) == 10


CONFUSION = pd.DataFrame(
    [
        ("a", "A", "hieratic", "hieratic", 8),
        ("a", "A", "hieratic", "demotic", 2),
        ("a", "A", "demotic", "no answer line", 3),
        ("b", "B", "demotic", "hieratic", 4),
        ("c", "C", "coptic", "coptic", 1),
    ],
    columns=["key", "label", "script", "answered", "n"],
)


def test_the_confusion_counts_answers_and_shades_shares_of_a_row(tmp_path):
    figure = script_confusion(CONFUSION, NOTICE)
    first = figure.axes[0]
    assert [label.get_text() for label in first.get_yticklabels()] == ["hieratic", "demotic", "coptic"]
    below = [label.get_text() for label in figure.axes[2].get_xticklabels()]
    assert below == ["hieratic", "demotic", "coptic", "no answer line"]
    assert first.images[0].get_array().tolist() == [[0.8, 0.2, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert {text.get_text() for text in first.texts} == {"8", "2", "3"}
    assert [axes.get_title() for axes in figure.axes if axes.get_visible()] == ["A", "B", "C"]
    save(figure, tmp_path, "confusion")


@pytest.mark.parametrize(("by", "groups"), [("category", ["A", "Aa"]), ("period", ["Old Kingdom", "Roman"])])
def test_signs_stand_in_their_group_with_their_number(tmp_path, by, groups):
    table = pd.DataFrame(
        [
            (key, key.upper(), by, group, score, low, score + 0.1, n)
            for key in "ab"
            for group, score, low, n in zip(groups, [0.5, 0.25], [0.4, np.nan], [6, 1], strict=True)
        ],
        columns=["key", "label", "by", "group", "score", "low", "high", "n_items"],
    )
    figure = signs_by_group(table, by, NOTICE)
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [f"{groups[0]}  (6)", f"{groups[1]}  (1)"]
    marks = [line.get_xdata().tolist() for line in axes.lines if line.get_marker() not in ("None", None, "")]
    assert marks == [[50, 25], [50, 25]]
    save(figure, tmp_path, "signs")
