"""A tifinagh study (``studies/tifinagh.yaml``): dictionaries, sample, models, judge. Frozen and strict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, Field, model_validator

from alifba.config import Model, Slug, Strict, Text
from alifba.errors import InputError, closest
from alifba.jsonl import validated
from alifba.paths import resolve
from alifba.tifinagh.records import DIALECTS, TASKS, Dialect, Task

_Model = TypeVar("_Model", bound=BaseModel)


class Agent(Strict):
    """A command-line agent as a contestant. How it is called, with everything off, stands in ``data/agents.toml``.

    It gets PATH, LANG and the variables that `pass_env` names, an empty home and an empty folder, and nothing else.
    """

    slug: Slug
    name: Text
    label: Text
    adapter: Literal["codex", "claude", "gemini", "generic"]
    model: Text | None = None
    """The model that it is told to use; "generic" has none."""
    program: Text | None = None
    """Where the program is, if it is not on PATH under the adapter's own name."""
    argv: list[Text] = Field(default=[])
    """Of "generic": the whole command; it reads the prompt on its standard input and prints the reply."""
    pass_env: list[Text] | None = None
    """The adapter's own key variable where left out."""
    timeout_s: float = Field(default=900, gt=0)
    workers: int = Field(default=2, ge=1, le=64)

    @model_validator(mode="after")
    def _called_somehow(self) -> Agent:
        if self.adapter == "generic" and (not self.argv or self.model or self.program):
            raise ValueError("the adapter 'generic' takes 'argv', and neither 'model' nor 'program'")
        if self.adapter != "generic" and (self.argv or not self.model):
            raise ValueError(f"the adapter {self.adapter!r} takes 'model', and no 'argv'")
        return self


Contestant = Model | Agent


class Judge(Strict):
    """Who grades answers that no exact rule decides: a model or an agent, by batches."""

    model: Model | None = None
    agent: Agent | None = None
    batch_size: int = Field(default=50, ge=1, le=50)
    retries: int = Field(default=3, ge=0, le=3)
    max_new_tokens: int = Field(default=8192, ge=16)

    @model_validator(mode="after")
    def _one_judge(self) -> Judge:
        if (self.model is None) == (self.agent is None):
            raise ValueError("give either 'model' or 'agent'")
        return self

    @property
    def contestant(self) -> Contestant:
        """Whichever of the two is given."""
        chosen = self.model or self.agent
        assert chosen is not None
        return chosen


class TifinaghStudy(Strict):
    """Everything that says what a tifinagh study is."""

    name: Slug
    title: Text
    dictionaries: list[Text] = Field(min_length=1)
    """Mapping files, one a dialect; see ``dictionaries.py``."""
    runs: Text
    """The folder of the runs."""
    dialects: list[Dialect] = Field(default=list(DIALECTS), min_length=1)
    tasks: list[Task] = Field(default=list(TASKS), min_length=1)
    sample: Annotated[int, Field(ge=1)] | Literal["all"] = 250
    """Entries per dialect."""
    seed: int = Field(default=1, ge=0)
    batch_size: int = Field(default=100, ge=1)
    """Questions in one request. Scores are comparable only between runs with the same."""
    retries: int = Field(default=2, ge=0)
    max_new_tokens: int = Field(default=8192, ge=16)
    """The longest reply to one request."""
    models: list[Model] = Field(default=[])
    agents: list[Agent] = Field(default=[])
    judge: Judge | None = None

    @model_validator(mode="after")
    def _no_repeats(self) -> TifinaghStudy:
        slugs = [contestant.slug for contestant in self.contestants]
        given: list[tuple[str, list[str]]] = [("slug", slugs), ("dialect", [*self.dialects]), ("task", [*self.tasks])]
        for what, values in given:
            if repeated := {value for value in values if values.count(value) > 1}:
                raise ValueError(f"{what} given twice: {', '.join(sorted(repeated))}")
        return self

    @property
    def contestants(self) -> list[Contestant]:
        """Models, then agents."""
        return [*self.models, *self.agents]

    @property
    def n_sample(self) -> int | None:
        """Entries per dialect; None for all."""
        return None if self.sample == "all" else self.sample

    def contestant(self, slug: str) -> Contestant:
        """The one declared under `slug`. Raises `InputError` if there is none."""
        known = {contestant.slug: contestant for contestant in self.contestants}
        if slug not in known:
            raise InputError(
                "no such model in the study",
                value=slug,
                likely=closest(slug, known),
                next_step="declared: " + (", ".join(known) or "none"),
            )
        return known[slug]


def load_tifinagh_study(path: str | Path) -> TifinaghStudy:
    """Read and validate a study file. Raises `InputError` naming file, key and value."""
    return read_yaml(resolve(path), TifinaghStudy)


def read_yaml(path: Path, model: type[_Model]) -> _Model:
    """The YAML file `path` as `model`. Raises `InputError` naming file, key and value."""
    try:
        content: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", file=path, next_step="check the path") from None
    except (UnicodeDecodeError, OSError) as fault:
        raise InputError(f"not a text file ({fault})", file=path) from None
    except (yaml.YAMLError, ValueError) as fault:
        mark = getattr(fault, "problem_mark", None)
        line = mark.line + 1 if mark else None
        raise InputError(f"not valid YAML: {getattr(fault, 'problem', fault)}", file=path, line=line) from None
    if not isinstance(content, dict):
        raise InputError("a mapping of keys is needed", file=path, value=content)
    return validated(model, content, path, 0)
