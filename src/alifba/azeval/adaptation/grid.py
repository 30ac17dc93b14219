"""The grid of a study's adaptation: which models are to be trained, and the record that each training leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from alifba.azeval.adaptation.texts import arm_text, fetch
from alifba.azeval.likelihood import plan_likelihood
from alifba.azeval.running import plan
from alifba.config import Study, Training
from alifba.errors import InputError
from alifba.items import ItemSet
from alifba.paths import resolve, write_atomic


def records_folder(runs: Path) -> Path:
    """Where trainings leave their records: beside the raw outputs."""
    return runs.parent / "adaptation"


def to_train(study: Study, items: ItemSet, runs: Path, again: bool = False) -> Iterator[Training]:
    """The trainings whose weights are missing (`again`: or not) while a run of the model is not complete."""
    if study.adaptation is None:
        raise InputError("the study adapts no model", next_step="declare 'adaptation'; see studies/controlled.yaml")
    planned = [*plan(study, items, runs), *plan_likelihood(study, items, runs)]
    wanted = {run.model.slug for run in planned if not run.complete}
    for training in study.adaptation.trainings():
        there = (resolve(training.folder) / "config.json").exists()
        if training.slug in wanted and (again or not there):
            yield training


def adapt(study: Study, slug: str, runs: Path, tell: Callable[[str], None] = print) -> dict[str, Any]:
    """Train the model `slug`, save its weights and write its record, which is returned.

    Raises:
        InputError: no such training, or its text cannot be had.
    """
    from alifba.azeval.adaptation.training import train
    from alifba.backends.transformers import environment

    adaptation = study.adaptation
    training = adaptation.training(slug) if adaptation else None
    if adaptation is None or training is None:
        raise InputError("the study adapts no such model", value=slug, next_step="alifba adapt lists those to be made")
    text = arm_text(training.arm, adaptation.text, fetch(adaptation.text)) if training.arm.text else None
    base = study.model(adaptation.base)
    made = train(base, text, training.recipe, training.seed, resolve(training.folder), tell)
    record = {
        "model": slug,
        "base": base.name,
        "seed": training.seed,
        "arm": training.arm.model_dump(mode="json"),
        "recipe": training.recipe.model_dump(mode="json"),
        "text": f"{adaptation.text.package} {adaptation.text.version}" if text else None,
        "text_sha256": text.sha256 if text else None,
        **asdict(made),
        "environment": environment("cpu", False),
    }
    write_atomic(
        records_folder(runs) / f"{slug}.json", json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    )
    return record
