"""A project file and its items: what is tested, by whom, under which versions."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from alifba.arabic.methodology import Methodology, methodology
from alifba.arabic.records import Attempt, Item, Scorer, Section, Tool
from alifba.config import Strict, Text
from alifba.errors import InputError, closest
from alifba.paths import resolve, shown

_Entry = TypeVar("_Entry")
SHIPPED = Path("data/arabic/project.yaml")


class Settings(Strict):
    """What a project file says. Paths are relative to its folder."""

    methodology: Text
    """Version of the rules, from ``data/methodology.yaml`` of the package."""
    test_set: Text
    """Version of the test set that new runs are of."""
    items: Text
    """The item file."""
    logs: Text
    """The folder of all logs; see `alifba.arabic.records`."""
    tools: list[Tool]
    scorers: list[Scorer] = Field(default_factory=list)


@dataclass(frozen=True)
class Project:
    """A project that was read: settings, items, rules and the folder of the logs."""

    path: Path
    settings: Settings
    items: tuple[Item, ...]
    rules: Methodology
    logs: Path

    @property
    def tools(self) -> list[Tool]:
        return self.settings.tools

    def tool(self, name: str) -> Tool:
        """The tool `name`. Raises InputError for an unknown one."""
        return _named(name, {tool.id: tool for tool in self.tools}, "tool", self.path)

    def scorer(self, name: str) -> Scorer:
        """The profile of the person `name`. Raises InputError for a person without one."""
        return _named(name, {one.id: one for one in self.settings.scorers}, "scorer", self.path)

    def item(self, key: str) -> Item:
        """The item version `key`, such as "GLF-02.b". Raises InputError for an unknown one."""
        return _named(key, {item.key: item for item in self.items}, "item", self.path)

    def items_for(self, tool: Tool, test_set: str | None = None, section: Section | None = None) -> list[Item]:
        """The items of a test set (default: the current one) that `tool` is asked, those that need a sample too."""
        wanted = test_set or self.settings.test_set
        sections = [section] if section else self.sections(tool)
        return [
            item
            for item in self.items
            if wanted in item.test_sets and tool.kind in item.kinds and item.section in sections
        ]

    def sections(self, tool: Tool) -> list[Section]:
        """The sections that apply to `tool`, by its kind."""
        return self.rules.kinds[tool.kind]


def load_project(path: str | Path = SHIPPED) -> Project:
    """Read a project file and its items.

    Raises:
        InputError: a missing file, broken YAML, an unknown key, a wrong value, an id that stands twice, or versions of
            an item that do not follow one another.
    """
    path = resolve(path)
    settings = _read(path, TypeAdapter(Settings))
    _refuse_repeats([tool.id for tool in settings.tools], "tool", path)
    _refuse_repeats([scorer.id for scorer in settings.scorers], "scorer", path)
    item_path = path.parent / settings.items
    items = _read(item_path, TypeAdapter(list[Item]))
    _check_versions(items, item_path)
    rules = methodology(settings.methodology)
    return Project(path, settings, tuple(items), rules, (path.parent / settings.logs).resolve())


def prompt_sha(prompt: str) -> str:
    """Sixteen hex digits of the sha256 of a prompt: NFC, trimmed."""
    return hashlib.sha256(unicodedata.normalize("NFC", prompt.strip()).encode("utf-8")).hexdigest()[:16]


def shown_row(item: Item, attempt: Attempt) -> dict[str, Any]:
    """What a scorer sees of an attempt: a row of the annotation task ``score``. Nothing of it names the tool but,
    perhaps, the output itself. `alifba.decisions.text_sha("score", row)` is the `text_sha` of its scores."""
    return {
        "id": attempt.id,
        "category": item.section,
        "prompt": item.prompt,
        "output": attempt.output,
        "criteria": list(item.criteria),
        "dir": "auto",
    }


def _named(name: str, known: dict[str, _Entry], what: str, path: Path) -> _Entry:
    if name not in known:
        raise InputError(
            f"no such {what}",
            file=shown(path),
            value=name,
            likely=closest(name, known),
            next_step=f"known: {', '.join(known) or 'none yet; add it to the project file'}",
        )
    return known[name]


def _read(path: Path, kind: TypeAdapter[Any]) -> Any:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", file=path, next_step=f"see {SHIPPED} for how one looks") from None
    except (yaml.YAMLError, UnicodeDecodeError) as fault:
        mark = getattr(fault, "problem_mark", None)
        raise InputError(f"not valid YAML ({fault})", file=path, line=mark.line + 1 if mark else None) from None
    try:
        return kind.validate_python(content)
    except ValidationError as fault:
        first: Any = min(fault.errors(), key=lambda error: error["type"] != "extra_forbidden")
        where = ".".join(_step(content, first["loc"], place) for place in range(len(first["loc"])))
        what = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{where}: {what}" if where else what, file=path, value=first["input"]) from None


def _step(content: Any, where: tuple[int | str, ...], place: int) -> str:
    """One step of a place in a file; an entry of a list is called by its id where it has one."""
    for step in where[: place + 1]:
        try:
            content = content[step]
        except (KeyError, IndexError, TypeError):
            return str(where[place])
    return str(content["id"]) if isinstance(content, dict) and "id" in content else str(where[place])


def _refuse_repeats(ids: list[str], what: str, path: Path) -> None:
    for one in ids:
        if ids.count(one) > 1:
            raise InputError(f"a {what} stands twice", file=path, value=one, next_step="give each an id of its own")


def _check_versions(items: list[Item], path: Path) -> None:
    _refuse_repeats([item.key for item in items], "version of an item", path)
    for name in dict.fromkeys(item.id for item in items):
        versions = sorted((item for item in items if item.id == name), key=lambda item: item.version)
        letters = "".join(item.version for item in versions)
        if letters != "abcdefghijklmnopqrstuvwxyz"[: len(letters)]:
            raise InputError(
                f"versions of {name} are not all there", file=path, value=letters, likely="one was removed"
            )
        for item in versions[:-1]:
            if item.status != "replaced":
                raise InputError(
                    f"{item.key} has a later version", file=path, value=item.status, next_step="set status: replaced"
                )
        if versions[-1].status == "replaced":
            raise InputError(f"{versions[-1].key} is replaced by nothing", file=path, next_step="add the next version")
        sets = [one for item in versions for one in item.test_sets]
        _refuse_repeats([f"{name} in test set {one}" for one in sets], "version of an item", path)
