"""Runs the pandoc program that the pypandoc-binary wheel carries, never another one of the machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pypandoc

from alifba.errors import InputError


def pandoc_program() -> Path:
    """The wheel's own program. Raises InputError where the wheel came without one."""
    program = Path(pypandoc.__file__).parent / "files" / ("pandoc.exe" if sys.platform == "win32" else "pandoc")
    if not program.is_file():
        raise InputError(
            "the pandoc program is missing",
            likely="pypandoc is installed in place of pypandoc-binary",
            next_step="pip install --force-reinstall pypandoc-binary",
        )
    return program


def run_pandoc(markdown: str, to: str, arguments: Sequence[str], *, source: str = "markdown") -> str:
    """`markdown` as `to`. A warning counts as an error: it is always something missing from the page."""
    command = [str(pandoc_program()), f"--from={source}", f"--to={to}", "--columns=100000", "--fail-if-warnings"]
    done = subprocess.run([*command, *arguments], input=markdown.encode("utf-8"), capture_output=True, check=False)
    if done.returncode:
        raise InputError("pandoc refused the filled manuscript", value=done.stderr.decode("utf-8").strip())
    return done.stdout.decode("utf-8")
