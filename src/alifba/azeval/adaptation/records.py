"""The records that trainings leave, as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from alifba.config import Adaptation
from alifba.errors import InputError
from alifba.paths import shown


def read_records(adaptation: Adaptation, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(model, record) of every training that left one, in the order of the grid.

    Raises:
        InputError: a record that is no JSON, or of another recipe than the study declares now.
    """
    for training in adaptation.trainings():
        path = folder / f"{training.slug}.json"
        if not path.exists():
            continue
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            same = record["recipe"] == training.recipe.model_dump(mode="json") and record["seed"] == training.seed
        except (ValueError, KeyError, TypeError) as fault:
            raise InputError(f"not a record of a training ({fault})", file=shown(path)) from None
        if not same:
            raise InputError(
                "this model was trained by another recipe than the study declares",
                file=shown(path),
                value=record["recipe"],
                next_step="train it again: remove its weights, its raw files and this record, then make adapt runs",
            )
        yield training.slug, record


def trainings_table(adaptation: Adaptation, folder: Path) -> pd.DataFrame:
    """One row per training: tokens and characters of one pass, loss of the first and the last step (nats per token).

    Both losses are of blocks before the step that learns from them: the first pass has not seen them at all.
    """
    rows = []
    for slug, record in read_records(adaptation, folder):
        losses = record["losses"]
        arm = record["arm"]
        rows.append(
            {"model": slug, "arm": arm["slug"], "label": arm["label"], "script": arm["script"], "seed": record["seed"]}
            | {"steps": len(losses), "characters": record["characters"], "tokens": record["tokens"]}
            | {"tokens_per_character": record["tokens"] / record["characters"] if losses else None}
            | {"loss_first": losses[0] if losses else None, "loss_last": losses[-1] if losses else None}
            | {"seconds": round(record["seconds"]), "text_sha256": record["text_sha256"], "weights": record["revision"]}
        )
    return pd.DataFrame(rows, columns=_TRAINING_COLUMNS)


_TRAINING_COLUMNS = [
    *("model", "arm", "label", "script", "seed", "steps", "characters", "tokens", "tokens_per_character"),
    *("loss_first", "loss_last", "seconds", "text_sha256", "weights"),
]


def curves_table(adaptation: Adaptation, folder: Path) -> pd.DataFrame:
    """The loss of every step of every training, in nats per character of its text."""
    rows = [
        (slug, record["arm"]["slug"], record["seed"], step, loss * record["tokens"] / record["characters"])
        for slug, record in read_records(adaptation, folder)
        for step, loss in enumerate(record["losses"], 1)
    ]
    return pd.DataFrame(rows, columns=["model", "arm", "seed", "step", "nats_per_character"])
