"""What a model is asked: the protocol's own sentences, one image before them, and nothing else."""

from __future__ import annotations

from typing import Any

from alifba.backends.base import Image, Prompt
from alifba.hieratic.records import Item
from alifba.text.resources import load_toml

_WORDS: dict[str, Any] = load_toml("prompts.toml", package="alifba.hieratic")
LABELS: dict[str, str] = {rung: words["label"] for rung, words in _WORDS.items() if isinstance(words, dict)}
"""The label of the final answer line of each rung."""


def prompt_text(item: Item, rung: str) -> str:
    """The text of the user message for `item` on `rung`; lines are joined with a line feed, none at the end.

    Raises:
        KeyError: no such rung.
    """
    words = _WORDS[rung]
    if rung == "identify":
        begin = [words["task"]]
    else:
        begin = [_WORDS["hint"] + (_WORDS["single_sign"] if item.single_sign else "")]
        words = words | words.get("single", {}) if item.single_sign else words
        begin.append(words["task"])
    return "\n".join([*begin, "", _WORDS["finish"], f"{words['label']}: {words['form']}"])


def message(item: Item, rung: str, image: Image) -> Prompt:
    """One image and one user message: no system prompt, no tools, no examples."""
    return Prompt(prompt_text(item, rung), images=(image,))
