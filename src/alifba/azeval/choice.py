"""The same items as multiple choice: which options an item gets, how they are shown, which letter was chosen."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from alifba.errors import InputError
from alifba.items import Item, ItemSet
from alifba.text.chains import normalise
from alifba.text.resources import load_toml

_TABLE = load_toml("prompts.toml", package="alifba.azeval")["choice"]
LETTERS: str = _TABLE["letters"]
_OPTION = re.compile(rf"^([{LETTERS}])\) (.*)$", re.MULTILINE)
_CHOSEN = re.compile(rf"^\W*([{LETTERS}])(?!\w)")


def _answers(item: Item) -> tuple[str, str]:
    """Both answers in the form in which two options would be the same."""
    return normalise(item.answer, "translit"), normalise(item.answer_en, "translit")


def _distractors(item: Item, items: ItemSet) -> Iterator[Item]:
    """Other items whose answers serve as wrong options: of the same template, then category, then any; in an order
    that depends on the two ids alone."""
    others = sorted(items, key=lambda other: hashlib.sha256(f"{item.id}/{other.id}".encode()).digest())
    near = [other for other in others if other.template == item.template and item.template != "none"]
    yield from near
    yield from (other for other in others if other.category == item.category and other not in near)
    yield from (other for other in others if other.category != item.category)


def option_items(item: Item, items: ItemSet) -> list[Item]:
    """The items whose answers are the options, right one included, in the order shown; the same in both languages.

    The right option stands at each place in turn: place = position of the item in the dataset, modulo four.

    Raises:
        InputError: the dataset has too few distinct answers for four options.
    """
    chosen = [item]
    for other in _distractors(item, items):
        # A wrong option must differ from the others in both languages, or the item would have two right letters.
        if all(a != b for taken in chosen for a, b in zip(_answers(taken), _answers(other), strict=True)):
            chosen.append(other)
        if len(chosen) == len(LETTERS):
            place = items.position[item.id] % len(LETTERS)
            return [*chosen[1 : place + 1], item, *chosen[place + 1 :]]
    raise InputError(f"too few distinct answers to give item {item.id} {len(LETTERS)} options", file=items.path)


def _block(question: str, options: list[str], language: str) -> str:
    shown = "\n".join(f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=True))
    ask: str = _TABLE[language]["ask"]
    return ask.replace("{options}", shown).replace("{question}", question)


def choice_prompt(question: str, options: list[str], language: str, examples: list[dict[str, str]]) -> str:
    """The full text of one item: instruction, the two `examples` of the short-answer prompt with options, the item."""
    shots = [
        _block(example["question"], shot[language], language) + f" {shot['right']}"
        for example, shot in zip(examples, _TABLE["shots"], strict=True)
    ]
    return "\n\n".join([_TABLE[language]["instruction"], *shots, _block(question, options, language)])


def chosen_option(prompt: str, question: str, response: str) -> str | None:
    """The text of the option whose letter `response` begins with, read from the prompt itself; None without one.

    The options are taken from the row, not from the dataset, so a later dataset cannot change what a letter meant.
    """
    options = dict(_OPTION.findall(prompt[max(prompt.rfind(question), 0) :]))
    letter = _CHOSEN.match(response.strip())
    return options.get(letter.group(1)) if letter else None
