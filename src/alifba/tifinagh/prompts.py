"""What is sent: one batch of questions, or of answers to grade, as system and user text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Literal

from alifba.text.resources import load_toml
from alifba.tifinagh.questions import Question

Kind = Literal["ask", "judge"]
_WORDS = load_toml("prompts.toml", package="alifba.tifinagh")
END: str = _WORDS["end"]
"""Where a reply by either schema ends."""
SCHEMA_FILES: dict[Kind, str] = {"ask": "answers.schema.json", "judge": "verdicts.schema.json"}


def schema(kind: Kind) -> dict[str, Any]:
    """The strict JSON schema of a reply."""
    loaded: dict[str, Any] = json.loads((files("alifba.tifinagh") / "data" / SCHEMA_FILES[kind]).read_text("utf-8"))
    return loaded


def system_text(kind: Kind) -> str:
    """The system prompt."""
    return str(_WORDS[kind]["system"])


def prompts_sha(kind: Kind) -> str:
    """The first 12 hex digits of the sha256 of every wording and the schema."""
    content = json.dumps([_WORDS["dialects"], _WORDS[kind], schema(kind)], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def ask_text(batch: Sequence[Question]) -> str:
    """The user prompt for questions of one dialect, task and direction; their ids are "1", "2", ... in order."""
    first = _WORDS["ask"]["first"][batch[0].direction or batch[0].task]
    return _filled("ask", batch[0].dialect, [{"input": question.input} for question in batch], first)


def judge_text(batch: Sequence[tuple[Question, str]]) -> str:
    """The user prompt that asks to grade (question, answer) pairs of one dialect: word, English senses and answer."""
    items = [
        {"word": question.input, "senses": [sense.text for sense in question.accepted], "answer": answer}
        for question, answer in batch
    ]
    return _filled("judge", batch[0][0].dialect, items, "")


def _filled(kind: Kind, dialect: str, items: Sequence[dict[str, Any]], first: str) -> str:
    lines = "\n".join(
        json.dumps({"id": str(number)} | item, ensure_ascii=False, separators=(",", ":"))
        for number, item in enumerate(items, 1)
    )
    text: str = _WORDS[kind]["user"].replace("{dialect}", _WORDS["dialects"][dialect]).replace("{first}", first)
    # The items last: an input that holds "{first}" stays as it is.
    return text.replace("{items}", lines)
