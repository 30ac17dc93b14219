"""A study file (``studies/<name>.yaml``): which items, which runs, how they are compared. Frozen and strict."""

from __future__ import annotations

from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from alifba.errors import InputError, closest
from alifba.paths import resolve

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Style = Literal["default", "plain", "oneshot", "zeroshot", "script", "choice"]
"""Prompt styles; "choice" is the same question with four options."""


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


class Price(_Strict):
    """US dollars for a million tokens. `image_tokens` is the most that one image counts as."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    image_tokens: int | None = Field(default=None, ge=0)


class Retry(_Strict):
    """What an API may cost in patience, in seconds: one try, all tries of an item, the first and the longest wait.

    After `give_up_after` items in a row that no try could get through, the run stops; it can be resumed.
    """

    try_s: float = Field(default=120, gt=0)
    deadline_s: float = Field(default=600, gt=0)
    wait_s: float = Field(default=1, gt=0)
    longest_wait_s: float = Field(default=60, gt=0)
    give_up_after: int = Field(default=50, ge=1)


class Api(_Strict):
    """A model behind an API. What a provider is, its address and its spelling of a setting stand in
    ``backends/data/api.toml``; anything that changes an answer is part of the run's signature."""

    provider: Literal["openai", "openrouter", "vllm", "llama-cpp", "ollama", "transformers", "anthropic"]
    model: Text
    """The name by which the endpoint knows the model; a dated one does not move."""
    base_url: str | None = Field(default=None, pattern=r"^https?://[^\s?#@]+$")
    """The provider's own where left out. Without user name, password or key: it is written into every row."""
    key_env: str | None = Field(default=None, pattern=r"^[A-Z][A-Z0-9_]*(KEY|TOKEN|SECRET)$")
    """The environment variable that holds the key; the provider's own where left out."""
    endpoint: Literal["chat", "completion"] = "chat"
    """A base model has no chat template: ask it by "completion"."""
    reasoning: Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    """None sends nothing: the provider decides. An endpoint that refuses is recorded as unsupported."""
    temperature: float | None = Field(default=0.0, ge=0)
    """None sends nothing, for endpoints that take no temperature."""
    seed: int | None = None
    extra_body: dict[str, Any] = {}
    """More fields for the body of every request."""
    workers: int = Field(default=8, ge=1, le=256)
    price: Price | None = None
    retry: Retry = Retry()


class Command(_Strict):
    """A program that reads the prompt on its standard input and prints the answer.

    A word of `argv` with a slash that names a file is part of the run's revision, bytes and all. `pass_env` names
    environment variables that the program may see besides PATH and LANG.
    """

    argv: list[Text] = Field(min_length=1)
    timeout_s: float = Field(default=120, gt=0)
    max_bytes: int = Field(default=1_000_000, ge=1)
    workers: int = Field(default=2, ge=1, le=64)
    pass_env: list[Text] = []


class Model(_Strict):
    """A model of the study. `name` is what the rows of its raw outputs say."""

    slug: Slug
    name: Text
    label: Text
    backend: Literal["transformers", "api", "command", "fake"] = "transformers"
    source: Source | None = None
    api: Api | None = None
    command: Command | None = None
    precision: Literal["bfloat16", "float16", "float32", "nf4"] = "bfloat16"
    """What a local model computes in; "nf4" is 4-bit weights by bitsandbytes, quantised when the model is loaded."""
    chat_template: bool = False
    reasoning: Literal["on", "off"] | None = None
    """The switch of a local model's chat template, quoted in YAML; None leaves it as the template has it."""
    trust_remote_code: bool = False
    """Run Python code that lies beside the weights. Read it first."""
    batch_size: int = Field(default=32, ge=1)
    released: date | None = None
    """The day from which anyone could get the model: items made later cannot be among what it was trained on."""
    pace: float = Field(default=0, ge=0)
    """Seconds that the fake backend takes for an item."""

    @model_validator(mode="after")
    def _declares_its_backend(self) -> Model:
        for name, declared in (("api", self.api), ("command", self.command)):
            if (self.backend == name) != (declared is not None):
                raise ValueError(f"'backend: {name}' and the key {name!r} go together")
        if self.reasoning and not self.chat_template:
            raise ValueError("'reasoning' is a switch of the chat template: declare 'chat_template: true' too")
        return self


Script = Literal["Latin", "Cyrillic", "mixed", "Georgian", "other"]


class Pair(_Strict):
    """A base model and its fine-tuned half, with what the rival accounts say of it.

    `base` and `tuned` are model names as rows have them; a name without an organisation matches any.
    """

    name: Text
    base: Text
    tuned: Text
    target: Text
    related: bool
    """Whether the target language is related to the language under study."""
    script: Script
    base_family: Text
    styles: list[Style] = []
    """Prompt styles that the pair is meant to have: one without runs is named."""

    @model_validator(mode="after")
    def _two_halves(self) -> Pair:
        if self.base == self.tuned:
            raise ValueError(f"pair {self.name!r}: base and tuned are the same model")
        return self


