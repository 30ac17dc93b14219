"""Tables that describe a study before any comparison: its items, its runs, its baselines, its extremes."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd

from alifba.azeval.scorebook import ScoreBook
from alifba.azeval.scoring import majority_baseline
from alifba.config import Study
from alifba.errors import InputError
from alifba.text.chains import normalise


def dataset_table(book: ScoreBook, study: Study) -> pd.DataFrame:
    """Counts of items: in all, verified, control, distinct answers, and by category, provenance and template."""
    items = list(book.items)
    rows: list[tuple[str, str, float]] = [
        ("items", "all", len(items)),
        ("items", "verified by a person", book.items.n_verified),
        ("items", "control", sum(study.is_control(item.template) for item in items)),
        ("items", "distinct answers", len({normalise(item.answer, "strict") for item in items})),
        ("items", "templates", len({item.template for item in items} - {"none"})),
        ("words", "mean answer length", float(np.mean([len(item.answer.split()) for item in items]))),
    ]
    for field in ("category", "provenance", "template"):
        counts = Counter(getattr(item, field) for item in items)
        rows += [(field, name, counts[name]) for name in sorted(counts)]
    return pd.DataFrame(rows, columns=["field", "value", "n"])


def runs_table(book: ScoreBook) -> pd.DataFrame:
    """One row per run: what it holds, what was counted, and its signature."""
    return pd.DataFrame([asdict(run.record) for run in book.runs])


def baselines_table(book: ScoreBook, study: Study) -> pd.DataFrame:
    """Share of items that always giving the most frequent gold answer would get right, per language."""
    rows = [
        (language, "majority", len(book.items), majority_baseline(book.items, language)) for language in study.languages
    ]
    return pd.DataFrame(rows, columns=["language", "baseline", "n", "exact_match"])


def extremes_table(book: ScoreBook, study: Study) -> pd.DataFrame:
    """Strata at exactly 0 (under the most forgiving chain) or exactly 1 (under the strictest).

    A stratum is a run, or one category of a run. Such a value is more often a broken measurement than a fact, so
    each one must be acknowledged in the study file ("model/language/category", "*" matches anything) before a paper
    is built.
    """
    category = pd.Series({item.id: item.category for item in book.items})
    rows = []
    for run in book.runs:
        worst, best = run.exact_match("translit").dropna(), run.exact_match("strict").dropna()
        for name in ["all", *sorted(set(category))]:
            ids = worst.index if name == "all" else worst.index[category.loc[worst.index] == name]
            value = 0 if len(ids) and not worst.loc[ids].any() else 1 if len(ids) and best.loc[ids].all() else None
            if value is None:
                continue
            stratum = f"{run.record.model}/{run.record.language}/{name}"
            known = any(fnmatchcase(stratum, pattern) for pattern in study.acknowledged_extremes)
            rows.append((stratum, run.record.prompt_style, len(ids), value, int(known)))
    return pd.DataFrame(rows, columns=["run_stratum", "prompt_style", "n", "exact_match", "acknowledged"])


def refuse_extremes(table: Path, study: Path) -> None:
    """Raise `InputError` if the extremes table holds a stratum that the study file does not acknowledge."""
    if not table.is_file():
        raise InputError("no such table", file=table, next_step="make tables")
    extremes = pd.read_csv(table, keep_default_na=False)
    unknown = extremes[extremes["acknowledged"] == 0]
    if len(unknown):
        raise InputError(
            f"{len(unknown)} strata are at exactly 0 or 1, such as {unknown['run_stratum'].iloc[0]}",
            file=table,
            likely="answers that the extraction or the chain loses; or a task that is too hard or too easy",
            next_step=f"look at the raw answers; if they are right, add acknowledged_extremes to {study}",
        )
