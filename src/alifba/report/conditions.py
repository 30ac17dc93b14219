"""Parts of a manuscript that stand only where a study has something to say: ``{{if:fact}}`` … ``{{end}}``.

Each marker stands on a line of its own. The part is kept where the fact is available and not 0; otherwise it is as if
it had not been written, so one manuscript serves studies with and without pairs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from alifba.errors import InputError, closest
from alifba.report.checks import BadDirective, UnknownFact
from alifba.report.facts import Fact
from alifba.report.manuscript import Manuscript, Span, blank

_MARKER = re.compile(r"^\{\{\s*(?:if:(?P<fact>[\w.-]+)|end)\s*\}\}[ \t]*$", re.MULTILINE)


def apply_conditions(manuscript: Manuscript, facts: Mapping[str, Fact]) -> tuple[Manuscript, set[str]]:
    """The manuscript without its markers and without the parts whose fact is 0 or not available; and those facts.

    Places in the text stay where they are. Raises BadDirective for a part inside a part, one that is not closed, or
    an end without a beginning; UnknownFact for a fact that the study does not have.
    """
    dropped: list[Span] = []
    asked: set[str] = set()
    begun: re.Match[str] | None = None
    for marker in _MARKER.finditer(manuscript.visible, manuscript.body_start):
        if (marker["fact"] is None) == (begun is None):
            what = "an end without an if" if begun is None else "an if inside another one"
            raise _bad(manuscript, what, marker)
        dropped.append(marker.span())
        if begun is None:
            begun = marker
            continue
        asked.add(begun["fact"])
        if not _holds(manuscript, begun, facts):
            dropped.append((begun.end(), marker.start()))
        begun = None
    if begun is not None:
        raise _bad(manuscript, "an if that no end closes", begun)
    return replace(manuscript, text=blank(manuscript.text, dropped)), asked


def _holds(manuscript: Manuscript, marker: re.Match[str], facts: Mapping[str, Fact]) -> bool:
    name = marker["fact"]
    if name not in facts:
        raise manuscript.error(
            UnknownFact,
            f"unknown fact {name!r}",
            marker.start(),
            likely=closest(name, facts),
            next_step="name a fact that every study has, such as a count that may be 0",
        )
    return facts[name].available and facts[name].value not in (0, "")


def _bad(manuscript: Manuscript, what: str, marker: re.Match[str]) -> InputError:
    return manuscript.error(
        BadDirective, what, marker.start(), next_step="write {{if:fact.name}} and {{end}}, each on a line of its own"
    )
