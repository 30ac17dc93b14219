"""What can be wrong with a row that a person accepted, and with rows beside each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from alifba.azeval.dataset.drafts import Draft
from alifba.azeval.dataset.verdicts import Reason
from alifba.azeval.dataset.wording import asks, filled
from alifba.errors import InputError
from alifba.items import IGNORED_FIELDS, Item
from alifba.jsonl import validated
from alifba.text.azerbaijani import lower
from alifba.text.chains import CHAINS, normalise
from alifba.text.cyrillic import contains_cyrillic

Labels = Mapping[str, Mapping[str, str]]
"""Q-id → language → label."""
_CHECKS: dict[str, Any] = yaml.safe_load(
    (files("alifba.azeval.dataset") / "data" / "checks.yaml").read_text(encoding="utf-8")
)
_IDENTIFIER = re.compile(r"\b[QP]\d{2,}\b")
# An inflected Azerbaijani name keeps its first letters; of a short one all but the last may change.
_STEM = 5


def as_item(row: Mapping[str, Any], draft: Draft) -> Item | Reason:
    """`row` as an item, or the reason why it is none. A draft that says nothing of `verified_by` is pending."""
    kept = {"verified_by": "pending"} | {name: value for name, value in row.items() if name not in IGNORED_FIELDS}
    try:
        return validated(Item, kept, Path(draft.file), draft.line)
    except InputError as fault:
        return Reason("not in the form of an item", fault.what)


def origin_faults(draft: Draft, accepted: bool) -> Iterator[Reason]:
    """What `verified_by` of a draft must not say."""
    said = draft.row.get("verified_by")
    if said in _CHECKS["never"]:
        yield Reason(f"verified_by {said!r} never enters")
    if said == "human" and not accepted:
        yield Reason("'verified_by: human' was typed into the draft, and no decision of a person stands behind it")


def text_faults(item: Item) -> Iterator[Reason]:
    """What is wrong with the texts of one item."""
    az = [item.question_az, item.answer, *item.answer_aliases]
    if any(contains_cyrillic(text) for text in az):
        yield Reason("a Cyrillic letter in an Azerbaijani field", next(text for text in az if contains_cyrillic(text)))
    empty = [text for text in [*az, item.question_en, item.answer_en] if not all(normalise(text, c) for c in CHAINS)]
    if empty:
        yield Reason("empty after normalisation", empty[0])
        return
    for answer, question in ((item.answer, item.question_az), (item.answer_en, item.question_en)):
        if _inside(answer, question, anywhere=True):
            yield Reason("the answer stands in its question", answer)
    if echo := next((form for form in item.answer_aliases if _inside(form, item.question_az, anywhere=False)), None):
        yield Reason("an accepted form stands in the question", echo)
    texts = [*az, item.question_en, item.answer_en]
    if any(mark in text for text in texts for mark in "{}"):
        yield Reason("a slot was left open", next(text for text in texts if "{" in text or "}" in text))
    if found := next((hit for text in texts if (hit := _IDENTIFIER.search(text))), None):
        yield Reason("an identifier in place of a name", found[0])
    yield from _geometry_faults(item)


def _inside(answer: str, question: str, *, anywhere: bool) -> bool:
    """Whether `answer` stands in `question` as words of its own or, with `anywhere`, as a part of one (four letters or
    more: Afrika in Afrikanın)."""
    # Under both casings: the symbol In is ın in Azerbaijani lower case, but an English question has the word "in".
    for said, asked in ((answer, question), (answer.lower(), question.lower())):
        gold, text = normalise(said, "strict"), normalise(asked, "strict")
        if f" {gold} " in f" {text} " or (anywhere and len(gold) >= 4 and gold in text):
            return True
    return False


def _geometry_faults(item: Item) -> Iterator[Reason]:
    rules = _CHECKS["geometry"]
    lowered = {"az": lower(item.question_az), "en": item.question_en.lower()}
    for language, question in lowered.items():
        words = rules[language]
        measured = re.search(words["part"], question) and re.search(r"\d", question)
        if item.category == rules["category"] and measured and not re.search(words["figure"], question):
            yield Reason("a question of geometry that names no figure", item.question(language))
            return


def parallel_faults(item: Item, *, worded_by_person: bool, labels: Labels) -> Iterator[Reason]:
    """Signs that the Azerbaijani and the English question do not ask the same fact.

    What a person worded is held against no template; numbers must be the same in both questions all the same.
    """
    kind = "the two questions do not ask the same fact"
    if item.answer.isdecimal() and item.answer_en.isdecimal() and item.answer != item.answer_en:
        yield Reason(kind, f"answers {item.answer} and {item.answer_en}")
    if item.template == "none":
        return
    numbers = [sorted(re.findall(r"\d+", question)) for question in (item.question_az, item.question_en)]
    if numbers[0] != numbers[1]:
        yield Reason(kind, f"numbers {', '.join(numbers[0]) or 'none'} and {', '.join(numbers[1]) or 'none'}")
    if worded_by_person:
        return
    for language in ("az", "en"):
        if asks(item.template, language, item.question(language)) is False:
            yield Reason(kind, f"the {language} question is worded as none of the template {item.template}")
    named = labels.get(item.note("concept") or "", {})
    for language in ("az", "en"):
        name = lower(named.get(language, "")) if language == "az" else named.get(language, "").lower()
        question = lower(item.question(language)) if language == "az" else item.question(language).lower()
        if name and name[: max(_STEM, len(name) - 2)] not in question and name.split()[0][:_STEM] not in question:
            yield Reason(kind, f"the {language} question does not name {named[language]}")


def constant_judgements(drafts: Iterable[Draft]) -> dict[tuple[str, str], str]:
    """(template, field) → value of the judgements that are the same in every row of a template of two rows or more."""
    values: dict[tuple[str, str], list[str]] = {}
    sizes = Counter[str]()
    for draft in drafts:
        sizes[draft.template] += 1
        for name in _CHECKS["judgements"]:
            value = draft.row.get(name, draft.note(name))
            if value is not None:
                values.setdefault((draft.template, name), []).append(str(value))
    return {
        (template, name): found[0]
        for (template, name), found in values.items()
        if template != "none" and len(found) == sizes[template] > 1 and len(set(found)) == 1
    }


def judgement_faults(draft: Draft, constants: Mapping[tuple[str, str], str]) -> Iterator[Reason]:
    for (template, name), value in constants.items():
        if template == draft.template:
            yield Reason(
                "a constant of the template that poses as a judgement", f"{name} = {value} in every row of {template}"
            )


def fact_keys(item: Item) -> dict[str, tuple[str, ...]]:
    """What no two items may share: kind of likeness → key."""
    keys: dict[str, tuple[str, ...]] = {
        "the Azerbaijani question": (normalise(item.question_az, "strict"),),
        "the English question": (normalise(item.question_en, "strict"),),
    }
    concept = item.note("concept")
    if item.template != "none" and concept:
        keys["template and concept"] = (item.template, concept)
    if (slots := filled(item.template, item.question_en)) is not None:
        keys["template and what it is asked of"] = (item.template, *slots)
    return keys


def duplicates(items: Sequence[Item]) -> dict[str, Reason]:
    """Item id → why it must not stand beside the others: a fact that an earlier item asks for.

    Where two items ask the same and accept different answers, neither enters.
    """
    first: dict[tuple[str, tuple[str, ...]], Item] = {}
    found: dict[str, Reason] = {}
    for item in items:
        keys = list(fact_keys(item).items())
        same = next(((kind, first[kind, key]) for kind, key in keys if (kind, key) in first), None)
        if same is None:
            first |= dict.fromkeys(keys, item)
            continue
        kind, other = same
        if normalise(other.answer, "strict") == normalise(item.answer, "strict"):
            found[item.id] = Reason("asked by another item already", f"{other.id}, same {kind}")
        else:
            for one, two in ((item, other), (other, item)):
                found[one.id] = Reason("asked twice with different answers", f"{two.id}, same {kind}")
    return found
