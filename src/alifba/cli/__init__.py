"""The command line: thin, one command a step, errors without tracebacks."""

from __future__ import annotations

import sys

import typer

from alifba.arabic.commands import app as arabic_commands
from alifba.azeval.dataset.commands import app as dataset_commands
from alifba.azeval.interop import commands as interop_commands
from alifba.cli import adapting, drawing, people, running
from alifba.cli.options import say
from alifba.errors import InputError
from alifba.hieratic.commands import app as hieratic_commands
from alifba.tifinagh.commands import app as tifinagh_commands

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
for commands in (running, adapting, drawing, people):
    app.add_typer(commands.app)
app.command()(interop_commands.export)
app.command("import")(interop_commands.import_)
app.add_typer(dataset_commands, name="dataset")
app.add_typer(arabic_commands, name="arabic")
app.add_typer(hieratic_commands, name="hieratic")
app.add_typer(tifinagh_commands, name="tifinagh")


def main() -> None:
    """Run the command line; what a user did wrong is told without a traceback."""
    try:
        app()
    except InputError as fault:
        say.print(f"error: {fault}", style="red", markup=False)
        sys.exit(1)
