"""A backend that needs no model: it answers from the prompt's own hash, the same text every time. For tests."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence

from alifba.backends.base import Description, Generation


class FakeBackend:
    """Answers ``fake <hash of model name and prompt>``, `pace` seconds an item; fails on prompts with `fails_on`."""

    def __init__(self, name: str, batch_size: int = 8, fails_on: str | None = None, pace: float = 0) -> None:
        self.name, self.fails_on, self.pace = name, fails_on, pace
        self.description = Description("fake-1", "none", "none", "none", batch_size)

    def generate(
        self,
        prompts: Sequence[str],
        max_new_tokens: int,
        answered: frozenset[int] = frozenset(),
        stop: str | None = None,
    ) -> Iterator[Generation]:
        for index, prompt in enumerate(prompts):
            if index in answered:
                continue
            time.sleep(self.pace)
            if self.fails_on and self.fails_on in prompt:
                yield Generation(index, None, error="the fake backend was told to fail here")
                continue
            answer = hashlib.sha256(f"{self.name}\n{prompt}".encode()).hexdigest()[:8]
            words = len(prompt.split())
            yield Generation(index, f" fake {answer}", "end", words, min(2, max_new_tokens))
