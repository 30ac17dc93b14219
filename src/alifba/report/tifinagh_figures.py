"""Figures of TifinaghBench, from the leaderboard's tables: cells, tiers, strict v folded spelling, near misses."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from alifba.report.drawing import AZ, COLUMN, EN, GREY, mark_items, style

_TASKS = {"tif-to-en": "Tifinagh → English", "en-to-tif": "English → Tifinagh", "transliterate": "Transliteration"}
_DIALECTS = {"ircam": "IRCAM", "tarifit": "Tarifit", "kabyle": "Kabyle"}
_SCORES = {"tifinaghbench": "TifinaghBench", "script_score": "Script score"}
_DARK = 0.55  # share from which a cell is so dark that its number is white
_CLAY = "#9c3b1f"
_COLOURS = (AZ, EN, _CLAY, GREY, "#0B3C5D", "#8CBFD9")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (1, 1)))


def cells_heatmap(cells: pd.DataFrame, notice: str | None) -> Figure:
    """Score of every cell in percent, a row a run, dialects side by side within a task.

    A cell without a score is hatched and empty, so that it cannot be read as 0.
    """
    columns = list(itertools.product(_TASKS, _DIALECTS))
    runs = list(dict.fromkeys(cells["label"]))
    shares = cells.set_index(["label", "task", "dialect"])["score"].astype(float)
    grid = np.array([[shares.get((run, *column), np.nan) for column in columns] for run in runs])
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 1.05 + 0.27 * len(runs)))
        axes.imshow(np.ma.masked_invalid(grid), cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for (y, x), share in np.ndenumerate(grid):
            if np.isnan(share):
                axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, hatch="////", edgecolor=GREY, lw=0))
            else:
                axes.text(
                    x, y, f"{100 * share:.0f}", ha="center", va="center", fontsize=6,
                    color="white" if share > _DARK else "black",
                )  # fmt: skip
        axes.set_xticks(range(len(columns)), [_DIALECTS[dialect] for _, dialect in columns], rotation=45, ha="right")
        axes.set_yticks(range(len(runs)), runs)
        for edge in (2.5, 5.5):
            axes.axvline(edge, color="white", linewidth=2.5)
        for at, name in enumerate(_TASKS.values()):
            axes.text(3 * at + 1, -0.65, name.replace(" → ", " →\n"), ha="center", va="bottom", fontsize=6.5)
        axes.grid(visible=False)
        axes.tick_params(length=0)
        axes.set_xlabel("Score, %" + ("; hatched: no score" if np.isnan(grid).any() else ""))
        mark_items(figure, notice)
    return figure


_NARROWEST = 10
"""Points that an axis of scores spans at least."""


def tier_plot(standings: pd.DataFrame, notice: str | None) -> Figure:
    """Both scores with their 95 % intervals, best on top; a dark line between tiers, their number on the right.

    A score that no run has is said in words.
    """
    parts = [standings[(standings["score"] == score) & (standings["status"] == "ranked")] for score in _SCORES]
    heights = [max(len(part), 1) + 1 for part in parts]
    with style():
        figure, panels = plt.subplots(
            2, 1, figsize=(COLUMN, 0.75 + 0.24 * sum(heights)), gridspec_kw={"height_ratios": heights}
        )
        for axes, name, part in zip(panels, _SCORES.values(), parts, strict=True):
            _tiers(axes, part.reset_index(drop=True))
            axes.set_xlabel(f"{name}, points, 95 % interval")
        mark_items(figure, notice)
    return figure


def _tiers(axes: Axes, rows: pd.DataFrame) -> None:
    axes.grid(axis="y", visible=False)
    if rows.empty:
        _say(axes, "no run has this score yet")
        return
    spread = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
    axes.errorbar(rows["value"], rows.index, xerr=spread, fmt="o", color=AZ, elinewidth=0.9, capsize=2)
    axes.set_yticks(rows.index, list(rows["label"]))
    axes.set_ylim(len(rows) - 0.4, -0.6)
    if rows["high"].max() < _NARROWEST:
        # Scores of zero alone would be drawn on an axis of hundredths.
        axes.set_xlim(-_NARROWEST / 20, _NARROWEST)
    for tier, members in rows.astype({"tier": int}).groupby("tier"):
        if members.index[0]:
            axes.axhline(members.index[0] - 0.5, color=_CLAY, linewidth=1.6)
        axes.text(
            1.02, float(np.mean(members.index)), f"tier {tier}", va="center", fontsize=6.5,
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip


def _say(axes: Axes, words: str) -> None:
    """Words instead of data, so that an empty figure is not read as one of zeros."""
    axes.set_yticks([])
    axes.set_xlim(0, 100)
    axes.text(0.5, 0.5, words, ha="center", va="center", transform=axes.transAxes)


def strict_folded(totals: pd.DataFrame, notice: str | None) -> Figure:
    """Each score with folded spelling (circle) and in the dictionary's own spelling (diamond), in points."""
    rows = totals.reset_index(drop=True)
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 0.85 + 0.24 * max(len(rows), 2)))
        axes.hlines(rows.index, rows["strict"], rows["folded"], color=GREY, linewidth=1, zorder=1)
        axes.plot(rows["strict"], rows.index, "D", color=EN, label="strict", zorder=2)
        axes.plot(rows["folded"], rows.index, "o", color=AZ, label="folded", zorder=3)
        axes.set_yticks(rows.index, [f"{row.label}, {_SCORES[str(row.score)]}" for row in rows.itertuples()])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(left=min(0, axes.get_xlim()[0]))
        if rows.empty:
            _say(axes, "no run has a score yet")
        axes.set_xlabel("Score, points")
        axes.grid(axis="y", visible=False)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper right", ncols=2)
        mark_items(figure, notice)
    return figure


def near_misses(table: pd.DataFrame, notice: str | None) -> Figure:
    """Of the wrong answers, the share within a character error rate: high on the left means many near misses."""
    tasks: Sequence[str] = [task for task in _TASKS if task in set(table["task"])]
    with style():
        labels = list(dict.fromkeys(table["label"]))
        height = 1.7 + 0.16 * -(-len(labels) // 3)
        figure, panels = plt.subplots(1, max(len(tasks), 1), figsize=(COLUMN, height), sharey=True, squeeze=False)
        for axes, task in zip(panels[0], tasks, strict=False):
            for label, part in table[table["task"] == task].groupby("label", sort=False):
                colour, dashes = _line(labels.index(label))
                share = 100 * part["n_within"] / part["n_wrong"]
                axes.step(part["cer"], share, where="post", color=colour, linestyle=dashes, label=label)
            axes.set_title(_TASKS[task])
            axes.set_xlim(0, 1)
            axes.set_ylim(0, 100)
            axes.set_xlabel("Character error rate")
            axes.set_xticks([0, 0.5, 1])
        if not tasks:
            _say(panels[0][0], "no answer is wrong yet")
        panels[0][0].set_ylabel("Wrong answers, %")
        handles = {line.get_label(): line for axes in panels[0] for line in axes.get_lines()}
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=3, columnspacing=1)
        mark_items(figure, notice)
    return figure


def _line(number: int) -> tuple[str, str | tuple[int, tuple[int, ...]]]:
    """Colour and dashes of the run `number`, from 0: the first 36 runs differ in one of the two."""
    return _COLOURS[number % len(_COLOURS)], _DASHES[(number + number // len(_COLOURS)) % len(_DASHES)]
