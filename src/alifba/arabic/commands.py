"""The commands ``alifba arabic …``: ask an API tool, say what is missing, publish what was earned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

app = typer.Typer(no_args_is_help=True, add_completion=False, help="How well tools support Arabic, scored by people.")
say = Console(stderr=True, highlight=False, soft_wrap=True)

ProjectFile = Annotated[Path, typer.Option("--project", help="A project file.")]
SHIPPED = Path("data/arabic/project.yaml")


@app.command()
def run(
    tool: Annotated[str, typer.Argument(help="Id of a tool with a 'model'.")],
    name: Annotated[str, typer.Option("--run", help="Name of the run, such as some-chat-2026-11.")],
    project: ProjectFile = SHIPPED,
    plan: Annotated[str, typer.Option("--plan", help="The plan that is used.")] = "api",
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="US dollars that the API may charge; stops before more.")
    ] = None,
) -> None:
    """RUN: ask a tool behind an API every item three times; goes on where its log ends."""
    from alifba.arabic.project import load_project
    from alifba.arabic.running import run_tool
    from alifba.errors import InputError

    done = run_tool(load_project(project), tool, name, plan, max_cost, lambda line: say.print(line, markup=False))
    say.print(f"{done.n_logged} attempts logged, {done.n_before} were there before", markup=False)
    if done.n_failed:
        raise InputError(
            f"{done.n_failed} requests failed", next_step="give the same command again: it asks only these"
        )


@app.command()
def missing(
    tool: Annotated[str, typer.Argument(help="Only this tool.")] = "",
    project: ProjectFile = SHIPPED,
    language: Annotated[str, typer.Option("--language", help="en or ar.")] = "en",
) -> None:
    """Say what each number waits for."""
    from alifba.arabic.aggregate import aggregate
    from alifba.arabic.logs import read_logs
    from alifba.arabic.project import load_project
    from alifba.errors import InputError

    if language not in ("en", "ar"):
        raise InputError("the languages are en and ar", value=language)
    found = load_project(project)
    wanted = [found.tool(tool).id] if tool else [one.id for one in found.tools]
    for result in aggregate(found, read_logs(found)):
        if result.tool.id in wanted:
            for one in result.missing:
                typer.echo(f"{result.tool.id}: {one.text('ar' if language == 'ar' else 'en')}")


@app.command("publish")
def publish_command(
    project: ProjectFile = SHIPPED,
    out: Annotated[Path, typer.Option("--out", help="The folder to write to.")] = Path("results/arabic"),
) -> None:
    """Write scores.json, scores.csv, both pages and the transcripts; null wherever a number was not earned."""
    from alifba.arabic.aggregate import aggregate
    from alifba.arabic.logs import read_logs
    from alifba.arabic.project import load_project
    from alifba.arabic.publishing import publish
    from alifba.paths import shown

    found = load_project(project)
    logs = read_logs(found)
    for line in logs.said:
        say.print(f"note: {line}", style="yellow", markup=False)
    results = aggregate(found, logs)
    written = publish(found, results, logs, out)
    scored = sum(one.composite is not None for one in results)
    say.print(
        f"{scored} of {len(results)} tools have a test-set score; {len(written)} files in {shown(out)}", markup=False
    )
