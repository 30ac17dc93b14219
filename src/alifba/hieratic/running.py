"""RUN: ask a vision model, keep what it says. Answers about sealed items go to the inbox, which git ignores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alifba.backends.base import Generation, Prompt
from alifba.backends.pricing import Estimate, estimate
from alifba.config import Model
from alifba.errors import InputError
from alifba.hieratic.fake_vision import FakeVision
from alifba.hieratic.items import ItemFolder
from alifba.hieratic.judging import SEALED, judge
from alifba.hieratic.parsing import parse
from alifba.hieratic.planning import Job
from alifba.hieratic.privacy import public_copy, split
from alifba.hieratic.prompts import message
from alifba.hieratic.records import HARNESS, ModelInfo, RunRecord, Usage
from alifba.hieratic.repository import is_ignored
from alifba.hieratic.runs import RunAppender, new_run_id
from alifba.hieratic.scoring import Score
from alifba.hieratic.settings import VisionModel

Ask = Callable[[Sequence[Prompt], int, frozenset[int]], Iterator[Generation]]
"""Prompts of a run, the most tokens of a reply, and the places that are answered already, in; replies out."""


@dataclass(frozen=True)
class Places:
    """The two folders of a run's files, which have the same name in both. `inbox` must be ignored by git."""

    runs: Path
    inbox: Path

    @classmethod
    def below(cls, results: Path) -> Places:
        return cls(results / "runs", results / "inbox")

    def latest(self, model: ModelInfo) -> str | None:
        """The id of the newest run of `model` at its effort; None where there is none."""
        stems = {path.stem for folder in (self.runs, self.inbox) for path in folder.glob("*.jsonl")}
        return max((stem for stem in stems if _middle(stem) == _middle(new_run_id(model))), default=None)


def _middle(run_id: str) -> str:
    """The key and effort in the name of a run file."""
    return run_id.partition("-")[2].rpartition("-")[0]


@dataclass(frozen=True)
class RunReport:
    """What a run did: counts of calls, US dollars (None where no price is known), and where its files are."""

    run_id: str
    n_jobs: int
    n_before: int
    n_answered: int
    n_failed: int
    n_refused: int
    cost_usd: float | None = None


def open_model(model: VisionModel, concurrency: int, max_cost: float | None = None) -> Ask:
    """What asks `model`; `max_cost` (US dollars) stops before the request that could pass it.

    Raises:
        InputError: no key, no client library, or an effort that the provider has no spelling for.
    """
    if model.provider == "fake":
        fake = FakeVision(model.id)
        return lambda prompts, limit, answered: fake.generate(prompts, limit, answered)
    from alifba.backends.api import ApiBackend

    declared = Model(slug="model", name=model.id, label=model.label, backend="api", api=model.api(concurrency))
    backend = ApiBackend(declared, max_cost)
    return lambda prompts, limit, answered: backend.generate(prompts, limit, answered)


def estimate_cost(model: VisionModel, jobs: Sequence[Job], items: ItemFolder, max_tokens: int) -> Estimate:
    """What a run would send and cost. Nothing is sent."""
    return estimate(model.price, _prompts(jobs, items), max_tokens)


def _prompts(jobs: Sequence[Job], items: ItemFolder) -> list[Prompt]:
    """One prompt a job; an item's image is read once."""
    images = {id_: items[id_].read_image() for id_ in {job.item.id for job in jobs}}
    return [message(job.item, job.rung, images[job.item.id]) for job in jobs]


