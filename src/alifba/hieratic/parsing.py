"""The final answer line: the only part of a response that is scored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from alifba.hieratic.prompts import LABELS
from alifba.text.egyptian import SPACE, trimmed

_EMPHASIS = str.maketrans("", "", "*_`")
_LABEL = {rung: re.compile(label, re.IGNORECASE | re.ASCII) for rung, label in LABELS.items()}
_BEGINS = {
    rung: re.compile(rf"[{SPACE}>*_`#-]*{label}[*_`]*[{SPACE}]*:", re.IGNORECASE | re.ASCII)
    for rung, label in LABELS.items()
}


def parse(response: str | None, rung: str) -> str | None:
    """What follows the label of `rung` on the last line that begins with it; None where there is none, or nothing.

    Marks of emphasis are taken out. A last line with nothing after its label decides too: earlier ones are not asked.

    >>> parse("I see reeds.\n**SCRIPT: Hieratic**", "identify")
    'Hieratic'
    """
    for line in _lines_from_the_last(response or "", _LABEL[rung]):
        if found := _BEGINS[rung].match(line):
            return trimmed(line[found.end() :].translate(_EMPHASIS)) or None
    return None


def _lines_from_the_last(text: str, label: re.Pattern[str]) -> Iterator[str]:
    """The lines of `text` that hold the label, the last first; they end at LF or CRLF."""
    begin = len(text) + 1
    for found in reversed(list(label.finditer(text))):
        if found.start() >= begin:
            continue
        begin = text.rfind("\n", 0, found.start()) + 1
        end = text.find("\n", found.end())
        yield text[begin:] if end < 0 else text[begin:end].removesuffix("\r")
