"""From raw model text to the answer: the same rules for every language."""

from __future__ import annotations

import re

from alifba.text.resources import load_toml

_TABLE = load_toml("extraction.toml")
_LABELS = "|".join(map(re.escape, _TABLE["labels"]))
_LEAD_INS = "|".join(map(re.escape, _TABLE["lead_ins"]))
_MARKS = re.escape(_TABLE["label_marks"])
_LABEL = re.compile(rf"(?:(?:{_LABELS})\s*[{_MARKS}]|(?:{_LEAD_INS})\b\s*[{_MARKS}]?)\s*", re.IGNORECASE)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_EMPHASIS = str.maketrans("", "", _TABLE["emphasis"])
_LINE_END = re.compile(r"[\r\n]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


def unclosed_thought(raw: str) -> bool:
    """True if a reasoning block was opened and never closed: the budget ran out before an answer."""
    return "<think>" in _THOUGHT.sub("", raw)


def extract(raw: str) -> str:
    """The answer in `raw`, or "" if there is none.

    Closed reasoning blocks are removed, an unclosed one means no answer. Then: first line, one leading label off,
    Markdown emphasis off, quotes off, the first sentence if more than twelve words remain, trailing marks off.
    """
    if unclosed_thought(raw):
        return ""
    text = _THOUGHT.sub("", raw).strip()
    text = _LINE_END.split(text, maxsplit=1)[0].strip()
    if label := _LABEL.match(text):
        text = text[label.end() :]
    text = text.translate(_EMPHASIS).strip().strip(_TABLE["quotes"])
    if len(text.split()) > _TABLE["words_at_most"]:
        text = _SENTENCE_END.split(text, maxsplit=1)[0]
    return text.rstrip(_TABLE["trailing"]).strip()
