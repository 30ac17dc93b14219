"""The command line: thin, one command a step, errors without tracebacks."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from alifba.azeval.dataset.commands import app as dataset_commands
from alifba.azeval.interop import commands as interop_commands
from alifba.errors import InputError
from alifba.hieratic.commands import app as hieratic_commands
from alifba.tifinagh.commands import app as tifinagh_commands

if TYPE_CHECKING:
    from alifba.azeval.running import PlannedRun
    from alifba.backends.pricing import Estimate
    from alifba.config import Study
    from alifba.paths import StudyPaths
    from alifba.report.facts import FactBook

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
app.add_typer(dataset_commands, name="dataset")
app.add_typer(hieratic_commands, name="hieratic")
app.add_typer(tifinagh_commands, name="tifinagh")
app.command()(interop_commands.export)
app.command("import")(interop_commands.import_)
say = Console(stderr=True, highlight=False, soft_wrap=True)

StudyFile = Annotated[Path, typer.Option("--study", help="A study file, studies/<name>.yaml.")]
Dataset = Annotated[str, typer.Option("--dataset", help="Use this dataset file instead of the study's.")]
Runs = Annotated[str, typer.Option("--runs", help="Use this folder of raw outputs instead of the study's.")]
Out = Annotated[str, typer.Option("--out", help="Write everything below this folder instead of results/ and figures/.")]

SHIPPED = Path("studies/pilot.yaml")


@app.command()
def score(
    files: Annotated[list[Path] | None, typer.Argument(help="Raw files that changed; default: all.")] = None,
    study: StudyFile = SHIPPED,
    dataset: Dataset = "",
    runs: Runs = "",
    out: Out = "",
) -> None:
    """ANALYSE, first step: per-item scores of raw outputs."""
    from alifba.azeval.scorebook import prune_scores, score_runs
    from alifba.azeval.scoring import n_other_wording
    from alifba.config import load_study
    from alifba.items import read_items
    from alifba.paths import StudyPaths
    from alifba.runs import read_runs

    spec = load_study(study)
    items = read_items(spec.dataset_path(dataset))
    folder = StudyPaths.of(spec.name, out).item_scores
    present = read_runs(spec.runs_path(runs))
    changed = {path.resolve() for path in files or []}
    if strange := changed - {run.path.resolve() for run in present}:
        raise InputError(
            "not a raw file of this study", file=min(strange), likely="a slip in the name, or another RUNS="
        )
    done = score_runs([run for run in present if not changed or run.path.resolve() in changed], items, folder)
    prune_scores(folder, present)
    notes = items.notices.lines()
    for raw in present:
        notes += raw.notices.lines()
        if other := n_other_wording(raw, items):
            notes.append(f"{raw.path}: {other} of {len(raw.rows)} rows were asked another wording than the dataset has")
    for line in notes:
        say.print(f"note: {line}", style="yellow", markup=False)
    for run in done:
        record = run.record
        say.print(
            f"scored {record.model} {record.language} {record.prompt_style}: {record.n_scored} of {record.n_items} "
            f"items, {record.n_unscored} unscored, {record.n_stray} rows of ids that the dataset lacks",
            markup=False,
        )


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
    table = Table("model", "language", "style", "answered", "items", "state", "file")
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
    study, dataset, runs, out = _absolute(study, dataset, runs, out)
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
    where = [("--study", str(study)), ("--dataset", dataset), ("--runs", runs), ("--out", out)]
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
            arguments = tuple(word for name, value in which + where if value for word in (name, value))
            tasks.append(Task(f"{entry.model.slug} {entry.language} {entry.style}", arguments))
    asked = {name: float(value) for name, value in map(_name_and_value, resource or [])}
    failed = []
    for outcome in perform_on_cluster(tasks, scheduler, asked) if scheduler else perform_here(tasks, jobs):
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


@app.command()
def notebook(
    path: Annotated[Path, typer.Argument(help="The notebook to run.")],
    parameter: Annotated[list[str] | None, typer.Option("-p", help="name=value, injected as a string.")] = None,
    output: Annotated[Path | None, typer.Option("--output", help="Where the executed copy goes.")] = None,
    study: StudyFile = SHIPPED,
    dataset: Dataset = "",
    runs: Runs = "",
    out: Out = "",
) -> None:
    """Run one notebook of a study by papermill, with the study's parameters injected."""
    from alifba.config import load_study
    from alifba.notebooks import execute, study_parameters
    from alifba.paths import StudyPaths

    spec = load_study(study)
    given = dict(_name_and_value(text) for text in parameter or [])
    study, dataset, runs, out = _absolute(study, dataset, runs, out)
    parameters = study_parameters(path, {"study": str(study), "dataset": dataset, "runs": runs, "out": out}) | given
    execute(path, parameters, output or StudyPaths.of(spec.name, out).notebooks / path.name)


def _absolute(study: Path, *given: str) -> tuple[Path, str, str, str]:
    """The paths as the kernel must get them: it runs in the repository root, wherever the command was given."""
    from alifba.paths import resolve

    dataset, runs, out = (str(Path(path).resolve()) if path else "" for path in given)
    return resolve(study).resolve(), dataset, runs, out


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError("a parameter is name=value", value=text)
    return name.strip(), value


