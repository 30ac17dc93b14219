"""Figures of the gap: the dumbbell of Azerbaijani and English, and what each normalisation step recovers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from alifba.report.drawing import AZ, CHAIN_COLOURS, CHAIN_HATCHES, COLUMN, EN, GREY, mark_items, style


def gap_dumbbell(gaps: pd.DataFrame, scores: pd.DataFrame, labels: Mapping[str, str], notice: str | None) -> Figure:
    """Azerbaijani and English exact match (STRICT) per model with Wilson intervals, the gap and its interval in words.

    `gaps` and `scores` are the tables of one prompt style; shares in [0, 1], drawn in percent. Largest gap on top.
    """
    rows = gaps[gaps["chain"] == "strict"].sort_values(["gap", "model"]).reset_index(drop=True)
    ends = scores[scores["chain"] == "strict"].set_index(["model", "language"])
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 0.75 + 0.42 * max(len(rows), 1)))
        for y, row in enumerate(rows.to_dict("records")):
            axes.plot([100 * row["az"], 100 * row["en"]], [y, y], color=GREY, linewidth=1, zorder=1)
            for language, colour, marker in (("az", AZ, "o"), ("en", EN, "D")):
                end = ends.loc[(row["model"], language)]
                spread = [[100 * (row[language] - end["ci_low"])], [100 * (end["ci_high"] - row[language])]]
                axes.errorbar(
                    100 * row[language],
                    y,
                    xerr=np.maximum(spread, 0),
                    fmt=marker,
                    color=colour,
                    elinewidth=0.8,
                    capsize=1.8,
                    zorder=2,
                )
            ends_at = sorted(100 * row[language] for language in ("az", "en"))
            # From the lower end rightwards where the two are close, so that the words stay inside the axes.
            close = ends_at[1] - ends_at[0] < 0.3 * 100 * rows[["az", "en"]].to_numpy().max()
            axes.annotate(
                _gap_in_words(row),
                (ends_at[0] if close else sum(ends_at) / 2, y),
                (0, 6),
                textcoords="offset points",
                ha="left" if close else "center",
                fontsize=6,
            )
        axes.set_yticks(rows.index, [labels.get(model, model) for model in rows["model"]])
        axes.set_ylim(-0.6, len(rows) - 0.3)
        axes.set_xlabel("Exact match, % (STRICT)")
        axes.set_xlim(left=min(0, axes.get_xlim()[0]))
        axes.grid(axis="y", visible=False)
        axes.plot([], [], "o", color=AZ, label="Azerbaijani")
        axes.plot([], [], "D", color=EN, label="English")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper right", ncols=2)
        mark_items(figure, notice)
    return figure


def _gap_in_words(row: Mapping[Any, Any]) -> str:
    """``+14.1 [12.2, 16.1]``; without an interval where it is undefined."""
    text = f"{100 * row['gap']:+.1f}"
    if row["ci_low"] == row["ci_low"]:
        text += f" [{100 * row['ci_low']:.1f}, {100 * row['ci_high']:.1f}]"
    return text.replace("-", "−")


def recovery_bars(recovery: pd.DataFrame, labels: Mapping[str, str], notice: str | None) -> Figure:
    """Share of Azerbaijani items that each chain is the first to count as right, stacked per model."""
    rows = recovery[recovery["language"] == "az"]
    wide = 100 * rows.pivot(index="model", columns="chain", values="first_right")
    wide = wide.reindex(columns=list(CHAIN_COLOURS)).loc[wide.sum(axis=1).sort_values().index]
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 0.85 + 0.34 * max(len(wide), 1)))
        left = np.zeros(len(wide))
        for chain, colour in CHAIN_COLOURS.items():
            values = wide[chain].to_numpy()
            axes.barh(
                wide.index.map(lambda model: labels.get(model, model)),
                values,
                left=left,
                color=colour,
                hatch=CHAIN_HATCHES[chain],
                edgecolor="white",
                linewidth=0.4,
                height=0.6,
                label=chain.upper() if chain == "strict" else f"+ {chain.upper()}",
            )
            left += values
        axes.set_xlabel("Azerbaijani items right, %, by first chain")
        axes.grid(axis="y", visible=False)
        figure.legend(
            *axes.get_legend_handles_labels(), loc="outside upper center", ncols=4, handlelength=1.2, columnspacing=0.9
        )
        mark_items(figure, notice)
    return figure
