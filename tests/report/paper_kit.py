"""A made-up study and manuscript for the tests of the paper."""

from __future__ import annotations

import re
from pathlib import Path

from matplotlib.figure import Figure

from alifba.paths import StudyPaths, repo_root
from alifba.report.facts import FactBook, write_facts

GAP_CSV = """\
model,prompt_style,chain,n,az,en,gap,ci_low,ci_high,p,p_holm
org/one_model,default,strict,1064,0.0725,0.2,0.1275,0.1,0.155,0.0004,0.0008
org/one_model,default,translit,1064,0.1,0.2,0.1,0.08,0.12,0.01,0.02
org/two,default,strict,12,0.5,0.25,-0.25,-0.5,,1,1
"""
HEAD = """\
---
title: "On {{study.title}}"
abstract: "We ask {{items.n}} questions."
---
"""
BODY = "The gap is {{gap.one.strict.gap}} points (*p* {{gap.one.strict.p}}).\n"
BIBLIOGRAPHY = """\
@article{holm1979, author = {Holm, Sture}, title = {A Simple Procedure}, journal = {SJS}, year = {1979}}
"""


def make_study(folder: Path, facts: dict[str, tuple[object, str, int]] | None = None) -> StudyPaths:
    """A study below `folder` with one table, one figure and the facts that HEAD and BODY use, and `facts` besides."""
    study = StudyPaths.of("made-up", folder / "out")
    study.tables.mkdir(parents=True)
    study.figures.mkdir(parents=True)
    (study.tables / "gap.csv").write_text(GAP_CSV, encoding="utf-8")
    draw(study, "ə Ə ş ğ ı İ Кириллица")
    book = FactBook(study.results)
    for name, (value, unit, digits) in {
        "study.title": ("two models", "text", 0),
        "items.n": (1064, "count", 0),
        "gap.one.strict.gap": (0.1275, "points", 1),
        "gap.one.strict.p": (0.0004, "p", 3),
        **(facts or {}),
    }.items():
        book.add(name, value, unit, digits, "tests", ["tables/gap.csv"])  # type: ignore[arg-type]
    write_facts(study.facts, book)
    return study


def draw(study: StudyPaths, label: str) -> None:
    figure = Figure(figsize=(3, 1.5))
    figure.subplots().set_xlabel(label)
    figure.savefig(study.figures / "gap.pdf", metadata={"CreationDate": None})


def make_manuscript(folder: Path, body: str = BODY, head: str = HEAD) -> Path:
    path = folder / "paper.md"
    path.write_text(head + body, encoding="utf-8")
    return path


def make_bibliography(folder: Path) -> Path:
    path = folder / "works.bib"
    path.write_text(BIBLIOGRAPHY, encoding="utf-8")
    return path


def template() -> Path:
    return repo_root() / "paper" / "template.typ"


def plain(text: str) -> str:
    """`text` with every run of blanks, thin ones too, as one space."""
    return re.sub(r"\s+", " ", text)
