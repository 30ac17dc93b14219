"""RUN: send every item of a dataset to a model and keep what comes back, word for word. Never scores."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import alifba
from alifba.azeval.prompts import item_prompt, next_question, template_sha
from alifba.backends import api_unsupported
from alifba.backends.base import Backend, Description, Generation, UnsupportedSetting
from alifba.backends.fake import FakeBackend
from alifba.backends.pricing import Estimate, estimate
from alifba.config import Decoding, Model, Study
from alifba.items import ItemSet
from alifba.run_writer import RunWriter
from alifba.runs import read_run, run_file_name, written

MAX_NEW_TOKENS = 32
_UNDECLARED = Decoding()
# Seconds to wait for another writer of the same run, such as the kernel of one that was killed.
PATIENCE_S = 10.0
MAX_NEW_TOKENS_CHOICE = 4
"""A letter needs no more; the base model would go on with a question of its own."""


def token_limit(style: str) -> int:
    """How many new tokens a reply may have: 32, as in the published study, and fewer for a letter."""
    return MAX_NEW_TOKENS_CHOICE if style == "choice" else MAX_NEW_TOKENS


@dataclass(frozen=True)
class RunReport:
    """What a call to `run_model` did: counts of items, the file, and US dollars (None where no price is known)."""

    path: Path
    n_items: int
    n_before: int
    n_answered: int
    n_failed: int
    cost_usd: float | None = None


class Progress:
    """Prints rate and time left every `every` seconds; for `run_model`'s `progress`."""

    def __init__(self, label: str, every: float = 15.0) -> None:
        self._label, self._every = label, every
        self._begun = self._last = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last < self._every and done < total:
            return
        self._last = now
        rate = done / max(now - self._begun, 1e-9)
        print(f"{self._label}: {done} of {total}, {rate:.1f} items/s, {(total - done) / rate:.0f} s left", flush=True)


def open_backend(model: Model, max_cost: float | None = None, study: Study | None = None) -> Backend:
    """Load the backend that is declared for `model`; `max_cost` (US dollars) limits what an API may charge.

    `study` says how its models decode and whether a revision may move; without one, as a study that says nothing.
    """
    if model.backend == "fake":
        return FakeBackend(model.name, model.batch_size, pace=model.pace)
    if model.backend == "api":
        from alifba.backends.api import ApiBackend

        return ApiBackend(model, max_cost)
    if model.backend == "command":
        from alifba.backends.command import CommandBackend

        return CommandBackend(model)
    from alifba.backends.transformers import TransformersBackend

    if study is None:
        return TransformersBackend(model)
    return TransformersBackend(model, study.decoding.shared_prefix, floating=study.profile == "explore")


def run_model(
    backend: Backend,
    model: Model,
    items: ItemSet,
    language: str,
    style: str,
    folder: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
    decoding: Decoding = _UNDECLARED,
) -> RunReport:
    """Ask `model` every item of `items` that its raw file in `folder` does not yet answer.

    `progress` is called with (items done, items in all) after each reply. `decoding` is the study's.

    Raises:
        UnsupportedSetting: the endpoint refuses what the study declares; recorded under ``unsupported/``.
    """
    path = folder / run_file_name(model.name, language, style)
    stop = next_question(language) if decoding.stop_at_next_question else None
    template = row_template(model, backend.description, items, language, style, stop)
    with RunWriter(path, template, patience=PATIENCE_S) as writer:
        prompts = [item_prompt(item, items, language, style) for item in items]
        answered = frozenset(place for place, item in enumerate(items) if item.id in writer.answered)
        n_todo = len(items) - len(answered)
        failed, costs = 0, []
        try:
            for done, reply in enumerate(backend.generate(prompts, token_limit(style), answered, stop), 1):
                failed += reply.text is None
                costs += [reply.cost_usd] if reply.cost_usd is not None else []
                writer.append(id=items.items[reply.index].id, prompt=prompts[reply.index], **_row_of(reply))
                progress(done, n_todo)
        except UnsupportedSetting as fault:
            if model.api:
                api_unsupported.record(path, model.api, fault)
            raise
    return RunReport(path, len(items), len(answered), n_todo - failed, failed, sum(costs) if costs else None)


def _row_of(reply: Generation) -> dict[str, Any]:
    """The fields of a row that a reply fills. What only some backends know is left out where it is not known."""
    known = {name: getattr(reply, name) for name in ("error", "seconds", "cost_usd", "served_model", "batch_size")}
    return {
        "raw_response": reply.text,
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "stop_reason": reply.stop_reason,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
    } | {name: value for name, value in known.items() if value is not None}


def row_template(
    model: Model, made_by: Description, items: ItemSet, language: str, style: str, stop: str | None
) -> dict[str, Any]:
    """What every row of a run says."""
    return {
        "id": "",
        "model": model.name,
        "language": language,
        "prompt_style": style,
        "prompt": "",
        "raw_response": None,
        "generation": {
            "max_new_tokens": token_limit(style),
            "do_sample": False,
            "temperature": 0.0,
            "seed": 0,
            "batch_size": made_by.batch_size,
            "chat_template": made_by.chat_template,
        }
        | ({"stop": stop} if stop else {})
        | made_by.decoding,
        "environment": made_by.environment,
        "timestamp": "",
        "revision": made_by.revision,
        "precision": made_by.precision,
        "device": made_by.device,
        "template": template_sha(language, style),
        "dataset_sha256": items.sha256,
        "code_version": alifba.__version__,
    }


@dataclass(frozen=True)
class PlannedRun:
    """A declared run and how many items of the dataset its raw file answers already.

    `unsupported`: its endpoint refused the declared settings before, so it is not to be asked again.
    """

    model: Model
    language: str
    style: str
    path: Path
    n_answered: int
    n_items: int
    unsupported: bool = False

    @property
    def complete(self) -> bool:
        return self.n_answered == self.n_items

    @property
    def state(self) -> Literal["complete", "unsupported", "to run"]:
        """What is to be done; an unsupported run is named so even where some items were answered."""
        if self.complete:
            return "complete"
        return "unsupported" if self.unsupported else "to run"


def estimate_run(run: PlannedRun, items: ItemSet) -> Estimate:
    """What asking the items that `run` still lacks would send, and cost if its model is behind an API."""
    there = written(run.path)
    rows = read_run(there).rows if there else {}
    answered = {id_ for id_, row in rows.items() if row.raw_response is not None}
    prompts = [item_prompt(item, items, run.language, run.style) for item in items if item.id not in answered]
    return estimate(run.model.api.price if run.model.api else None, prompts, token_limit(run.style))


def plan(study: Study, items: ItemSet, folder: Path) -> Iterator[PlannedRun]:
    """Every run that `study` declares: its models in each language and style."""
    for model in study.models:
        for language in study.languages:
            for style in study.styles:
                yield planned(model, language, style, folder, items)


def planned(model: Model, language: str, style: str, folder: Path, items: ItemSet) -> PlannedRun:
    """One run and how far its raw file in `folder` is."""
    path = folder / run_file_name(model.name, language, style)
    there = written(path)
    rows = read_run(there).rows if there else {}
    answered = sum(id_ in rows and rows[id_].raw_response is not None for id_ in items.by_id)
    refused = api_unsupported.is_recorded(path, model.api)
    return PlannedRun(model, language, style, path, answered, len(items), refused)
