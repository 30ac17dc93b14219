"""How new a text was to the base, beside what training on it did. Exploratory: no declared test reads this."""

from __future__ import annotations

import math
from typing import NamedTuple

import pandas as pd
from scipy.stats import kendalltau

from alifba.azeval.adaptation.contrasts import ITSELF
from alifba.config import Adaptation


class Familiarity(NamedTuple):
    """Whether damage goes with how new the text was to the base."""

    n: int
    """Arms that have both, those in the language under study itself left out: learning it is no damage."""
    tau: float
    p: float
    """Of Kendall's tau over the arms, exact where no two are tied (scipy's `kendalltau`)."""
    n_languages: int
    """Languages with an arm in each script."""
    n_same_order: int
    """Those of them in which the script that was newer to the base did more damage."""


def familiarity_table(adaptation: Adaptation, arms: pd.DataFrame, curves: pd.DataFrame) -> pd.DataFrame:
    """One row per target arm: `novelty` and `excess`, both in nats per character, NaN where the arm has no model.

    `novelty` is the mean loss of the first pass over the text, seeds averaged: each block is read before the step that
    learns from it, so it tells how the model fares on text that it has not seen. `excess` is the arm's excess_nll.
    """
    per_pass = adaptation.text.characters // (adaptation.recipe.block * adaptation.recipe.batch)
    novelty = curves[curves["step"] <= per_pass].groupby("arm")["nats_per_character"].mean()
    rows = arms[(arms["outcome"] == "excess_nll") & (arms["role"] == "target")]
    contrasts = {arm.slug: arm.contrast or "" for arm in adaptation.arms}
    return pd.DataFrame(
        {
            **{name: rows[name].to_numpy() for name in ("arm", "label", "language", "script", "related")},
            "contrast": rows["arm"].map(contrasts).to_numpy(),
            "novelty": rows["arm"].map(novelty).to_numpy(dtype=float),
            "excess": rows["mean"].to_numpy(dtype=float),
        }
    )


def familiarity(table: pd.DataFrame) -> Familiarity:
    """What `familiarity_table` says over all arms, and within the languages that have two."""
    measured = table.dropna(subset=["novelty", "excess"])
    others = measured[measured["language"] != ITSELF]
    tau, p = kendalltau(others["novelty"], others["excess"]) if len(others) > 1 else (math.nan, math.nan)
    pairs = [rows for name, rows in measured.groupby("contrast") if name and len(rows) == 2]
    same = sum(rows["novelty"].idxmax() == rows["excess"].idxmax() for rows in pairs)
    return Familiarity(len(others), float(tau), float(p), len(pairs), same)
