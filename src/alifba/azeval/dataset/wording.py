"""The phrasings that our templates have, so that a question can be known again by its words."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from functools import cache

from alifba.azeval.harvest.templates import TEMPLATES
from alifba.azeval.pilot.build import TEMPLATES as PILOT
from alifba.azeval.pilot.mathematics import PHRASINGS

_Patterns = dict[str, list[re.Pattern[str]]]


def _phrasings() -> Iterator[tuple[str, Mapping[str, str]]]:
    for name, template in TEMPLATES.items():
        yield from ((name, phrasing.model_dump()) for phrasing in template.phrasings)
    for name, content in PILOT.items():
        yield from ((name, phrasing) for phrasing in content["phrasings"])
    for name, wordings in PHRASINGS.items():
        yield from ((f"math_{name}", wording) for wording in wordings)


def _pattern(template: str) -> re.Pattern[str]:
    """What every question of one phrasing matches. A slot is a group; its case ending is part of what it holds."""
    parts = [
        re.escape(text) + (r"(.+)" if slot is not None else "")
        for text, slot, _, _ in string.Formatter().parse(template)
    ]
    return re.compile("".join(parts))


@cache
def _patterns() -> dict[str, _Patterns]:
    found: dict[str, _Patterns] = {}
    for name, phrasing in _phrasings():
        for language in ("az", "en"):
            found.setdefault(name, {}).setdefault(language, []).append(_pattern(phrasing[language]))
    return found


def asks(template: str, language: str, question: str) -> bool | None:
    """Whether `question` is worded as one of the phrasings of `template`; None if we do not know that template."""
    known = _patterns().get(template)
    return None if known is None else any(pattern.fullmatch(question) for pattern in known[language])


def filled(template: str, question_en: str) -> tuple[str, ...] | None:
    """What stands in the slots of an English question of a known template: the same in every phrasing of one fact."""
    for pattern in _patterns().get(template, {}).get("en", []):
        if found := pattern.fullmatch(question_en):
            return tuple(sorted(part.lower().removeprefix("the ") for part in found.groups()))
    return None
