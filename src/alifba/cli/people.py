"""What people do: judge items in a browser, and flag the answers of a table of their own."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from alifba.cli.options import say
from alifba.errors import InputError

app = typer.Typer()


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
    task: Annotated[str, typer.Argument(help="review, second, baseline, errors, score or log.")],
    files: Annotated[
        list[Path], typer.Argument(help="JSON Lines, a CSV table of errors, or a project.yaml to score or log.")
    ],
    annotator: Annotated[str, typer.Option("--annotator", help="Your name in the log; always use the same one.")],
    decisions: Annotated[
        Path, typer.Option("--decisions", help="The folder of the logs (a project names its own).")
    ] = Path("data/raw/decisions"),
    host: Annotated[str, typer.Option("--host", help="Listen on this address instead of on this machine alone.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 0,
    items: Annotated[Path | None, typer.Option("--items", help="Items, for the questions of errors.")] = None,
) -> None:
    """A local web page where a person judges items, or logs what a chat app answered; all is on disk at once."""
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
    say.print(server.summary(), markup=False)
