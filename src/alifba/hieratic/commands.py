"""The commands ``alifba hieratic …``: validate, run, rescore, score, check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from alifba.errors import InputError

if TYPE_CHECKING:
    from alifba.hieratic.items import ItemFolder
    from alifba.hieratic.settings import VisionStudy

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Vision models and ancient Egyptian script.")
say = Console(stderr=True, highlight=False, soft_wrap=True)
_MOST_TOLD = 200

StudyFile = Annotated[Path, typer.Option("--study", help="The study file.")]
Data = Annotated[str, typer.Option("--data", help="A folder of items, such as a checkout of the published ones.")]
Results = Annotated[str, typer.Option("--results", help="The folder that holds runs/ and inbox/.")]
KeyFile = Annotated[Path | None, typer.Option("--key", help="A key file, for who has one. Keep it out of git.")]
SHIPPED = Path("studies/hieratic.yaml")


def _opened(study: Path, data: str, results: str) -> tuple[VisionStudy, ItemFolder, Path]:
    from alifba.hieratic.items import load_items
    from alifba.hieratic.settings import load_study
    from alifba.paths import resolve

    spec = load_study(study)
    return spec, load_items(data or spec.data), resolve(results or spec.results)


@app.command()
def validate(study: StudyFile = SHIPPED, data: Data = "", results: Results = "") -> None:
    """Check every item and every public run record against the rules of the protocol."""
    from alifba.hieratic.runs import read_run_files
    from alifba.hieratic.validation import item_faults, record_faults

    _, items, folder = _opened(study, data, results)
    runs = read_run_files(folder / "runs")
    faults = item_faults(items) + record_faults(runs, items)
    for line in faults[:_MOST_TOLD]:
        say.print(line, markup=False)
    if faults:
        raise InputError(f"{len(faults)} faults", next_step="mend what the lines above name")
    n_records = sum(len(run.lines) for run in runs)
    say.print(f"{len(items)} items, {n_records} records in {len(runs)} run files: no fault", markup=False)


@app.command()
def run(
    models: Annotated[list[str], typer.Option("--models", help="A key of the study or provider:id; may be repeated.")],
    rungs: Annotated[list[str] | None, typer.Option("--rungs", help="Only this rung; may be repeated.")] = None,
    items: Annotated[list[str] | None, typer.Option("--items", help="Only ids that begin so; may be repeated.")] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Calls an item and rung; default: the study's, more for sealed items.")
    ] = None,
    effort: Annotated[str | None, typer.Option(help="minimal to max, or none; default: as declared.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Calls at the same time.")] = 8,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many items.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Send nothing; say what would be sent and cost.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest run of the model.")] = False,
    max_cost: Annotated[float | None, typer.Option(min=0, help="US dollars for each model; stops before more.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Where the endpoint is, if not at the provider's own.")] = None,
    study: StudyFile = SHIPPED,
    data: Data = "",
    results: Results = "",
) -> None:
    """RUN: ask vision models. Answers about sealed items go to the inbox, which git ignores."""
    from alifba.hieratic.asking import Wishes, ask_models

    spec, folder, place = _opened(study, data, results)
    wishes = Wishes(
        models, rungs or [], items or [], samples, effort, concurrency, limit, dry_run, resume, max_cost, base_url
    )
    for report in ask_models(spec, folder, place, wishes, lambda line: say.print(line, markup=False)):
        if report.n_failed:
            say.print(f"{report.n_failed} calls failed: run again with --resume", style="yellow", markup=False)


@app.command()
def rescore(
    files: Annotated[list[Path], typer.Argument(help="Run files, ours or published ones.")],
    study: StudyFile = SHIPPED,
    data: Data = "",
    key: KeyFile = None,
) -> None:
    """Recompute parsed, score and scoreDetail of every record and print what differs from what is recorded."""
    from alifba.hieratic.keys import load_key
    from alifba.hieratic.rescoring import rescore as compare
    from alifba.hieratic.runs import read_run_file

    _, items, _ = _opened(study, data, "")
    answers = load_key(key)
    n_differing = 0
    for path in files:
        run = read_run_file(path)
        done = compare(run, items, answers)
        for difference in done.differences:
            typer.echo(f"{path}: {difference}")
        strays = f", {done.n_strays} of items that are not in {items.path}" if done.n_strays else ""
        torn = ", and a torn last line" if run.torn else ""
        say.print(
            f"{path}: {done.n} records, {done.n_differing} differ ({done.n_reworded} of them only in scoreDetail), "
            f"{done.n_failed} failed calls{strays}{torn}",
            markup=False,
        )
        n_differing += done.n_differing
    if n_differing:
        raise InputError(f"{n_differing} records differ", next_step="the lines above name each field")


@app.command()
def score(
    key: KeyFile = None,
    study: StudyFile = SHIPPED,
    data: Data = "",
    results: Results = "",
) -> None:
    """Average scores by model and rung; with a key also of the sealed rungs, whose scores then stay in the inbox."""
    from alifba.hieratic.scorebook import score_inbox, score_public

    _, items, folder = _opened(study, data, results)
    table = score_inbox(items, folder, key) if key else score_public(items, folder / "runs", folder / "tables")
    heads = ("model", "rung", "score", "items", "samples", "refused", "failed", "no key")
    shown = Table(*heads, box=SIMPLE_HEAD, pad_edge=False)
    shown.columns[0].overflow = "fold"
    for row in table.to_dict("records"):
        mean = f"{row['score']:.1%}" if row["items"] else ""
        counts = [row[name] for name in ("samples", "refusals", "failed", "unscored")]
        covered = f"{row['items']}/{row['n_items']}"
        model = f"{row['model']} {row['effort']}".strip()
        shown.add_row(model, row["rung"], mean, covered, *map(str, counts))
    Console(highlight=False).print(shown)


@app.command()
def check(
    study: StudyFile = SHIPPED,
    data: Data = "",
    inbox: Annotated[list[Path] | None, typer.Option("--inbox", help="One more inbox to compare with.")] = None,
    key: KeyFile = None,
) -> None:
    """Fail if a file that git could commit, or any result, holds a sealed answer. Run by the pre-commit hook."""
    from alifba.hieratic.seal_check import findings
    from alifba.paths import repo_root

    found, private = findings(repo_root(), study, data, inbox or [], key)
    for finding in found[:_MOST_TOLD]:
        say.print(str(finding), markup=False)
    if found:
        raise InputError(
            f"the seal is broken in {len({finding.path for finding in found})} files",
            likely="a sealed answer was copied, or the phrase is an ordinary one",
            next_step="take it out before you commit; a phrase that gives nothing away may stand in "
            "data/hieratic/commonplaces.txt",
        )
    n_texts = sum(bool(text) for _, text in private.texts)
    say.print(f"the seal holds; compared with {n_texts} private texts", markup=False)
