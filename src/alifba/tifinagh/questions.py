"""The questions of a run: which words, in which order, and what counts as right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from alifba.text.tifinagh import normalise_english, normalise_latin, normalise_tifinagh
from alifba.tifinagh.dictionaries import Dictionary, Entry
from alifba.tifinagh.records import DIALECTS, TASKS, Dialect, Direction, Setup, Task
from alifba.tifinagh.sampling import is_to_latin, ranked, sample


@dataclass(frozen=True)
class Accepted:
    """A spelling or a sense that counts as right, and the first entry by id that has it."""

    text: str
    entry_id: str


@dataclass(frozen=True)
class Question:
    """One word in one task. `input` is all that the model sees of it."""

    dialect: Dialect
    task: Task
    direction: Direction | None
    entry_id: str
    input: str
    accepted: tuple[Accepted, ...]

    @property
    def key(self) -> str:
        """Names the question within a run."""
        return f"{self.dialect}/{self.task}/{self.entry_id}"


@dataclass(frozen=True)
class QuestionSet:
    """Questions by group, each in the order of its seeded rank. What shares a group may share a batch: one dialect,
    one task, one direction. `skipped` counts, by dialect and task, drawn entries that a task cannot ask."""

    groups: tuple[tuple[Question, ...], ...]
    sampled: dict[str, int]
    skipped: dict[str, dict[str, int]]

    @property
    def questions(self) -> list[Question]:
        return [question for group in self.groups for question in group]


class _Index:
    """The entries of a dialect by what they look like."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        by_id = sorted(entries, key=lambda entry: entry.id)
        self.by_id = {entry.id: entry for entry in by_id}
        self.by_tifinagh = _grouped(by_id, lambda entry: normalise_tifinagh(entry.tifinagh))
        self.by_latin = _grouped(by_id, lambda entry: normalise_latin(entry.latin) if entry.latin else None)
        self.by_english = _grouped(by_id, lambda entry: normalise_english(entry.english) if entry.english else None)


def _grouped(entries: Iterable[Entry], name: Callable[[Entry], str | None]) -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        if looks := name(entry):
            groups.setdefault(looks, []).append(entry)
    return groups


def build_questions(dictionaries: dict[Dialect, Dictionary], setup: Setup) -> QuestionSet:
    """The questions of a run with `setup`: by dialect, task and direction, then by seeded rank."""
    groups: list[tuple[Question, ...]] = []
    sampled: dict[str, int] = {}
    skipped: dict[str, dict[str, int]] = {}
    for dialect in [known for known in DIALECTS if known in setup.dialects]:
        index = _Index(dictionaries[dialect].entries)
        drawn = sample(index.by_id, dialect, setup.seed, setup.sample)
        sampled[dialect], skipped[dialect] = len(drawn), {}
        for task in [known for known in TASKS if known in setup.tasks]:
            made = {id_: question for id_ in drawn if (question := _question(index, id_, dialect, task, setup.seed))}
            skipped[dialect][task] = len(drawn) - len(made)
            order = [made[id_] for id_ in ranked(list(made), task, dialect, setup.seed)]
            directions: tuple[Any, ...] = (None,) if task != "transliterate" else ("tif-to-lat", "lat-to-tif")
            for direction in directions:
                groups.append(tuple(question for question in order if question.direction == direction))
    return QuestionSet(tuple(group for group in groups if group), sampled, skipped)


def _question(index: _Index, id_: str, dialect: Dialect, task: Task, seed: int) -> Question | None:
    """The question of an entry in a task, or None if the entry cannot support it."""
    entry = index.by_id[id_]
    if task == "transliterate":
        return _transliteration(index, entry, dialect, seed)
    if entry.english is None:
        return None
    if task == "tif-to-en":
        same = index.by_tifinagh[normalise_tifinagh(entry.tifinagh)]
        accepted = _first_of_each([(sense, other.id) for other in same for sense in other.senses])
        return Question(dialect, task, None, id_, entry.tifinagh, accepted)
    same = index.by_english[normalise_english(entry.english)]
    accepted = _first_of_each([(other.tifinagh, other.id) for other in same])
    return Question(dialect, task, None, id_, entry.english, accepted)


def _transliteration(index: _Index, entry: Entry, dialect: Dialect, seed: int) -> Question | None:
    if entry.latin is None:
        return None
    if is_to_latin(dialect, entry.id, seed):
        same = index.by_tifinagh[normalise_tifinagh(entry.tifinagh)]
        accepted = _first_of_each([(other.latin, other.id) for other in same if other.latin])
        return Question(dialect, "transliterate", "tif-to-lat", entry.id, entry.tifinagh, accepted)
    same = index.by_latin[normalise_latin(entry.latin)]
    accepted = _first_of_each([(other.tifinagh, other.id) for other in same])
    return Question(dialect, "transliterate", "lat-to-tif", entry.id, entry.latin, accepted)


def _first_of_each(pairs: Sequence[tuple[str, str]]) -> tuple[Accepted, ...]:
    firsts: dict[str, str] = {}
    for text, entry_id in pairs:
        firsts.setdefault(text, entry_id)
    return tuple(Accepted(text, entry_id) for text, entry_id in firsts.items())
