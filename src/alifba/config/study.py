"""A study file (``studies/<name>.yaml``): which items, which runs, how they are compared. Frozen and strict."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from alifba.config.adaptation import Adaptation, expanded
from alifba.config.comparison import Account, Gates, Pair, Resampling
from alifba.config.models import Model, Slug, Strict, Style, Text
from alifba.errors import InputError, closest
from alifba.paths import resolve


class Decoding(Strict):
    """How the models of a study generate, the same for all of them: greedily, at most 32 tokens (4 for a letter).

    Both are part of a run's signature.
    """

    stop_at_next_question: bool = False
    """End a reply where the model goes on with a question of its own; the text keeps the stop."""
    shared_prefix: bool = True
    """Let local models compute what all prompts begin with once, and fill the place of an answer that has ended with
    the next prompt. A few answers can differ from those of plain batches, as they do between batch sizes: sums are
    rounded in another order. A model whose cache allows no sharing is run in plain batches."""


class Study(Strict):
    """Everything that says what a study is."""

    name: Slug
    title: Text
    dataset: Text | None = None
    """Path of the built dataset, from the repository root. May be left out and given as DATASET=."""
    runs: Text | None = None
    """Folder of raw outputs. May be left out and given as RUNS=."""
    languages: list[Literal["az", "en"]] = Field(default=["az", "en"], min_length=1)
    styles: list[Style] = Field(default=["default"], min_length=1)
    primary_style: Style = "default"
    profile: Literal["paper", "explore"] = "paper"
    """"paper" refuses a model whose revision can move (a branch, a tag); "explore" takes what it points to now."""
    decoding: Decoding = Decoding()
    models: list[Model] = Field(default=[])
    control_templates: list[Text] = Field(default=[])
    """Templates whose items are universal by construction: the control stratum. "*" matches anything."""
    bootstrap: Resampling = Resampling()
    pairs: list[Pair] = Field(default=[])
    accounts: list[Account] = Field(default=[])
    style_rules: list[Annotated[list[Style], Field(min_length=1)]] = Field(
        default=[["default", "oneshot"], ["oneshot", "default"]], min_length=1
    )
    """Orders of preference: a pair enters the comparison between pairs in the first style in which it is valid."""
    gates: Gates = Gates()
    published_pairs: Text | None = None
    """A table of published pair figures, set beside the study's own."""
    error_labels: Text | None = None
    """A CSV file of human error labels (gold, answer, label) to judge the confusion detectors by."""
    tokenizers: dict[str, str] = Field(default={})
    """Model name to a tokenizer.json or a folder that holds one."""
    manuscript: Text = "paper/report.md"
    acknowledged_extremes: list[Text] = Field(default=[])
    """Strata ("model/language/stratum") known to be at exactly 0 or 1; any other such stratum stops the paper."""

    adaptation: Adaptation | None = None
    """Models that the study makes itself, from a base that it declares. They join `models`, and `pairs` with it."""

    @model_validator(mode="before")
    @classmethod
    def _with_adapted_models(cls, content: Any) -> Any:
        return expanded(content) if isinstance(content, dict) else content

    @model_validator(mode="after")
    def _unique_models(self) -> Study:
        names = [("model slug", [m.slug for m in self.models]), ("model name", [m.name for m in self.models])]
        for what, values in [*names, ("pair name", [pair.name for pair in self.pairs])]:
            if repeated := {value for value in values if values.count(value) > 1}:
                raise ValueError(f"{what} used twice: {', '.join(sorted(repeated))}")
        return self

    @model_validator(mode="after")
    def _primary_style_is_run(self) -> Study:
        if self.primary_style not in self.styles:
            raise ValueError(f"primary_style {self.primary_style!r} is not among the styles")
        return self

    def model(self, slug: str) -> Model:
        """The model declared under `slug`."""
        known = {model.slug: model for model in self.models}
        if slug not in known:
            raise InputError(
                "no such model in the study",
                value=slug,
                likely=closest(slug, known),
                next_step="declared: " + ", ".join(known),
            )
        return known[slug]

    def is_control(self, template: str) -> bool:
        return any(fnmatchcase(template, pattern) for pattern in self.control_templates)

    def dataset_path(self, given: str | Path | None = None) -> Path:
        return _given_or_declared(given, self.dataset, "dataset", "DATASET")

    def runs_path(self, given: str | Path | None = None) -> Path:
        return _given_or_declared(given, self.runs, "runs", "RUNS")


def _given_or_declared(given: str | Path | None, declared: str | None, key: str, variable: str) -> Path:
    if given:
        return resolve(given)
    if declared is None:
        raise InputError(
            f"the study declares no {key!r}", next_step=f"give {variable}=..., or declare it in the study file"
        )
    return resolve(declared)
