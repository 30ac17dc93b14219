"""The rules of each methodology version: weights, what applies to which kind of tool, when a third scorer is called."""

from __future__ import annotations

from datetime import date
from functools import cache
from importlib.resources import files

import yaml
from pydantic import Field, model_validator

from alifba.arabic.records import Kind, ReviewCriterion, Section
from alifba.config import Strict, Text
from alifba.errors import InputError


class Methodology(Strict):
    """One version. `review` and `sections` hold weights in percent; the nominal ones of the sections sum to 100."""

    date: date
    changes_en: Text
    changes_ar: Text
    review: dict[ReviewCriterion, int]
    sections: dict[Section, int]
    kinds: dict[Kind, list[Section]]
    gap: int = Field(ge=0)

    @model_validator(mode="after")
    def _sums(self) -> Methodology:
        for weights in (self.review, self.sections):
            if sum(weights.values()) != 100:
                raise ValueError(f"weights sum to {sum(weights.values())}, not 100")
        return self


@cache
def methodologies() -> dict[str, Methodology]:
    """Every version, oldest first: the change log."""
    text = (files("alifba.arabic") / "data" / "methodology.yaml").read_text(encoding="utf-8")
    return {version: Methodology.model_validate(entry) for version, entry in yaml.safe_load(text).items()}


def methodology(version: str) -> Methodology:
    """The rules of `version`. Raises InputError for an unknown one."""
    known = methodologies()
    if version not in known:
        raise InputError("no such methodology version", value=version, next_step=f"known: {', '.join(known)}")
    return known[version]
