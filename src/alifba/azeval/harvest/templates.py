"""The templates of the harvest and the SPARQL query of one page of each; all of it from data files."""

from __future__ import annotations

from importlib.resources import files
from string import Template as Text
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from alifba.azeval.pilot.phrasing import load_yaml as load_pilot_yaml

_DATA = files("alifba.azeval.harvest") / "data"
LANGUAGES = ("az", "en", "tr", "ru", "kk", "uk")
"""Labels are fetched in these: the two that are asked, and those whose words models put in place of Azerbaijani."""

NounKind = Literal["name", "word", "language"]
AnswerKind = Literal["name", "word", "language", "script", "unit", "code", "number", "calling_code", "year"]
# An answer of these kinds is an entity with labels; the others are literals.
ENTITIES: tuple[AnswerKind, ...] = ("name", "word", "language", "script", "unit")


class Phrasing(BaseModel):
    """One wording of the question in both languages."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    az: str
    en: str


class Template(BaseModel):
    """What is asked of Wikidata and how; the fields are explained at the head of ``data/templates.yaml``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    name: str
    category: str
    subject: str
    asked: str = Field(pattern=r"^P\d+$")
    narrowed: str = ""
    sitelinks: int = Field(ge=0)
    most_per_answer: int = Field(ge=1)
    slot: str
    noun: NounKind
    answer: AnswerKind
    phrasings: list[Phrasing] = Field(min_length=4, max_length=4)

    @property
    def labelled(self) -> tuple[str, ...]:
        """The variables whose labels are fetched."""
        return ("item", "answer") if self.answer in ENTITIES else ("item",)

    def query(self, *, limit: int, offset: int, hint: str = "") -> str:
        """The SPARQL query of the concepts from `offset` on, at most `limit`, best known first."""
        pattern = self.subject + _text("statement.rq").substitute(property=self.asked) + self.narrowed
        pairs = [(node, language) for node in self.labelled for language in LANGUAGES]
        return _text("select.rq").substitute(
            variables=" ".join(f"?{node}_{language}" for node, language in pairs),
            labels="".join(_text("label.rq").substitute(node=node, language=language) for node, language in pairs),
            pattern=pattern,
            sitelinks=self.sitelinks,
            limit=limit,
            offset=offset,
            hint=hint,
        )


def _text(name: str) -> Text:
    """A query file without its comment lines."""
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines(keepends=True)
    return Text("".join(line for line in lines if not line.startswith("#")))


def load_yaml(name: str) -> dict[str, Any]:
    """The table ``data/<name>`` of this package."""
    loaded: dict[str, Any] = yaml.safe_load((_DATA / name).read_text(encoding="utf-8"))
    return loaded


def _templates() -> dict[str, Template]:
    shared = load_pilot_yaml("templates.yaml")
    return {
        name: Template.model_validate({"name": name, "phrasings": shared.get(name, {}).get("phrasings"), **content})
        for name, content in load_yaml("templates.yaml").items()
    }


TEMPLATES: dict[str, Template] = _templates()
