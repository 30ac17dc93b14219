"""The phrasings that our templates have, so that a question can be known again by its words."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from functools import cache

from alifba.azeval.harvest.templates import TEMPLATES
from alifba.azeval.pilot.build import TEMPLATES as PILOT
from alifba.azeval.pilot.mathematics import PHRASINGS

_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")


class _Pattern:
    """What every question of one phrasing matches; the ending of a case is part of what stands in a slot."""

    def __init__(self, template: str) -> None:
        parts = [(re.escape(text), slot) for text, slot, _, _ in string.Formatter().parse(template)]
        self.slots = [slot for _, slot in parts if slot is not None]
        self._expression = re.compile("".join(text + ("(.+)" if slot is not None else "") for text, slot in parts))

    def match(self, question: str) -> dict[str, str] | None:
        """Slot → what stands in it, or None for another wording."""
        found = self._expression.fullmatch(question)
        return None if found is None else dict(zip(self.slots, found.groups(), strict=True))


def _phrasings() -> Iterator[tuple[str, Mapping[str, str]]]:
    for name, template in TEMPLATES.items():
        yield from ((name, phrasing.model_dump()) for phrasing in template.phrasings)
    for name, content in PILOT.items():
        yield from ((name, phrasing) for phrasing in content["phrasings"])
    for name, wordings in PHRASINGS.items():
        yield from ((f"math_{name}", wording) for wording in wordings)


@cache
def _patterns() -> dict[str, dict[str, list[_Pattern]]]:
    found: dict[str, dict[str, list[_Pattern]]] = {}
    for name, phrasing in _phrasings():
        for language in ("az", "en"):
            found.setdefault(name, {}).setdefault(language, []).append(_Pattern(phrasing[language]))
    return found


def asks(template: str, language: str, question: str) -> bool | None:
    """Whether `question` is worded as one of the phrasings of `template`; None if we do not know that template."""
    known = _patterns().get(template)
    return None if known is None else any(pattern.match(question) is not None for pattern in known[language])


def filled(template: str, question_en: str) -> tuple[str, ...] | None:
    """What an English question of a known template asks about: the same for every phrasing of one fact."""
    for pattern in _patterns().get(template, {}).get("en", []):
        if (slots := pattern.match(question_en)) is not None:
            return tuple(f"{slot}={_plain(slots[slot])}" for slot in sorted(slots))
    return None


def _plain(text: str) -> str:
    return _ORDINAL.sub(r"\1", text.lower().removeprefix("the "))
