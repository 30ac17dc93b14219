"""The text a model is sent for one item: instruction, examples, question."""

from __future__ import annotations

import hashlib
from typing import Any

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


def template_sha(language: str, style: str) -> str:
    """First 12 hex digits of the sha256 of the prompt with an empty question: changes when any word changes."""
    return hashlib.sha256(prompt("", language, style).encode()).hexdigest()[:12]
