"""Figures of the hieratic leaderboard: scores by rung, which script was answered for which, signs by group."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from alifba.hieratic.leaderboard.notices import BETWEEN
from alifba.hieratic.leaderboard.tables import ANSWERS
from alifba.hieratic.scoring import family
from alifba.report.drawing import AZ, COLUMN, EN, GREY, PAGE, mark_items, style

_RUNG_NAMES = {
    "identify": "Identify the script",
    "signs": "Name the signs",
    "transliterate": "Transliterate",
    "translate": "Translate",
}
_BASELINE_LINES: dict[str, Any] = {"always-hieratic": "--", "majority-sign": "-.", "chance": ":"}
_LABEL = 22  # characters of a model's name on one line
# Models side by side: each has a colour, a lightness and a marker of its own.
_MODELS = ((AZ, "o"), (EN, "D"), ("#1a1a1a", "s"), ("#8CBFD9", "^"))


def rungs_by_model(table: pd.DataFrame, notice: str) -> Figure:
    """Score of every model on every rung that any model answered, in percent with 95 % intervals; best on top.

    `table` is ``tables/leaderboard.csv``. A hollow point stands for a model that did not answer every open item,
    with the number of items beside it; it has no tier. Lines mark what can be had without reading.
    """
    models, baselines = table[table["kind"] == "model"], table[table["kind"] == "baseline"]
    labels = _labels(models)
    rungs = [rung for rung in _RUNG_NAMES if rung in set(models["rung"])]
    with style():
        width = COLUMN if len(rungs) <= 2 else PAGE
        size = (width, 1.25 + 0.24 * max(len(labels), 1))
        figure, grid = plt.subplots(1, max(len(rungs), 1), figsize=size, sharey=True, squeeze=False)
        for axes, rung in zip(grid[0], rungs, strict=False):
            _baselines(axes, baselines[baselines["rung"] == rung])
            for row in models[models["rung"] == rung].to_dict("records"):
                _point(axes, row, list(labels).index(row["key"]))
            axes.set_title(_RUNG_NAMES[rung], pad=10)
            axes.annotate("tier", (1, 1), (-4, 0), "axes fraction", "offset points", fontsize=6, color=GREY)
            axes.set_xlim(-4, 104)
            axes.grid(axis="y", visible=False)
        grid[0][0].set_yticks(range(len(labels)), [fill(label, _LABEL) for label in labels.values()])
        grid[0][0].set_ylim(len(labels) - 0.4, -0.6)
        figure.supylabel("")
        for axes in grid[0]:
            axes.set_xlabel("Score, %")
        _baseline_legend(figure, baselines[baselines["rung"].isin(rungs)])
        _mark(figure, notice)
    return figure


def _labels(table: pd.DataFrame) -> dict[str, str]:
    """The label of each model by its key, in the order of the table: two models may have one label."""
    return dict(zip(table["key"], table["label"], strict=True))


def _mark(figure: Figure, notice: str) -> None:
    """One line for each part of the notice, so that it is no wider than a column."""
    mark_items(figure, notice.replace(BETWEEN, "\n"))


def _point(axes: Axes, row: dict[Any, Any], y: int) -> None:
    whole = row["coverage"] == 1
    ends = [100 * row["score"], 100 * row["low"], 100 * row["high"]]
    if pd.notna(ends[1]):
        axes.plot(ends[1:], [y, y], color=AZ, linewidth=1, zorder=2)
    axes.plot(ends[0], y, "o", color=AZ, markerfacecolor=AZ if whole else "white", zorder=3)
    if pd.notna(row["tier"]):
        at = ("axes fraction", "data")
        axes.annotate(f"{row['tier']:.0f}", (1.0, y), (2, 0), at, "offset points", va="center", fontsize=6, color=GREY)
    if not whole:
        axes.annotate(
            f"{row['n_items']} items",
            (max(ends[0], 0), y),
            (0, 3.5),
            textcoords="offset points",
            fontsize=5.5,
            ha="center",
        )


def _baselines(axes: Axes, rows: pd.DataFrame) -> None:
    for row in rows.to_dict("records"):
        axes.axvline(100 * row["score"], color=GREY, linewidth=0.9, linestyle=_BASELINE_LINES[row["key"]], zorder=1)


def _baseline_legend(figure: Figure, rows: pd.DataFrame) -> None:
    named = rows.drop_duplicates("key")
    lines = [Line2D([], [], color=GREY, linewidth=0.9, linestyle=_BASELINE_LINES[key]) for key in named["key"]]
    if lines:
        figure.legend(lines, list(named["label"]), loc="outside upper center", ncols=3, handlelength=1.8)


def script_confusion(table: pd.DataFrame, notice: str, most: int = 6) -> Figure:
    """Which script each model answered (columns) for which (rows): the number of answers, shaded by its row's share.

    `table` is ``tables/confusion.csv``; its first `most` models are drawn. A frame marks what counts as right.
    """
    labels = dict(list(_labels(table).items())[:most])
    drawn = table[table["key"].isin(labels)]
    scripts, answers = ([name for name in ANSWERS if name in set(drawn[column])] for column in ("script", "answered"))
    columns = min(2 if len(labels) <= 4 else 3, len(labels))
    lines = -(-len(labels) // columns)
    with style():
        size = (PAGE if columns > 1 else COLUMN, 0.9 + lines * (0.3 + 0.26 * len(scripts)) + 0.6)
        figure, grid = plt.subplots(lines, columns, figsize=size, sharey=True, squeeze=False)
        for place, (axes, key) in enumerate(zip(grid.flat, labels, strict=False)):
            counts = np.zeros((len(scripts), len(answers)), int)
            for row in drawn[drawn["key"] == key].to_dict("records"):
                counts[scripts.index(row["script"]), answers.index(row["answered"])] += row["n"]
            _matrix(axes, counts, scripts, answers)
            axes.set_title(labels[key])
            axes.tick_params(labelbottom=place + columns >= len(labels))
        for axes in grid.flat[len(labels) :]:
            axes.set_visible(False)
        figure.supylabel("Script of the item", fontsize=7.5)
        _mark(figure, notice)
    return figure


def _matrix(axes: Axes, counts: np.ndarray, scripts: Sequence[str], answers: Sequence[str]) -> None:
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros(counts.shape), where=totals > 0)
    axes.imshow(shares, cmap="Greys", vmin=0, vmax=1, aspect="auto")
    for (y, x), n in np.ndenumerate(counts):
        if n:
            colour = "white" if shares[y, x] > 0.55 else "black"
            axes.annotate(str(n), (x, y), ha="center", va="center", fontsize=6, color=colour)
        if family(scripts[y]) == family(answers[x]):
            axes.add_patch(Rectangle((x - 0.47, y - 0.44), 0.94, 0.88, fill=False, color=AZ, linewidth=1.1))
    axes.set_xticks(range(len(answers)), answers, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(scripts)), scripts)
    axes.grid(visible=False)
    axes.tick_params(length=0)


def signs_by_group(table: pd.DataFrame, by: str, notice: str) -> Figure:
    """Accuracy on single signs by Gardiner ``category`` or ``period``, in percent, with 95 % intervals.

    `table` is ``tables/signs.csv``; its first four models are drawn. The number of signs stands beside the group.
    """
    rows = table[table["by"] == by]
    labels = dict(list(_labels(rows).items())[: len(_MODELS)])
    groups = list(dict.fromkeys(rows["group"]))
    sizes = rows.groupby("group", sort=False)["n_items"].max()
    step = 0.7 / max(len(labels), 1)
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 0.9 + max(0.17, 0.075 * len(labels)) * max(len(groups), 1)))
        for place, (key, (colour, marker)) in enumerate(zip(labels, _MODELS, strict=False)):
            own = rows[rows["key"] == key]
            y = np.array([groups.index(group) for group in own["group"]]) - 0.35 + step * (place + 0.5)
            axes.hlines(y, 100 * own["low"], 100 * own["high"], color=colour, linewidth=0.7, zorder=2)
            axes.plot(
                100 * own["score"], y, marker, color=colour, markersize=3, zorder=3, label=labels[key], clip_on=False
            )
        for border in range(1, len(groups)):
            axes.axhline(border - 0.5, color="#e6e6e6", linewidth=0.4)
        axes.set_yticks(range(len(groups)), [f"{group}  ({sizes[group]})" for group in groups], fontsize=6)
        axes.set_ylim(len(groups) - 0.5, -0.5)
        axes.set_xlim(-3, 103)
        axes.set_xlabel("Right sign, %")
        axes.set_ylabel("Gardiner category (signs)" if by == "category" else "Period (signs)")
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        figure.legend(loc="outside upper center", ncols=min(2, max(len(labels), 1)), handlelength=1.2)
        _mark(figure, notice)
    return figure
