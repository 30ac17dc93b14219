"""What a person wishes of a run, carried out for each model: for the command line and the notebook."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from alifba.errors import InputError
from alifba.hieratic.items import ItemFolder
from alifba.hieratic.planning import Job, plan
from alifba.hieratic.running import Places, RunReport, estimate_cost, open_model, run
from alifba.hieratic.settings import VisionModel, VisionStudy, find_model
from alifba.paths import shown

_TELL_EVERY_S = 15.0


@dataclass(frozen=True)
class Wishes:
    """The options of a run; what is left empty is as the study declares it."""

    models: Sequence[str]
    rungs: Sequence[str] = ()
    items: Sequence[str] = ()
    samples: int | None = None
    effort: str | None = None
    concurrency: int = 8
    limit: int | None = None
    dry_run: bool = False
    resume: bool = False
    max_cost: float | None = None
    base_url: str | None = None


def wishes_of(
    models: str,
    rungs: str = "",
    items: str = "",
    samples: str = "",
    effort: str = "",
    concurrency: str = "8",
    limit: str = "",
    dry_run: str = "",
    resume: str = "",
    max_cost: str = "",
) -> Wishes:
    """The same from a notebook's parameters: words with spaces between, numbers as text, "yes" or nothing.

    Raises:
        InputError: a number that is none.
    """

    def number(text: str) -> int | None:
        return int(text) if text else None

    try:
        return Wishes(
            models=models.split(),
            rungs=rungs.split(),
            items=items.split(),
            samples=number(samples),
            effort=effort or None,
            concurrency=int(concurrency),
            limit=number(limit),
            dry_run=bool(dry_run),
            resume=bool(resume),
            max_cost=float(max_cost) if max_cost else None,
        )
    except ValueError as fault:
        raise InputError(f"a parameter of the run is no number ({fault})") from None


@dataclass
class _Progress:
    """Tells how far a run is, every 15 s."""

    label: str
    tell: Callable[[str], None]
    begun: float = field(default_factory=time.monotonic)
    last: float = field(default_factory=time.monotonic)

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.last >= _TELL_EVERY_S:
            self.last = now
            left = (total - done) * (now - self.begun) / done
            self.tell(f"{self.label}: {done} of {total} calls, {left:.0f} s left")


def ask_models(
    study: VisionStudy, items: ItemFolder, results: Path, wishes: Wishes, tell: Callable[[str], None] = print
) -> list[RunReport]:
    """Ask each model in turn; `tell` gets lines for people. With `dry_run` nothing is sent and nothing returned."""
    jobs = plan(
        items,
        wishes.rungs,
        wishes.items,
        wishes.samples or study.samples,
        wishes.samples or study.sealed_samples,
        wishes.limit,
    )
    models = [find_model(name, study, wishes.effort, wishes.base_url) for name in wishes.models]
    reports = []
    for model in models:
        if wishes.dry_run:
            sealed = sum(job.item.is_sealed(job.rung) for job in jobs)
            cost = estimate_cost(model, jobs, items, study.max_tokens)
            tell(f"{model.info().shown} would be asked {len(jobs)} times, {sealed} of them sealed: {cost}")
        else:
            reports.append(_ask(model, study, jobs, items, Places.below(results), wishes, tell))
    return reports


def _ask(
    model: VisionModel,
    study: VisionStudy,
    jobs: Sequence[Job],
    items: ItemFolder,
    places: Places,
    wishes: Wishes,
    tell: Callable[[str], None],
) -> RunReport:
    info = model.info()
    run_id = (places.latest(info) or "") if wishes.resume else ""
    if wishes.resume and not run_id:
        tell(f"{info.shown}: no run to go on with, a new one is begun")
    ask = open_model(model, wishes.concurrency, wishes.max_cost)
    done = run(ask, info, jobs, items, places, run_id, study.max_tokens, _Progress(info.shown, tell))
    cost = "" if done.cost_usd is None else f", {done.cost_usd:.4f} US dollars"
    tell(
        f"{info.shown}: {done.n_jobs} calls, {done.n_before} answered before, {done.n_answered} now, "
        f"{done.n_refused} of them refusals, {done.n_failed} failed{cost}: {shown(places.runs)}/{done.run_id}.jsonl"
    )
    return done
