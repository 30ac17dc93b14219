"""The published pages, right to left in Arabic and in English: results, what is missing, the test set, transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import yaml
from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from alifba.arabic import wording
from alifba.arabic.aggregate import AttemptResult, ToolResult
from alifba.arabic.logs import Logs
from alifba.arabic.methodology import methodologies
from alifba.arabic.project import Project
from alifba.arabic.records import Attempt
from alifba.arabic.scoring import Number, half_up
from alifba.arabic.wording import Language
from alifba.paths import write_atomic

_TEMPLATES = ("base.html", "scores.html", "transcript.html")


def write_pages(project: Project, results: Sequence[ToolResult], logs: Logs, folder: Path) -> list[Path]:
    """Write ``en.html``, ``ar.html`` and a transcript of every run in both languages; remove those of runs gone."""
    written = {}
    for language in get_args(Language):
        written[folder / f"{language}.html"] = scores_page(project, results, language)
        for run, page in _transcripts(project, results, logs, language):
            written[folder / "transcripts" / f"{run}.{language}.html"] = page
    for old in set((folder / "transcripts").glob("*.??.html")) - set(written):
        old.unlink()
    for path, text in written.items():
        write_atomic(path, text)
    return list(written)


def scores_page(project: Project, results: Sequence[ToolResult], language: Language) -> str:
    """The page of all results in one language, as HTML that needs no other file."""
    return _render(
        "scores.html",
        language,
        project=project,
        results=results,
        methodologies=methodologies(),
        n_scored=sum(one.composite is not None for one in results),
        runnable=[item for item in project.items if item.prompt and item.status != "replaced"],
        scored={one.tool.id: {part.name: part.score for part in one.sections} for one in results},
    )


def transcript_page(
    project: Project, attempts: Sequence[Attempt], judged: dict[str, AttemptResult], language: Language
) -> str:
    """Everything that a run was asked and answered. Points appear only where the attempt has its score: before, they
    could reach a scorer who must be blind."""
    ordered = sorted(attempts, key=lambda one: one.place)
    return _render(
        "transcript.html",
        language,
        project=project,
        first=ordered[0],
        tool=project.tool(ordered[0].tool),
        items=[(project.item(key), list(of_item)) for key, of_item in groupby(ordered, key=lambda one: one.key)],
        judged={name: one for name, one in judged.items() if one.score is not None},
    )


def _transcripts(
    project: Project, results: Sequence[ToolResult], logs: Logs, language: Language
) -> Iterable[tuple[str, str]]:
    judged = {
        one.attempt.id: one
        for result in results
        for section in result.sections
        for item in section.items
        for one in item.attempts
        if one.attempt
    }
    for run in sorted({one.run for one in logs.attempts.values()}):
        attempts = [one for one in logs.attempts.values() if one.run == run]
        yield run, transcript_page(project, attempts, judged, language)


class _Words:
    """What a template needs in one language: words, labels, numbers, days, and fences around Latin text."""

    def __init__(self, language: Language) -> None:
        self.code = language
        self.words: dict[str, Any] = _page_words()[language]

    def __call__(self, key: str, **values: object) -> str:
        return str(self.words[key]).format(**values)

    def label(self, group: str, name: object) -> str:
        return wording.label(group, str(name), self.code)

    def score(self, value: Number) -> str:
        """A score as it is printed: whole, half up; a dash for none."""
        return self.words["none"] if value is None else self.number(half_up(value))

    def points(self, value: Fraction) -> str:
        """Points of one criterion, a whole number or a half."""
        return wording.number(value, self.code, 0 if value.denominator == 1 else 1)

    def number(self, value: Any) -> str:
        return wording.number(value, self.code)

    def digits(self, text: str) -> str:
        """A version such as "1.0" in the digits of the language."""
        return wording.shaped(text, self.code)

    def day(self, value: date | str) -> str:
        return wording.day(datetime.fromisoformat(value).date() if isinstance(value, str) else value, self.code)

    def own(self, thing: object, name: str) -> str:
        """The field `name` of a record in this language: ``name_en`` or ``name_ar``."""
        return str(getattr(thing, f"{name}_{self.code}"))

    def lacks(self, item: Any) -> str:
        return ("، " if self.code == "ar" else ", ").join(item.missing_ar if self.code == "ar" else item.missing)


def latin(text: object) -> Markup:
    """Latin text in any surroundings: one unit, left to right."""
    return Markup('<bdi dir="ltr">{}</bdi>').format(text)


def _render(template: str, language: Language, **values: Any) -> str:
    style = Markup((files("alifba.arabic") / "data" / "page.css").read_text(encoding="utf-8"))
    words = _Words(language)
    return _environment().get_template(template).render(t=words, w=words.words, latin=latin, style=style, **values)


@cache
def _page_words() -> dict[str, dict[str, Any]]:
    text = (files("alifba.arabic") / "data" / "page.yaml").read_text(encoding="utf-8")
    table: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return table


@cache
def _environment() -> Environment:
    folder = files("alifba.arabic") / "data"
    sources = {name: (folder / name).read_text(encoding="utf-8") for name in _TEMPLATES}
    return Environment(
        loader=DictLoader(sources), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
