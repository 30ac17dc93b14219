"""What the commands share: their options, and how they speak."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from alifba.errors import InputError

say = Console(stderr=True, highlight=False, soft_wrap=True)
StudyFile = Annotated[Path, typer.Option("--study", help="A study file, studies/<name>.yaml.")]
Dataset = Annotated[str, typer.Option("--dataset", help="Use this dataset file instead of the study's.")]
Runs = Annotated[str, typer.Option("--runs", help="Use this folder of raw outputs instead of the study's.")]
Out = Annotated[str, typer.Option("--out", help="Write everything below this folder instead of results/ and figures/.")]

SHIPPED = Path("studies/controlled.yaml")


def absolute(study: Path, *given: str) -> tuple[Path, str, str, str]:
    """The paths as the kernel must get them: it runs in the repository root, wherever the command was given."""
    from alifba.paths import resolve

    dataset, runs, out = (str(Path(path).resolve()) if path else "" for path in given)
    return resolve(study).resolve(), dataset, runs, out


def name_and_value(text: str) -> tuple[str, str]:
    """The two sides of ``name=value``."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError("a parameter is name=value", value=text)
    return name.strip(), value
