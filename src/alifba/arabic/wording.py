"""What the protocol calls things, in English and in Arabic."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

Language = Literal["en", "ar"]


@cache
def _words() -> dict[str, dict[str, dict[str, str]]]:
    text = (files("alifba.arabic") / "data" / "wording.yaml").read_text(encoding="utf-8")
    table: dict[str, dict[str, dict[str, str]]] = yaml.safe_load(text)
    return table


def label(group: str, name: str, language: Language) -> str:
    """The words for `name` of a group of ``data/wording.yaml`` ("sections", "criteria", ...). KeyError if unknown."""
    return _words()[group][name][language]


def known(group: str) -> list[str]:
    """The names of a group, in file order."""
    return list(_words()[group])
