"""What must hold before a manuscript is filled: all problems in one pass, each under its own name and place."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from alifba.errors import InputError, closest
from alifba.paths import StudyPaths, shown
from alifba.report.facts import Fact, fact_line, stale_inputs
from alifba.report.manuscript import BLOCK, BLOCK_OPTIONS, FACT, LABEL_PREFIX, REF, Block, Manuscript, blank

_SHOWN_PROBLEMS = 20
_SECTION_LABEL = re.compile(r"\{#(sec-[\w-]+)")
_CITATION = re.compile(r"(?<![\w.])-?@\{?([A-Za-z0-9_](?:[\w:.#$%&+?<>~/-]*\w)?)\}?")
_BIB_KEY = re.compile(r"^\s*@(?!comment|string|preamble)\w+\s*\{\s*([^,\s]+)\s*,", re.M | re.I)
# What may hold digits that are no claim: citation keys, link targets, addresses, attributes, numbers of headings.
_NOT_PROSE = (
    _CITATION,
    re.compile(r"(?<=\])\([^)\s]*\)"),
    re.compile(r"<?https?://[^\s>]+>?"),
    re.compile(r"\{[#.=][^}\n]*\}"),
    re.compile(r"^#{1,6}[ \t]+\d+(?:\.\d+)*\.?(?=[ \t])", re.M),
)
_NUMBER = re.compile(r"\d[\d.,]*\d|\d|[\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089]")


class UnknownFact(InputError):
    """The manuscript names a fact that facts.json does not have."""


class StaleFact(InputError):
    """A table changed after the facts were computed from it."""


class UnusedFact(InputError):
    """A fact is neither printed nor listed under not_reported."""


class IdlePattern(InputError):
    """A not_reported pattern that matches no fact."""


class BareNumber(InputError):
    """A number typed into the prose."""


class BadDirective(InputError):
    """A directive that cannot be read, an option it does not have, a label twice, or a reference to no label."""


class UnknownCitation(InputError):
    """A citation of a work that the bibliography does not have."""


class ManuscriptProblems(InputError):
    """Several problems of one manuscript; `problems` holds each."""

    def __init__(self, problems: list[InputError]) -> None:
        self.problems = problems
        lines = [str(problem) for problem in problems[:_SHOWN_PROBLEMS]]
        more = len(problems) - _SHOWN_PROBLEMS
        super().__init__("\n".join([f"{len(problems)} problems", *lines, *([f"and {more} more"] if more > 0 else [])]))


def check(
    manuscript: Manuscript,
    facts: Mapping[str, Fact],
    study: StudyPaths,
    citations: Collection[str],
    used_elsewhere: Collection[str] = (),
) -> None:
    """Check a manuscript against the study's facts and the keys of the bibliography.

    `used_elsewhere` are facts that the page prints outside the manuscript, such as the notice. Raises the one
    problem found, or ManuscriptProblems with all of them.
    """
    problems = [
        *_directives(manuscript),
        *_unknown_facts(manuscript, facts),
        *_stale_facts(manuscript, facts, study.results),
        *_unused_facts(manuscript, facts, study.facts, used_elsewhere),
        *_bare_numbers(manuscript),
        *_citations(manuscript, citations),
    ]
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise ManuscriptProblems(problems)


def bibliography_keys(path: Path) -> set[str]:
    """Keys of a BibTeX file."""
    if not path.is_file():
        raise InputError("no such bibliography", file=shown(path))
    return set(_BIB_KEY.findall(path.read_text(encoding="utf-8")))


def _unknown_facts(manuscript: Manuscript, facts: Mapping[str, Fact]) -> list[InputError]:
    return [
        manuscript.error(
            UnknownFact,
            f"unknown fact {name!r}",
            at,
            likely=closest(name, facts),
            next_step="name a fact of the study's facts.json, or add it in the code that makes them",
        )
        for name, at in manuscript.facts()
        if name not in facts
    ]


def _stale_facts(manuscript: Manuscript, facts: Mapping[str, Fact], results: Path) -> list[InputError]:
    """One problem for each changed table, at the first place where one of its facts is printed."""
    problems = []
    for table, names in stale_inputs(facts, results).items():
        at = next((at for name, at in manuscript.facts() if name in names), 0)
        state = "has changed" if (results / table).is_file() else "is gone"
        problems.append(
            manuscript.error(
                StaleFact,
                f"{table} {state} since {len(names)} facts were computed from it, such as {names[0]!r}",
                at,
                next_step="make tables again",
            )
        )
    return problems


def _unused_facts(
    manuscript: Manuscript, facts: Mapping[str, Fact], path: Path, used_elsewhere: Collection[str]
) -> list[InputError]:
    used = {name for name, _ in manuscript.facts()} | set(used_elsewhere)
    patterns = [entry.pattern for entry in manuscript.front.not_reported]
    source = path.read_text(encoding="utf-8") if path.is_file() else ""
    problems: list[InputError] = [
        UnusedFact(
            f"the fact {name!r} is neither printed nor listed as not reported",
            file=shown(path),
            line=fact_line(source, name),
            next_step=f"use it in {shown(manuscript.path)}, or name it under not_reported with the reason",
        )
        for name in facts
        if name not in used and not any(fnmatchcase(name, pattern) for pattern in patterns)
    ]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in facts):
            at = max(manuscript.text.find(pattern), 0)
            problems.append(
                manuscript.error(
                    IdlePattern, f"the pattern {pattern!r} matches no fact", at, likely=closest(pattern, facts)
                )
            )
    return problems


def _bare_numbers(manuscript: Manuscript) -> list[InputError]:
    text = manuscript.visible
    captions = [block.options["caption"] for block in manuscript.blocks() if "caption" in block.options]
    kept = blank(text, [match.span() for pattern in (FACT, REF) for match in pattern.finditer(text)])
    outside = blank(kept, [match.span() for match in BLOCK.finditer(text)])
    # A caption is prose too, though it stands inside a directive.
    for start, end in captions:
        outside = outside[:start] + kept[start:end] + outside[end:]
    for pattern in _NOT_PROSE:
        outside = blank(outside, [match.span() for match in pattern.finditer(outside)])
    for literal in sorted(manuscript.front.allow_digits, key=len, reverse=True):
        allowed = re.compile(rf"(?<!\w)(?<!\d[.,]){re.escape(literal)}(?!\w|[.,]\d)")
        outside = blank(outside, [match.span() for match in allowed.finditer(outside)])
    return [
        manuscript.error(
            BareNumber,
            f"the number {match[0]!r} is typed into the prose",
            match.start(),
            next_step="print a fact instead, or list the literal under allow_digits",
        )
        for start, end in manuscript.prose
        for match in _NUMBER.finditer(outside, start, end)
    ]


def _directives(manuscript: Manuscript) -> list[InputError]:
    text, blocks = manuscript.visible, manuscript.blocks()
    problems: list[InputError] = []
    rest = text
    for pattern in (BLOCK, FACT, REF):
        rest = blank(rest, [match.span() for match in pattern.finditer(rest)])
    for start, end in manuscript.prose:
        for match in re.finditer(r"\{\{[^\n]*", rest[start:end]):
            problems.append(
                manuscript.error(
                    BadDirective,
                    "this directive cannot be read",
                    start + match.start(),
                    value=match[0].strip(),
                    next_step='write {{fact.name}}, {{ref:tbl-x}} or {{table:NAME label="tbl-x" caption="…"}}',
                )
            )
    for block in blocks:
        problems += _block_options(manuscript, block)
    labels: set[str] = set()
    for block in blocks:
        label = manuscript.value(block.options["label"]) if "label" in block.options else ""
        if label and label in labels:
            problems.append(manuscript.error(BadDirective, f"the label {label!r} is given twice", block.span[0]))
        labels.add(label)
    known = {*labels, *_SECTION_LABEL.findall(text)}
    for label, at in manuscript.refs():
        if label not in known:
            problems.append(
                manuscript.error(BadDirective, f"nothing has the label {label!r}", at, likely=closest(label, known))
            )
    return problems


def _block_options(manuscript: Manuscript, block: Block) -> list[InputError]:
    allowed, prefix = BLOCK_OPTIONS[block.kind], LABEL_PREFIX[block.kind]
    problems = [
        manuscript.error(
            BadDirective, f"a {block.kind} has no option {name!r}", block.span[0], likely=closest(name, allowed)
        )
        for name in block.options
        if name not in allowed
    ]
    if block.span[0] < manuscript.body_start:
        problems.append(manuscript.error(BadDirective, f"a {block.kind} in the front matter", block.span[0]))
    problems += [
        manuscript.error(BadDirective, f"the {block.kind} {block.name!r} has no {name}", block.span[0])
        for name in ("label", "caption")
        if name not in block.options
    ]
    if "label" in block.options and not re.fullmatch(rf"{prefix}[a-z0-9-]+", manuscript.value(block.options["label"])):
        problems.append(
            manuscript.error(
                BadDirective,
                f"a {block.kind}'s label starts with {prefix!r}, then small letters, digits and hyphens",
                block.options["label"][0],
                value=manuscript.value(block.options["label"]),
            )
        )
    return problems


def _citations(manuscript: Manuscript, keys: Collection[str]) -> list[InputError]:
    text = manuscript.visible
    for pattern in (re.compile(r"<?https?://[^\s>]+>?"), re.compile(r"\\@")):
        text = blank(text, [match.span() for match in pattern.finditer(text)])
    return [
        manuscript.error(
            UnknownCitation, f"the bibliography has no work {match[1]!r}", match.start(), likely=closest(match[1], keys)
        )
        for start, end in manuscript.prose
        for match in _CITATION.finditer(text, start, end)
        if match[1] not in keys
    ]
