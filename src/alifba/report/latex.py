"""The paper as a LaTeX bundle for a journal: the same filled manuscript, its figures, tables and references."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from alifba.paths import StudyPaths, write_atomic
from alifba.report.filling import fill
from alifba.report.pandoc import run_pandoc
from alifba.report.paper import default_bibliography

# Fonts that TeX Live has and that hold ə, Cyrillic and, as a fallback, Arabic and Tifinagh.
_SETTINGS = (
    "--metadata=bibliography:references",
    "--metadata=reference-section-title:References",
    "--variable=biblio-style:plainnat",
    "--variable=papersize:a4",
    "--variable=geometry:margin=28mm",
    "--variable=mainfont:Libertinus Serif",
    "--variable=mainfontfallback:DejaVu Sans:",
)


def build_latex(
    manuscript: Path,
    study: StudyPaths,
    out_dir: Path,
    *,
    notice: str | None = None,
    bibliography: Path | None = None,
) -> Path:
    """Write main.tex, references.bib, figures/, tables/ and a README to `out_dir`; returns the path of main.tex.

    The numbers are those of the PDF: both come from one filled manuscript. Raises what `build_pdf` raises before
    setting.
    """
    works = bibliography or default_bibliography()
    filled = fill(manuscript, study, works, notice=notice)
    data = files("alifba.report").joinpath("data")
    main = run_pandoc(filled.markdown, "latex", ["--standalone", "--natbib", "--number-sections", *_SETTINGS])
    write_atomic(out_dir / "references.bib", works.read_bytes())
    for inside, source in {**filled.figures, **filled.tables}.items():
        write_atomic(out_dir / inside, source.read_bytes())
    write_atomic(out_dir / "README.md", data.joinpath("latex_readme.md").read_text(encoding="utf-8"))
    write_atomic(out_dir / "main.tex", main)
    return out_dir / "main.tex"
