"""From logs to scores: every number with what it rests on, every null with what it waits for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from alifba.arabic.logs import Logs
from alifba.arabic.project import Project
from alifba.arabic.records import ATTEMPTS, Attempt, Item, Review, ReviewCriterion, Score, Section, Tool
from alifba.arabic.scoring import (
    Number,
    attempt_score,
    composite,
    criterion_points,
    item_score,
    review_score,
    section_score,
)
from alifba.arabic.seats import blind_pair, gaps, speakers, third
from alifba.arabic.wording import Language, isolated, label, number

Need = Literal[
    "no_run", "which_run", "no_item", "sample", "attempt", "first", "second", "gulf", "third", "no_review", "review"
]


@dataclass(frozen=True)
class Missing:
    """One thing that must happen before a number can exist. `what` holds its details: criterion ids, runs, or what a
    sample lacks in English, then with `what_ar` in Arabic."""

    need: Need
    section: Section | None = None
    item: str = ""
    attempt: int | None = None
    what: tuple[str, ...] = ()
    what_ar: tuple[str, ...] = ()

    def text(self, language: Language) -> str:
        """In words, such as ``Gulf: second scorer for GLF-02 attempt 3``."""
        groups = {"third": "criteria", "review": "review"}
        group = groups.get(self.need)
        joined = "، " if language == "ar" else ", "
        details = self.what_ar if language == "ar" and self.what_ar else self.what
        what = joined.join(label(group, one, language) if group else one for one in details)
        return label("missing", self.need, language).format(
            section=label("sections", self.section, language) if self.section else "",
            item=isolated(self.item) if language == "ar" else self.item,
            attempt=number(self.attempt, language) if self.attempt else "",
            criteria=what,
            what=what,
        )


@dataclass(frozen=True)
class AttemptResult:
    """One attempt and its score. `points` holds each criterion, None where a third scorer is waited for."""

    number: int
    attempt: Attempt | None
    scores: Mapping[str, Score]
    points: Mapping[str, Number]
    score: Number


@dataclass(frozen=True)
class ItemResult:
    """One item: three attempts and their median."""

    item: Item
    attempts: tuple[AttemptResult, ...]
    score: Number


@dataclass(frozen=True)
class SectionResult:
    """One section that applies: its items and their mean."""

    name: Section
    items: tuple[ItemResult, ...]
    score: Number


@dataclass(frozen=True)
class ToolResult:
    """One tool. `sections` and `composite` come from the test set, `review` from the directory: two layers, never
    merged. `run` is the run that counts, None while there is none; `missing` what every null waits for."""

    tool: Tool
    run: str | None
    test_set: str
    sections: tuple[SectionResult, ...]
    composite: Number
    raw: Mapping[ReviewCriterion, float | None]
    review: int | None
    reviewed: Review | None
    missing: tuple[Missing, ...]

    @property
    def attempts(self) -> list[Attempt]:
        """The attempts of the run that counts."""
        found = (one for section in self.sections for item in section.items for one in item.attempts)
        return [one.attempt for one in found if one.attempt]


def aggregate(project: Project, logs: Logs) -> list[ToolResult]:
    """A result for every tool of `project`, in its order; all null where nothing was logged."""
    return [_tool(project, logs, tool) for tool in project.tools]


def _tool(project: Project, logs: Logs, tool: Tool) -> ToolResult:
    run, missing = _run(logs, tool)
    attempts = {one.place[1:]: one for one in logs.attempts.values() if one.run == run} if run else {}
    test_set = next((one.test_set for one in attempts.values()), project.settings.test_set)
    sections = []
    for name in project.sections(tool):
        items = tuple(_item(project, logs, item, attempts) for item in project.items_for(tool, test_set, name))
        missing += _wants(project, name, items, bool(run))
        sections.append(SectionResult(name, items, section_score(one.score for one in items)))
    review = logs.reviews.get(tool.id)
    raw = {name: review.raw.get(name) if review else None for name in project.rules.review}
    absent = tuple(name for name, value in raw.items() if value is None)
    if absent:
        missing.append(Missing("review", what=absent) if review else Missing("no_review"))
    total = composite({one.name: one.score for one in sections}, project.rules.sections)
    number = review_score(raw, project.rules.review)
    return ToolResult(tool, run, test_set, tuple(sections), total, raw, number, review, tuple(missing))


def _run(logs: Logs, tool: Tool) -> tuple[str | None, list[Missing]]:
    """The run that counts: the one that the project names, or the only one. Nobody chooses among several in silence."""
    runs = sorted({one.run for one in logs.attempts.values() if one.tool == tool.id})
    if tool.run:
        return (tool.run, []) if tool.run in runs else (None, [Missing("no_run")])
    if len(runs) > 1:
        return None, [Missing("which_run", what=tuple(runs))]
    return (runs[0], []) if runs else (None, [Missing("no_run")])


def _item(project: Project, logs: Logs, item: Item, attempts: Mapping[tuple[str, int], Attempt]) -> ItemResult:
    results = tuple(_attempt(project, logs, item, number, attempts.get((item.key, number))) for number in ATTEMPTS)
    return ItemResult(item, results, item_score([one.score for one in results]))


def _attempt(project: Project, logs: Logs, item: Item, number: int, attempt: Attempt | None) -> AttemptResult:
    if attempt is None:
        return AttemptResult(number, None, {}, {}, None)
    if attempt.outcome != "answer":
        return AttemptResult(number, attempt, {}, dict.fromkeys(item.criteria, Fraction(0)), Fraction(0))
    standing = logs.scores.get(attempt.id, {})
    points = _points(project, item, standing)
    return AttemptResult(number, attempt, standing, points, attempt_score(points.values()))


def _points(project: Project, item: Item, standing: Mapping[str, Score]) -> dict[str, Number]:
    pair = blind_pair(standing, speakers(project, item))
    if len(pair) < 2 or (item.needs_gulf and not any(project.scorer(name).gulf for name in pair)):
        return dict.fromkeys(item.criteria)
    first, second = (one.criteria or {} for one in pair.values())
    called = third(standing)
    extra = (called.criteria or {}) if called else {}
    return {
        name: criterion_points(first[name], second[name], extra.get(name), project.rules.gap) for name in item.criteria
    }


def _wants(project: Project, section: Section, items: tuple[ItemResult, ...], begun: bool) -> list[Missing]:
    """What a section waits for. Before a run was begun only what stops one from beginning."""
    if not items:
        return [Missing("no_item", section)]
    found = []
    for result in items:
        if result.item.status == "needs_sample":
            lacks = tuple(result.item.missing), tuple(result.item.missing_ar)
            found.append(Missing("sample", section, result.item.key, None, *lacks))
        elif begun:
            found += [want for one in result.attempts for want in _attempt_wants(project, section, result.item, one)]
    return found


def _attempt_wants(project: Project, section: Section, item: Item, result: AttemptResult) -> Iterator[Missing]:
    if result.score is not None:
        return
    if result.attempt is None:
        yield Missing("attempt", section, item.key, result.number)
        return
    pair = blind_pair(result.scores, speakers(project, item))
    if len(pair) < 2:
        yield Missing("second" if pair else "first", section, item.key, result.number)
    if item.needs_gulf and pair and not any(project.scorer(name).gulf for name in pair):
        yield Missing("gulf", section, item.key, result.number)
    elif len(pair) == 2:
        yield Missing("third", section, item.key, result.number, tuple(gaps(project, *pair.values())))
