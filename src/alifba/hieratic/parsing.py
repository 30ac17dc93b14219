"""The final answer line: the only part of a response that is scored."""

from __future__ import annotations

import re

from alifba.hieratic.prompts import LABELS
from alifba.text.egyptian import SPACE, trimmed

_LINE_BREAK = re.compile("\r?\n")
_EMPHASIS = str.maketrans("", "", "*_`")
_BEGINS = {
    rung: re.compile(rf"[{SPACE}>*_`#-]*{label}[*_`]*[{SPACE}]*:", re.IGNORECASE | re.ASCII)
    for rung, label in LABELS.items()
}


def parse(response: str | None, rung: str) -> str | None:
    """What follows the label of `rung` on the last line that begins with it; None where there is none, or nothing.

    Marks of emphasis are taken out. A last line with nothing after its label decides too: earlier ones are not asked.

    >>> parse("I see reeds.\\n**SCRIPT: Hieratic**", "identify")
    'Hieratic'
    """
    for line in reversed(_LINE_BREAK.split(response or "")):
        if found := _BEGINS[rung].match(line):
            return trimmed(line[found.end() :].translate(_EMPHASIS)) or None
    return None
