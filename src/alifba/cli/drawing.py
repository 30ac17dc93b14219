"""ANALYSE and DRAW: scores, notebooks, facts, the paper, and the comparison with what is committed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alifba.cli.options import SHIPPED, Dataset, Out, Runs, StudyFile, absolute, name_and_value, say
from alifba.errors import InputError

if TYPE_CHECKING:
    from alifba.config import Study
    from alifba.paths import StudyPaths
    from alifba.report.facts import FactBook

app = typer.Typer()


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
    given = dict(name_and_value(text) for text in parameter or [])
    study, dataset, runs, out = absolute(study, dataset, runs, out)
    parameters = study_parameters(path, {"study": str(study), "dataset": dataset, "runs": runs, "out": out}) | given
    execute(path, parameters, output or StudyPaths.of(spec.name, out).notebooks / path.name)


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
