"""The commands ``alifba dataset …``: harvest drafts, compute items, draw samples, build."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from alifba.errors import InputError, closest

if TYPE_CHECKING:
    from alifba.azeval.dataset.build import Built
    from alifba.azeval.harvest import Template

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Drafts in, a dataset of what people accepted out.")
say = Console(stderr=True, highlight=False, soft_wrap=True)

RAW, PILOT = Path("data/raw"), Path("data/azeval/pilot.jsonl")


def _needs_extra() -> None:
    """Raise `InputError` where the packages that make datasets are not installed."""
    try:
        import mlcroissant  # noqa: F401
        import phonenumbers  # noqa: F401
        import SPARQLWrapper  # noqa: F401
    except ModuleNotFoundError as fault:
        raise InputError(f"{fault.name} is not installed", next_step="pip install -e '.[annotate]'") from None


@app.command("harvest")
def harvest_command(
    endpoint: Annotated[str, typer.Option(help="A SPARQL endpoint; default: Wikidata's public one.")] = "",
    template: Annotated[list[str] | None, typer.Option(help="Only this template; may be repeated.")] = None,
    per_template: Annotated[int, typer.Option(min=1, help="Drafts per template at most.")] = 60,
    out: Annotated[Path, typer.Option(help="The draft file to add to.")] = RAW / "wikidata.jsonl",
    cache: Annotated[Path, typer.Option(help="Folder of responses kept.")] = RAW / ".cache",
    page: Annotated[int, typer.Option(min=2, help="Concepts per request.")] = 200,
    pause: Annotated[float, typer.Option(min=0, help="Seconds between two requests.")] = 1.0,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds to wait for one response.")] = 65,
    deadline: Annotated[float, typer.Option(min=0, help="Seconds for one query with all its attempts.")] = 300,
    refresh: Annotated[bool, typer.Option(help="Ask again what the cache holds.")] = False,
) -> None:
    """Draft items from Wikidata; every draft waits for a person. A public endpoint needs ALIFBA_CONTACT to be set."""
    _needs_extra()
    from alifba.azeval.dataset.build import rejected_texts
    from alifba.azeval.dataset.drafts import REJECTED
    from alifba.azeval.dataset.verdicts import TASK
    from alifba.azeval.harvest import WIKIDATA, Endpoint, Patience, harvest, write_harvest
    from alifba.azeval.harvest.files import read_drafts
    from alifba.decisions import text_sha

    chosen = _templates(template)
    patience = Patience(pause=pause, timeout=timeout, deadline=deadline)
    source = Endpoint(
        endpoint or WIKIDATA,
        cache,
        patience,
        refresh=refresh,
        tell=lambda line: say.print(line, style="yellow", markup=False),
    )
    rejected = rejected_texts(out.parent / REJECTED)
    table = Table("template", "drafted", "left out", box=SIMPLE_HEAD)
    table.columns[0].no_wrap = True
    for wanted in chosen:
        result = harvest(
            wanted,
            source,
            per_template,
            page=page,
            refused=lambda draft: (draft.id, text_sha(TASK, draft.model_dump())) in rejected,
            present={draft.id for draft in read_drafts(out)},
        )
        write_harvest(out, result)
        left_out = "; ".join(f"{n} {reason}" for reason, n in result.left_out.most_common())
        table.add_row(wanted.name, str(len(result.drafts)), left_out)
    Console(highlight=False).print(table)
    say.print(f"drafts: {out}. Each waits for a person: make annotate TASK=review FILE={out}", markup=False)


def _templates(names: list[str] | None) -> list[Template]:
    from alifba.azeval.harvest import TEMPLATES

    for name in names or []:
        if name not in TEMPLATES:
            raise InputError(
                "no such template",
                value=name,
                likely=closest(name, TEMPLATES),
                next_step=f"known: {', '.join(TEMPLATES)}",
            )
    return [TEMPLATES[name] for name in names or TEMPLATES]


@app.command("generate-math")
def generate_math(
    out: Annotated[Path, typer.Option(help="The draft file to write.")] = RAW / "mathematics.jsonl",
    created: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day the items are made; default: today.")
    ] = None,
    per_family: Annotated[int, typer.Option(min=1, help="Items per family, of 20 families.")] = 13,
    known: Annotated[list[Path] | None, typer.Option(help="Drafts not to repeat; default: the pilot's.")] = None,
) -> None:
    """Compute mathematics items that no model made before their day can have seen."""
    _needs_extra()
    from alifba.azeval.dataset.drafts import draft_files, read_drafts
    from alifba.azeval.dataset.mathematics import generate, write_new
    from alifba.paths import resolve

    places = [resolve(path) for path in known or [PILOT, RAW]]
    drafts, _ = read_drafts(draft_files(place for place in places if place.exists()))
    taken = {(draft.template, draft.note("concept") or "") for draft in drafts}
    made = generate(created.date() if created else date.today(), per_family, taken)
    write_new(out, made)
    for template, n in sorted(Counter(draft.template for draft in made).items()):
        if n < per_family:
            say.print(f"note: {template} has only {n} unused items left", style="yellow", markup=False)
    say.print(f"{len(made)} drafts: {out}", markup=False)


@app.command()
def sample(
    n: Annotated[int | None, typer.Option("--n", min=1, help="How many items; default: 200, baseline 50.")] = None,
    task: Annotated[
        str, typer.Option(help="second (a blind second annotator) or baseline (people answer).")
    ] = "second",
    dataset: Annotated[Path, typer.Option(help="The items to draw from.")] = Path("data/azeval/azeval.jsonl"),
    seed: Annotated[int, typer.Option(help="Same seed, same sample.")] = 0,
    out: Annotated[Path | None, typer.Option(help="The file to write; default: data/raw/samples/<task>.jsonl.")] = None,
) -> None:
    """Draw items by category and template, and write them without what the task must not show."""
    import numpy as np

    from alifba.azeval.annotation import blind_rows, stratified_sample
    from alifba.items import read_items
    from alifba.paths import resolve, write_atomic

    path = out or RAW / "samples" / f"{task}.jsonl"
    if path.exists():
        raise InputError(
            "this sample exists already", file=path, likely="people work on it", next_step="give another --out"
        )
    wanted = n or (50 if task == "baseline" else 200)
    rows = blind_rows(stratified_sample(read_items(resolve(dataset)).items, wanted, np.random.default_rng(seed)), task)
    write_atomic(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    say.print(f"{len(rows)} items, seed {seed}: {path}", markup=False)


@app.command("build")
def build_command(
    drafts: Annotated[
        list[Path] | None,
        typer.Option(help="A draft file or folder, may be repeated; default: data/raw and the pilot."),
    ] = None,
    decisions: Annotated[Path, typer.Option(help="The folder of decision logs.")] = RAW / "decisions",
    record: Annotated[Path, typer.Option(help="The folder that keeps rejected.jsonl.")] = RAW,
    out: Annotated[Path, typer.Option(help="The folder of the dataset.")] = Path("data/azeval"),
    names: Annotated[bool, typer.Option("--names", help="Name every refused draft, not only the first.")] = False,
) -> None:
    """Build the dataset of what people accepted; refuse everything else by name and reason."""
    _needs_extra()
    from alifba.azeval.dataset.build import Places, build
    from alifba.paths import resolve

    places = tuple(resolve(path) for path in drafts or [RAW, PILOT])
    target = Places(places, resolve(decisions), resolve(record), resolve(out))
    _report(build(target), target.dataset, None if names else 10)


def _report(done: Built, path: Path, most: int | None) -> None:
    from alifba.azeval.dataset.verdicts import acceptance
    from alifba.paths import shown

    gate = done.gate
    for line in done.notices:
        say.print(f"note: {line}", style="yellow", markup=False)
    for stray in gate.strays:
        say.print(f"note: a decision on an id that no draft has: {stray}", style="yellow", markup=False)
    for kind, entries in gate.refusals.items():
        more = f" and {len(entries) - most} more (--names)" if most and len(entries) > most else ""
        say.print(f"refused, {kind}: {len(entries)}", style="bold", markup=False)
        say.print("  " + ", ".join(entry.draft.name for entry in entries[:most]) + more, markup=False)
    # Short heads, so that the table fits 80 columns: accepted, rejected, disputed, undecided.
    table = Table("template", "drafts", "yes", "no", "split", "open", "accepted, 95 %", box=SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        column.no_wrap = True
    rates = acceptance((entry.draft.template, entry.verdict.outcome) for entry in gate.judged)
    for row in rates.to_dict("records"):
        counts = [row["n"], row["accepted"] + row["edited"], row["rejected"], row["disputed"], row["undecided"]]
        rate = f"{row['share']:.0%} ({row['ci_low']:.0%}-{row['ci_high']:.0%})"
        decided = row["n"] > row["undecided"]
        # A template that nobody has begun says nothing.
        if decided or row["template"] == "all":
            table.add_row(str(row["template"]), *map(str, counts), rate if decided else "")
    Console(highlight=False).print(table)
    for gone in done.removed:
        say.print(f"removed {shown(gone)}: none of its rows is accepted any more", style="yellow", markup=False)
    accepted = sum(entry.verdict.row is not None for entry in gate.judged)
    said = f"{accepted} of {len(gate.judged)} drafts accepted by a person"
    if gate.items:
        say.print(f"{said}, {len(gate.items)} of them sound: {shown(path)}", markup=False)
    else:
        say.print(f"{said}; nothing is built", markup=False)
