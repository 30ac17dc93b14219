"""What a study file says of comparisons: pairs, rival accounts, gates, resampling."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field, model_validator

from alifba.config.models import Strict, Style, Text

Script = Literal["Latin", "Cyrillic", "mixed", "Georgian", "other"]


class Pair(Strict):
    """A base model and its fine-tuned half, with what the rival accounts say of it.

    `base` and `tuned` are model names as rows have them; a name without an organisation matches any.
    """

    name: Text
    base: Text
    tuned: Text
    target: Text
    related: bool
    """Whether the target language is related to the language under study."""
    script: Script
    base_family: Text
    styles: list[Style] = Field(default=[])
    """Prompt styles that the pair is meant to have: one without runs is named."""

    @model_validator(mode="after")
    def _two_halves(self) -> Pair:
        if self.base == self.tuned:
            raise ValueError(f"pair {self.name!r}: base and tuned are the same model")
        return self


class Account(Strict):
    """A rival account of the damage: the pairs it predicts to be damaged are those whose `field` is `equals`, or,
    for the field "strength" (absolute losses of both languages added, in points), `above` a number."""

    name: Text
    field: Literal["script", "base_family", "related", "strength"]
    equals: Text | bool | None = None
    above: float | None = None

    @model_validator(mode="after")
    def _one_test(self) -> Account:
        if (self.field == "strength") != (self.above is not None) or (self.above is None) == (self.equals is None):
            raise ValueError("the field 'strength' takes 'above', every other field takes 'equals'")
        if self.equals is not None and (self.field == "related") != isinstance(self.equals, bool):
            raise ValueError("the field 'related' equals true or false, every other field a word")
        if self.field == "script" and self.equals not in get_args(Script):
            raise ValueError(f"no such script: {self.equals!r}; known: {', '.join(get_args(Script))}")
        return self


class Gates(Strict):
    """A run that fails one is not a measurement. Shares in [0, 1]; thresholds of the published study."""

    coverage: float = Field(default=0.90, ge=0, le=1)
    empty: float = Field(default=0.20, ge=0, le=1)
    example_echo: float = Field(default=0.20, ge=0, le=1)
    question_echo: float = Field(default=0.20, ge=0, le=1)
    extraction: float = Field(default=0.30, ge=0, le=1)


class Resampling(Strict):
    """Percentile bootstrap over items; the seed is part of every table that rests on it."""

    resamples: int = Field(default=10_000, ge=100, le=1_000_000)
    level: float = Field(default=0.95, gt=0.5, lt=1)
    seed: int = Field(default=0, ge=0)
