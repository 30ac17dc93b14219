"""RUN: ask a tool behind an API (or a program) every item it can be asked, three times, each in a fresh context."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError

from alifba.arabic.logs import AttemptBook, append_attempt, read_attempts
from alifba.arabic.project import Project, prompt_sha
from alifba.arabic.records import ATTEMPTS, Attempt, Item, Outcome, Tool, attempt_id, riyadh_now
from alifba.backends.base import Backend, Generation
from alifba.backends.fake import FakeBackend
from alifba.config import Model
from alifba.errors import InputError

MAX_NEW_TOKENS = 4096
"""Enough for a page of HTML; a reply that is cut off there says so in its details."""
_PROBE = Generation(0, "?")


@dataclass(frozen=True)
class RunReport:
    """What a call to `run_tool` did, in attempts: logged now, failed (asked again next time), there before."""

    n_logged: int
    n_failed: int
    n_before: int


def run_tool(
    project: Project,
    name: str,
    run: str,
    plan: str = "api",
    max_cost: float | None = None,
    tell: Callable[[str], None] = print,
) -> RunReport:
    """Ask the tool `name` what `run` does not yet hold, and log every answer as it comes.

    A failed request is no answer of the tool: it is told and asked again by the next call. An empty reply is logged
    with what the endpoint says of it, and counts as 0.

    Raises:
        InputError: an unknown tool, one that has no `model`, one that is not asked with its defaults, a run, plan or
            version that an attempt could not be logged under (nothing is asked then), or a reply that could not be
            saved.
    """
    tool = project.tool(name)
    backend = open_backend(_asked_by_default(tool), max_cost)
    places = [(item, number) for item in runnable(project, tool) for number in ATTEMPTS]
    book = read_attempts(project)
    there = {one.place for one in book.standing.values()}
    before = frozenset(at for at, (item, number) in enumerate(places) if (run, item.key, number) in there)
    if (first := next((at for at in range(len(places)) if at not in before), None)) is not None:
        _refuse_unsavable(book, lambda: _attempt(project, tool, run, plan, *places[first], backend, _PROBE))
    logged = failed = 0
    prompts = [str(item.prompt) for item, _ in places]
    for reply in backend.generate(prompts, MAX_NEW_TOKENS, before):
        item, number = places[reply.index]
        if reply.text is None:
            failed += 1
            tell(f"{item.key} attempt {number}: {reply.error}")
            continue
        append_attempt(project, _attempt(project, tool, run, plan, item, number, backend, reply))
        logged += 1
    return RunReport(logged, failed, len(before))


def _refuse_unsavable(book: AttemptBook, attempt: Callable[[], Attempt]) -> None:
    """A reply costs money: find out before asking whether it could be logged."""
    try:
        book.add(attempt())
    except ValidationError as fault:
        first = fault.errors()[0]
        raise InputError(f"{first['loc'][0]}: {first['msg']}", value=first["input"]) from None
    except ValueError as fault:
        raise InputError(str(fault), next_step="correct it; nothing was asked") from None


def runnable(project: Project, tool: Tool) -> list[Item]:
    """The items of the current test set that `tool` can be asked today: those with a prompt and without samples."""
    return [one for one in project.items_for(tool) if one.prompt and not one.missing and not one.samples]


def open_backend(model: Model, max_cost: float | None = None) -> Backend:
    """The backend of a tool. `max_cost` (US dollars) limits what an API may charge."""
    if model.backend == "api":
        from alifba.backends.api import ApiBackend

        return ApiBackend(model, max_cost)
    if model.backend == "command":
        from alifba.backends.command import CommandBackend

        return CommandBackend(model)
    return FakeBackend(model.name, pace=model.pace)


def _asked_by_default(tool: Tool) -> Model:
    if tool.model is None or tool.model.backend == "transformers":
        raise InputError(
            f"{tool.id} is not reached by an API or a program",
            next_step="log its runs by hand: make annotate TASK=log, or give the tool a 'model'",
        )
    api = tool.model.api
    if api and (api.temperature is not None or api.seed is not None or api.reasoning or api.extra_body):
        raise InputError(
            "the protocol asks a tool with its default settings",
            value=tool.id,
            likely="'temperature' is 0 where it is left out",
            next_step="write 'temperature: null', and no seed, reasoning or extra_body, in the tool's api",
        )
    return tool.model


def _attempt(
    project: Project, tool: Tool, run: str, plan: str, item: Item, number: int, backend: Backend, reply: Generation
) -> Attempt:
    text = reply.text or ""
    outcome: Outcome = "answer"
    if not text.strip():
        outcome = "refusal" if reply.stop_reason == "refusal" else "error"
    told = {
        "stop_reason": reply.stop_reason,
        "served_model": reply.served_model,
        "completion_tokens": reply.completion_tokens,
        "max_new_tokens": MAX_NEW_TOKENS,
        "host": backend.description.device,
    }
    return Attempt(
        id=attempt_id(run, item.key, number),
        run=run,
        tool=tool.id,
        plan=plan,
        model_version=backend.description.revision,
        interface="api",
        ui_language="none",
        time=riyadh_now(),
        test_set=project.settings.test_set,
        item=item.id,
        version=item.version,
        prompt_sha=prompt_sha(str(item.prompt)),
        attempt=number,
        fresh_session=True,
        output=text,
        outcome=outcome,
        note=None if outcome == "answer" else f"An empty reply; the endpoint says: {reply.stop_reason or 'nothing'}.",
        logged_by="api",
        details={name: str(value) for name, value in told.items() if value is not None},
    )
