"""What a backend is: prompts in, one `Generation` out for each, and a description of what answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

StopReason = Literal["end", "length"]


@dataclass(frozen=True)
class Generation:
    """The reply to one prompt. `index` is its place in the prompts given; replies may come in another order.

    `text` is None only if `error` says why: a failed item, asked again on resume.
    """

    index: int
    text: str | None
    stop_reason: StopReason | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    error: str | None = None


@dataclass(frozen=True)
class Description:
    """What answered: everything about a backend that can change an answer."""

    revision: str
    precision: str
    device: str
    chat_template: str
    batch_size: int
    environment: dict[str, Any] = field(default_factory=dict)


class Backend(Protocol):
    """A source of text. Greedy decoding; `max_new_tokens` bounds every reply."""

    @property
    def description(self) -> Description: ...

    def generate(self, prompts: Sequence[str], max_new_tokens: int) -> Iterator[Generation]: ...
