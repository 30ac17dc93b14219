"""Tidy tables of the results: what is missing, section profiles with intervals over items, agreement by section."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from alifba.arabic.aggregate import AttemptResult, Missing, ToolResult
from alifba.arabic.seats import blind_pair
from alifba.arabic.wording import known
from alifba.stats.agreement import krippendorff_alpha
from alifba.stats.bootstrap import mean_interval

MISSING = ["tool", "kind", "layer", "section", "item", "attempt", "need", "says"]
PROFILES = ["tool", "kind", "run", "section", "score", "ci_low", "ci_high", "n_items", "n_scored_items"]
AGREEMENT = ["section", "alpha", "n_codes_compared", "n_attempts", "n_third"]
_REVIEW_NEEDS = ("no_review", "review")


def missing_table(results: Iterable[ToolResult]) -> pd.DataFrame:
    """One row for each thing that a number waits for. `layer` is the one of the two that it is about."""
    rows = [_missing_row(result, one) for result in results for one in result.missing]
    return pd.DataFrame(rows, columns=MISSING)


def _missing_row(result: ToolResult, one: Missing) -> list[object]:
    layer = "review" if one.need in _REVIEW_NEEDS else "test set"
    attempt = "" if one.attempt is None else str(one.attempt)
    return [result.tool.id, result.tool.kind, layer, one.section or "", one.item, attempt, one.need, one.text("en")]


def missing_summary(results: Sequence[ToolResult]) -> pd.DataFrame:
    """One row a tool: which numbers exist and how many things of each kind are waited for."""
    counts = missing_table(results).pivot_table(index="tool", columns="need", aggfunc="size", fill_value=0)
    have = pd.DataFrame(
        {
            "tool": [one.tool.id for one in results],
            "review": [one.review for one in results],
            "composite": [None if one.composite is None else float(one.composite) for one in results],
            "sections": [len(one.sections) for one in results],
            "sections_scored": [sum(part.score is not None for part in one.sections) for one in results],
        }
    )
    return have.merge(counts, left_on="tool", right_index=True, how="left").fillna(dict.fromkeys(counts, 0))


def profile_table(results: Iterable[ToolResult], rng: np.random.Generator, level: float = 0.95) -> pd.DataFrame:
    """One row for each section that applies to a tool, 0 to 100; NaN where it is not earned.

    The interval is a percentile bootstrap over the items of the section (`alifba.stats.bootstrap.mean_interval`):
    how far the score would move with other items of this kind, the same people and the same tool. NaN ends for fewer
    than two items, or items that all have one score. Each row draws from a child of `rng` of its own.
    """
    rows = []
    for result in results:
        for section, child in zip(result.sections, rng.spawn(len(result.sections)), strict=True):
            scored = [float(item.score) for item in section.items if item.score is not None]
            numbers = [math.nan] * 3
            if section.score is not None:
                found = mean_interval(scored, child, level=level)
                numbers = [float(section.score), found.low, found.high]
            tool = [result.tool.id, result.tool.kind, result.run or "", section.name]
            rows.append([*tool, *numbers, len(section.items), len(scored)])
    return pd.DataFrame(rows, columns=PROFILES)


def agreement_table(results: Iterable[ToolResult]) -> pd.DataFrame:
    """Krippendorff's alpha (ordinal) of the two blind scorers, by section and over all of them.

    A unit is one criterion of one attempt; a third scorer never enters, nor does a refusal or an error that nobody had
    to judge. `n_codes_compared` counts codes (two a unit); alpha is NaN where there is nothing to compare.
    """
    found: dict[str, list[AttemptResult]] = {name: [] for name in known("sections")}
    for result in results:
        for section in result.sections:
            found[section.name] += [one for item in section.items for one in item.attempts if one.scores]
    rows = [_agreement_row(name, attempts) for name, attempts in found.items() if attempts]
    if rows:
        rows.append(_agreement_row("all", [one for attempts in found.values() for one in attempts]))
    return pd.DataFrame(rows, columns=AGREEMENT)


def _agreement_row(name: str, attempts: Sequence[AttemptResult]) -> list[object]:
    units = []
    for one in attempts:
        pair = [score.criteria or {} for score in blind_pair(one.scores).values()]
        if len(pair) == 2:
            units += [[codes[criterion] for codes in pair] for criterion in pair[0]]
    found = krippendorff_alpha(np.array(units, float).reshape(-1, 2).T, "ordinal")
    thirds = sum(any(score.role == "third" for score in one.scores.values()) for one in attempts)
    return [name, found.alpha, found.n_codes, len(attempts), thirds]
