"""Figures of the hieratic leaderboard: scores by rung, which script was answered for which, signs by group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from alifba.report.drawing import AZ, COLUMN, EN, GREY, PAGE, mark_items, style

_RUNG_NAMES = {
    "identify": "Identify the script",
    "signs": "Name the signs",
    "transliterate": "Transliterate",
    "translate": "Translate",
}
_BASELINE_LINES = {"always-hieratic": "--", "majority-sign": "-.", "chance": ":"}
# Models side by side: each has a colour, a lightness and a marker of its own.
_MODELS = ((AZ, "o"), (EN, "D"), ("#1a1a1a", "s"), ("#8CBFD9", "^"))


def rungs_by_model(table: pd.DataFrame, notice: str | None) -> Figure:
    """Score of every model on every rung that any model answered, in percent with 95 % intervals; best on top.

    `table` is ``tables/rungs.csv``. A hollow point stands for a model that did not answer every open item, with the
    number of items beside it. Lines mark what can be had without reading.
    """
    models, baselines = table[table["kind"] == "model"], table[table["kind"] == "baseline"]
    labels = list(dict.fromkeys(models["label"]))
    rungs = [rung for rung in _RUNG_NAMES if rung in set(models["rung"])]
    with style():
        width = COLUMN if len(rungs) <= 2 else PAGE
        size = (width, 1.25 + 0.24 * max(len(labels), 1))
        figure, grid = plt.subplots(1, max(len(rungs), 1), figsize=size, sharey=True, squeeze=False)
        for axes, rung in zip(grid[0], rungs, strict=False):
            _baselines(axes, baselines[baselines["rung"] == rung])
            for row in models[models["rung"] == rung].to_dict("records"):
                _point(axes, row, labels.index(row["label"]))
            axes.set_title(_RUNG_NAMES[rung])
            axes.set_xlim(-4, 104)
            axes.grid(axis="y", visible=False)
        grid[0][0].set_yticks(range(len(labels)), labels)
        grid[0][0].set_ylim(len(labels) - 0.4, -0.6)
        figure.supylabel("")
        for axes in grid[0]:
            axes.set_xlabel("Score, %")
        _baseline_legend(figure, baselines[baselines["rung"].isin(rungs)])
        mark_items(figure, notice)
    return figure


def _point(axes: Axes, row: dict[Any, Any], y: int) -> None:
    whole = row["coverage"] == 1
    ends = [100 * row["score"], 100 * row["low"], 100 * row["high"]]
    if ends[1] == ends[1]:
        axes.plot(ends[1:], [y, y], color=AZ, linewidth=1, zorder=2)
    axes.plot(ends[0], y, "o", color=AZ, markerfacecolor=AZ if whole else "white", zorder=3)
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
    lines = [plt.Line2D([], [], color=GREY, linewidth=0.9, linestyle=_BASELINE_LINES[key]) for key in named["key"]]
    if lines:
        figure.legend(lines, list(named["label"]), loc="outside upper center", ncols=3, handlelength=1.8)


def script_confusion(table: pd.DataFrame, notice: str | None, most: int = 6) -> Figure:
    """Which script each model answered (columns) for which (rows): the number of answers, shaded by its row's share.

    `table` is ``tables/confusion.csv``; its first `most` models are drawn. A frame marks the right answer.
    """
    labels = list(dict.fromkeys(table["label"]))[:most]
    drawn = table[table["label"].isin(labels)]
    scripts, answers = _in_order(drawn, "script"), _in_order(drawn, "answered")
    columns = min(3, len(labels))
    lines = -(-len(labels) // columns)
    with style():
        size = (PAGE if columns > 1 else COLUMN, 0.9 + lines * (0.75 + 0.26 * len(scripts)))
        figure, grid = plt.subplots(lines, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
        for axes, label in zip(grid.flat, labels, strict=False):
            counts = np.zeros((len(scripts), len(answers)), int)
            for row in drawn[drawn["label"] == label].to_dict("records"):
                counts[scripts.index(row["script"]), answers.index(row["answered"])] += row["n"]
            _matrix(axes, counts, scripts, answers)
            axes.set_title(label)
        for axes in grid.flat[len(labels) :]:
            axes.set_visible(False)
        figure.supylabel("Script of the item", fontsize=7.5)
        mark_items(figure, notice)
    return figure


def _in_order(table: pd.DataFrame, column: str) -> list[str]:
    """The values of `column` in the order of the table's own lists: as the scripts come, other answers after them."""
    order = list(pd.unique(pd.concat([table["script"], table["answered"]])))
    return sorted(set(table[column]), key=lambda value: (value not in set(table["script"]), order.index(value)))


def _matrix(axes: Axes, counts: np.ndarray, scripts: Sequence[str], answers: Sequence[str]) -> None:
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros(counts.shape), where=totals > 0)
    axes.imshow(shares, cmap="Greys", vmin=0, vmax=1, aspect="auto")
    for (y, x), n in np.ndenumerate(counts):
        if n:
            colour = "white" if shares[y, x] > 0.55 else "black"
            axes.annotate(str(n), (x, y), ha="center", va="center", fontsize=6, color=colour)
        if scripts[y] == answers[x]:
            axes.add_patch(plt.Rectangle((x - 0.47, y - 0.44), 0.94, 0.88, fill=False, color=AZ, linewidth=1.1))
    axes.set_xticks(range(len(answers)), answers, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(scripts)), scripts)
    axes.grid(visible=False)
    axes.tick_params(length=0, labelbottom=True)


def signs_by_group(table: pd.DataFrame, by: str, notice: str | None) -> Figure:
    """Accuracy on single signs by Gardiner ``category`` or ``period``, in percent with 95 % intervals; four models at most.

    `table` is ``tables/signs.csv``; the number of signs stands beside the group.
    """
    rows = table[table["by"] == by]
    labels = list(dict.fromkeys(rows["label"]))[: len(_MODELS)]
    groups = list(dict.fromkeys(rows["group"]))
    sizes = rows.groupby("group", sort=False)["n_items"].max()
    step = 0.7 / max(len(labels), 1)
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 0.9 + max(0.17, 0.075 * len(labels)) * max(len(groups), 1)))
        for place, (label, (colour, marker)) in enumerate(zip(labels, _MODELS, strict=False)):
            own = rows[rows["label"] == label]
            y = np.array([groups.index(group) for group in own["group"]]) - 0.35 + step * (place + 0.5)
            axes.hlines(y, 100 * own["low"], 100 * own["high"], color=colour, linewidth=0.7, zorder=2)
            axes.plot(100 * own["score"], y, marker, color=colour, markersize=3, zorder=3, label=label, clip_on=False)
        for y in range(1, len(groups)):
            axes.axhline(y - 0.5, color="#e6e6e6", linewidth=0.4)
        axes.set_yticks(range(len(groups)), [f"{group}  ({sizes[group]})" for group in groups], fontsize=6)
        axes.set_ylim(len(groups) - 0.5, -0.5)
        axes.set_xlim(-3, 103)
        axes.set_xlabel("Right sign, %")
        axes.set_ylabel("Gardiner category (signs)" if by == "category" else "Period (signs)")
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        figure.legend(loc="outside upper center", ncols=min(2, max(len(labels), 1)), handlelength=1.2)
        mark_items(figure, notice)
    return figure
