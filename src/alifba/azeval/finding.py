"""One finding: a value that a paper may print, with the tables that it rests on; and how things are named in it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from alifba.config import Study


class Finding(NamedTuple):
    """One value for the fact book: its name, unit, digits and the tables it rests on."""

    name: str
    value: Any
    unit: str
    digits: int
    inputs: tuple[str, ...]
    signed: bool = False


def slug(words: str) -> str:
    """`words` as one part of a fact's name: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def slug_of(model: str, study: Study) -> str:
    """The slug declared for a model, or one made from the last part of its name."""
    declared = {m.name: m.slug for m in study.models}
    return declared.get(model) or slug(model.rsplit("/", 1)[-1])


def label_of(model: str, study: Study) -> str:
    """The label declared for a model, or the last part of its name."""
    return {m.name: m.label for m in study.models}.get(model) or model.rsplit("/", 1)[-1]
