"""RUN: what is planned, what a run would send, and the runs themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from alifba.cli.options import SHIPPED, Dataset, Out, Runs, StudyFile, absolute, name_and_value, say
from alifba.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alifba.azeval.running import PlannedRun
    from alifba.backends.pricing import Estimate
    from alifba.runner import Outcome, Task

app = typer.Typer()
Jobs = Annotated[int, typer.Option("--jobs", min=1, help="Runs at the same time on this machine.")]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", min=0, help="US dollars that APIs may charge; stops before more.")
]


def _planned(study: Path, dataset: str, runs: str) -> list[PlannedRun]:
    from alifba.azeval.running import plan
    from alifba.config import load_study
    from alifba.items import read_items

    spec = load_study(study)
    if not spec.models:
        raise InputError("the study declares no models to run", file=study, next_step="add them under 'models'")
    return list(plan(spec, read_items(spec.dataset_path(dataset)), spec.runs_path(runs)))


@app.command()
def plan(study: StudyFile = SHIPPED, dataset: Dataset = "", runs: Runs = "") -> None:
    """Show every run that the study declares and how many items its raw file answers."""
    table = Table("model", "language", "style", "answered", "items", "state", Column("file", overflow="fold"))
    for run in _planned(study, dataset, runs):
        counts = str(run.n_answered), str(run.n_items)
        table.add_row(run.model.slug, run.language, run.style, *counts, run.state, Text(run.path.name))
    Console(highlight=False).print(table)


@app.command()
def extras(study: StudyFile = SHIPPED) -> None:
    """Name the extras of this package that the models of a study need, a line each; for `make runs`."""
    from alifba.config import load_study

    needed = {"transformers": "local", "api": "api"}
    for name in sorted({needed[model.backend] for model in load_study(study).models if model.backend in needed}):
        typer.echo(name)


@app.command()
def preview(
    model: Annotated[str, typer.Option("--model", help="Slug of a declared model.")],
    language: Annotated[str, typer.Option("--language", help="az or en.")],
    style: Annotated[str, typer.Option("--style", help="A prompt style.")] = "default",
    items: Annotated[int, typer.Option("--items", min=0, help="So many prompts in full.")] = 3,
    study: StudyFile = SHIPPED,
    dataset: Dataset = "",
) -> None:
    """Show what a run would send: exact prompts, token ids, BOS, sizes. Nothing is generated."""
    from alifba.azeval.preview import preview as of_run
    from alifba.config import load_study
    from alifba.items import read_items

    spec = load_study(study)
    shown = of_run(spec, spec.model(model), read_items(spec.dataset_path(dataset)), language, style)
    for line in shown.lines(items):
        typer.echo(line)


@app.command()
def run(
    model: Annotated[str, typer.Option("--model", help="Slug of a declared model.")],
    language: Annotated[str, typer.Option("--language", help="az or en.")],
    style: Annotated[str, typer.Option("--style", help="A prompt style.")] = "default",
    study: StudyFile = SHIPPED,
    dataset: Dataset = "",
    runs: Runs = "",
    out: Out = "",
    max_cost: MaxCost = None,
) -> None:
    """RUN: one model in one language, by 10_run.ipynb; goes on where its raw file ends."""
    from alifba.config import load_study
    from alifba.notebooks import execute
    from alifba.paths import StudyPaths, repo_root
    from alifba.runs import run_file_name

    spec = load_study(study)
    stem = run_file_name(spec.model(model).name, language, style).removesuffix(".jsonl")
    copy = StudyPaths.of(spec.name, out).notebooks / f"10_run__{stem}.ipynb"
    study, dataset, runs, out = absolute(study, dataset, runs, out)
    parameters = {"study": str(study), "model": model, "language": language, "style": style}
    parameters["max_cost"] = "" if max_cost is None else repr(max_cost)
    execute(repo_root() / "notebooks/azeval/10_run.ipynb", parameters | {"dataset": dataset, "runs": runs}, copy)


@app.command()
def runs(
    study: StudyFile = SHIPPED,
    dataset: Dataset = "",
    runs: Runs = "",
    out: Out = "",
    jobs: Jobs = 2,
    scheduler: Annotated[str, typer.Option("--scheduler", help="A Dask scheduler, such as tcp://host:8786.")] = "",
    resource: Annotated[
        list[str] | None, typer.Option("--resource", help="What a run asks of a worker: GPU=1.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Send nothing; estimate what APIs would charge.")] = False,
    max_cost: MaxCost = None,
) -> None:
    """RUN: every declared run whose raw file is not complete; a failed one stops no other."""
    from alifba.backends.pricing import shares
    from alifba.runner import Task, perform_here, perform_on_cluster

    planned = _planned(study, dataset, runs)
    estimates = _estimates(planned, study, dataset) if dry_run or max_cost is not None else []
    for entry, estimate in estimates:
        say.print(f"{entry.model.slug} {entry.language} {entry.style} would send {estimate}", markup=False)
    limits: dict[Path, str] = {}
    if max_cost is not None:
        each = shares(max_cost, [estimate for _, estimate in estimates])
        limits = {entry.path: repr(share) for (entry, _), share in zip(estimates, each, strict=True)}
    tasks = []
    for entry in planned:
        say.print(
            f"{entry.model.slug} {entry.language} {entry.style}: {entry.n_answered} of {entry.n_items} items",
            markup=False,
        )
        if entry.state == "unsupported":
            say.print("  its endpoint refused the declared settings: see unsupported/ beside the raw outputs")
        elif entry.state == "to run" and not dry_run:
            which = [("--model", entry.model.slug), ("--language", entry.language), ("--style", entry.style)]
            which.append(("--max-cost", limits.get(entry.path, "")))
            label = f"{entry.model.slug} {entry.language} {entry.style}"
            tasks.append(Task(label, words(which, study, dataset, runs, out)))
    tasks += _likelihood_tasks(study, dataset, runs, out) if not dry_run else []
    asked = {name: float(value) for name, value in map(name_and_value, resource or [])}
    report(tasks, perform_on_cluster(tasks, scheduler, asked) if scheduler else perform_here(tasks, jobs))


def _likelihood_tasks(study: Path, dataset: str, runs: str, out: str) -> list[Task]:
    from alifba.azeval.likelihood import plan_likelihood
    from alifba.config import load_study
    from alifba.items import read_items
    from alifba.runner import Task

    spec = load_study(study)
    tasks = []
    for entry in plan_likelihood(spec, read_items(spec.dataset_path(dataset)), spec.runs_path(runs)):
        label = f"{entry.model.slug} {entry.language} likelihood"
        say.print(f"{label}: {entry.n_answered} of {entry.n_items} items", markup=False)
        if not entry.complete:
            which = [("--model", entry.model.slug), ("--language", entry.language)]
            tasks.append(Task(label, words(which, study, dataset, runs, out), "likelihood"))
    return tasks


def words(which: list[tuple[str, str]], study: Path, dataset: str, runs: str, out: str) -> tuple[str, ...]:
    """The arguments of one run, those without a value left out."""
    where = [("--study", str(study)), ("--dataset", dataset), ("--runs", runs), ("--out", out)]
    return tuple(word for name, value in which + where if value for word in (name, value))


def report(tasks: list[Task], outcomes: Iterator[Outcome]) -> None:
    """Tell each outcome as it comes; fail at the end, with a table, where one failed."""
    failed = []
    for outcome in outcomes:
        say.print(
            f"{outcome.task.label}: {'failed' if outcome.error else 'done'}, {outcome.seconds:.0f} s", markup=False
        )
        failed += [outcome] if outcome.error else []
    if failed:
        table = Table("run", "why", title=f"{len(failed)} of {len(tasks)} runs failed")
        for outcome in failed:
            table.add_row(Text(outcome.task.label), Text(outcome.error))
        say.print(table)
        raise InputError(f"{len(failed)} of {len(tasks)} runs failed", next_step="mend the cause and make runs again")


def _estimates(planned: list[PlannedRun], study: Path, dataset: str) -> list[tuple[PlannedRun, Estimate]]:
    """What each run behind an API would still send and cost."""
    from alifba.azeval.running import estimate_run
    from alifba.config import load_study
    from alifba.items import read_items

    items = read_items(load_study(study).dataset_path(dataset))
    asking = [run for run in planned if run.model.api and run.state == "to run"]
    return [(run, estimate_run(run, items)) for run in asking]
