"""One error for bad input: it names the place, the value, the likely mistake and the next step."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class InputError(Exception):
    """What a user gave cannot be used. Shown without a traceback by the command line.

    >>> print(InputError("'answer' is missing", file="items.jsonl", line=3, next_step="add the field"))
    items.jsonl:3: 'answer' is missing
      next: add the field
    """

    def __init__(
        self,
        what: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        value: object = None,
        likely: str | None = None,
        next_step: str | None = None,
    ) -> None:
        self.what, self.file, self.line = what, file, line
        self.value, self.likely, self.next_step = value, likely, next_step
        super().__init__(self._text())

    def _text(self) -> str:
        place = "" if self.file is None else f"{self.file}:{self.line}: " if self.line else f"{self.file}: "
        lines = [f"{place}{self.what}"]
        if self.value is not None:
            shown = repr(self.value)
            lines.append(f"  value: {shown if len(shown) <= 200 else shown[:197] + '...'}")
        if self.likely:
            lines.append(f"  likely: {self.likely}")
        if self.next_step:
            lines.append(f"  next: {self.next_step}")
        return "\n".join(lines)


def closest(word: str, known: Iterable[str]) -> str | None:
    """A hint such as ``did you mean 'dataset'?``, or None when nothing is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else None
