"""The paper as a PDF: a filled manuscript through pandoc and typst, both from their wheels, without a network."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import matplotlib
import typst

from alifba.errors import InputError
from alifba.paths import StudyPaths, repo_root, write_atomic
from alifba.report.filling import Filled, fill
from alifba.report.glyphs import check_glyphs
from alifba.report.pandoc import run_pandoc

_MAIN = "main.typ"


def build_pdf(
    manuscript: Path,
    study: StudyPaths,
    out_pdf: Path,
    *,
    notice: str | None = None,
    bibliography: Path | None = None,
    template: Path | None = None,
) -> Path:
    """Build `out_pdf` from a manuscript and the facts, tables and figures of `study`; returns `out_pdf`.

    The same input gives the same bytes. A failed build leaves the old file. `notice` stands on the first page;
    without it the study's fact ``items.notice`` does. `bibliography` and `template` are those of ``paper/``.
    Raises InputError, by the name of the fault, for whatever the manuscript or the study lacks.
    """
    works = bibliography or default_bibliography()
    filled = fill(manuscript, study, works, notice=notice)
    source = typst_source(filled, works, template or repo_root() / "paper" / "template.typ")
    pdf = _compile(source, filled)
    check_glyphs(pdf, source)
    write_atomic(out_pdf, pdf)
    return out_pdf


def default_bibliography() -> Path:
    """The works that the manuscripts of this repository cite."""
    return repo_root() / "paper" / "references.bib"


def typst_source(filled: Filled, bibliography: Path, template: Path) -> str:
    """The typst text of a filled manuscript."""
    arguments = [
        f"--template={template.resolve()}",
        f"--bibliography={bibliography.resolve()}",
        "--citeproc",
        "--metadata=link-citations:true",
        "--metadata=reference-section-title:References",
    ]
    return run_pandoc(filled.markdown, "typst", arguments)


def _compile(source: str, filled: Filled) -> bytes:
    """The PDF of a typst text. Only the named fonts count: those inside typst, and matplotlib's for other scripts."""
    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    with tempfile.TemporaryDirectory(prefix="alifba-paper-") as folder:
        root = Path(folder)
        (root / _MAIN).write_text(source, encoding="utf-8")
        for inside, figure in filled.figures.items():
            (root / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(figure, root / inside)
        try:
            pdf, warnings = typst.compile_with_warnings(
                str(root / _MAIN), root=str(root), font_paths=[str(fonts)], ignore_system_fonts=True
            )
        except typst.TypstError as error:
            raise InputError("typst refused the paper", value=str(error.message)) from None
    if warnings:
        raise InputError("typst warned about the paper", value="; ".join(str(warning.message) for warning in warnings))
    return bytes(pdf)
