"""Labels as they stand in a question and in an answer, or the reason why one does not suit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from alifba.azeval.aliases import Kind, answer_aliases
from alifba.azeval.harvest.templates import AnswerKind, NounKind, load_yaml
from alifba.azeval.pilot.phrasing import Noun
from alifba.errors import InputError
from alifba.text.azerbaijani import lower
from alifba.text.morphology import without_possessive

_NAMES = load_yaml("names.yaml")
_ENTITY = re.compile(r"https?://www\.wikidata\.org/entity/(Q[1-9]\d*)")
_IDENTIFIER = re.compile(r"[QPL]\d+")
_BRACKETS = re.compile(r"[()\[\]{}<>]")


class Unsuited(Exception):
    """A concept cannot become an item; the message is the reason under which it is counted."""


@dataclass(frozen=True)
class Answer:
    """The answer in both languages with the accepted Azerbaijani forms."""

    az: str
    en: str
    aliases: list[str]


def entity(uri: str) -> str | None:
    """The Q-id of a Wikidata entity, or None for anything else: a literal, an unknown value."""
    found = _ENTITY.fullmatch(uri)
    return found[1] if found else None


def label(labels: dict[str, str], language: str) -> str:
    """The label in `language`, NFC and trimmed. Raises `Unsuited` where it is no name that a question can hold."""
    text = " ".join(unicodedata.normalize("NFC", labels.get(language, "")).split())
    if not text or _IDENTIFIER.fullmatch(text):
        raise Unsuited(f"no {language} label")
    if _BRACKETS.search(text):
        raise Unsuited(f"brackets in the {language} label")
    if any(letter.isalpha() and not unicodedata.name(letter, "").startswith("LATIN") for letter in text):
        raise Unsuited(f"the {language} label is in another script")
    if not any(letter.isalpha() for letter in text):
        raise Unsuited(f"no letter in the {language} label")
    return text


def _proper(name: str) -> Noun:
    return Noun(name, "possessed" if name.split()[-1] in _NAMES["possessed_last_words"] else "name")


def _language(text: str) -> Noun:
    short = lower(text).removesuffix(" dili")
    return Noun(f"{short} dili", "possessed")


def noun_az(labels: dict[str, str], kind: NounKind) -> Noun:
    """The concept as it stands in an Azerbaijani question."""
    text = label(labels, "az")
    if kind == "word":
        return Noun(lower(text), "word")
    return _language(text) if kind == "language" else _proper(text)


def noun_en(labels: dict[str, str], kind: NounKind) -> str:
    """The concept as it stands in an English question; a name that needs it has its article."""
    text = label(labels, "en")
    if kind == "language":
        return text.removesuffix(" language")
    if kind == "name" and (text in _NAMES["article_names"] or text.split()[-1] in _NAMES["article_last_words"]):
        return f"the {text}"
    return text


def answer_of(kind: AnswerKind, value: str, labels: dict[str, str]) -> Answer:
    """The answer that `value` (an entity's labels, or a literal) gives. Raises `Unsuited`."""
    if kind in ("code", "number", "calling_code", "year"):
        return _literal(kind, value.strip())
    answer = _labelled(kind, label(labels, "az"), label(labels, "en"))
    if not answer.en.isascii():
        # Writers of English leave accents out; the right answer would then be wrong in English alone.
        raise Unsuited("an accent in the English answer")
    return answer


def _literal(kind: AnswerKind, value: str) -> Answer:
    shapes = {
        "code": (r"([A-Z][A-Za-z]{0,2})", "code"),
        "number": (r"\+?([1-9]\d*)(?:\.0*)?", "number"),
        "calling_code": (r"\+?([1-9]\d{0,3})", "number"),
        # A day of the Common Era with its four-digit year: earlier years are written in too many ways.
        "year": (r"\+?([1-9]\d{3})-\d\d-\d\dT.*", "year"),
    }
    shape, noun_kind = shapes[kind]
    found = re.fullmatch(shape, value)
    if not found:
        raise Unsuited("the value is not in the form asked for")
    return Answer(found[1], found[1], _forms(found[1], "year" if noun_kind == "year" else "code"))


def _labelled(kind: AnswerKind, az: str, en: str) -> Answer:
    if kind == "name":
        return Answer(az, en, _forms(az, _proper(az).kind))
    if kind == "unit":
        return _unit(az, en)
    if kind == "script":
        bare_az, bare_en = _without(lower(az), "script_heads_az"), _without(en, "script_heads_en")
        head = lower(az).removeprefix(bare_az).strip() or _NAMES["script_heads_az"][0]
        return Answer(bare_az, bare_en, _forms(bare_az, "word", [(f"{bare_az} {head}", "possessed")]))
    if kind == "language":
        noun = _language(az)
        return Answer(noun.text, en, _forms(noun.text, "possessed", [(noun.text.removesuffix(" dili"), "word")]))
    return Answer(lower(az), en, _forms(lower(az), "word"))


def _without(text: str, heads: str) -> str:
    words = text.split()
    return " ".join(words[:-1]) if len(words) > 1 and words[-1].lower() in _NAMES[heads] else text


def _unit(az: str, en: str) -> Answer:
    """The unit of a currency alone, in one word: Azərbaycan manatı, Azerbaijani manat → manat."""
    *owner, last = lower(az).split()
    unit_en = en.split()[-1].lower()
    try:
        unit = without_possessive(last) if owner else last
    except InputError:
        raise Unsuited("the unit of the currency is not clear") from None
    if unit_en in _NAMES["not_a_unit"] or len(unit) < 2:
        raise Unsuited("the unit of the currency is not clear")
    return Answer(unit, unit_en, _forms(unit, "word", [(lower(az), "possessed")] if owner else []))


def _forms(text: str, kind: Kind, others: list[tuple[str, Kind]] | None = None) -> list[str]:
    try:
        return answer_aliases(text, kind, others or [])
    except InputError:
        raise Unsuited("no case forms by rule") from None


def all_labels(row: dict[str, str], node: str) -> Iterator[tuple[str, str]]:
    """(language, label) of the bound label variables of `node`; a Q-id in place of a label is none."""
    for name, value in sorted(row.items()):
        head, _, language = name.partition("_")
        text = " ".join(unicodedata.normalize("NFC", value).split())
        if head == node and language and text and not _IDENTIFIER.fullmatch(text):
            yield language, text
