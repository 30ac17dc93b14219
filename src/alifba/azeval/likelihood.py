"""RUN, without generating: how likely a model finds the gold answer of every item, kept as raw rows like any run's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from alifba.azeval.prompts import item_prompt
from alifba.azeval.running import PATIENCE_S, PlannedRun, RunReport, planned, row_template
from alifba.config import Model, Study
from alifba.items import ItemSet
from alifba.run_writer import RunWriter
from alifba.runs import run_file_name

if TYPE_CHECKING:
    from alifba.backends.likelihood import LikelihoodBackend

STYLE = "default"


def likelihood_folder(runs: Path) -> Path:
    """Where a study's likelihood runs lie: beside its raw outputs."""
    return runs.parent / "likelihood"


def run_likelihood(
    backend: LikelihoodBackend,
    model: Model,
    items: ItemSet,
    language: str,
    folder: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> RunReport:
    """Measure every item of `items` that the raw file in `folder` lacks.

    A row's `raw_response` is the gold answer that the model was shown after the prompt; `nll` is the negative
    log-likelihood of its `completion_tokens` tokens in nats, `n_chars` its characters.
    """
    path = folder / run_file_name(model.name, language, STYLE)
    template = row_template(model, backend.description, items, language, STYLE, None)
    made = template["generation"]
    template["generation"] = {"forced": "gold"} | {key: made[key] for key in ("batch_size", "chat_template")}
    with RunWriter(path, template, patience=PATIENCE_S) as writer:
        prompts = [item_prompt(item, items, language, STYLE) for item in items]
        answers = [item.answer if language == "az" else item.answer_en for item in items]
        answered = frozenset(place for place, item in enumerate(items) if item.id in writer.answered)
        n_todo = len(items) - len(answered)
        for done, found in enumerate(backend.score(prompts, answers, answered), 1):
            writer.append(
                id=items.items[found.index].id,
                prompt=prompts[found.index],
                raw_response=answers[found.index],
                nll=round(found.nll, 6),
                n_chars=len(answers[found.index]),
                prompt_tokens=found.prompt_tokens,
                completion_tokens=found.tokens,
                timestamp=datetime.now(UTC).isoformat(timespec="milliseconds"),
            )
            progress(done, n_todo)
    return RunReport(path, len(items), len(answered), n_todo, 0)


def plan_likelihood(study: Study, items: ItemSet, runs: Path) -> Iterator[PlannedRun]:
    """The likelihood runs of a study that adapts: every model in each language."""
    for model in study.models if study.adaptation else ():
        for language in study.languages:
            yield planned(model, language, STYLE, likelihood_folder(runs), items)