class Account(_Strict):
    """A rival account of the damage: the pairs it predicts to be damaged are those whose `field` is `equals`, or,
    for the field "strength" (absolute losses of both languages added, in points), `above` a number."""

    name: Text
    field: Literal["script", "base_family", "related", "strength"]
    equals: Text | bool | None = None
    above: float | None = None

    @model_validator(mode="after")
    def _one_test(self) -> Account:
        if (self.field == "strength") != (self.above is not None) or (self.above is None) == (self.equals is None):
            raise ValueError("the field 'strength' takes 'above', every other field takes 'equals'")
        if self.equals is not None and (self.field == "related") != isinstance(self.equals, bool):
            raise ValueError("the field 'related' equals true or false, every other field a word")
        if self.field == "script" and self.equals not in get_args(Script):
            raise ValueError(f"no such script: {self.equals!r}; known: {', '.join(get_args(Script))}")
        return self


class Gates(_Strict):
    """A run that fails one is not a measurement. Shares in [0, 1]; thresholds of the published study."""

    coverage: float = Field(default=0.90, ge=0, le=1)
    empty: float = Field(default=0.20, ge=0, le=1)
    example_echo: float = Field(default=0.20, ge=0, le=1)
    question_echo: float = Field(default=0.20, ge=0, le=1)
    extraction: float = Field(default=0.30, ge=0, le=1)


class Resampling(_Strict):
    """Percentile bootstrap over items; the seed is part of every table that rests on it."""

    resamples: int = Field(default=10_000, ge=100, le=1_000_000)
    level: float = Field(default=0.95, gt=0.5, lt=1)
    seed: int = Field(default=0, ge=0)


class Decoding(_Strict):
    """How the models of a study generate, the same for all of them: greedily, at most 32 tokens (4 for a letter).

    Both are part of a run's signature.
    """

    stop_at_next_question: bool = False
    """End a reply where the model goes on with a question of its own; the text keeps the stop."""
    shared_prefix: bool = True
    """Let local models compute what all prompts begin with once, and fill the place of an answer that has ended with
    the next prompt. A few answers can differ from those of plain batches, as they do between batch sizes: sums are
    rounded in another order. A model whose cache allows no sharing is run in plain batches."""


class Study(_Strict):
    """Everything that says what a study is."""

    name: Slug
    title: Text
    dataset: Text | None = None
    """Path of the built dataset, from the repository root. May be left out and given as DATASET=."""
    runs: Text | None = None
    """Folder of raw outputs. May be left out and given as RUNS=."""
    languages: list[Literal["az", "en"]] = Field(default=["az", "en"], min_length=1)
    styles: list[Style] = Field(default=["default"], min_length=1)
    primary_style: Style = "default"
    profile: Literal["paper", "explore"] = "paper"
    """"paper" refuses a model whose revision can move (a branch, a tag); "explore" takes what it points to now."""
    decoding: Decoding = Decoding()
    models: list[Model] = []
    control_templates: list[Text] = []
    """Templates whose items are universal by construction: the control stratum. "*" matches anything."""
    bootstrap: Resampling = Resampling()
    pairs: list[Pair] = []
    accounts: list[Account] = []
    style_rules: list[Annotated[list[Style], Field(min_length=1)]] = Field(
        default=[["default", "oneshot"], ["oneshot", "default"]], min_length=1
    )
    """Orders of preference: a pair enters the comparison between pairs in the first style in which it is valid."""
    gates: Gates = Gates()
    published_pairs: Text | None = None
    """A table of published pair figures, set beside the study's own."""
    error_labels: Text | None = None
    """A CSV file of human error labels (gold, answer, label) to judge the confusion detectors by."""
    tokenizers: dict[str, str] = {}
    """Model name to a tokenizer.json or a folder that holds one."""
    manuscript: Text = "paper/report.md"
    acknowledged_extremes: list[Text] = []
    """Strata ("model/language/stratum") known to be at exactly 0 or 1; any other such stratum stops the paper."""

    @model_validator(mode="after")
    def _unique_models(self) -> Study:
        names = [("model slug", [m.slug for m in self.models]), ("model name", [m.name for m in self.models])]
        for what, values in [*names, ("pair name", [pair.name for pair in self.pairs])]:
            if repeated := {value for value in values if values.count(value) > 1}:
                raise ValueError(f"{what} used twice: {', '.join(sorted(repeated))}")
        return self

    @model_validator(mode="after")
    def _primary_style_is_run(self) -> Study:
        if self.primary_style not in self.styles:
            raise ValueError(f"primary_style {self.primary_style!r} is not among the styles")
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
        parts = (Study, Decoding, Model, Source, Api, Price, Retry, Command, Pair, Account, Gates, Resampling)
        known = [name for part in parts for name in part.model_fields]
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
