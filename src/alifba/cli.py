"""The command line: thin, one command a step, errors without tracebacks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from alifba.errors import InputError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
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
    from alifba.config import load_study
    from alifba.items import read_items
    from alifba.paths import StudyPaths
    from alifba.runs import read_runs

    spec = load_study(study)
    items = read_items(spec.dataset_path(dataset))
    folder = StudyPaths.of(spec.name, out).item_scores
    present = read_runs(spec.runs_path(runs))
    changed = {path.resolve() for path in files or []}
    done = score_runs([run for run in present if not changed or run.path.resolve() in changed], items, folder)
    prune_scores(folder, present)
    for line in items.notices.lines() + [line for run in present for line in run.notices.lines()]:
        say.print(f"[yellow]note[/] {line}", markup=True)
    for run in done:
        record = run.record
        say.print(
            f"scored {record.model} {record.language} {record.prompt_style}: {record.n_scored} of {record.n_items} "
            f"items, {record.n_unscored} unscored, {record.n_stray} rows of ids that the dataset lacks",
            markup=False,
        )


@app.command()
def runs(
    study: StudyFile = SHIPPED,
    dataset: Dataset = "",
    runs: Runs = "",
    out: Out = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what is missing.")] = False,
) -> None:
    """RUN: execute 10_run.ipynb once for every declared run whose raw file is not complete."""
    from alifba.azeval.running import plan
    from alifba.config import load_study
    from alifba.items import read_items
    from alifba.notebooks import execute
    from alifba.paths import StudyPaths, repo_root

    spec = load_study(study)
    if not spec.models:
        raise InputError("the study declares no models to run", file=study, next_step="add them under 'models'")
    planned = list(plan(spec, read_items(spec.dataset_path(dataset)), spec.runs_path(runs)))
    for run in planned:
        say.print(f"{run.model.slug} {run.language} {run.style}: {run.n_answered} of {run.n_items} items", markup=False)
    failed = []
    for run in planned if not dry_run else []:
        if run.complete:
            continue
        parameters = {"study": str(study), "model": run.model.slug, "language": run.language, "style": run.style}
        copy = StudyPaths.of(spec.name, out).notebooks / f"10_run__{run.path.stem}.ipynb"
        try:
            execute(
                repo_root() / "notebooks/azeval/10_run.ipynb", parameters | {"dataset": dataset, "runs": runs}, copy
            )
        except InputError as fault:
            failed.append(run)
            say.print(f"{run.model.slug} {run.language} {run.style} failed: {fault}", style="red", markup=False)
    if failed:
        raise InputError(f"{len(failed)} of {len(planned)} runs failed", next_step="mend the cause and make runs again")


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
    parameters = study_parameters(path, {"study": str(study), "dataset": dataset, "runs": runs, "out": out}) | given
    execute(path, parameters, output or StudyPaths.of(spec.name, out).notebooks / path.name)


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
def facts(study: StudyFile = SHIPPED, out: Out = "") -> None:
    """DRAW: write facts.json from the study's tables."""
    from alifba.azeval.facts import findings
    from alifba.config import load_study
    from alifba.paths import StudyPaths
    from alifba.report.facts import FactBook, write_facts

    spec = load_study(study)
    paths = StudyPaths.of(spec.name, out)
    book = FactBook(paths.results)
    for finding in findings(spec, paths.results):
        name, value, unit, digits, inputs, signed = finding
        book.add(name, value, unit, digits, "alifba facts", inputs, signed=signed)  # type: ignore[arg-type]
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
    from alifba.report.latex import build_latex
    from alifba.report.paper import build_pdf

    spec = load_study(study)
    paths = StudyPaths.of(spec.name, out)
    refuse_extremes(paths.tables / "extremes.csv", study)
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
