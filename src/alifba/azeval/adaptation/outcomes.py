"""What an adaptation did to every item: per outcome and arm an array of seeds by items, against the base."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from alifba.azeval.likelihood import STYLE
from alifba.azeval.scorebook import ScoreBook
from alifba.config import Adaptation, Arm, Study
from alifba.errors import InputError
from alifba.runs import Run
from alifba.text.cyrillic import contains_cyrillic

OUTCOMES = ("excess_nll", "excess_em", "cyrillic", "other_language")
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Outcomes:
    """`values[outcome][arm]` is ``(n_seeds, n_items)``, an arm without any complete model is left out.

    excess_nll and excess_em are damage to Azerbaijani minus damage to English, in nats per character and in exact
    match; their two parts are the outcomes az_nll, en_nll, az_em and en_em. cyrillic and other_language are changes of
    0/1 marks of Azerbaijani answers. The base is subtracted everywhere.
    """

    adaptation: Adaptation
    values: Mapping[str, Mapping[str, Values]]
    base_nll: Mapping[str, float]
    """Of the base, per language: mean nats per character."""
    missing: list[str]
    """Models of the grid that lack a run; all of them where the base lacks one."""

    def of(self, outcome: str, arm: Arm) -> Values | None:
        return self.values[outcome].get(arm.slug)


def nats_per_character(run: Run) -> pd.Series[float]:
    """Of every item of a likelihood run, by item id.

    Raises:
        InputError: it is a run of generated answers.
    """
    rows = {id_: row for id_, row in run.rows.items() if row.raw_response is not None}
    if any(row.nll is None or not row.n_chars for row in rows.values()):
        raise InputError("this is no likelihood run", file=run.path, likely="raw outputs in the folder of likelihoods")
    return pd.Series({id_: float(row.nll or 0) / (row.n_chars or 1) for id_, row in rows.items()}, dtype=float)


def outcomes(study: Study, book: ScoreBook, likelihoods: Iterable[Run], judged: pd.DataFrame) -> Outcomes:
    """Every outcome of every arm. `judged` is `alifba.azeval.confusion.failures` of `book`."""
    adaptation = study.adaptation
    if adaptation is None:
        raise InputError("the study adapts no model", next_step="declare 'adaptation'; see studies/controlled.yaml")
    tables = _tables(book, likelihoods, judged)
    names = {model.slug: model.name for model in study.models}
    base = names[adaptation.base]
    used: dict[str, dict[str, list[Values]]] = {}
    missing = []
    for training in adaptation.trainings():
        name = names[training.slug]
        if any(one not in table or table[one].isna().any() for table in tables.values() for one in (base, name)):
            missing.append(training.slug)
            continue
        for outcome, table in tables.items():
            change = (table[name] - table[base]).to_numpy(dtype=float)
            used.setdefault(outcome, {}).setdefault(training.arm.slug, []).append(change)
    values = {outcome: {arm: np.stack(seeds) for arm, seeds in arms.items()} for outcome, arms in used.items()}
    for kind in ("nll", "em"):
        # A model that got worse has more nats and fewer right answers.
        sign = 1 if kind == "nll" else -1
        for language in ("az", "en"):
            parts = values.get(f"{language}_{kind}", {})
            values[f"{language}_{kind}"] = {arm: sign * part for arm, part in parts.items()}
        az, en = values[f"az_{kind}"], values[f"en_{kind}"]
        values[f"excess_{kind}"] = {arm: az[arm] - en[arm] for arm in az}
    base_nll = {
        language: float(tables[f"{language}_nll"][base].mean()) if base in tables[f"{language}_nll"] else float("nan")
        for language in ("az", "en")
    }
    return Outcomes(adaptation, {name: values.get(name, {}) for name in [*tables, *OUTCOMES]}, base_nll, missing)


def _tables(book: ScoreBook, likelihoods: Iterable[Run], judged: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Per measure a table of items by models, before any base is subtracted."""
    ids = [item.id for item in book.items]
    columns: dict[str, dict[str, pd.Series]] = {
        name: {} for name in ("az_nll", "en_nll", "az_em", "en_em", "cyrillic", "other_language")
    }
    for run in likelihoods:
        model, language, _ = run.key
        columns[f"{language}_nll"][model] = nats_per_character(run)
    for scored in book.runs:
        model, language, style = scored.key
        if style != STYLE:
            continue
        right = scored.exact_match("strict")
        columns[f"{language}_em"][model] = right
        if language == "az":
            marks = scored.scores["answer"].map(contains_cyrillic).astype(float)
            columns["cyrillic"][model] = marks.where(right.notna())
    for name, rows in judged[judged["prompt_style"] == STYLE].groupby("model"):
        columns["other_language"][str(name)] = rows.set_index("id")["flag"].astype(float)
    return {name: pd.DataFrame(series, index=ids, dtype=float) for name, series in columns.items()}
