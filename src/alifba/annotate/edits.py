"""An edit of a draft: read from its form, compared with the draft, shown as a difference."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

from alifba.annotate.tasks import Task

_LINE_END = re.compile(r"\s*[\r\n]+\s*")
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def as_text(value: Any) -> str:
    """A field as it stands in a form: a list takes one line an entry."""
    return "\n".join(value) if isinstance(value, list) else str(value)


def edited_row(task: Task, row: Mapping[str, Any], form: Mapping[str, str]) -> dict[str, Any]:
    """`row` with the editable fields as `form` has them: NFC, trimmed, one line a field or an entry."""
    edited = dict(row)
    for name in task.editable:
        lines = [line for line in _LINE_END.split(unicodedata.normalize("NFC", form.get(name, "")).strip()) if line]
        edited[name] = lines if isinstance(row[name], list) else " ".join(lines)
    return edited


def changes(row: Mapping[str, Any], edited: Mapping[str, Any]) -> dict[str, Any]:
    """The new value of every field that differs."""
    return {name: value for name, value in edited.items() if value != row[name]}


def missing(task: Task, edited: Mapping[str, Any]) -> list[str]:
    """Editable fields that may not be empty and are."""
    return [name for name in task.editable if name not in task.optional and not edited[name]]


def difference(old: Any, new: Any) -> list[tuple[str, str]]:
    """What an edit does to a field, word by word: ``(kind, text)`` with kind "same", "del" or "ins".

    The "same" and "del" parts joined are the old text, "same" and "ins" the new one.
    """
    before, after = _WORDS.findall(as_text(old)), _WORDS.findall(as_text(new))
    parts: list[tuple[str, str]] = []
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(("same", "".join(before[i:j])))
        else:
            parts += [("del", "".join(before[i:j]))] if i < j else []
            parts += [("ins", "".join(after[k:m]))] if k < m else []
    return parts
