"""Fill question templates: Azerbaijani noun forms by rule, English articles and ordinals."""

from __future__ import annotations

import csv
import string
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import yaml

from alifba.azeval.aliases import Kind
from alifba.text.azerbaijani import upper
from alifba.text.morphology import inflect, inflect_number, ordinal

_DATA = files("alifba.azeval.pilot") / "data"


def load_yaml(name: str) -> dict[str, Any]:
    """The table ``data/<name>`` of this package."""
    loaded: dict[str, Any] = yaml.safe_load((_DATA / name).read_text(encoding="utf-8"))
    return loaded


def load_csv(name: str) -> list[dict[str, str]]:
    """The rows of ``data/<name>`` of this package, every cell a string."""
    return list(csv.DictReader((_DATA / name).read_text(encoding="utf-8").splitlines()))


_NAMES = load_yaml("names.yaml")


@dataclass(frozen=True)
class Noun:
    """An Azerbaijani noun, number or code as it stands in a question or an answer."""

    text: str
    kind: Kind = "name"

    def __format__(self, case: str) -> str:
        if not case:
            return self.text
        if self.kind == "number":
            return ordinal(int(self.text)) if case == "ordinal" else inflect_number(int(self.text), case)
        softening = self.kind == "word" or self.text.split()[-1] in _NAMES["softening_last_words"]
        return inflect(self.text, case, possessed=self.kind == "possessed", softening=softening)


def proper(name: str) -> Noun:
    """A proper name; its last word tells whether it already ends in a possessive."""
    return Noun(name, "possessed" if name.split()[-1] in _NAMES["possessed_last_words"] else "name")


class EnglishNumber(int):
    """A number that formats as an English ordinal with ``{n:ordinal}``."""

    def __format__(self, spec: str) -> str:
        if spec != "ordinal":
            return str(int(self))
        teens = 10 < self % 100 < 20
        return f"{int(self)}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(self % 10, 'th')}"


def slots_of(template: str) -> list[str]:
    """The names of the slots of `template`, in order."""
    return [field for _, field, _, _ in string.Formatter().parse(template) if field]


def _starts_with_lower_slot(template: str, slots: Mapping[str, object]) -> bool:
    return template.startswith("{") and str(format(slots[slots_of(template)[0]], ""))[0].islower()


def render_az(template: str, slots: Mapping[str, Noun]) -> str:
    """`template` with `slots`, its first letter in upper case by Azerbaijani rules (ittrium → İttrium)."""
    text = template.format(**slots)
    return upper(text[0]) + text[1:] if _starts_with_lower_slot(template, slots) else text


def render_en(template: str, slots: Mapping[str, object]) -> str:
    """`template` with `slots`, its first letter in upper case."""
    text = template.format(**slots)
    return text[0].upper() + text[1:] if _starts_with_lower_slot(template, slots) else text
