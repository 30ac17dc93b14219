"""The commands ``alifba export`` and ``alifba import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from alifba.errors import InputError

_SAY = Console(stderr=True, highlight=False, soft_wrap=True)

StudyFile = Annotated[Path, typer.Option("--study", help="A study file, studies/<name>.yaml.")]
Dataset = Annotated[str, typer.Option("--dataset", help="Use this dataset file instead of the study's.")]
Runs = Annotated[str, typer.Option("--runs", help="Use this folder of raw outputs instead of the study's.")]

SHIPPED = Path("studies/pilot.yaml")


def export(
    harness: Annotated[str, typer.Argument(help="lm-eval, inspect or hugging-face.")],
    folder: Annotated[Path, typer.Argument(help="Where to write.")],
    language: Annotated[str, typer.Option("--language", help="az or en.")] = "az",
    style: Annotated[str, typer.Option("--style", help="A prompt style.")] = "default",
    study: StudyFile = SHIPPED,
    dataset: Dataset = "",
) -> None:
    """Write the items and the prompts that alifba sends for another harness, or as a dataset folder."""
    from alifba.azeval import interop
    from alifba.config import load_study
    from alifba.items import read_items

    spec = load_study(study)
    items = read_items(spec.dataset_path(dataset))
    if harness == "lm-eval":
        path = interop.export_lm_eval(items, language, style, folder, [])
    elif harness == "inspect":
        path = interop.export_inspect(items, language, style, folder)
    elif harness == "hugging-face":
        path = interop.export_hugging_face(items, spec.name, folder)
    else:
        raise InputError("no such harness", value=harness, next_step="known: lm-eval, inspect, hugging-face")
    _SAY.print(f"wrote {path}", markup=False)


def import_(
    log: Annotated[Path, typer.Argument(help="samples_*.jsonl of lm-evaluation-harness, or a JSON log of inspect_ai.")],
    model: Annotated[str, typer.Option("--model", help="What the rows should say, Org/Name.")],
    language: Annotated[str, typer.Option("--language", help="az or en.")],
    style: Annotated[str, typer.Option("--style", help="A prompt style.")] = "default",
    study: StudyFile = SHIPPED,
    runs: Runs = "",
) -> None:
    """Read another harness's samples as a raw run: their text, our scoring."""
    from alifba.azeval import interop
    from alifba.config import load_study

    read = interop.import_lm_eval if log.suffix == ".jsonl" else interop.import_inspect
    _SAY.print(f"wrote {read(log, model, language, style, load_study(study).runs_path(runs))}", markup=False)