@app.command()
def confusion(
    file: Annotated[Path, typer.Argument(help="A CSV table with columns gold and answer (id optional).")],
    out: Annotated[Path, typer.Option("--out", help="The table with flags and language added.")],
    target: Annotated[str, typer.Option("--target", help="The language that the answers should be in.")] = "az",
) -> None:
    """Flag answers that are the right concept in another language, or in no word of the target language."""
    from alifba.text.confusion import detect_file

    judged = detect_file(file, out, target)
    say.print(f"{len(judged)} answers, {int(judged['flag'].sum())} in another language: {out}", markup=False)


@app.command()
def annotate(
    task: Annotated[str, typer.Argument(help="review, second, baseline, errors or score.")],
    files: Annotated[list[Path], typer.Argument(help="What to judge: JSON Lines, or a CSV table of errors.")],
    annotator: Annotated[str, typer.Option("--annotator", help="Your name in the log; always use the same one.")],
    decisions: Annotated[Path, typer.Option("--decisions", help="The folder of the logs.")] = Path(
        "data/raw/decisions"
    ),
    host: Annotated[str, typer.Option("--host", help="Listen on this address instead of on this machine alone.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 0,
    items: Annotated[Path | None, typer.Option("--items", help="Items, for the questions of errors.")] = None,
) -> None:
    """A local web page where a person judges items; every decision is on disk at once."""
    try:
        from alifba.annotate.server import prepare
    except ModuleNotFoundError as fault:
        raise InputError(f"{fault.name} is not installed", next_step="pip install -e '.[annotate]'") from None

    server = prepare(task, files, annotator, decisions, host, port, items)
    for line in server.said:
        say.print(line, style="yellow", markup=False)
    with suppress(KeyboardInterrupt):
        say.print(f"Open {server.address}\nThis link is a key: give it to nobody. Ctrl-C ends it.", markup=False)
        server.run()
    say.print(f"{len(server.log.replay.in_force)} decisions in {server.log.path}", markup=False)


def _fact_book(spec: Study, paths: StudyPaths) -> FactBook:
    """Every fact that the study's tables give now."""
    from alifba.azeval.facts import findings
    from alifba.report.facts import FactBook

    book = FactBook(paths.results)
    for name, value, unit, digits, inputs, signed in findings(spec, paths.results):
        book.add(name, value, unit, digits, "alifba facts", inputs, signed=signed)  # type: ignore[arg-type]
    return book


@app.command()
def facts(study: StudyFile = SHIPPED, out: Out = "") -> None:
    """DRAW: write facts.json from the study's tables."""
    from alifba.config import load_study
    from alifba.paths import StudyPaths
    from alifba.report.facts import write_facts

    spec = load_study(study)
    paths = StudyPaths.of(spec.name, out)
    book = _fact_book(spec, paths)
    write_facts(paths.facts, book)
    say.print(f"{len(book.facts)} facts, {len(book.unavailable)} of them not available", markup=False)


@app.command()
def paper(
    pdf: Annotated[Path, typer.Option("--pdf", help="The PDF to write.")] = Path("paper/build/paper.pdf"),
    latex: Annotated[
        Path | None, typer.Option("--latex", help="Write a LaTeX bundle into this folder instead.")
    ] = None,
    study: StudyFile = SHIPPED,
    out: Out = "",
) -> None:
    """DRAW: set the manuscript, every number from facts.json, every table and figure from the study."""
    from alifba.azeval.overview import refuse_extremes
    from alifba.config import load_study
    from alifba.paths import StudyPaths, resolve
    from alifba.report.facts import read_facts, refuse_edited
    from alifba.report.latex import build_latex
    from alifba.report.paper import build_pdf

    spec = load_study(study)
    paths = StudyPaths.of(spec.name, out)
    refuse_extremes(paths.tables / "extremes.csv", study)
    refuse_edited(read_facts(paths.facts), _fact_book(spec, paths).facts, paths.facts)
    if latex:
        build_latex(resolve(spec.manuscript), paths, latex)
    else:
        build_pdf(resolve(spec.manuscript), paths, pdf)
    say.print(f"wrote {latex or pdf}", markup=False)


@app.command()
def compare(
    fresh: Annotated[Path, typer.Argument(help="A folder made by OUT=...")], study: StudyFile = SHIPPED
) -> None:
    """Compare a regenerated study with the committed one, file by file."""
    from alifba.config import load_study
    from alifba.paths import StudyPaths
    from alifba.report.verify import differences

    found = differences(StudyPaths.of(load_study(study).name, str(fresh)), StudyPaths.of(load_study(study).name))
    for line in found:
        say.print(line, markup=False)
    if found:
        raise InputError(f"{len(found)} files differ", next_step="make paper, look at the difference, then commit it")
    say.print("every regenerated file equals the committed one", markup=False)


def main() -> None:
    """Run the command line; what a user did wrong is told without a traceback."""
    try:
        app()
    except InputError as fault:
        say.print(f"error: {fault}", style="red", markup=False)
        sys.exit(1)


if __name__ == "__main__":
    main()
