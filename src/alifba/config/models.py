"""What a study file says of a model: where it comes from and how it is asked."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Style = Literal["default", "plain", "oneshot", "zeroshot", "script", "choice"]
"""Prompt styles; "choice" is the same question with four options."""


class Strict(BaseModel):
    """Frozen; an unknown key or another type is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Source(Strict):
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


class Price(Strict):
    """US dollars for a million tokens. `image_tokens` is the most that one image counts as."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    image_tokens: int | None = Field(default=None, ge=0)


class Retry(Strict):
    """What an API may cost in patience, in seconds: one try, all tries of an item, the first and the longest wait.

    After `give_up_after` items in a row that no try could get through, the run stops; it can be resumed.
    """

    try_s: float = Field(default=120, gt=0)
    deadline_s: float = Field(default=600, gt=0)
    wait_s: float = Field(default=1, gt=0)
    longest_wait_s: float = Field(default=60, gt=0)
    give_up_after: int = Field(default=50, ge=1)


class Api(Strict):
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


class Command(Strict):
    """A program that reads the prompt on its standard input and prints the answer.

    A word of `argv` with a slash that names a file is part of the run's revision, bytes and all. `pass_env` names
    environment variables that the program may see besides PATH and LANG.
    """

    argv: list[Text] = Field(min_length=1)
    timeout_s: float = Field(default=120, gt=0)
    max_bytes: int = Field(default=1_000_000, ge=1)
    workers: int = Field(default=2, ge=1, le=64)
    pass_env: list[Text] = []


class Model(Strict):
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
