"""What a backend is: prompts in, one `Generation` out for each, and a description of what answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from alifba.errors import InputError

StopReason = Literal["end", "length", "stop", "refusal"]
"""Why a reply ended: by itself, at the token limit, at the declared stop, or because the model declined to answer."""


@dataclass(frozen=True)
class Image:
    """An image to send: its bytes as they lie in the file, and their media type."""

    data: bytes
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]


@dataclass(frozen=True)
class Prompt:
    """A prompt that is more than text. Images go before the text; `schema` is a strict JSON schema of the reply."""

    text: str
    system: str | None = None
    images: tuple[Image, ...] = ()
    schema: dict[str, Any] | None = None


@dataclass(frozen=True)
class Generation:
    """The reply to one prompt. `index` is its place in the prompts given; replies may come in another order.

    `text` is None only if `error` says why: a failed item, asked again on resume. `seconds` is the time of the try
    that answered, `cost_usd` what its tokens cost, `served_model` the name that the server gave itself; None where
    a backend does not know. `batch_size` is told only where memory forced a smaller batch than the declared one.
    """

    index: int
    text: str | None
    stop_reason: StopReason | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    error: str | None = None
    seconds: float | None = None
    cost_usd: float | None = None
    served_model: str | None = None
    batch_size: int | None = None


@dataclass(frozen=True)
class Description:
    """What answered: everything about a backend that can change an answer.

    `decoding` holds what differs from greedy decoding with seed 0.
    """

    revision: str
    precision: str
    device: str
    chat_template: str
    batch_size: int
    environment: dict[str, Any] = field(default_factory=dict)
    decoding: dict[str, Any] = field(default_factory=dict)


class UnsupportedSetting(InputError):
    """An endpoint refuses a setting that the study declares: `setting`, and `said`, the refusal word for word."""

    def __init__(self, setting: str, said: str) -> None:
        self.setting, self.said = setting, said
        super().__init__(
            f"the endpoint refuses the declared setting {setting!r}",
            value=said,
            next_step="declare another setting, which is another measurement, or leave this run out",
        )


class Backend(Protocol):
    """A source of text."""

    @property
    def description(self) -> Description: ...

    def generate(
        self,
        prompts: Sequence[str],
        max_new_tokens: int,
        answered: frozenset[int] = frozenset(),
        stop: str | None = None,
    ) -> Iterator[Generation]:
        """Yield a generation for every prompt of the run but those whose places are in `answered`.

        A reply ends after `max_new_tokens` tokens at the latest, or where `stop` begins; a backend that sees the
        stop keeps it as part of the text. All prompts of a run are given, because the prompts that share a batch can
        change an answer's last digits: a resumed run must form the batches of an undisturbed one.
        """
        ...
