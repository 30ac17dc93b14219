"""The declared analysis: what each arm did, the script contrast language by language, and the declared tests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from alifba.azeval.adaptation.outcomes import Outcomes, Values
from alifba.azeval.scorebook import row_rng
from alifba.config import Adaptation, Arm, Resampling
from alifba.stats.bootstrap import Interval
from alifba.stats.multiplicity import holm_by_family
from alifba.stats.nested import contrast_interval
from alifba.stats.signflip import exact_signflip_real_p

ITSELF = "Azerbaijani"
"""The language under study is no neighbour of itself: it takes part in the script contrast alone."""


def contrast_names(adaptation: Adaptation) -> list[str]:
    """The languages that have an arm in each script, in the order of the study."""
    return list(dict.fromkeys(arm.contrast for arm in adaptation.arms if arm.contrast))


def script_weights(adaptation: Adaptation, only: str | None = None) -> dict[str, float]:
    """Cyrillic minus Latin, averaged over the languages that have both (`only`: of that language)."""
    names = [only] if only else contrast_names(adaptation)
    return {
        arm.slug: (1 if arm.script == "Cyrillic" else -1) / len(names)
        for arm in adaptation.arms
        if arm.contrast in names
    }


def _neighbours(adaptation: Adaptation) -> list[Arm]:
    return [arm for arm in adaptation.arms if arm.role == "target" and arm.language != ITSELF]


def relatedness_weights(adaptation: Adaptation) -> dict[str, float]:
    """Turkic minus other targets within each script, both scripts averaged."""
    arms, scripts = _neighbours(adaptation), ("Cyrillic", "Latin")
    weights = {}
    for arm in arms:
        alike = [other for other in arms if (other.script, other.related) == (arm.script, arm.related)]
        weights[arm.slug] = (1 if arm.related else -1) / len(alike) / len(scripts)
    return weights


def interaction_weights(adaptation: Adaptation) -> dict[str, float]:
    """The script contrast of Turkic languages minus that of the others."""
    arms = [arm for arm in _neighbours(adaptation) if arm.contrast]
    weights = {}
    for arm in arms:
        languages = {other.contrast for other in arms if other.related == arm.related}
        sign = (1 if arm.script == "Cyrillic" else -1) * (1 if arm.related else -1)
        weights[arm.slug] = sign / len(languages)
    return weights


WEIGHTS = {"script": script_weights, "relatedness": relatedness_weights, "interaction": interaction_weights}


def _item_contrast(values: Mapping[str, Values], weights: Mapping[str, float]) -> Values:
    """Per item, seeds averaged: ``(n_items,)``."""
    total = np.zeros(next(iter(values.values())).shape[1])
    for arm, weight in weights.items():
        total += weight * values[arm].mean(axis=0)
    return total


def _tested(
    values: Mapping[str, Values], weights: Mapping[str, float], sampling: Resampling, *key: str
) -> tuple[Interval, float]:
    """Interval over items and seeds, exact sign-flip p over items; NaN where an arm has no model."""
    if not weights or not weights.keys() <= values.keys():
        return Interval(math.nan, math.nan, math.nan, 0), math.nan
    groups = [values[arm] for arm in weights]
    rng = row_rng(sampling.seed, *key)
    interval = contrast_interval(
        groups, list(weights.values()), rng, resamples=sampling.resamples, level=sampling.level
    )
    return interval, exact_signflip_real_p(_item_contrast(values, weights))


def _row(interval: Interval, p: float) -> dict[str, Any]:
    return {"n_items": interval.n, "mean": interval.mean, "low": interval.low, "high": interval.high, "p": p}


def arms_table(found: Outcomes, sampling: Resampling) -> pd.DataFrame:
    """One row per arm and outcome, the parts az_* and en_* included; NaN where no model of the arm is complete.

    `mean` over items and seeds with its interval over both; exact sign-flip `p` over items of the seeds' mean; `p_holm`
    over the targets, controls and sensitivity arms each apart, within an outcome. `seed_low`, `seed_high`: the seeds'
    own means.
    """
    rows = []
    for outcome in found.values:
        for arm in found.adaptation.arms:
            values = found.of(outcome, arm)
            seeds = np.array([]) if values is None else values.mean(axis=1)
            interval, p = _tested(found.values[outcome], {arm.slug: 1.0}, sampling, "arm", outcome, arm.slug)
            rows.append(
                {"arm": arm.slug, "label": arm.label, "language": arm.language or "none", "script": arm.script}
                | {"related": int(arm.related), "role": arm.role, "outcome": outcome, "n_seeds": len(seeds)}
                | _row(interval, p)
                | {"seed_low": min(seeds, default=math.nan), "seed_high": max(seeds, default=math.nan)}
                | {"family": f"{outcome}, {arm.role}"}
            )
    table = pd.DataFrame(rows, columns=_ARM_COLUMNS)
    return _corrected(table)


_ARM_COLUMNS = [
    *("arm", "label", "language", "script", "related", "role", "outcome", "n_seeds", "n_items"),
    *("mean", "low", "high", "p", "seed_low", "seed_high", "family"),
]


def _corrected(table: pd.DataFrame) -> pd.DataFrame:
    """With a column ``p_holm`` after ``p``."""
    adjusted = holm_by_family(table["p"].astype(float), table["family"].astype(str))
    table.insert(list(table.columns).index("p") + 1, "p_holm", adjusted)
    return table


def languages_table(found: Outcomes, sampling: Resampling) -> pd.DataFrame:
    """The script contrast (Cyrillic minus Latin) of each language that was trained in both, per outcome."""
    rows = []
    for name in contrast_names(found.adaptation):
        arm = next(arm for arm in found.adaptation.arms if arm.contrast == name)
        weights = script_weights(found.adaptation, only=name)
        for outcome, values in found.values.items():
            interval, p = _tested(values, weights, sampling, "language", outcome, name)
            n_seeds = min((len(values[slug]) for slug in weights if slug in values), default=0)
            told = {"language": arm.language, "related": int(arm.related), "outcome": outcome, "n_seeds": n_seeds}
            rows.append(told | _row(interval, p))
    return pd.DataFrame(rows, columns=_LANGUAGE_COLUMNS)


_LANGUAGE_COLUMNS = ["language", "related", "outcome", "n_seeds", "n_items", "mean", "low", "high", "p"]


def contrasts_table(found: Outcomes, sampling: Resampling) -> pd.DataFrame:
    """One row per declared hypothesis.

    `p` is over items (these languages and seeds, other items), `p_holm` within the declared family. `p_languages` is
    the exact sign flip of the languages' contrasts (other languages), for the script contrast alone, with the smallest
    it could be. `as_predicted`: whether the interval lies where the account says; empty where it lies about zero.
    """
    rows = []
    languages = languages_table(found, sampling)
    for hypothesis in found.adaptation.hypotheses:
        weights = WEIGHTS[hypothesis.contrast](found.adaptation)
        values = found.values[hypothesis.outcome]
        interval, p = _tested(values, weights, sampling, hypothesis.contrast, hypothesis.outcome)
        row = hypothesis.model_dump() | {"n_arms": len(weights)} | _row(interval, p)
        row |= {"p_languages": math.nan, "smallest_p_languages": math.nan, "n_languages": math.nan}
        if hypothesis.contrast == "script" and not math.isnan(interval.mean):
            means = languages.loc[languages["outcome"] == hypothesis.outcome, "mean"]
            row |= {"p_languages": exact_signflip_real_p(means), "smallest_p_languages": 2 / 2 ** len(means)}
            row["n_languages"] = len(means)
        rows.append(row | {"as_predicted": _as_predicted(hypothesis.predicts, interval)})
    columns = [*_HYPOTHESIS_COLUMNS, "as_predicted"]
    table = pd.DataFrame(rows, columns=columns)
    return _corrected(table)


_HYPOTHESIS_COLUMNS = [
    *("contrast", "outcome", "family", "account", "predicts", "n_arms", "n_items", "mean", "low", "high", "p"),
    *("n_languages", "p_languages", "smallest_p_languages"),
]


def _as_predicted(predicts: str, interval: Interval) -> str:
    if math.isnan(interval.low) or interval.low <= 0 <= interval.high:
        return ""
    side = "above zero" if interval.low > 0 else "below zero"
    return "yes" if predicts in (side, "not zero") else "no"
