"""The study file of this benchmark, and a model named on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import yaml
from pydantic import Field, ValidationError, model_validator

from alifba.config import Api, Price, Strict, Text
from alifba.errors import InputError, closest
from alifba.hieratic.records import ModelInfo
from alifba.paths import resolve

Effort = Literal["minimal", "low", "medium", "high", "xhigh", "max"]
EFFORTS: tuple[Effort, ...] = get_args(Effort)
Provider = Literal["openai", "openrouter", "vllm", "llama-cpp", "ollama", "transformers", "anthropic", "fake"]
SHIPPED = Path("studies/hieratic.yaml")


class VisionModel(Strict):
    """A model that can be asked. A key of the study file, or ``provider:id`` for any other."""

    key: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """Part of run file names; the same model at two efforts has one key."""
    label: Text
    provider: Provider
    id: Text
    effort: Effort | None = None
    """The protocol asks for "high" where a model takes an effort."""
    base_url: str | None = None
    price: Price | None = None
    """Needed for a cost limit; `image_tokens` too."""

    def info(self) -> ModelInfo:
        """What its records say of it."""
        named: dict[str, Any] = {"key": self.key, "label": self.label, "provider": self.provider, "id": self.id}
        return ModelInfo(**named, **({"effort": self.effort} if self.effort else {}))

    def api(self, concurrency: int) -> Api:
        """How it is asked: nothing is set but the effort.

        Raises:
            InputError: the address is none.
        """
        given: dict[str, Any] = {"provider": self.provider, "model": self.id, "base_url": self.base_url}
        try:
            return Api(**given, temperature=None, reasoning=self.effort, workers=concurrency, price=self.price)
        except ValidationError as fault:
            first = fault.errors()[0]
            raise InputError(f"{first['loc'][0]}: {first['msg']}", value=first["input"]) from None


class VisionStudy(Strict):
    """Which items are asked, of which models, and where the answers lie."""

    name: Text
    title: Text
    data: Text
    """The folder of items; DATA= on the command line replaces it."""
    results: Text
    """Holds ``runs/`` (public), ``inbox/`` (private, ignored by git) and ``tables/``."""
    samples: int = Field(default=1, ge=1)
    """How often a public item is asked on each rung."""
    sealed_samples: int = Field(default=3, ge=1)
    """How often a sealed item is: there are few of them."""
    max_tokens: int = Field(default=32_000, ge=1)
    """The most tokens of a reply, reasoning and all; some providers need a limit."""
    models: list[VisionModel] = Field(default=[])

    @model_validator(mode="after")
    def _keys_differ(self) -> VisionStudy:
        keys = [model.key for model in self.models]
        if len(set(keys)) < len(keys):
            raise ValueError("a model's key stands twice")
        return self


def load_study(path: str | Path = SHIPPED) -> VisionStudy:
    """Read and validate the study file.

    Raises:
        InputError: no such file, broken YAML, unknown key or wrong type.
    """
    file = resolve(path)
    try:
        return VisionStudy.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise InputError("no such study file", file=file) from None
    except yaml.YAMLError as fault:
        raise InputError(f"not valid YAML: {fault}", file=file) from None
    except ValidationError as fault:
        first = fault.errors()[0]
        name = ".".join(map(str, first["loc"]))
        hint = closest(str(first["loc"][-1]), [*VisionStudy.model_fields, *VisionModel.model_fields]) if name else None
        raise InputError(f"{name}: {first['msg']}", file=file, value=first["input"], likely=hint) from None


def find_model(name: str, study: VisionStudy, effort: str | None = None, base_url: str | None = None) -> VisionModel:
    """The model of the study with this key, or the one that ``provider:id`` names.

    `effort` replaces the declared one; "none" asks for none. Without it a model named by ``provider:id`` gets none:
    not every model takes one.

    Raises:
        InputError: neither a key nor ``provider:id``, or an effort that does not exist.
    """
    if effort not in (None, "none", *EFFORTS):
        raise InputError("no such effort", value=effort, next_step=f"one of {', '.join(EFFORTS)}, none")
    for model in study.models:
        if name == model.key:
            found = model
            break
    else:
        provider, colon, id_ = name.partition(":")
        if not colon or not id_ or provider not in get_args(Provider):
            raise InputError(
                "no such model",
                value=name,
                likely=closest(name, [model.key for model in study.models]),
                next_step=f"a key of the study, or provider:id with one of {', '.join(get_args(Provider))}",
            )
        key = "".join(
            sign if sign.isascii() and (sign.isalnum() or sign in ".-") else "-" for sign in id_.split("/")[-1]
        )
        found = VisionModel(key=key.lstrip("-.") or "model", label=id_, provider=provider, id=id_)  # type: ignore[arg-type]
    changes: dict[str, Any] = {"base_url": base_url} if base_url else {}
    if effort is not None:
        changes["effort"] = None if effort == "none" else effort
    return found.model_copy(update=changes)
