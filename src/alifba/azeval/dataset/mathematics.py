"""Computed items of a given day: a model older than that day cannot have seen them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from datetime import date
from itertools import islice
from pathlib import Path

from alifba.azeval.dataset.identity import item_id, variant_of
from alifba.azeval.pilot.mathematics import FAMILIES, PHRASINGS
from alifba.azeval.pilot.phrasing import EnglishNumber, Noun, render_az, render_en
from alifba.errors import InputError
from alifba.items import Item
from alifba.paths import write_atomic

SOURCE = "alifba.azeval.pilot.mathematics"
PROVENANCE = "computed-template"


def generate(created: date, per_family: int, known: Collection[tuple[str, str]] = ()) -> list[Item]:
    """Up to `per_family` drafts of each family, none of them about a (template, concept) that is `known`.

    The numbers follow from the day, so each day gives others; the answers of a family all differ, none is a number of
    its question, and each is confirmed by a second method. A family with few numbers left gives what it has.

    Raises:
        InputError: two methods disagree on an answer.
    """
    return [draft for name in sorted(FAMILIES) for draft in islice(_family(name, created, known), per_family)]


def _family(name: str, created: date, known: Collection[tuple[str, str]]) -> Iterator[Item]:
    family, template, answers = FAMILIES[name], f"math_{name}", set[int]()
    grid = {"-".join(map(str, parameters.values())): dict(parameters) for parameters in family.grid()}
    for concept in sorted(grid, key=lambda c: hashlib.sha256(f"{created}|{name}|{c}".encode()).hexdigest()):
        parameters = grid[concept]
        if (template, concept) in known:
            continue
        answer = family.solve(parameters)
        if answer > 1 and answer not in answers and answer not in parameters.values():
            answers.add(answer)
            yield _draft(template, concept, parameters, answer, created)


def _draft(template: str, concept: str, parameters: dict[str, int], answer: int, created: date) -> Item:
    phrasings = PHRASINGS[template.removeprefix("math_")]
    variant = variant_of(template, concept, len(phrasings))
    wording = phrasings[variant]
    return Item(
        id=item_id(template, concept),
        question_az=render_az(wording["az"], {slot: Noun(str(value), "number") for slot, value in parameters.items()}),
        question_en=render_en(wording["en"], {slot: EnglishNumber(value) for slot, value in parameters.items()}),
        answer=str(answer),
        answer_en=str(answer),
        category="mathematics",
        source=SOURCE,
        provenance=PROVENANCE,
        verified_by="pending",
        notes=f"template={template};variant={variant};concept={concept};created={created.isoformat()}",
    )


def write_new(path: Path, drafts: list[Item]) -> None:
    """Write drafts to a file that does not exist yet: drafts that people may have judged are not written over."""
    if path.exists():
        raise InputError("this file exists already", file=path, next_step="give another name with --out")
    write_atomic(path, "".join(json.dumps(draft.model_dump(), ensure_ascii=False) + "\n" for draft in drafts))
