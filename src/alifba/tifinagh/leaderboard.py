"""The leaderboard as static pages, a language each: no script, nothing from elsewhere, the same numbers in each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from scipy.special import ndtr

from alifba.paths import write_atomic
from alifba.stats.ranking import Z95, Score
from alifba.text.resources import load_toml
from alifba.tifinagh.power import POWER, sample_sizes
from alifba.tifinagh.ranking import HEADLINES, Board, Run, State, missing, setup_of
from alifba.tifinagh.records import DIALECTS, TASKS, Cell
from alifba.tifinagh.wording import Language, languages

_COUNTS = ("n", "n_correct", "n_partial", "n_wrong", "n_error", "n_awaiting")


@dataclass(frozen=True)
class Axis:
    """The part of 0 to 100 points that the bars of one ranking show."""

    low: float
    high: float

    @classmethod
    def around(cls, scores: Sequence[Score]) -> Axis:
        """Whole tens around the intervals of `scores`; at least ten points."""
        low = min((score.low for score in scores), default=0.0)
        high = max((score.high for score in scores), default=100.0)
        start = min(90, max(0, 10 * math.floor(low / 10)))
        return cls(start, max(start + 10, min(100, 10 * math.ceil(high / 10))))

    def at(self, points: float) -> float:
        """Where `points` lie on the axis, in percent of its length, cut to its ends."""
        return round(min(100, max(0, 100 * (points - self.low) / (self.high - self.low))), 2)


def write_pages(boards: Sequence[Board], runs: Sequence[Run], power: pd.DataFrame, folder: Path) -> list[Path]:
    """Write ``leaderboard.<language>.html`` for every language into `folder`.

    `boards` rank the same `runs`; `power` is their `power_table`.
    """
    written = []
    for language, page in render(boards, runs, power).items():
        write_atomic(folder / language.file, page)
        written.append(folder / language.file)
    return written


def render(boards: Sequence[Board], runs: Sequence[Run], power: pd.DataFrame) -> dict[Language, str]:
    """The page in every language. Same runs, same bytes."""
    environment = Environment(
        loader=PackageLoader("alifba.tifinagh", "data"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("leaderboard.html")
    shared = _content(boards, runs, power)
    return {language: template.render(shared, t=language) for language in languages()}


def _content(boards: Sequence[Board], runs: Sequence[Run], power: pd.DataFrame) -> dict[str, Any]:
    reference = boards[0].reference
    table = load_toml("leaderboard.toml", "alifba.tifinagh")
    setup = setup_of(reference.summary)
    fonts: list[str] = table["fonts"]
    return {
        "languages": languages(),
        "boards": boards,
        "runs": sorted(runs, key=lambda run: run.label),
        "axes": {board.headline: Axis.around([entry.score for entry in board.placed]) for board in boards},
        "waiting": [(board.headline, run, reasons) for board in boards for run, reasons in board.unplaced],
        "unjudged": any(reason.state == "no_judge" for _, reasons in boards[0].unplaced for reason in reasons),
        "apart": [
            {"run": run, "differences": found, "states": {name: _state(run, name) for name in HEADLINES}}
            for run, found in boards[0].apart
        ],
        "setup": [(field, value) for field, value in setup.items() if not field.startswith("dictionaries.")],
        "dictionaries": reference.record.dictionaries,
        "n_entries": min(entry.n_entries for entry in reference.record.dictionaries),
        "labels": list(dict.fromkeys(run.summary.label for run in runs if run.summary.label)),
        "known_labels": table["labels"],
        "label_of": {run.slug: run.label for run in runs},
        "cell_state": _cell_state,
        "counts": _COUNTS,
        "sizes": sample_sizes().to_dict("records"),
        "power": _plain(power),
        "power_percent": round(100 * POWER),
        "level": round(100 * (2 * float(ndtr(Z95)) - 1)),
        "z": Z95,
        "n_dialects": len(DIALECTS),
        "n_tasks": len(TASKS),
        "n_cells": {name: len(DIALECTS) * len(tasks) for name, tasks in HEADLINES.items()},
        "folds": list(load_toml("tifinagh.toml")["tifinagh_folded"].items()),
        "fonts": ", ".join(fonts),
        "fonts_css": ", ".join(f"'{font}'" for font in fonts) + ", sans-serif",
    }


def _plain(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, missing numbers as None."""
    return [
        {str(name): value for name, value in row.items()}
        for row in table.astype(object).where(table.notna(), None).to_dict("records")
    ]


def _state(run: Run, headline: Any) -> State | None:
    reasons = missing(run, headline)
    return reasons[0].state if reasons else None


def _cell_state(run: Run, cell: Cell) -> State:
    """Why a cell has no score."""
    if not cell.n:
        return "not_covered"
    if cell.task == "tif-to-en" and run.summary.overall.n_awaiting_judge:
        return "awaiting_judge" if run.summary.judge else "no_judge"
    return "awaiting_model"
