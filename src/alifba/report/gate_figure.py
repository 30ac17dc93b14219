"""The figure of the gates: where every run lies, where each threshold stands, and the gap around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from alifba.report.drawing import AZ, COLUMN, EN, mark_items, style
from alifba.report.labels import label_points

_NAMES = {
    "coverage": "not answered",
    "empty": "empty",
    "example_echo": "example echo",
    "question_echo": "question echo",
    "extraction": "extraction",
}
_BIN = 1.5  # points: runs nearer than this are spread upwards and downwards within their lane
_LANE = 0.21
_LANGUAGES = (("az", AZ, "o", "Azerbaijani", -_LANE), ("en", EN, "D", "English", _LANE))


def gates(table: pd.DataFrame, labels: Mapping[str, str], notice: str | None) -> Figure:
    """Every run of ``tables/gates.csv`` under every gate, in percent; to the right of the black line it fails.

    The grey band is the gap: from the last run that passes to the first that fails, where one does. Coverage is drawn
    as its complement, so that more is worse under every gate. A run that fails is named by its model.
    """
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 3.1))
        failed: list[tuple[tuple[float, float], str]] = []
        passed: list[tuple[float, float]] = []
        for row, gate in enumerate(_NAMES):
            runs = _drawn(table[table["gate"] == gate])
            _threshold(axes, runs, row)
            for language, colour, marker, _, lane in _LANGUAGES:
                own = runs[runs["language"] == language]
                y = row + lane + _spread(own["x"].to_numpy())
                axes.plot(own["x"], y, marker, color=colour, markersize=3, zorder=3, markeredgewidth=0)
                for run, at in zip(own.to_dict("records"), y, strict=True):
                    if run["passed"]:
                        passed.append((run["x"], at))
                    else:
                        failed.append(((run["x"], at), labels.get(run["model"], run["model"])))
            axes.axhline(row + 0.5, color="#d9d9d9", linewidth=0.5)
        axes.set_yticks(range(len(_NAMES)), list(_NAMES.values()))
        axes.set_ylim(len(_NAMES) - 0.5, -0.5)
        axes.set_xlim(-2, max(50.0, axes.dataLim.x1 + 12))
        axes.set_xlabel("Share of answers, %")
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        _legend(figure, axes)
        mark_items(figure, notice)
        label_points(axes, [place for place, _ in failed], [name for _, name in failed], passed)
    return figure


def _drawn(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs of one gate in percent, `x` and thresholds turned so that more is worse."""
    known = runs[runs["share"].notna()]
    turned = 1 - known[_SHARES] if (known["gate"] == "coverage").any() else known[_SHARES]
    drawn = known.assign(**{name: 100 * turned[name] for name in _SHARES}, x=100 * turned["share"])
    return drawn.sort_values(["x", "model", "prompt_style"])


_SHARES = ["share", "threshold", "gap_low", "gap_high"]


def _spread(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each point is moved off its lane, so that points at one place show how many they are."""
    moved = np.zeros(len(x))
    for which in np.unique(x // _BIN):
        members = np.flatnonzero(x // _BIN == which)
        width = min(_LANE - 0.05, 0.05 * (len(members) - 1))
        moved[members] = np.linspace(-width, width, len(members)) if len(members) > 1 else 0.0
    return moved


def _legend(figure: Figure, axes: Axes) -> None:
    for _, colour, marker, name, _ in _LANGUAGES:
        axes.plot([], [], marker, color=colour, markersize=3.5, label=name)
    axes.plot([], [], "|", color="black", markersize=7, markeredgewidth=1.2, label="threshold")
    if axes.collections:
        axes.fill_between([], [], color="#d9d9d9", label="gap")
    figure.legend(loc="outside upper center", ncols=4, handlelength=1.2, columnspacing=1.0)


def _threshold(axes: Axes, runs: pd.DataFrame, row: int) -> None:
    if runs.empty:
        return
    first: Any = runs.iloc[0]
    ends = sorted((first["gap_low"], first["gap_high"]))
    if all(end == end for end in ends):
        axes.fill_between(ends, row - 0.42, row + 0.42, color="#d9d9d9", linewidth=0, zorder=1)
    axes.plot([first["threshold"]] * 2, [row - 0.42, row + 0.42], color="black", linewidth=1.2, zorder=2)
    axes.annotate(
        f"{first['threshold']:.0f} %",
        (first["threshold"], row - 0.42),
        (2, -1),
        textcoords="offset points",
        va="top",
        fontsize=6,
    )
