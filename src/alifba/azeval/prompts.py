"""The text a model is sent for one item: instruction, examples, question."""

from __future__ import annotations

import hashlib
from typing import Any

from alifba.azeval.choice import LETTERS, choice_prompt, option_items
from alifba.items import Item, ItemSet
from alifba.text.resources import load_toml

_TABLE = load_toml("prompts.toml", package="alifba.azeval")


def prefix(language: str, style: str) -> str:
    """Everything before the question; the same for every item of a run."""
    words: dict[str, Any] = _TABLE[language]
    instruction = words["instruction"] + (" " + words["script"] if style == "script" else "")
    shots = [words["shot"].format(**example) for example in words["examples"][: _TABLE["shots"][style]]]
    return "\n\n".join([instruction, *shots]) + "\n\n"


def prompt(question: str, language: str, style: str = "default") -> str:
    """The full text for one question."""
    ask: str = _TABLE[language]["ask"]
    return prefix(language, style) + ask.replace("{question}", question)


def item_prompt(item: Item, items: ItemSet, language: str, style: str) -> str:
    """The full text for one item of a dataset, in any style."""
    if style != "choice":
        return prompt(item.question(language), language, style)
    options = [other.answer if language == "az" else other.answer_en for other in option_items(item, items)]
    return choice_prompt(item.question(language), options, language, _TABLE[language]["examples"])


def next_question(language: str) -> str:
    """What a model writes when it goes on with a question of its own after its answer."""
    ask: str = _TABLE[language]["ask"]
    return "\n\n" + ask.partition("{question}")[0].rstrip()


def template_sha(language: str, style: str) -> str:
    """First 12 hex digits of the sha256 of the prompt with an empty question: changes when any word changes."""
    if style == "choice":
        empty = choice_prompt("", [""] * len(LETTERS), language, _TABLE[language]["examples"])
    else:
        empty = prompt("", language, style)
    return hashlib.sha256(empty.encode()).hexdigest()[:12]
