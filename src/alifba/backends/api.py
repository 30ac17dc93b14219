"""Models behind an API: OpenAI's protocol at any base URL, or Anthropic's. Needs the extra ``api``."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from alifba.backends import api_requests
from alifba.backends.api_asking import Asking, counts
from alifba.backends.api_client import library_version
from alifba.backends.api_pool import Pool
from alifba.backends.base import Description, Generation, Prompt
from alifba.backends.environment import Scrubber, key
from alifba.config import Api, Model


class ApiBackend:
    """One model behind an API.

    One policy of trying again: what may come right is tried again, after the time that the server asks for or after a
    jittered wait that doubles, until the deadline of the item. An item that fails is told with its error; it is asked
    again on resume. `max_cost` (US dollars) stops before the request that could pass it. `tell` gets lines for people.

    Raises:
        InputError: no key, no client library, or a setting that the provider has no spelling for.
    """

    def __init__(self, model: Model, max_cost: float | None = None, tell: Callable[[str], None] = print) -> None:
        assert model.api is not None
        self._api, self._max_cost = model.api, max_cost
        self._tell = tell
        name = self._api.key_env or api_requests.PROVIDERS[self._api.provider].get("key_env")
        self._key = key(name) if name else None
        self._clean = Scrubber([self._key] if self._key else []).clean
        api_requests.settings(self._api, 1)
        api_requests.path(self._api)
        self.description = describe(self._api)

    def generate(
        self,
        prompts: Sequence[str | Prompt],
        max_new_tokens: int,
        answered: frozenset[int] = frozenset(),
        stop: str | None = None,
    ) -> Iterator[Generation]:
        """Yield a generation per prompt not yet `answered`, in the order in which the replies come.

        The server is told where to `stop` and leaves the stop itself out of the text.

        Raises:
            UnsupportedSetting: the endpoint refuses a declared setting, or reasons although that is declared off.
            CostLimit: the next request could cost more than is left. Every reply that came is yielded before.
            InputError: the key, the account or the model's name is refused, or nothing gets through any more.
        """
        todo = [index for index in range(len(prompts)) if index not in answered]
        asked = [prompts[index] for index in todo]
        asking = Asking(self._api, self._key, self._clean, asked, max_new_tokens, self._max_cost, stop)
        pool = Pool(asking.session, len(todo), self._api.workers, self._api.retry.try_s)
        asking.tell = pool.tell
        for got in pool:
            if isinstance(got, str):
                self._tell(got)
            else:
                yield replace(got, index=todo[got.index])
        if len(asking.served) > 1:
            self._tell(f"more than one model answered: {counts(asking.served)}")


def describe(api: Api) -> Description:
    """Everything about the endpoint of `api` that can change an answer. It cannot say which weights it serves."""
    how = f"served-{api.endpoint},reasoning={api.reasoning or 'default'}"
    extra = {"extra_body": api.extra_body} if api.extra_body else {}
    if extra:
        how += f",extra={hashlib.sha256(json.dumps(extra, sort_keys=True).encode()).hexdigest()[:12]}"
    return Description(
        revision=api.model,
        precision="as-served",
        device=str(urlsplit(api_requests.base_url(api)).hostname),
        chat_template=how,
        batch_size=1,
        environment={
            "python": platform.python_version(),
            "platform": f"{platform.system()}-{platform.machine()}",
            "provider": api.provider,
            "base_url": api_requests.base_url(api),
            **library_version(api),
        },
        decoding={
            "do_sample": api.temperature is None or api.temperature > 0,
            "temperature": api.temperature,
            "seed": api.seed,
            "endpoint": api.endpoint,
            "reasoning": api.reasoning,
            **extra,
        },
    )
