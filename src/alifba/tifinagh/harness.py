"""One way to ask: an API with a strict schema, a model on this machine, or a command-line agent, all closed-book."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from alifba.backends.base import Description, Generation, Prompt
from alifba.config import Model
from alifba.tifinagh.agents import ADAPTERS, Unusable, as_command, final_text, standing_before
from alifba.tifinagh.prompts import END, Kind, prompts_sha, schema, system_text
from alifba.tifinagh.records import Answerer
from alifba.tifinagh.replies import Read
from alifba.tifinagh.study import Agent, Contestant

_T = TypeVar("_T")


@dataclass(frozen=True)
class Harness:
    """Something that can be asked. `backend` takes what `prompt` makes of a user text, and ends a reply at `stop`."""

    backend: Any
    prompt: Callable[[str], str | Prompt]
    answerer: Answerer
    max_new_tokens: int
    stop: str | None = None

    def send(self, texts: Sequence[str], answered: frozenset[int]) -> Iterator[Generation]:
        """Ask every text whose place is not in `answered`; replies come in any order."""
        replies: Iterator[Generation] = self.backend.generate(
            [self.prompt(text) for text in texts], self.max_new_tokens, answered, self.stop
        )
        yield from replies


def open_harness(contestant: Contestant, kind: Kind, max_new_tokens: int, max_cost: float | None = None) -> Harness:
    """Load what asks `contestant`. `max_cost` (US dollars) limits what an API may charge.

    A request to an API has a system prompt, a strict JSON schema and no tools. A local model has neither schema nor
    system prompt of its own: both are asked for in the one prompt that it reads.

    Raises:
        InputError: no such weights, program or key, or a precision that this machine cannot compute in.
    """
    if isinstance(contestant, Agent):
        before = standing_before(contestant, kind)
        backend = _backend(as_command(contestant, kind), max_cost)
        return _harness(backend, lambda text: before + text, contestant, contestant.adapter, kind, max_new_tokens)
    backend = _backend(contestant, max_cost)
    if contestant.api and contestant.api.endpoint == "chat":
        strict = schema(kind)
        return _harness(
            backend,
            lambda text: Prompt(text, system=system_text(kind), schema=strict),
            contestant,
            contestant.backend,
            kind,
            max_new_tokens,
        )
    before = system_text(kind) + "\n\n"
    return _harness(backend, lambda text: before + text, contestant, contestant.backend, kind, max_new_tokens)


def _harness(
    backend: Any,
    prompt: Callable[[str], str | Prompt],
    contestant: Contestant,
    harness: str,
    kind: Kind,
    max_new_tokens: int,
) -> Harness:
    made: Description = backend.description
    stop = END if harness == "transformers" else None
    decoding = made.decoding | ({"prompts": prompts_sha("judge")} if kind == "judge" else {})
    decoding |= {"stop": stop} if stop else {}
    answerer = Answerer(
        **{name: getattr(contestant, name) for name in ("slug", "name", "label")},
        **{name: getattr(made, name) for name in ("revision", "precision", "device", "chat_template")},
        harness=harness,
        decoding=decoding,
        environment=made.environment,
    )
    return Harness(backend, prompt, answerer, max_new_tokens, stop)


def _backend(model: Model, max_cost: float | None) -> Any:
    if model.backend == "fake":
        from alifba.backends.fake import FakeBackend

        return FakeBackend(model.name, model.batch_size, pace=model.pace)
    if model.backend == "api":
        from alifba.backends.api import ApiBackend

        return ApiBackend(model, max_cost)
    if model.backend == "command":
        from alifba.backends.command import CommandBackend

        return CommandBackend(model)
    from alifba.backends.transformers import TransformersBackend

    return TransformersBackend(model)


def reader(harness: str, read: Callable[[str, int], Read[_T]]) -> Callable[[str, int], Read[_T]]:
    """`read` for the raw text of a reply by `harness`, out of whose envelope the reply is taken first."""
    if harness not in ADAPTERS:
        return read

    def read_output(output: str, n: int) -> Read[_T]:
        try:
            return read(final_text(harness, output), n)
        except Unusable as fault:
            return Read(faults={str(number): str(fault) for number in range(1, n + 1)})

    return read_output