def run(
    ask: Ask,
    model: ModelInfo,
    jobs: Sequence[Job],
    items: ItemFolder,
    places: Places,
    run_id: str = "",
    max_tokens: int = 32_000,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> RunReport:
    """Ask every job that the files of `run_id` do not answer yet; "" begins a new run.

    Every record is on disk before the next reply is taken. Of the two records of identify on a sealed item the private
    one is written first; where a kill left it alone, the public one is made from it.

    Raises:
        InputError: another process writes this run, an image is missing, or the inbox lies in a git checkout that does
            not ignore it.
    """
    _refuse_open_inbox(places.inbox, jobs)
    prompts = _prompts(jobs, items)
    run_id = run_id or new_run_id(model)
    with ExitStack() as stack:
        files = _Files(stack, places, run_id, jobs)
        answered = files.answered(model)
        todo = frozenset(place for place, job in enumerate(jobs) if job.key in answered)
        failed, refused, costs = 0, 0, []
        for done, reply in enumerate(ask(prompts, max_tokens, todo), 1):
            job = jobs[reply.index]
            record = _record(reply, job, prompts[reply.index].text, model, run_id)
            files.append(record, job)
            failed, refused = failed + record.failed, refused + record.refusal
            costs += [reply.cost_usd] if reply.cost_usd is not None else []
            progress(done, len(jobs) - len(todo))
    n = len(jobs) - len(todo)
    return RunReport(run_id, len(jobs), len(todo), n - failed, failed, refused, sum(costs) if costs else None)


class _Files:
    """The public and the private file of a run, each opened only if the run can write to it."""

    def __init__(self, stack: ExitStack, places: Places, run_id: str, jobs: Sequence[Job]) -> None:
        self._items = {job.item.id: job.item for job in jobs}
        public = any(not job.item.is_sealed(job.rung) for job in jobs)
        sealed = any(job.item.split == "sealed" for job in jobs)
        self._public = stack.enter_context(RunAppender(places.runs / f"{run_id}.jsonl")) if public else None
        self._inbox = stack.enter_context(RunAppender(places.inbox / f"{run_id}.jsonl")) if sealed else None

    def answered(self, model: ModelInfo) -> set[tuple[str, str, int]]:
        """What needs not be asked again."""
        public = {record.key: record for record in (self._public.before if self._public else [])}
        private = {record.key: record for record in (self._inbox.before if self._inbox else [])}
        for record in [*public.values(), *private.values()]:
            if (record.model.key, record.model.effort) != (model.key, model.effort):
                raise InputError("this run is of another model", value=record.model.shown, next_step="give its own id")
        for key, record in private.items():
            answers = not record.failed and (key not in public or public[key].failed)
            if record.private_copy and answers and self._public:
                public[key] = public_copy(record)
                self._public.append(public[key])
        done = {key for key, record in public.items() if not record.failed}
        return done | {key for key, record in private.items() if not record.failed and not record.private_copy}

    def append(self, record: RunRecord, job: Job) -> None:
        public, private = split(record, job.item)
        for file, part in ((self._inbox, private), (self._public, public)):
            if part is not None:
                assert file is not None
                file.append(part)


def _record(reply: Generation, job: Job, prompt: str, model: ModelInfo, run_id: str) -> RunRecord:
    failed = reply.text is None
    parsed = parse(reply.text, job.rung)
    # A key is never used here: what a sealed answer is worth must not lie beside it.
    scored = not failed and not job.item.is_sealed(job.rung)
    score = judge(parsed, job.item, job.rung) if scored else Score(None, None if failed else SEALED)
    counted: dict[str, Any] = {"input_tokens": reply.prompt_tokens, "output_tokens": reply.completion_tokens}
    if reply.cost_usd is not None:
        counted["cost_usd"] = reply.cost_usd
    return RunRecord(
        harness=HARNESS,
        run_id=run_id,
        model=model,
        item_id=job.item.id,
        rung=job.rung,
        sample=job.sample,
        prompt=prompt,
        response=reply.text,
        parsed=parsed,
        score=score.value,
        score_detail=score.detail,
        withheld=False,
        stop_reason=reply.stop_reason,
        refusal=reply.stop_reason == "refusal",
        error=reply.error,
        usage=Usage(**counted),
        latency_ms=None if reply.seconds is None else round(reply.seconds * 1000),
        created_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    )


def _refuse_open_inbox(inbox: Path, jobs: Sequence[Job]) -> None:
    """Ask nothing about a sealed item where the answer could be committed."""
    if any(job.item.split == "sealed" for job in jobs) and not is_ignored(inbox / "probe.jsonl"):
        raise InputError(
            "git does not ignore the inbox: answers about sealed items would be committed",
            file=inbox,
            next_step="add the line inbox/ to .gitignore",
        )
