"""A study file (``studies/<name>.yaml``): which items, which runs, how they are compared. Frozen and strict."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from alifba.errors import InputError, closest
from alifba.paths import resolve

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Source(_Strict):
    """Where a model's weights come from: exactly one of the three."""

    hub: Text | None = None
    """A hub id or a local folder; needs `revision` when it is a hub id."""
    gguf: Text | None = None
    """A GGUF file."""
    package: Text | None = None
    """A Python package that ships a GGUF file."""
    revision: Text | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> Source:
        if sum(value is not None for value in (self.hub, self.gguf, self.package)) != 1:
            raise ValueError("give exactly one of 'hub', 'gguf', 'package'")
        return self


class Model(_Strict):
    """A model of the study. `name` is what the rows of its raw outputs say."""

    slug: Slug
    name: Text
    label: Text
    backend: Literal["transformers", "fake"] = "transformers"
    source: Source | None = None
    precision: Literal["bfloat16", "float16", "float32"] = "bfloat16"
    chat_template: bool = False
    batch_size: int = Field(default=32, ge=1)


class Resampling(_Strict):
    """Percentile bootstrap over items; the seed is part of every table that rests on it."""

    resamples: int = Field(default=10_000, ge=100)
    level: float = Field(default=0.95, gt=0.5, lt=1)
    seed: int = 0


class Study(_Strict):
    """Everything that says what a study is."""

    name: Slug
    title: Text
    dataset: Text | None = None
    """Path of the built dataset, from the repository root. May be left out and given as DATASET=."""
    runs: Text | None = None
    """Folder of raw outputs. May be left out and given as RUNS=."""
    languages: list[Literal["az", "en"]] = ["az", "en"]
    styles: list[Literal["default", "plain", "oneshot", "zeroshot", "script"]] = ["default"]
    primary_style: Literal["default", "plain", "oneshot", "zeroshot", "script"] = "default"
    models: list[Model] = []
    control_templates: list[Text] = []
    """Templates whose items are universal by construction: the control stratum. "*" matches anything."""
    bootstrap: Resampling = Resampling()
    manuscript: Text = "paper/report.md"
    acknowledged_extremes: list[Text] = []
    """Strata ("model/language/stratum") known to be at exactly 0 or 1; any other such stratum stops the paper."""

    @model_validator(mode="after")
    def _unique_models(self) -> Study:
        for what in ("slug", "name"):
            values = [getattr(model, what) for model in self.models]
            if repeated := {value for value in values if values.count(value) > 1}:
                raise ValueError(f"model {what} used twice: {', '.join(sorted(repeated))}")
        return self

    def model(self, slug: str) -> Model:
        """The model declared under `slug`."""
        known = {model.slug: model for model in self.models}
        if slug not in known:
            raise InputError(
                "no such model in the study",
                value=slug,
                likely=closest(slug, known),
                next_step="declared: " + ", ".join(known),
            )
        return known[slug]

    def is_control(self, template: str) -> bool:
        return any(fnmatchcase(template, pattern) for pattern in self.control_templates)

    def dataset_path(self, given: str | Path | None = None) -> Path:
        return _given_or_declared(given, self.dataset, "dataset", "DATASET")

    def runs_path(self, given: str | Path | None = None) -> Path:
        return _given_or_declared(given, self.runs, "runs", "RUNS")


def _given_or_declared(given: str | Path | None, declared: str | None, key: str, variable: str) -> Path:
    if given:
        return resolve(given)
    if declared is None:
        raise InputError(
            f"the study declares no {key!r}", next_step=f"give {variable}=..., or declare it in the study file"
        )
    return resolve(declared)


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
    except yaml.YAMLError as fault:
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


def _refuse_repeated_keys(node: yaml.Node | None, path: Path) -> None:
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                raise InputError(f"key {key.value!r} stands twice", file=path, line=key.start_mark.line + 1)
            seen.add(key.value)
            _refuse_repeated_keys(value, path)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_repeated_keys(value, path)


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
    first: Any = fault.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    line = _line(tree, first["loc"])
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        known = [name for model in (Study, Model, Source, Resampling) for name in model.model_fields]
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
    return InputError(f"{where}: {first['msg']}", file=path, line=line, value=first["input"], likely=likely)
