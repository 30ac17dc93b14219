"""What people are asked to judge: the five tasks, and how their files are read."""

from __future__ import annotations

import csv
import io
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from alifba.config import Text
from alifba.decisions import text_sha
from alifba.errors import InputError
from alifba.items import IGNORED_FIELDS, Item, Verification
from alifba.jsonl import Notices, iter_objects, read_bytes, validated


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    id: Text
    category: str = ""


class Draft(Item):
    """A row to review: an item, or a draft with an item's fields and more."""

    model_config = ConfigDict(extra="ignore")

    verified_by: Verification = "pending"


class Blind(_Row):
    """An item for a second opinion, without a trace of the first one: no verified_by, notes or source."""

    question_az: Text
    question_en: Text
    answer: Text
    answer_en: Text
    answer_aliases: list[Text] = Field(default_factory=list)


class Question(_Row):
    """A question alone, for the human baseline."""

    question_az: Text


class Failure(_Row):
    """A model's wrong answer. The model is part of the identity and is not shown."""

    model: str = ""
    language: str = ""
    prompt_style: str = ""
    question: str = ""
    gold: Text
    answer: str


class Attempt(_Row):
    """An output to score by criteria."""

    prompt: Text
    output: str
    criteria: list[Text] = Field(min_length=1)
    dir: Literal["ltr", "rtl", "auto"] = "auto"

    @field_validator("criteria")
    @classmethod
    def _distinct(cls, names: list[str]) -> list[str]:
        if len(set(names)) < len(names):
            raise ValueError("a criterion stands twice")
        return names


_MODELS: dict[str, type[BaseModel]] = {
    "review": Draft,
    "second": Blind,
    "baseline": Question,
    "errors": Failure,
    "score": Attempt,
}


@dataclass(frozen=True)
class Action:
    """One way to answer: its name, its key ("" for none), what it asks for first, and the decision that is logged where
    that has another name."""

    decision: str
    key: str = ""
    asks: str = ""
    logs: str = ""


@dataclass(frozen=True)
class Task:
    """One task: which fields it shows, in groups, and how it is answered."""

    name: str
    filters: tuple[str, ...]
    fields: tuple[tuple[str, ...], ...]
    actions: tuple[Action, ...]
    reasons: tuple[str, ...] = ()
    editable: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @cached_property
    def decisions(self) -> dict[str, Action]:
        return {action.decision: action for action in self.actions}


@dataclass(frozen=True, slots=True)
class Work:
    """One thing to judge: `row` holds what the task shows and nothing else."""

    id: str
    row: dict[str, Any]
    sha: str
    category: str
    template: str


def load_task(name: str, variant: str = "") -> Task:
    """The task `name`, as its table `variant` changes it. Raises `InputError` for an unknown one."""
    table = tomllib.loads((files("alifba.annotate") / "data" / "tasks.toml").read_text(encoding="utf-8"))
    if name not in table:
        raise InputError("no such task", value=name, next_step=f"choose one of {', '.join(table)}")
    entry = table[name] | (table[name][variant] if variant else {})
    lists = {key: tuple(entry.get(key, ())) for key in ("filters", "reasons", "editable", "optional")}
    groups = tuple(tuple(group) for group in entry["fields"])
    return Task(name, fields=groups, actions=tuple(Action(**action) for action in entry["actions"]), **lists)


def load_work(
    task: Task, paths: Iterable[Path], questions: Mapping[str, str] | None = None
) -> tuple[list[Work], list[str]]:
    """Everything to judge, in file order, and lines of what was noticed. `questions` by item id are shown with errors
    whose own row has none.

    Raises:
        InputError: a file is missing or empty, a row lacks a field or has a wrong type, or an id stands twice; the
            message names file and line.
    """
    works: list[Work] = []
    seen: dict[str, str] = {}
    said: list[str] = []
    for path in paths:
        notices = Notices(path)
        for line, raw in _raw_rows(path, notices):
            if questions and not raw.get("question"):
                raw["question"] = questions.get(str(raw.get("id")), "")
            work = _work(task, raw, path, line, notices)
            place = f"{path}:{line}"
            if work.id in seen:
                raise InputError(
                    "this id was used before",
                    file=path,
                    line=line,
                    value=work.id,
                    likely=f"a copy of {seen[work.id]}",
                    next_step="give the row an id of its own, or remove it",
                )
            seen[work.id] = place
            works.append(work)
        said += notices.lines()
    if not works:
        raise InputError("there is nothing to judge", next_step="give a file with at least one row")
    return works, said


def _work(task: Task, raw: dict[str, Any], path: Path, line: int, notices: Notices) -> Work:
    model = _MODELS[task.name]
    for name in set(raw) - set(model.model_fields) - set(IGNORED_FIELDS):
        notices.note(f"field {name!r} is not shown in this task", line)
    read = validated(model, raw, path, line)
    row = read.model_dump()
    shown = {name for group in task.fields for name in group} | {"category", "criteria", "dir"}
    run = [row[name] for name in ("model", "language", "prompt_style") if row.get(name)]
    identity = f"{row['id']}@{'/'.join(run)}" if run else row["id"]
    template = read.template if isinstance(read, Draft) else ""
    kept = {name: value for name, value in row.items() if name in shown}
    return Work(identity, kept, text_sha(task.name, row), row["category"], template)


def _raw_rows(path: Path, notices: Notices) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.suffix.lower() == ".csv":
        yield from _csv_rows(path, notices)
    else:
        yield from iter_objects(path, read_bytes(path), notices)


def _csv_rows(path: Path, notices: Notices) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of a CSV table; every cell is text, so "NA" and "None" are answers."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("not UTF-8", file=path, next_step="save the table as UTF-8") from None
    if not unicodedata.is_normalized("NFC", text):
        notices.note("text brought to NFC", 1)
        text = unicodedata.normalize("NFC", text)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                raise InputError(
                    "this row has another number of cells than the header",
                    file=path,
                    line=reader.line_num,
                    likely="a comma outside quotes",
                    next_step="quote the cell, or complete the row",
                )
            yield reader.line_num, dict(row)
    except csv.Error as fault:
        raise InputError(f"not a CSV table ({fault})", file=path, line=reader.line_num) from None
