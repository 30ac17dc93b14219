"""The figure of section profiles: one panel a tool, one row a section, a dot and its interval over items."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from alifba.arabic.wording import label

_WIDTH = 3.35  # inches: one column
_ROW = 0.19  # inches
_COLOUR = "#0072B2"


def draw_profiles(table: pd.DataFrame, names: Mapping[str, str]) -> Figure:
    """Section scores of `profile_table`, 0 to 100, of every tool that has one; a section without a score says so.

    `names` gives each tool's name by its id. Raises ValueError where no tool has a section score.
    """
    tools = [name for name, rows in table.groupby("tool", sort=False) if rows["score"].notna().any()]
    if not tools:
        raise ValueError("no section has a score, so there is nothing to draw")
    sizes = [int((table["tool"] == tool).sum()) for tool in tools]
    figure, grid = plt.subplots(
        len(tools),
        1,
        sharex=True,
        squeeze=False,
        figsize=(_WIDTH, sum(sizes) * _ROW + 0.4 * len(tools) + 0.45),
        height_ratios=sizes,
        layout="constrained",
    )
    for axes, tool in zip(grid[:, 0], tools, strict=True):
        _panel(axes, table[table["tool"] == tool], str(names[str(tool)]))
    grid[-1, 0].set_xlabel("score, 0 to 100")
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    places = np.arange(len(rows))
    low, high = rows["ci_low"].fillna(rows["score"]), rows["ci_high"].fillna(rows["score"])
    axes.hlines(places, low, high, color=_COLOUR, linewidth=1.2)
    axes.plot(rows["score"], places, "o", color=_COLOUR, markersize=4)
    for place in places[rows["score"].isna().to_numpy()]:
        axes.text(1, place, "no score yet", va="center", fontsize=6)
    axes.set_yticks(places, [label("sections", section, "en") for section in rows["section"]])
    axes.set(xlim=(0, 100), ylim=(len(rows) - 0.5, -0.5))
    axes.set_title(name, loc="left")
