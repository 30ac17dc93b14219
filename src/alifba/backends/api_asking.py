"""Ask every prompt of a run: tries, waits, the cost limit, and what all requests of one call share."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from alifba.backends import api_requests
from alifba.backends.api_client import Client
from alifba.backends.api_pool import Ask
from alifba.backends.api_replies import Failure, Reply, read_completion, read_message
from alifba.backends.base import Generation, Prompt, UnsupportedSetting
from alifba.backends.pricing import Budget, as_prompt, cost, most
from alifba.config import Api, Retry
from alifba.errors import InputError

try:
    from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_before_delay
except ImportError:
    raise InputError("tenacity is not installed", next_step="pip install -e '.[api]'") from None

_LONGEST_POWER = 30
_TELL_EVERY_S = 1.0


class Asking:
    """One call of `generate`: what all its requests share."""

    def __init__(
        self,
        api: Api,
        key: str | None,
        clean: Callable[[str], str],
        prompts: Sequence[str | Prompt],
        max_new_tokens: int,
        max_cost: float | None,
        stop: str | None = None,
    ) -> None:
        self._api, self._key, self._clean = api, key, clean
        self._prompts, self._max_new_tokens, self._max_cost = prompts, max_new_tokens, max_cost
        self._settings = api_requests.settings(api, max_new_tokens) | api_requests.stopping(api, stop)
        self._read = read_message if api_requests.is_anthropic(api) else read_completion
        self._random = random.Random()
        self._unreached_in_a_row = self._untold_waits = 0
        self._told_at = float("-inf")
        self.served: Counter[str] = Counter()
        self.tell: Callable[[str], None] = print

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Ask[Generation]]:
        self._budget = Budget(self._max_cost)
        async with Client(self._api, self._key, self._clean) as self._client:
            yield self.ask

    async def ask(self, index: int) -> Generation:
        """One item: tries until one brings an answer, none can, or the time is up."""
        retry, prompt = self._api.retry, as_prompt(self._prompts[index])
        body = api_requests.merged(self._settings, api_requests.prompt_body(self._api, prompt))
        bound = most(self._api.price, prompt, self._max_new_tokens)
        ends = time.monotonic() + retry.deadline_s

        def waiting(state: RetryCallState) -> None:
            self._tell_wait(index, state)

        tries = AsyncRetrying(
            stop=stop_before_delay(retry.deadline_s),
            retry=retry_if_exception(lambda fault: isinstance(fault, Failure) and fault.again),
            wait=lambda state: wait_s(retry, state.attempt_number, _fault(state), self._random),
            before_sleep=waiting,
            reraise=True,
        )
        try:
            made: Generation = await tries(self._try, index, body, bound, ends)
        except Failure as fault:
            self._count_unreached(fault)
            what = self._clean(fault.what)
            return Generation(
                index, None, fault.stop_reason, error=f"{what} (try {tries.statistics['attempt_number']})"
            )
        self._unreached_in_a_row = 0
        return made

    async def _try(self, index: int, body: dict[str, Any], bound: float | None, ends: float) -> Generation:
        await self._budget.reserve(bound)
        spent: float | None = None
        begun = time.monotonic()
        try:
            limit_s = min(self._api.retry.try_s, max(ends - begun, 0.001))
            reply = self._read(await self._client.post(body, limit_s))
            spent = reply.cost_usd
            if spent is None:
                spent = cost(self._api.price, reply.prompt_tokens, reply.completion_tokens)
            return self._generation(index, reply, time.monotonic() - begun, spent)
        except Failure as fault:
            spent = None if fault.billed else 0.0
            raise
        except InputError:
            spent = spent or 0.0
            raise
        finally:
            await self._budget.settle(bound, spent)

    def _generation(self, index: int, reply: Reply, seconds: float, spent: float | None) -> Generation:
        if reply.thought and self._api.reasoning == "off":
            raise UnsupportedSetting("reasoning", "no refusal: it reasoned although it was asked not to")
        if self._key and self._key in reply.text:
            # Raw text is never edited, and a key is never written: so this is no answer.
            raise Failure("the reply repeats the key", again=False, billed=True)
        served = self._clean(reply.served_model) if reply.served_model else None
        if served and self.served and served not in self.served:
            self.tell(f"request {index + 1}: another model answers now, {served}; before: {counts(self.served)}")
        self.served.update([served] if served else [])
        return Generation(
            index=index,
            text=reply.text,
            stop_reason=reply.stop_reason,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            seconds=round(seconds, 3),
            cost_usd=spent,
            served_model=served,
        )

    def _tell_wait(self, index: int, state: Any) -> None:
        """A line a second at most; what is left out is counted."""
        self._untold_waits += 1
        now = time.monotonic()
        if now - self._told_at < _TELL_EVERY_S:
            return
        more = f", and {self._untold_waits - 1} more waits" if self._untold_waits > 1 else ""
        self._told_at, self._untold_waits = now, 0
        fault = _fault(state)
        why = self._clean(fault.what) if fault else ""
        wait, attempt = f"{state.upcoming_sleep:.1f} s", state.attempt_number + 1
        self.tell(f"request {index + 1}: waiting {wait}, attempt {attempt} ({why}){more}")

    def _count_unreached(self, fault: Failure) -> None:
        self._unreached_in_a_row = self._unreached_in_a_row + 1 if fault.unreached else 0
        if self._unreached_in_a_row >= self._api.retry.give_up_after:
            raise InputError(
                f"{self._unreached_in_a_row} items in a row got through to no answer",
                value=self._clean(fault.what),
                likely="the server is down or overloaded",
                next_step="run again later: what is answered is kept",
            )


def wait_s(retry: Retry, attempt: int, fault: Failure | None, rng: random.Random) -> float:
    """Seconds to wait after try number `attempt` (from 1).

    What the server asks for, and up to one first wait more, lest all come back at once; or else between half and
    all of a wait that doubles from try to try up to the longest.
    """
    if fault and fault.retry_after is not None:
        return fault.retry_after + rng.uniform(0, retry.wait_s)
    longest = min(retry.longest_wait_s, retry.wait_s * 2.0 ** min(attempt - 1, _LONGEST_POWER))
    return rng.uniform(longest / 2, longest)


def _fault(state: Any) -> Failure | None:
    fault = state.outcome.exception()
    return fault if isinstance(fault, Failure) else None


def counts(served: Counter[str]) -> str:
    return ", ".join(f"{name} ({n})" for name, n in served.most_common())
