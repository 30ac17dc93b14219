"""The commands ``alifba tifinagh …``: build and check dictionaries, run, judge, score."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from alifba.errors import InputError

app = typer.Typer(no_args_is_help=True, add_completion=False, help="TifinaghBench: closed-book Amazigh vocabulary.")
say = Console(stderr=True, highlight=False, soft_wrap=True)

StudyFile = Annotated[Path, typer.Option("--study", help="A study file, studies/<name>.yaml.")]
Runs = Annotated[str, typer.Option("--runs", help="Use this folder of runs instead of the study's.")]
MaxCost = Annotated[float | None, typer.Option("--max-cost", min=0, help="US dollars that an API may charge.")]
Retries = Annotated[
    int | None, typer.Option("--retries", min=0, help="More than before asks again what failed; default: the study's.")
]
SHIPPED = Path("studies/tifinagh.yaml")
_EVERY_S = 15.0


@app.command()
def smoke(
    folder: Annotated[Path, typer.Option("--folder", help="Where it goes.")] = Path("data/tifinagh/smoke"),
) -> None:
    """Build the smoke dictionary of the three dialects from CLDR. Its scores are not comparable."""
    from alifba.paths import resolve
    from alifba.tifinagh.smoke import build_smoke

    for dialect, n in build_smoke(resolve(folder)).items():
        say.print(f"{dialect}: {n} entries", markup=False)


@app.command()
def dictionary(path: Annotated[Path, typer.Argument(help="A mapping file.")]) -> None:
    """Read a dictionary by its mapping file; tell its record and every kind of row that was left out."""
    from alifba.tifinagh.dictionaries import load_dictionary

    typer.echo(load_dictionary(path).record.model_dump_json(indent=1))


@app.command()
def plan(study: StudyFile = SHIPPED, runs: Runs = "") -> None:
    """Show the questions of a study by dialect and task, and how far each run is."""
    from alifba.paths import resolve
    from alifba.tifinagh.judging import replies_in
    from alifba.tifinagh.records import RUN_FILE
    from alifba.tifinagh.running import open_study
    from alifba.tifinagh.study import load_tifinagh_study

    spec = load_tifinagh_study(study)
    _, _, questions = open_study(spec)
    table = Table("dialect", "drawn", "task", "cannot be asked")
    for dialect, skipped in questions.skipped.items():
        for task, n in skipped.items():
            table.add_row(dialect, str(questions.sampled[dialect]), task, str(n))
    Console(highlight=False).print(table)
    table = Table("model", "answered", "questions")
    for contestant in spec.contestants:
        folder = resolve(runs or spec.runs) / contestant.slug
        answered = len(replies_in(folder).values) if (folder / RUN_FILE).exists() else 0
        table.add_row(contestant.slug, str(answered), str(len(questions.questions)))
    Console(highlight=False).print(table)


@app.command()
def preview(
    study: StudyFile = SHIPPED,
    batches: Annotated[int, typer.Option("--batches", min=1, help="So many requests in full.")] = 1,
) -> None:
    """Show the first requests of a run word for word. Nothing is sent."""
    from alifba.tifinagh.prompts import ask_text, system_text
    from alifba.tifinagh.running import open_study
    from alifba.tifinagh.study import load_tifinagh_study

    spec = load_tifinagh_study(study)
    _, setup, questions = open_study(spec)
    for group in questions.groups[:batches]:
        typer.echo(f"--- system\n{system_text('ask')}\n--- user\n{ask_text(group[: setup.batch_size])}")


@app.command()
def run(
    model: Annotated[str, typer.Option("--model", help="Slug of a declared model or agent.")],
    study: StudyFile = SHIPPED,
    runs: Runs = "",
    retries: Retries = None,
    max_cost: MaxCost = None,
) -> None:
    """RUN: ask one model every question that its run lacks; goes on where it was stopped."""
    from alifba.tifinagh.running import run_contestant
    from alifba.tifinagh.study import load_tifinagh_study

    spec = load_tifinagh_study(study)
    report = run_contestant(spec, spec.contestant(model), runs, retries, max_cost, _Told(model))
    say.print(
        f"{model}: {report.n_answered} of {report.n_questions} answered, {report.n_failed} failed: {report.folder}",
        markup=False,
    )


@app.command("runs")
def runs_(study: StudyFile = SHIPPED, runs: Runs = "") -> None:
    """RUN: every model and agent of the study, one after the other; what a run has, it keeps."""
    from alifba.tifinagh.study import load_tifinagh_study

    for contestant in load_tifinagh_study(study).contestants:
        run(contestant.slug, study, runs)


@app.command()
def judge(
    model: Annotated[str, typer.Option("--model", help="Slug of the run to judge.")],
    study: StudyFile = SHIPPED,
    runs: Runs = "",
    retries: Retries = None,
    max_cost: MaxCost = None,
) -> None:
    """JUDGE: have the study's judge grade what exact rules leave open in one run."""
    from alifba.paths import resolve
    from alifba.tifinagh.dictionaries import load_dictionaries
    from alifba.tifinagh.judging import judge_run
    from alifba.tifinagh.records import read_run_record
    from alifba.tifinagh.scorebook import questions_of
    from alifba.tifinagh.study import load_tifinagh_study

    spec = load_tifinagh_study(study)
    if spec.judge is None:
        raise InputError("the study declares no judge", file=study, next_step="add 'judge:' with a model or an agent")
    folder = resolve(runs or spec.runs) / spec.contestant(model).slug
    questions = questions_of(read_run_record(folder), load_dictionaries(spec.dictionaries), folder)
    graded, waiting = judge_run(folder, questions, spec.judge, retries, max_cost, _Told(f"judge of {model}"))
    say.print(f"{model}: {graded} answers graded, {waiting} still wait", markup=False)


@app.command()
def score(study: StudyFile = SHIPPED, runs: Runs = "") -> None:
    """ANALYSE: items.jsonl and summary.json of every run, from its replies and verdicts."""
    from alifba.paths import resolve
    from alifba.tifinagh.dictionaries import load_dictionaries
    from alifba.tifinagh.records import run_folders
    from alifba.tifinagh.scorebook import score_run
    from alifba.tifinagh.study import load_tifinagh_study

    spec = load_tifinagh_study(study)
    dictionaries = load_dictionaries(spec.dictionaries)
    table = Table("run", "TifinaghBench", "script score", "strict", "errors", "awaiting")
    for folder in run_folders(resolve(runs or spec.runs)):
        summary = score_run(folder, dictionaries)
        scores = (summary.tifinaghbench, summary.script_score, summary.script_score_strict)
        counts = (summary.overall.n_error, summary.overall.n_awaiting_model + summary.overall.n_awaiting_judge)
        shown = ["none" if value is None else f"{value:.1f}" for value in scores]
        table.add_row(folder.name, *shown, *map(str, counts))
    Console(highlight=False).print(table)


class _Told:
    """Prints how far a run is, every few seconds."""

    def __init__(self, label: str) -> None:
        self._label, self._last = label, time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last >= _EVERY_S or done == total:
            self._last = now
            say.print(f"{self._label}, {what}: {done} of {total} requests", markup=False)
