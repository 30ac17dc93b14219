"""Read a study file, with errors that name line, value and the nearest known key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from alifba.config.adaptation import Adaptation, Arm, Hypothesis, ParallelText, Recipe
from alifba.config.comparison import Account, Gates, Pair, Resampling
from alifba.config.models import Api, Command, Model, Price, Retry, Source
from alifba.config.study import Decoding, Study
from alifba.errors import InputError, closest
from alifba.paths import resolve

_PARTS = (
    *(Study, Decoding, Model, Source, Api, Price, Retry, Command),
    *(Pair, Account, Gates, Resampling, Adaptation, Arm, Hypothesis, ParallelText, Recipe),
)


def load_study(path: str | Path) -> Study:
    """Read and validate a study file.

    Raises:
        InputError: missing file, broken YAML, unknown key, wrong type; with file, line and the nearest known key.
    """
    path = resolve(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError("no such study file", file=path, next_step="see studies/ for those that ship") from None
    except (UnicodeDecodeError, IsADirectoryError) as fault:
        raise InputError(f"not a text file ({fault})", file=path) from None
    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except Exception as fault:
        # Not only YAMLError: a value such as 9999-99-99 or !!bool maybe raises whatever its reading leads to.
        mark = getattr(fault, "problem_mark", None)
        raise InputError(
            f"not valid YAML: {getattr(fault, 'problem', fault)}", file=path, line=mark.line + 1 if mark else None
        ) from None
    if not isinstance(content, dict):
        raise InputError("a study file is a mapping of keys", file=path, value=content)
    _refuse_repeated_keys(tree, path)
    try:
        return Study.model_validate(content)
    except ValidationError as fault:
        raise _explained(fault, path, tree) from None


def _refuse_repeated_keys(tree: yaml.Node | None, path: Path) -> None:
    # A list of nodes and not a recursion: an alias may stand inside what it names.
    nodes, visited = [tree], set()
    while nodes:
        node = nodes.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                if key.value in seen:
                    raise InputError(f"key {key.value!r} stands twice", file=path, line=key.start_mark.line + 1)
                seen.add(key.value)
                nodes.append(value)
        elif isinstance(node, yaml.SequenceNode):
            nodes.extend(node.value)


def _line(tree: yaml.Node | None, where: tuple[int | str, ...]) -> int | None:
    """The line of the deepest part of `where` that the file holds."""
    line = None
    for step in where:
        if isinstance(tree, yaml.MappingNode):
            found = [(key, value) for key, value in tree.value if key.value == step]
            if not found:
                break
            line, tree = found[0][0].start_mark.line + 1, found[0][1]
        elif isinstance(tree, yaml.SequenceNode) and isinstance(step, int) and step < len(tree.value):
            tree = tree.value[step]
            line = tree.start_mark.line + 1
    return line


def _explained(fault: ValidationError, path: Path, tree: yaml.Node | None) -> InputError:
    # An unknown key first: misspelt, it is also why another one is missing.
    first: Any = min(fault.errors(), key=lambda error: error["type"] != "extra_forbidden")
    where = ".".join(str(part) for part in first["loc"])
    line = _line(tree, first["loc"])
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        known = [name for part in _PARTS for name in part.model_fields]
        return InputError(
            f"unknown key {where!r}", file=path, line=line, likely=closest(key, known), next_step="remove or rename it"
        )
    if first["type"] == "missing":
        return InputError(
            f"key {where!r} is missing", file=path, line=line, next_step="add it; README.md shows a study file"
        )
    likely = (
        "an unquoted yes, no, on or off: YAML reads these as true and false"
        if isinstance(first["input"], bool)
        else None
    )
    said = first["msg"].removeprefix("Value error, ")
    return InputError(
        f"{where}: {said}" if where else said,
        file=path,
        line=line,
        value=first["input"] if where else None,
        likely=likely,
    )
