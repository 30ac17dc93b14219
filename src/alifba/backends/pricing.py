"""What asking costs: of a reply, of a request at most, and of a plan before anything is sent. US dollars."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass

from alifba.backends.base import Prompt
from alifba.config import Price
from alifba.errors import InputError

_MILLION = 1_000_000
_AROUND_A_PROMPT = 64
"""Tokens that a chat template may add, at most."""
_CHARACTERS_A_TOKEN = 4
"""In English, by the providers' own rule of thumb; other languages have fewer characters to a token."""


def cost(price: Price | None, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
    """The price of a reply, or None where the price or a count is unknown. Tokens from a cache count in full."""
    if price is None or prompt_tokens is None or completion_tokens is None:
        return None
    return (prompt_tokens * price.input + completion_tokens * price.output) / _MILLION


def most_prompt_tokens(price: Price | None, prompt: Prompt) -> int | None:
    """An upper bound: a token of text is at least one byte of UTF-8, an image counts as the study declares.

    None where the prompt has an image and the study declares no `image_tokens`.
    """
    texts = [prompt.text, prompt.system or "", json.dumps(prompt.schema) if prompt.schema else ""]
    tokens = sum(len(text.encode("utf-8", "replace")) for text in texts) + _AROUND_A_PROMPT
    if not prompt.images:
        return tokens
    if price is None or price.image_tokens is None:
        return None
    return tokens + len(prompt.images) * price.image_tokens


def most(price: Price | None, prompt: Prompt, max_new_tokens: int) -> float | None:
    """The most that one request can cost, or None where that is unknown."""
    return cost(price, most_prompt_tokens(price, prompt), max_new_tokens)


@dataclass(frozen=True)
class Estimate:
    """What a run would send and cost: prompt tokens and US dollars from `low` to `high`; None where unknown.

    `high` is a bound: the one that a cost limit counts with.
    """

    n_items: int
    characters: int
    tokens_low: int
    tokens_high: int | None
    usd_low: float | None
    usd_high: float | None

    def __str__(self) -> str:
        tokens = f"{self.tokens_low:,} to " + ("?" if self.tokens_high is None else f"{self.tokens_high:,}")
        usd = "price unknown" if self.usd_high is None else f"{self.usd_low:.4f} to {self.usd_high:.4f} US dollars"
        return f"{self.n_items} items, {self.characters:,} characters, {tokens} prompt tokens, {usd}"


def estimate(price: Price | None, prompts: Sequence[str | Prompt], max_new_tokens: int) -> Estimate:
    """What asking `prompts` once each would cost. Nothing is sent."""
    asked = [as_prompt(prompt) for prompt in prompts]
    characters = sum(len(prompt.text) + len(prompt.system or "") for prompt in asked)
    low = characters // _CHARACTERS_A_TOKEN
    bounds = [most_prompt_tokens(price, prompt) for prompt in asked]
    high = None if None in bounds else sum(bound for bound in bounds if bound is not None)
    most_new = max_new_tokens * len(asked)
    return Estimate(
        len(asked), characters, low, high, cost(price, low, min(most_new, len(asked))), cost(price, high, most_new)
    )


def shares(limit: float, estimates: Sequence[Estimate]) -> list[float]:
    """`limit` divided among runs in proportion to the most that each can cost: together they cannot pass it.

    Raises:
        InputError: the most that one of them can cost is unknown.
    """
    bounds = [estimate.usd_high for estimate in estimates if estimate.usd_high is not None]
    if len(bounds) < len(estimates):
        raise InputError(
            "a cost limit is set, but the price of a model is not known",
            next_step="add 'price' to its 'api' in the study",
        )
    total = sum(bounds)
    return [limit * bound / total if total else limit for bound in bounds]


def as_prompt(prompt: str | Prompt) -> Prompt:
    """A prompt that is only text, or one as it is."""
    return Prompt(prompt) if isinstance(prompt, str) else prompt


class CostLimit(InputError):
    """The next request could cost more than is left."""


class Budget:
    """Lets a request go only if all that were sent and this one together cannot pass `limit`; None lets all go."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.spent = self._reserved = 0.0
        self._in_flight = 0
        self._changed = asyncio.Condition()

    async def reserve(self, bound: float | None) -> None:
        """Set `bound` aside, once enough of what is in flight has come home to allow it.

        Raises:
            CostLimit: it cannot be allowed, or `bound` is unknown.
        """
        if self.limit is None:
            return
        if bound is None:
            raise CostLimit(
                "a cost limit is set, but the price of a request is unknown",
                next_step="declare the model's price (and image_tokens, for images) in the study file",
            )
        async with self._changed:
            while self.spent + self._reserved + bound > self.limit:
                if not self._in_flight:
                    raise CostLimit(
                        f"the cost limit of {self.limit:g} US dollars is reached",
                        value=f"at most {self.spent:.6f} spent, the next request may cost {bound:.6f}",
                        next_step="what is answered is kept; raise --max-cost and run again to go on",
                    )
                await self._changed.wait()
            self._reserved += bound
            self._in_flight += 1

    async def settle(self, bound: float | None, spent: float | None) -> None:
        """Replace what was set aside for a request by what it cost; None: it may have cost all of that."""
        if self.limit is None or bound is None:
            return
        async with self._changed:
            self._in_flight -= 1
            # Of many sums and differences something below a billionth of a cent may be left.
            self._reserved = self._reserved - bound if self._in_flight else 0.0
            self.spent += bound if spent is None else spent
            self._changed.notify_all()
