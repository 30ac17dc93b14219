"""Figures of a controlled adaptation: design, forest, script contrast, marker, curves, familiarity of the text.

They read ``arms.csv``, ``script_by_language.csv``, ``contrasts.csv``, ``curves.csv`` and ``familiarity.csv`` in the
study's tables. Script is told by shape as well as colour. A filled mark is a p below 0.05 after correction; in the
figure of familiarity it is a Turkic language.
"""

from __future__ import annotations

from typing import Literal

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from alifba.config import Adaptation, Arm
from alifba.report.drawing import COLUMN, GREY, PAGE, mark_items, style

_MARKERS = {"Cyrillic": "s", "Latin": "o"}
_COLOURS = {"Cyrillic": "#D55E00", "Latin": "#0072B2"}
_LINES: dict[str, Literal["-", "--"]] = {"Cyrillic": "-", "Latin": "--"}
_ROLES = {"target": "Targets", "control": "Controls", "sensitivity": "Sensitivity"}
_GROUPS = {"Turkic": True, "not Turkic": False}
_ALPHA = 0.05


def _mark(script: str | None, filled: bool = False, label: str = "") -> Line2D:
    """`script` None: of an arm that was trained on no text."""
    colour = _COLOURS[script] if script else GREY
    return Line2D(
        [], [], linestyle="", marker=_MARKERS[script] if script else "D", color=colour, label=label, markersize=4,
        markeredgewidth=0.9, markerfacecolor=colour if filled else "white",
    )  # fmt: skip


def _interval(axes: Axes, row: pd.Series, y: float) -> None:
    """Mean and interval of an arm, filled where its corrected p is small."""
    script = None if row["language"] == "none" else str(row["script"])
    if script:
        ends = [row["low"], row["high"]]
        axes.plot(ends, [y, y], color=_COLOURS[script], linewidth=0.9, linestyle=_LINES[script])
    mark = _mark(script, bool(row["p_holm"] < _ALPHA))
    mark.set_data([row["mean"]], [y])
    mark.set_zorder(3)
    axes.add_line(mark)


def _legend(figure: Figure, filled: str | None = None) -> None:
    handles = [_mark(script, label=script) for script in _MARKERS]
    if filled:
        handles.append(Line2D([], [], linestyle="", marker="o", color=GREY, label=filled, markersize=4))
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), handletextpad=0.3, columnspacing=1.0)


# The design grid, in shares of its width: where languages are named, where the marks of a script begin, how far apart.
_NAME, _FIRST = 0.04, {"Cyrillic": 0.42, "Latin": 0.72}
_APART, _RULE = 0.035, 0.12


def design(adaptation: Adaptation, notice: str | None) -> Figure:
    """The grid of targets: one line per language, one column per script, one mark per training seed."""
    targets = [arm for arm in adaptation.arms if arm.role == "target"]
    groups = [(name, [arm for arm in targets if arm.related == related]) for name, related in _GROUPS.items()]
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 0.4))
        y = 0
        for name, arms in groups:
            axes.axhline(y, color="#bdbdbd", linewidth=0.5)
            axes.text(0, y + 0.5, name, fontsize=7, fontweight="bold", va="center")
            for language in dict.fromkeys(arm.language for arm in arms):
                y += 1
                axes.text(_NAME, y + 0.5, str(language), fontsize=7, va="center")
                for arm in (arm for arm in arms if arm.language == language):
                    _seeds(axes, arm, y + 0.5)
            y += 1
        for script, place in _FIRST.items():
            axes.text(place - _APART / 2, -0.5, script, fontsize=7, va="center")
        axes.axhline(y, color="#bdbdbd", linewidth=0.5)
        axes.text(
            0, y + 0.6, "One mark per training seed; “by rule”: transliterated", fontsize=6, color=GREY, va="center"
        )
        axes.set(xlim=(0, 1), ylim=(y + 1, -1))
        axes.axis("off")
        figure.set_size_inches(COLUMN, 0.165 * (y + 2))
        mark_items(figure, notice)
    return figure


def _seeds(axes: Axes, arm: Arm, y: float) -> None:
    first = _FIRST[arm.script]
    for seed in range(arm.seeds):
        mark = _mark(arm.script, filled=True)
        mark.set_data([first + _APART * seed], [y])
        axes.add_line(mark)
    if arm.transliterate:
        axes.text(first + _RULE, y, "by rule", fontsize=6, color=GREY, va="center")


def forest(arms: pd.DataFrame, notice: str | None, outcome: str = "excess_nll") -> Figure:
    """Excess damage of every arm with its interval, targets by size, then controls and sensitivity arms."""
    rows = arms[arms["outcome"] == outcome]
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 0.6 + 0.145 * (len(rows) + rows["role"].nunique())))
        labels, y = [], 0
        for role, title in _ROLES.items():
            part = rows[rows["role"] == role]
            if part.empty:
                continue
            labels.append((y, title, True))
            y += 1
            for _, row in (part.sort_values("mean", ascending=False) if role == "target" else part).iterrows():
                _interval(axes, row, y)
                labels.append((y, row["label"], False))
                y += 1
        axes.axvline(0, color=GREY, linewidth=0.6)
        axes.set_yticks([place for place, _, _ in labels], [text for _, text, _ in labels])
        for tick, (_, _, bold) in zip(axes.get_yticklabels(), labels, strict=True):
            tick.set_fontweight("bold" if bold else "normal")
            tick.set_fontsize(6.5)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(y - 0.4, -0.6)
        axes.set_xlabel("Excess damage to Azerbaijani,\nnats per character")
        _legend(figure, "p < 0.05, corrected")
        mark_items(figure, notice)
    return figure


