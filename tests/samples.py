"""Small studies for tests, and where the published data lie."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import nbformat

from alifba.errors import InputError
from alifba.paths import repo_root

T = TypeVar("T")
REFERENCE = repo_root().parent / "shared" / "reference" / "azeval-v0"
PILOT = repo_root() / "data" / "azeval" / "pilot.jsonl"
CAPITALS = (
    ("Fransanın", "France", "Paris", "Paris"),
    ("İtaliyanın", "Italy", "Roma", "Rome"),
    ("Gürcüstanın", "Georgia", "Tiflis", "Tbilisi"),
    ("Rusiyanın", "Russia", "Moskva", "Moscow"),
    ("Yunanıstanın", "Greece", "Afina", "Athens"),
    ("İsveçin", "Sweden", "Stokholm", "Stockholm"),
)


def item_row(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A sound dataset row; a change to None takes the field out."""
    genitive, country, answer, answer_en = CAPITALS[number % len(CAPITALS)]
    row = {
        "id": f"t-{number:03}",
        "question_az": f"{genitive} paytaxtı hansı şəhərdir?",
        "question_en": f"What is the capital of {country}?",
        "answer": answer,
        "answer_en": answer_en,
        "answer_aliases": [],
        "category": "geography" if number % 2 else "world",
        "verified_by": "pending",
        "notes": f"template=capital{number % 3}",
    } | changes
    return {name: value for name, value in row.items() if value is not None}


def answer_row(number: int = 0, answer: str | None = "Paris", **changes: Any) -> dict[str, Any]:
    """A raw output row with the fields of the published files; `changes` add or replace fields."""
    return {
        "id": f"t-{number:03}",
        "model": "org/one",
        "language": "az",
        "prompt_style": "default",
        "prompt": "Sual: ?\nCavab:",
        "raw_response": answer,
        "generation": {"max_new_tokens": 32, "do_sample": False, "temperature": 0.0, "seed": 0, "batch_size": 8},
        "environment": {},
        "timestamp": "",
    } | changes


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def write_answers(folder: Path, model: str, language: str, answers: Iterable[str | None]) -> Path:
    """A run of `model` whose item number i got the i-th of `answers`."""
    rows = [answer_row(i, answer, model=model, language=language) for i, answer in enumerate(answers)]
    return write_rows(folder / f"{model.replace('/', '__')}__{language}.jsonl", rows)


def write_study(folder: Path, **keys: Any) -> Path:
    """A study file in `folder`; `keys` add or replace its keys. JSON is YAML."""
    path = folder / "study.yaml"
    path.write_text(json.dumps({"name": "small", "title": "Small", **keys}, ensure_ascii=False), encoding="utf-8")
    return path


def published(table: str) -> list[dict[str, str]]:
    """The rows of a table of the published study, as printed."""
    with (REFERENCE / "tables" / f"{table}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def outcome(read: Callable[[], T]) -> T | InputError:
    """What `read` returns, or the `InputError` it raises; any other exception is a fault of the reader."""
    try:
        return read()
    except InputError as fault:
        str(fault).encode("utf-8")
        return fault


def analyse(study: Path, dataset: Path, runs: Path, out: Path) -> None:
    """Run the code of every analysis notebook that make knows, in this process."""
    declared = re.search(r"^ANALYSES := (.+)$", (repo_root() / "Makefile").read_text(), re.MULTILINE)
    given = {"study": str(study), "dataset": str(dataset), "runs": str(runs), "out": str(out)}
    for name in declared[1].split():
        (path,) = repo_root().glob(f"notebooks/*/{name}.ipynb")
        scope: dict[str, Any] = {}
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                exec(cell.source, scope)
                if "parameters" in cell.metadata.get("tags", []):
                    scope |= {name: value for name, value in given.items() if name in scope}
