"""A manuscript: Markdown with a strict YAML front matter and ``{{directives}}``, read with the places of everything.

Directives, of which none counts inside code and comments::

    {{items.n}}                                                       the text of a fact
    {{table:gap label="tbl-gap" caption="…" columns="model,gap,ci" where="chain=strict"}}
    {{figure:gap label="fig-gap" caption="…" width="80%"}}
    {{ref:tbl-gap}}                                                   "Table 1", by the label
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from alifba.errors import InputError, closest
from alifba.paths import shown

Span = tuple[int, int]

FACT = re.compile(r"\{\{\s*([A-Za-z0-9_][\w.-]*)\s*\}\}")
REF = re.compile(r"\{\{\s*ref:([\w-]+)\s*\}\}")
BLOCK = re.compile(r'\{\{\s*(table|figure):([\w-]+)((?:\s+[a-z]+="[^"]*")*)\s*\}\}')
OPTION = re.compile(r'([a-z]+)="([^"]*)"')
BLOCK_OPTIONS = {"table": {"label", "caption", "columns", "where"}, "figure": {"label", "caption", "width"}}
LABEL_PREFIX = {"table": "tbl-", "figure": "fig-"}

_FRONT_MATTER = re.compile(r"\A---\n(.*?)^---\n", re.S | re.M)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_CODE = re.compile(
    r"^(?P<fence>```+|~~~+).*?^(?P=fence)[`~]*[ \t]*$"
    r"|(?<!`)(?P<tick>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=tick)(?!`)(?:\{=\w+\})?",
    re.S | re.M,
)
_FILLED_FIELDS = ("title", "subtitle", "running", "abstract")


class NotReported(BaseModel):
    """Facts that the text leaves out on purpose: a shell pattern on their names, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    pattern: str
    why: str = Field(min_length=1)


class FrontMatter(BaseModel):
    """The keys a manuscript may have. No author given reads "The alifba contributors"."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    title: str
    subtitle: str = ""
    running: str = ""
    """Stands over every page but the first; empty: the title does."""
    authors: list[str] = []
    abstract: str = ""
    keywords: list[str] = []
    lang: str = "en"
    not_reported: list[NotReported] = []
    allow_digits: list[str] = []

    @property
    def author_names(self) -> list[str]:
        return self.authors or ["The alifba contributors"]


@dataclass(frozen=True)
class Block:
    """A table or figure directive. `options` maps a name to the place of its value in the manuscript."""

    kind: str
    name: str
    span: Span
    options: dict[str, Span]


@dataclass(frozen=True)
class Manuscript:
    """The text as read (NFC), its front matter, the spans of prose, and `visible`: the text with code blanked out."""

    path: Path
    text: str
    front: FrontMatter
    prose: tuple[Span, ...]
    body_start: int

    @cached_property
    def visible(self) -> str:
        return blank(self.text, code_spans(self.text))

    def facts(self) -> list[tuple[str, int]]:
        """Name and offset of every fact that the title, the abstract, the body or a caption refers to."""
        return [(match[1], match.start()) for match in self._find(FACT)]

    def refs(self) -> list[tuple[str, int]]:
        return [(match[1], match.start()) for match in self._find(REF)]

    def blocks(self) -> list[Block]:
        """Table and figure directives of the body, in order."""
        found = []
        for match in self._find(BLOCK):
            options = {
                option[1]: (match.start(3) + option.start(2), match.start(3) + option.end(2))
                for option in OPTION.finditer(self.text[match.start(3) : match.end(3)])
            }
            found.append(Block(match[1], match[2], match.span(), options))
        return found

    def value(self, span: Span) -> str:
        return self.text[span[0] : span[1]]

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def column(self, offset: int) -> int:
        return offset - (self.text.rfind("\n", 0, offset) + 1) + 1

    def error(self, kind: type[InputError], what: str, offset: int, **more: Any) -> InputError:
        """An error of `kind` at `offset`, which names this file, the line and the column."""
        return kind(f"{what} (column {self.column(offset)})", file=shown(self.path), line=self.line(offset), **more)

    def _find(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        visible = self.visible
        for start, end in self.prose:
            yield from pattern.finditer(visible, start, end)


def blank(text: str, spans: Iterable[Span]) -> str:
    """`text` with every character of `spans` but the line ends replaced by a space: offsets stay."""
    letters = list(text)
    for start, end in spans:
        letters[start:end] = ["\n" if letter == "\n" else " " for letter in letters[start:end]]
    return "".join(letters)


def code_spans(text: str) -> list[Span]:
    """Fenced code, inline code and HTML comments."""
    code = [match.span() for match in _CODE.finditer(text)]
    return code + [match.span() for match in _COMMENT.finditer(blank(text, code))]


def read_manuscript(path: Path) -> Manuscript:
    """Read a manuscript. Raises InputError for a missing file, a missing or wrong front matter."""
    if not path.is_file():
        raise InputError("no such manuscript", file=shown(path))
    try:
        text = unicodedata.normalize("NFC", path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8: {error.reason} at byte {error.start}", file=shown(path), next_step="save it as UTF-8"
        ) from None
    match = _FRONT_MATTER.match(text)
    if match is None:
        raise InputError(
            "the manuscript does not start with a front matter",
            file=shown(path),
            line=1,
            next_step="start with a line '---', keys such as title and abstract, and a line '---'",
        )
    front, values = _front_matter(match, path)
    return Manuscript(path, text, front, (*values, (match.end(), len(text))), match.end())


def _front_matter(match: re.Match[str], path: Path) -> tuple[FrontMatter, list[Span]]:
    """The validated front matter, and where the values that are prose lie."""
    source, start = match[1], match.start(1)
    try:
        tree = yaml.compose(source)
        raw = yaml.safe_load(source)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else None
        raise InputError(
            f"the front matter is not YAML: {error.problem}",
            file=shown(path),
            line=line,
            likely="a value with ': ' or a leading '{' needs quotes",
        ) from None
    if not isinstance(tree, yaml.MappingNode):
        raise InputError("the front matter is not a mapping of keys", file=shown(path), line=2)
    lines = {key.value: key.start_mark.line + 2 for key, _ in tree.value}
    try:
        front = FrontMatter.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        raise InputError(
            f"front matter: {'.'.join(map(str, first['loc']))}: {first['msg']}",
            file=shown(path),
            line=lines.get(key, 1),
            likely=closest(key, FrontMatter.model_fields) if key not in FrontMatter.model_fields else None,
        ) from None
    spans = [
        (start + node.start_mark.index, start + node.end_mark.index)
        for key, node in tree.value
        if key.value in _FILLED_FIELDS
    ]
    return front, spans
