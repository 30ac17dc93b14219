"""A manuscript with its facts, tables, figures and references filled in: plain pandoc Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from alifba.errors import InputError
from alifba.paths import StudyPaths, shown
from alifba.report.checks import bibliography_keys, check
from alifba.report.conditions import apply_conditions
from alifba.report.drawing import statement_in
from alifba.report.facts import Fact, read_facts
from alifba.report.manuscript import FACT, REF, Block, Manuscript, code_spans, read_manuscript
from alifba.report.tables import escape, items_statement, markdown_table

NOTICE_FACT = "items.notice"
_REFERENCE_NAMES = {"tbl": "Table", "fig": "Figure", "sec": "Section"}


class MissingFigure(InputError):
    """The manuscript shows a figure that the study does not have."""


@dataclass(frozen=True)
class Filled:
    """Pandoc Markdown with its metadata, and the files that it shows, by their path in the build folder."""

    markdown: str
    tables: Mapping[str, Path]
    figures: Mapping[str, Path]


def fill(path: Path, study: StudyPaths, bibliography: Path, *, notice: str | None = None) -> Filled:
    """Check and fill the manuscript at `path` with what lies in `study`.

    `notice` is printed conspicuously on the first page; without it the study's fact ``items.notice`` is, where there
    is one. Raises what `check` raises, MissingFigure, and InputError for a table that cannot be set.
    """
    manuscript, facts = read_manuscript(path), read_facts(study.facts)
    if notice is None and NOTICE_FACT in facts and facts[NOTICE_FACT].available:
        notice = facts[NOTICE_FACT].text
    manuscript, asked = apply_conditions(manuscript, facts)
    check(manuscript, facts, study, bibliography_keys(bibliography), used_elsewhere={NOTICE_FACT, *asked})
    tables: dict[str, Path] = {}
    figures: dict[str, Path] = {}
    pieces, done = [], manuscript.body_start
    for block in manuscript.blocks():
        pieces.append(_inline(manuscript.text[done : block.span[0]], facts))
        try:
            pieces.append(_block(manuscript, block, facts, notice, study, tables, figures))
        except InputError as error:
            raise manuscript.error(type(error), f"{block.kind} {block.name!r}: {error}", block.span[0]) from None
        done = block.span[1]
    pieces.append(_inline(manuscript.text[done:], facts))
    return Filled(_front(manuscript, facts, notice) + "".join(pieces), tables, figures)


def _front(manuscript: Manuscript, facts: Mapping[str, Fact], notice: str | None) -> str:
    front = manuscript.front
    metadata = {
        "title": _inline(front.title, facts),
        "subtitle": _inline(front.subtitle, facts),
        "running": _inline(front.running, facts),
        "author": [escape(name) for name in front.author_names],
        "abstract": _inline(front.abstract, facts),
        "keywords": [escape(word) for word in front.keywords],
        "lang": front.lang,
        "include-before": [f"**{escape(notice)}**"] if notice else [],
    }
    kept = {key: value for key, value in metadata.items() if value}
    return f"---\n{yaml.safe_dump(kept, allow_unicode=True, sort_keys=True, width=10_000)}---\n"


def _inline(text: str, facts: Mapping[str, Fact]) -> str:
    """`text` with its facts and references filled in, outside code."""
    code = code_spans(text)
    found = [match for pattern in (FACT, REF) for match in pattern.finditer(text)]
    pieces, done = [], 0
    for match in sorted(found, key=lambda match: match.start()):
        if any(start <= match.start() < end for start, end in code):
            continue
        pieces += [text[done : match.start()]]
        pieces += [escape(facts[match[1]].text) if match.re is FACT else _reference(match[1])]
        done = match.end()
    return "".join([*pieces, text[done:]])


def _reference(label: str) -> str:
    """A numbered reference, in the words of the target that pandoc writes: the other one is dropped."""
    name = _REFERENCE_NAMES[label.partition("-")[0]]
    return f"`@{label}`{{=typst}}`{name}~\\ref{{{label}}}`{{=latex}}"


def _block(
    manuscript: Manuscript,
    block: Block,
    facts: Mapping[str, Fact],
    notice: str | None,
    study: StudyPaths,
    tables: dict[str, Path],
    figures: dict[str, Path],
) -> str:
    options = {name: manuscript.value(span) for name, span in block.options.items()}
    caption = re.sub(r"[ \t\n]+", " ", _inline(options["caption"], facts))
    if block.kind == "table":
        source = study.tables / f"{block.name}.csv"
        tables[f"tables/{block.name}.csv"] = source
        where = options.get("where", "")
        caption += _stated(items_statement(source, where), notice)
        columns = options.get("columns", "")
        text = markdown_table(source, caption=caption, label=options["label"], columns=columns, where=where)
        return f"\n\n{text}\n\n"
    source, inside = study.figures / f"{block.name}.pdf", f"figures/{block.name}.pdf"
    if not source.is_file():
        raise MissingFigure("no such figure", file=shown(source), next_step="draw the study's figures: make figures")
    figures[inside] = source
    caption += _stated(statement_in(source), notice)
    return f"\n\n![{caption}]({inside}){{#{options['label']} width={options.get('width', '100%')}}}\n\n"


def _stated(own: str | None, notice: str | None) -> str:
    """What a caption adds on the items behind its table or figure, which travel without the page: its own statement,
    or the notice of the study where it has none."""
    said = (notice if own is None else own) or ""
    return f" *{escape((said[:1].upper() + said[1:]).rstrip('.'))}.*" if said else ""
