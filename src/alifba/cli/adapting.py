"""RUN for a controlled experiment: train its models, measure likelihoods, pack what is complete."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from alifba.cli.options import SHIPPED, Dataset, Out, Runs, StudyFile, absolute, say
from alifba.cli.running import report, words

app = typer.Typer()
Slug = Annotated[str, typer.Option("--model", help="Slug of a model.")]


@app.command()
def adapt(
    model: Annotated[str, typer.Option("--model", help="Slug of a model to train; default: all that are needed.")] = "",
    again: Annotated[bool, typer.Option("--again", help="Train anew what is trained already.")] = False,
    study: StudyFile = SHIPPED,
    dataset: Dataset = "",
    runs: Runs = "",
    out: Out = "",
) -> None:
    """RUN, first step: train the models that the study makes itself, by 05_adapt.ipynb, one at a time."""
    from alifba.azeval.adaptation.grid import to_train
    from alifba.config import load_study
    from alifba.items import read_items
    from alifba.runner import Task, perform_here

    if model:
        _execute("05_adapt", {"model": model}, model, study, dataset, runs, out)
        return
    spec = load_study(study)
    needed = list(to_train(spec, read_items(spec.dataset_path(dataset)), spec.runs_path(runs), again))
    say.print(f"{len(needed)} models to train: {', '.join(training.slug for training in needed) or 'none'}")
    tasks = [
        Task(f"{training.slug} trained", words([("--model", training.slug)], study, dataset, runs, out), "adapt")
        for training in needed
    ]
    report(tasks, perform_here(tasks, 1))


@app.command()
def likelihood(
    model: Slug,
    language: Annotated[str, typer.Option("--language", help="az or en.")],
    study: StudyFile = SHIPPED,
    dataset: Dataset = "",
    runs: Runs = "",
    out: Out = "",
) -> None:
    """RUN: how likely one model finds the gold answers in one language, by 12_likelihood.ipynb."""
    parameters = {"model": model, "language": language}
    _execute("12_likelihood", parameters, f"{model}__{language}", study, dataset, runs, out)


def _execute(name: str, parameters: dict[str, str], which: str, study: Path, dataset: str, runs: str, out: str) -> None:
    from alifba.config import load_study
    from alifba.notebooks import execute, study_parameters
    from alifba.paths import StudyPaths, repo_root

    path = repo_root() / f"notebooks/azeval/{name}.ipynb"
    copy = StudyPaths.of(load_study(study).name, out).notebooks / f"{name}__{which}.ipynb"
    study, dataset, runs, out = absolute(study, dataset, runs, out)
    given = study_parameters(path, {"study": str(study), "dataset": dataset, "runs": runs})
    execute(path, given | parameters, copy)


@app.command()
def pack(study: StudyFile = SHIPPED, dataset: Dataset = "", runs: Runs = "") -> None:
    """Compress the raw files of complete runs to .jsonl.gz, which every command reads as well."""
    from alifba.azeval.likelihood import plan_likelihood
    from alifba.azeval.running import plan
    from alifba.config import load_study
    from alifba.items import read_items
    from alifba.runs import pack as packed

    spec = load_study(study)
    items, folder = read_items(spec.dataset_path(dataset)), spec.runs_path(runs)
    for run in (*plan(spec, items, folder), *plan_likelihood(spec, items, folder)):
        if run.complete and run.path.exists():
            say.print(f"packed {packed(run.path).name}", markup=False)
