"""Figures of base/fine-tuned pairs: design, forest, losses and marker.

All read the rows of one source from ``tables/compared_pairs.csv``: one row per pair and prompt style, shares in
[0, 1], drawn in points. `rule` is the study's order of preference among styles. A filled mark is a damaged pair, by
the two-part rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from alifba.report.drawing import COLUMN, GREY, mark_items, style
from alifba.report.labels import Points, label_points

_DAMAGED, _IN_ONE_STYLE, _UNHARMED, _EXCLUDED = _OUTCOMES = (
    "damaged",
    "damaged in one prompt style",
    "not damaged",
    "excluded",
)
# They differ in lightness as well as in hue, and the filling says the same once more.
_COLOURS = {_DAMAGED: "#D55E00", _IN_ONE_STYLE: "#D55E00", _UNHARMED: "#0072B2", _EXCLUDED: GREY}
_LINE = "#bdbdbd"
_STYLE_MARKERS = {"default": "o", "oneshot": "s", "plain": "^", "zeroshot": "v", "script": "D"}
_SCRIPTS = ("Cyrillic", "Latin", "mixed", "Georgian", "other")
Row = dict[str, Any]


def _pairs(rows: pd.DataFrame, rule: Sequence[str]) -> list[list[Row]]:
    """The rows of each pair, valid ones first and then by preference of style; pairs in the order of the study."""
    place = rows["style"].map({name: i for i, name in enumerate(rule)}).fillna(len(rule))
    ordered = rows.assign(_place=place).sort_values(["valid", "_place"], ascending=[False, True], kind="stable")
    by_name: dict[str, list[Any]] = {}
    for row in ordered.to_dict("records"):
        by_name.setdefault(row["pair"], []).append(row)
    return [by_name[name] for name in rows["pair"].unique()]


def _outcome(pair: list[Row]) -> str:
    verdicts = {bool(row["damaged"]) for row in pair if row["valid"]}
    if not verdicts:
        return _EXCLUDED
    return _IN_ONE_STYLE if len(verdicts) == 2 else _DAMAGED if verdicts == {True} else _UNHARMED


def _mark(marker: str, outcome: str, label: str = "") -> Line2D:
    """A mark without a line; damage is told by colour and by filling. White inside, so that no line runs through it."""
    colour = _COLOURS[outcome]
    fills: dict[str, tuple[Literal["full", "left"], str]] = {
        _DAMAGED: ("full", colour),
        _IN_ONE_STYLE: ("left", colour),
    }
    fill, face = fills.get(outcome, ("full", "white"))
    return Line2D(
        [],
        [],
        linestyle="",
        marker="x" if outcome == _EXCLUDED else marker,
        color=colour,
        fillstyle=fill,
        markerfacecolor=face,
        markerfacecoloralt="white",
        markeredgewidth=0.9,
        label=label,
    )


def _shape(marker: str, label: str) -> Line2D:
    """A mark for a legend that explains shapes alone."""
    return Line2D([], [], linestyle="", marker=marker, color=GREY, fillstyle="none", label=label)


def _put(axes: Axes, x: float, y: float, marker: str, outcome: str) -> None:
    mark = _mark(marker, outcome)
    mark.set_data([x], [y])
    mark.set_zorder(3)
    axes.add_line(mark)


def _outcome_of(row: Row) -> str:
    return _outcome([row])


def design(rows: pd.DataFrame, rule: Sequence[str], notice: str | None) -> Figure:
    """The grid of pairs: script of the target by its relatedness, with the base family and the outcome of each pair."""
    pairs = _pairs(rows, rule)
    family = pd.Series([pair[0]["base_family"] for pair in pairs]).mode().iloc[0]
    scripts = [script for script in _SCRIPTS if script in {pair[0]["script"] for pair in pairs}]
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 1.0))
        top = 0.0
        for script in scripts:
            cells = [[p for p in pairs if (p[0]["script"], p[0]["related"]) == (script, related)] for related in (1, 0)]
            height = max(map(len, cells)) + 0.5
            axes.text(-0.04, top + height / 2, script, ha="right", va="center", fontsize=7)
            for column, cell in enumerate(cells):
                for line, pair in enumerate(cell):
                    marker = "s" if pair[0]["base_family"] == family else "o"
                    _put(axes, column + 0.08, top + line + 0.75, marker, _outcome(pair))
                    text = f"{pair[0]['pair']} ({pair[0]['base_family']})"
                    axes.text(column + 0.15, top + line + 0.75, text, va="center", fontsize=6.3)
            top += height
            axes.axhline(top, color=_LINE, linewidth=0.5)
        axes.axvline(1, color=_LINE, linewidth=0.5)
        axes.set(xlim=(0, 2), ylim=(top, 0), yticks=[])
        axes.set_xticks([0.5, 1.5], ["related to Azerbaijani", "not related"])
        axes.xaxis.tick_top()
        axes.annotate(
            "target", (-0.04, 0), (0, 3.5), textcoords="offset points", ha="right", va="bottom", fontsize=7,
            annotation_clip=False,
        )  # fmt: skip
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        found = [outcome for outcome in _OUTCOMES if outcome in map(_outcome, pairs)]
        legend = [_mark("s", outcome, outcome) for outcome in found]
        legend.append(_shape("s", f"{family} base"))
        if any(pair[0]["base_family"] != family for pair in pairs):
            legend.append(_shape("o", "another base"))
        figure.legend(handles=legend, loc="outside upper center", ncols=2, fontsize=6.3, handletextpad=0.1)
        figure.set_figheight(0.75 + 0.16 * top + 0.12 * len(legend) / 2)
        mark_items(figure, notice)
    return figure


def forest(rows: pd.DataFrame, rule: Sequence[str], notice: str | None) -> Figure:
    """Excess damage of every pair in each style with its interval, grouped by the script of the target.

    Where excess and damage part, a note says what moved: an excess above zero although Azerbaijani rose, or below zero
    although it fell.
    """
    pairs = _pairs(rows[rows["excess"].notna()], rule)
    pairs.sort(key=lambda pair: (_SCRIPTS.index(pair[0]["script"]), -pair[0]["excess"]))
    lines: list[list[Row] | str] = []
    for pair in pairs:
        if (heading := f"{pair[0]['script']} target") not in lines:
            lines.append(heading)
        lines.append(pair)
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 0.95 + 0.19 * len(lines)))
        axes.axvline(0, color="black", linewidth=0.7, zorder=1)
        for y, line in enumerate(lines):
            for place, row in enumerate(line if isinstance(line, list) else ()):
                spread = 0.0 if len(line) == 1 else 0.4 * (place / (len(line) - 1) - 0.5)
                axes.plot([100 * row["ci_low"], 100 * row["ci_high"]], [y + spread] * 2, color=GREY, linewidth=0.9)
                _put(axes, 100 * row["excess"], y + spread, _STYLE_MARKERS.get(row["style"], "o"), _outcome_of(row))
        axes.set_ylim(len(lines) - 0.4, -0.6)
        axes.set_yticks(range(len(lines)), [line if isinstance(line, str) else line[0]["pair"] for line in lines])
        for label, line in zip(axes.get_yticklabels(), lines, strict=True):
            label.set_fontstyle("italic" if isinstance(line, str) else "normal")
        axes.margins(x=0.04)
        axes.autoscale_view(scaley=False)
        axes.set_xlabel("Excess damage, points")
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        _style_legend(figure, pairs)
        mark_items(figure, notice)
        for y, line in enumerate(lines):
            if isinstance(line, list):
                _note_what_moved(axes, line[0], y)
    return figure


def _note_what_moved(axes: Axes, row: Row, y: float) -> None:
    """Beside an interval that the excess alone would misread: how far each language fell or rose."""
    misread = (row["ci_low"] > 0 and row["az_loss"] <= 0) or (row["ci_high"] < 0 and row["az_loss"] > 0)
    if not (misread and row["valid"]):
        return
    moved = [f"{name} {'fell' if row[loss] > 0 else 'rose'} {abs(100 * row[loss]):.1f}"
             for name, loss in (("AZ", "az_loss"), ("EN", "en_loss"))]  # fmt: skip
    left, right = axes.get_xlim()
    to_the_right = 100 * row["ci_high"] < (left + right) / 2
    end = row["ci_high"] if to_the_right else row["ci_low"]
    axes.annotate(
        ", ".join(moved), (100 * end, y), (4 if to_the_right else -4, 0), textcoords="offset points", va="center",
        ha="left" if to_the_right else "right", fontsize=6, zorder=4,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
    )  # fmt: skip


def losses(rows: pd.DataFrame, rule: Sequence[str], notice: str | None) -> Figure:
    """Azerbaijani loss against English loss; above the diagonal Azerbaijani lost more. Styles of a pair are joined."""
    pairs = _pairs(rows[rows["az_loss"].notna()], rule)
    points = [[(100 * row["en_loss"], 100 * row["az_loss"]) for row in pair] for pair in pairs]
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, COLUMN * 1.02))
        every = np.array([point for pair in points for point in pair])
        low, high = min(every.min(), 0) - 4, max(every.max(), 0) + 4
        axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")
        axes.axhline(0, color=GREY, linewidth=0.6)
        axes.axvline(0, color=GREY, linewidth=0.6)
        axes.plot([low, high], [low, high], color="black", linewidth=0.7, linestyle=(0, (4, 2)))
        for pair, places in zip(pairs, points, strict=True):
            axes.plot(*np.transpose(places), color=GREY, linewidth=0.6, zorder=2)
            for row, (x, y) in zip(pair, places, strict=True):
                _put(axes, x, y, _STYLE_MARKERS.get(row["style"], "o"), _outcome_of(row))
        _name_quadrants(axes)
        axes.set_xlabel("English loss, points")
        axes.set_ylabel("Azerbaijani loss, points")
        _style_legend(figure, pairs)
        mark_items(figure, notice)
        lines = [place for at in np.linspace(low, high, 60) for place in ((at, at), (at, 0.0), (0.0, at))]
        _label(axes, pairs, points, lines)
    return figure


def _name_quadrants(axes: Axes) -> None:
    """Names that keep clear of the diagonal; AZ and EN, because a long name does not fit every quadrant."""
    low, high = axes.get_xlim()
    for x, y, text, up in (
        (low, high, "only AZ fell", False), (high, 0, "both fell", True), (low, 0, "both rose", False),
        (high, low, "only EN fell", True),
    ):  # fmt: skip
        axes.annotate(
            text, (x, y), (3 if x == low else -3, 3 if up else -3), textcoords="offset points", fontsize=6,
            fontstyle="italic", color=GREY, ha="left" if x == low else "right", va="bottom" if up else "top",
        )  # fmt: skip


def _label(axes: Axes, pairs: list[list[Row]], points: list[list[tuple[float, float]]], lines: Points = ()) -> None:
    """Name each pair at its preferred style, clear of all points, of the lines that join styles, and of `lines`."""
    joins = [(x, y) for places in points for x, y in np.linspace(places[0], places[-1], 24)]
    others = [place for places in points for place in places[1:]]
    names = [pair[0]["pair"] for pair in pairs]
    label_points(axes, [places[0] for places in points], names, others, [*joins, *lines])


def _style_legend(figure: Figure, pairs: list[list[Row]]) -> None:
    rows = [row for pair in pairs for row in pair]
    styles = [name for name in _STYLE_MARKERS if any(row["style"] == name for row in rows)]
    legend = [_mark("o", outcome, outcome) for outcome in _OUTCOMES if any(_outcome_of(row) == outcome for row in rows)]
    if len(styles) > 1:
        legend += [_shape(_STYLE_MARKERS[name], f"{name} prompt") for name in styles]
    figure.legend(handles=legend, loc="outside upper center", ncols=2, fontsize=6.3, handletextpad=0.1)


def marker(rows: pd.DataFrame, rule: Sequence[str], notice: str | None) -> Figure:
    """Cyrillic share of the tuned half's Azerbaijani answers against excess damage.

    Pairs whose share is not known are named in a corner.
    """
    measured = rows[rows["excess"].notna()]
    known = measured[measured["cyrillic_share"].notna()]
    pairs = _pairs(known, rule)
    points = [[(100 * row["cyrillic_share"], 100 * row["excess"]) for row in pair] for pair in pairs]
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 2.7))
        # Many shares are at or near 0 and some near 100: a square-root scale shows both.
        axes.set_xscale("function", functions=(lambda x: np.sign(x) * np.sqrt(np.abs(x)), lambda x: x * np.abs(x)))
        axes.set_xlim(-0.15, 103)
        axes.set_xticks([0, 1, 5, 10, 20, 40, 60, 80, 100])
        axes.axhline(0, color=GREY, linewidth=0.6)
        for pair, places in zip(pairs, points, strict=True):
            axes.plot(*np.transpose(places), color=GREY, linewidth=0.6, zorder=2)
            for row, (x, y) in zip(pair, places, strict=True):
                _put(axes, x, y, _STYLE_MARKERS.get(row["style"], "o"), _outcome_of(row))
        axes.margins(y=0.15)
        if unknown := [name for name in measured["pair"].unique() if name not in set(known["pair"])]:
            text = "share not known: " + ", ".join(unknown)
            axes.text(
                0.99, 0.02, text, transform=axes.transAxes, ha="right", fontsize=6, fontstyle="italic", color=GREY
            )
        axes.set_xlabel("Azerbaijani answers with Cyrillic, % (square-root scale)")
        axes.set_ylabel("Excess damage, points")
        _style_legend(figure, pairs)
        mark_items(figure, notice)
        _label(axes, pairs, points, [(100 * at**2, 0.0) for at in np.linspace(0, 1, 60)])
    return figure
