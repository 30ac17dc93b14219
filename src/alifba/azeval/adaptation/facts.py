"""The numbers of a controlled adaptation that a paper may print, read from its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from alifba.azeval.adaptation.familiarity import familiarity
from alifba.azeval.finding import Finding, slug
from alifba.config import Study

_ARMS, _LANGUAGES, _CONTRASTS = ("tables/arms.csv",), ("tables/script_by_language.csv",), ("tables/contrasts.csv",)
_TRAININGS, _FAMILIARITY = ("tables/trainings.csv",), ("tables/familiarity.csv",)
# Unit and digits of the numbers of an outcome.
_SHOWN: dict[str, tuple[str, int]] = {
    "excess_nll": ("number", 3),
    "az_nll": ("number", 3),
    "en_nll": ("number", 3),
    "excess_em": ("points", 1),
    "cyrillic": ("points", 1),
    "other_language": ("points", 1),
}


def of_adaptation(study: Study, table: Callable[[str], pd.DataFrame]) -> Iterator[Finding]:
    """The design, the trainings, every arm, the script contrast of every language, every declared test, and
    how new the texts were to the base."""
    yield from _of_design(study)
    yield from _of_trainings(table("trainings"))
    yield from _of_arms(table("arms"))
    yield from _of_languages(table("script_by_language"))
    yield from _of_contrasts(table("contrasts"))
    yield from _of_familiarity(table("familiarity"))


def _of_design(study: Study) -> Iterator[Finding]:
    adaptation = study.adaptation
    assert adaptation is not None
    arms, recipe = adaptation.arms, adaptation.recipe
    targets = [arm for arm in arms if arm.role == "target"]
    for name, value in (
        ("arms.n", len(arms)),
        ("targets.n", len(targets)),
        ("languages.n", len({arm.language for arm in targets})),
        ("contrast_languages.n", len({arm.contrast for arm in arms if arm.contrast})),
        ("seeds.n", max(arm.seeds for arm in arms)),
        ("trainings.n", sum(1 for _ in adaptation.trainings())),
        ("steps", recipe.steps),
        ("batch", recipe.batch),
        ("block", recipe.block),
        ("characters", adaptation.text.characters),
        ("hypotheses.n", len(adaptation.hypotheses)),
        ("hypotheses.primary.n", sum(h.family == "primary" for h in adaptation.hypotheses)),
    ):
        yield Finding(f"design.{name}", value, "count", 0, ())
    yield Finding("design.learning_rate", f"{recipe.learning_rate:.0e}".replace("e-0", "e-"), "text", 0, ())
    yield Finding("design.text", f"{adaptation.text.package} {adaptation.text.version}", "text", 0, ())


def _of_trainings(trainings: pd.DataFrame) -> Iterator[Finding]:
    trained = trainings[trainings["steps"] > 0]
    yield Finding("trainings.done.n", len(trainings), "count", 0, _TRAININGS)
    yield Finding("trainings.minutes.median", trained["seconds"].median() / 60, "number", 1, _TRAININGS)
    for script in ("Cyrillic", "Latin"):
        rows, prefix = trained[trained["script"] == script], f"trainings.{slug(script)}"
        yield Finding(f"{prefix}.tokens.mean", rows["tokens"].mean(), "number", 0, _TRAININGS)
        yield Finding(f"{prefix}.loss_first", rows["loss_first"].mean(), "number", 2, _TRAININGS)
        yield Finding(f"{prefix}.loss_last", rows["loss_last"].mean(), "number", 2, _TRAININGS)


def _measured(prefix: str, row: Any, unit: str, digits: int, inputs: tuple[str, ...]) -> Iterator[Finding]:
    for part in ("mean", "low", "high"):
        yield Finding(f"{prefix}.{part}", row[part], unit, digits, inputs, signed=True)
    yield Finding(f"{prefix}.p", row["p"], "p", 3, inputs)


def _of_arms(arms: pd.DataFrame) -> Iterator[Finding]:
    untouched = arms[arms["arm"] == "untouched"]["mean"].abs().max()
    # An exact zero is printed as one.
    yield Finding("untouched.largest", untouched, "number", 3 if untouched else 0, _ARMS)
    for row in arms[arms["outcome"].isin(_SHOWN)].to_dict("records"):
        prefix = f"arm.{row['arm']}.{row['outcome']}"
        yield from _measured(prefix, row, *_SHOWN[str(row["outcome"])], _ARMS)
        yield Finding(f"{prefix}.p_holm", row["p_holm"], "p", 3, _ARMS)
    targets = arms[(arms["outcome"] == "excess_nll") & (arms["role"] == "target")]
    damaged = targets[(targets["p_holm"] < 0.05) & (targets["low"] > 0)]
    az = arms[(arms["outcome"] == "az_nll") & arms["arm"].isin(damaged["arm"]) & (arms["low"] > 0)]
    yield Finding("targets.excess.n", len(damaged), "count", 0, _ARMS)
    yield Finding("targets.damaged.n", len(az), "count", 0, _ARMS)
    yield Finding("targets.measured.n", int((targets["n_seeds"] > 0).sum()), "count", 0, _ARMS)


def _of_languages(languages: pd.DataFrame) -> Iterator[Finding]:
    shown = languages[languages["outcome"].isin(_SHOWN)]
    for row in shown.to_dict("records"):
        prefix = f"script.{slug(str(row['language']))}.{row['outcome']}"
        yield from _measured(prefix, row, *_SHOWN[str(row["outcome"])], _LANGUAGES)
    above = shown[(shown["outcome"] == "excess_nll") & (shown["mean"] > 0)]
    yield Finding("script.above_zero.n", len(above), "count", 0, _LANGUAGES)
    measured = shown[shown["outcome"] == "excess_nll"].dropna(subset=["mean"]).sort_values("mean")
    for name, place in (("lowest", 0), ("highest", -1)):
        end = measured.iloc[place] if len(measured) else pd.Series({"language": None, "mean": None})
        yield Finding(f"script.{name}.language", end["language"], "text", 0, _LANGUAGES)
        yield Finding(f"script.{name}.mean", end["mean"], "number", 3, _LANGUAGES, signed=True)


def _of_contrasts(contrasts: pd.DataFrame) -> Iterator[Finding]:
    for row in contrasts.to_dict("records"):
        prefix = f"contrast.{row['contrast']}.{row['outcome']}"
        yield from _measured(prefix, row, *_SHOWN[str(row["outcome"])], _CONTRASTS)
        yield Finding(f"{prefix}.p_holm", row["p_holm"], "p", 3, _CONTRASTS)
        yield Finding(f"{prefix}.p_languages", row["p_languages"], "p", 3, _CONTRASTS)
        yield Finding(f"{prefix}.smallest_p_languages", row["smallest_p_languages"], "p", 3, _CONTRASTS)
        yield Finding(f"{prefix}.verdict", _verdict(row), "text", 0, _CONTRASTS)


def _of_familiarity(table: pd.DataFrame) -> Iterator[Finding]:
    found = familiarity(table)
    for name, value in (("n", found.n), ("languages.n", found.n_languages), ("same_order.n", found.n_same_order)):
        yield Finding(f"familiarity.{name}", value, "count", 0, _FAMILIARITY)
    yield Finding("familiarity.tau", found.tau, "number", 2, _FAMILIARITY)
    yield Finding("familiarity.p", found.p, "p", 3, _FAMILIARITY)


def _verdict(row: Any) -> str | None:
    """In words, what a test found; undefined where an arm is missing."""
    if pd.isna(row["mean"]):
        return None
    if not row["p_holm"] < 0.05:
        return "not distinguishable from zero"
    return "above zero" if row["mean"] > 0 else "below zero"