def script_contrast(languages: pd.DataFrame, contrasts: pd.DataFrame, notice: str | None) -> Figure:
    """Cyrillic minus Latin within each language, and over all of them."""
    rows = languages[languages["outcome"] == "excess_nll"]
    whole = contrasts[(contrasts["contrast"] == "script") & (contrasts["outcome"] == "excess_nll")]
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 0.55 + 0.2 * (len(rows) + 1)))
        for y, (_, row) in enumerate(rows.iterrows()):
            axes.plot([row["low"], row["high"]], [y, y], color="black", linewidth=0.9)
            axes.plot(row["mean"], y, "D" if row["related"] else "^", color="black", markersize=4)
        last = len(rows) + 0.3
        for _, row in whole.iterrows():
            axes.plot([row["low"], row["high"]], [last, last], color="#D55E00", linewidth=2)
            axes.plot(row["mean"], last, "o", color="#D55E00", markersize=5)
        axes.axvline(0, color=GREY, linewidth=0.6)
        axes.set_yticks([*range(len(rows)), last], [*rows["language"], "all languages"])
        axes.set_ylim(last + 0.5, -0.5)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.set_xlabel("Cyrillic minus Latin arm, nats per character")
        handles = [
            Line2D([], [], linestyle="", marker=marker, color="black", markersize=4, label=label)
            for marker, label in zip("D^", _GROUPS, strict=True)
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
        mark_items(figure, notice)
    return figure


def marker(arms: pd.DataFrame, notice: str | None) -> Figure:
    """Change of the share of Azerbaijani answers with Cyrillic, and of those in another language, in points."""
    titles = {"cyrillic": "With Cyrillic", "other_language": "In another language"}
    shown = arms[arms["role"].isin(["target", "control"])]
    order = list(dict.fromkeys(shown.sort_values(["script", "label"])["label"]))
    with style():
        figure, panels = plt.subplots(1, 2, figsize=(PAGE, 0.7 + 0.14 * len(order)), sharey=True)
        for axes, (outcome, title) in zip(panels, titles.items(), strict=True):
            rows = shown[shown["outcome"] == outcome].set_index("label").reindex(order)
            for y, (_, row) in enumerate(rows.iterrows()):
                if pd.notna(row["mean"]):
                    scaled = row.copy()
                    scaled[["mean", "low", "high"]] = 100 * row[["mean", "low", "high"]].astype(float)
                    _interval(axes, scaled, y)
            axes.axvline(0, color=GREY, linewidth=0.6)
            axes.set(title=title, xlabel="Change against the base, points")
            axes.set_ylim(len(order) - 0.4, -0.6)
        panels[0].set_yticks(range(len(order)), order, fontsize=6.5)
        _legend(figure, "p < 0.05, corrected")
        mark_items(figure, notice)
    return figure


def curves(table: pd.DataFrame, adaptation: Adaptation, notice: str | None) -> Figure:
    """Training loss by step, both scripts of a language in a panel, one thin line per seed."""
    names = list(dict.fromkeys(arm.contrast for arm in adaptation.arms if arm.contrast))
    with style():
        figure, grid = plt.subplots(2, -(-len(names) // 2), figsize=(PAGE, 3.0), sharex=True, sharey=True)
        for axes, name in zip(grid.flat, names, strict=False):
            for arm in (arm for arm in adaptation.arms if arm.contrast == name):
                axes.set_title(str(arm.language))
                for _, rows in table[table["arm"] == arm.slug].groupby("seed"):
                    axes.plot(
                        rows["step"], rows["nats_per_character"], color=_COLOURS[arm.script], linewidth=0.8,
                        linestyle=_LINES[arm.script], marker=_MARKERS[arm.script], markersize=2,
                    )  # fmt: skip
        for axes in grid[-1]:
            axes.set_xlabel("Step")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        figure.supylabel("Training loss, nats per character", fontsize=8)
        handles = [
            Line2D([], [], color=_COLOURS[s], linestyle=_LINES[s], marker=_MARKERS[s], markersize=3, label=s)
            for s in _MARKERS
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
        mark_items(figure, notice)
    return figure


def familiarity(table: pd.DataFrame, notice: str | None) -> Figure:
    """Excess damage of every target by how new its text was to the base; the scripts of a language are joined."""
    measured = table.dropna(subset=["novelty", "excess"])
    with style():
        figure, axes = plt.subplots(figsize=(COLUMN, 2.9))
        above = True
        for _, rows in measured.sort_values("novelty").groupby("language", sort=False):
            axes.plot(rows["novelty"], rows["excess"], color=GREY, linewidth=0.6, zorder=1)
            for _, row in rows.iterrows():
                mark = _mark(str(row["script"]), filled=bool(row["related"]))
                mark.set_data([row["novelty"]], [row["excess"]])
                axes.add_line(mark)
            # Alone, languages lie close together; so their names stand above and below by turns.
            above = len(rows) > 1 or not above
            named = rows.sort_values("excess").iloc[-1]
            axes.annotate(
                str(named["arm"]).partition("-")[0], (named["novelty"], named["excess"]), (0, 4 if above else -9),
                textcoords="offset points", ha="center", fontsize=6,
            )  # fmt: skip
        axes.axhline(0, color=GREY, linewidth=0.6)
        axes.margins(x=0.12)
        axes.set_xlabel("Loss in the first pass over the text,\nnats per character")
        axes.set_ylabel("Excess damage to Azerbaijani,\nnats per character")
        _legend(figure, "Turkic")
        mark_items(figure, notice)
    return figure
