"""One request by the provider's own client, and what its failure means: again, not this item, or not this run."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import import_module
from importlib.metadata import version
from typing import Any

from alifba.backends import api_requests
from alifba.backends.api_replies import Failure, worth_another_try
from alifba.backends.base import UnsupportedSetting
from alifba.config import Api
from alifba.errors import InputError

_NOT_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout")
_ENDS_THE_RUN = {
    401: "the key is refused",
    402: "the account has no credit",
    404: "no such model or no such path",
}
_NAMES_NOTHING = {"type", "enabled"}
_LONGEST_TOLD = 500


class Client:
    """Posts one body at a time to the endpoint of `api`. To be used inside one event loop, as a context manager.

    The client's own retries are off: there is one policy, the backend's. `clean` takes secrets out of a text.

    Raises:
        InputError: the provider's client is not installed.
    """

    def __init__(self, api: Api, key: str | None, clean: Callable[[str], str]) -> None:
        self._lib, self._api, self._clean = library(api), api, clean
        self._path = api_requests.path(api)
        make = self._lib.AsyncAnthropic if api_requests.is_anthropic(api) else self._lib.AsyncOpenAI
        # A server of one's own asks for no key, the client does.
        self._client = make(
            api_key=key or "none", base_url=api_requests.base_url(api), max_retries=0, timeout=api.retry.try_s
        )
        self.answered = False
        """Whether a reply came with these settings. From then on a refusal is about an item, not about a setting."""

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *fault: object) -> None:
        await self._client.close()

    async def post(self, body: dict[str, Any], limit_s: float) -> Any:
        """The body of the reply, parsed.

        Raises:
            Failure: no reply within `limit_s`, or none that is JSON; a status that concerns this item alone.
            UnsupportedSetting: the endpoint refuses what the study declares.
            InputError: a status that every other item would get too.
        """
        lib = self._lib
        try:
            # The client's own limit is for each read: a server that drips would never reach it.
            async with asyncio.timeout(limit_s):
                reply = await self._client.post(self._path, cast_to=object, body=body)
            # The client parses what is labelled JSON; some servers label it otherwise.
            reply = json.loads(reply) if isinstance(reply, str) else reply
        except lib.APIStatusError as fault:
            raise self._refusal(fault) from None
        except (TimeoutError, lib.APITimeoutError):
            raise Failure(f"no reply within {limit_s:.3g} s", again=True, unreached=True, billed=True) from None
        except lib.APIConnectionError as fault:
            cause = fault.__cause__
            why = self._told(f"{type(cause).__name__}: {cause}")
            sent = type(cause).__name__ not in _NOT_SENT
            raise Failure(f"connection lost ({why})", again=True, unreached=True, billed=sent) from None
        except UnicodeEncodeError:
            raise Failure("the prompt is not text that UTF-8 can write", again=False) from None
        except ValueError:
            raise Failure("the reply is no JSON", again=True, billed=True) from None
        self.answered = True
        return reply

    def _refusal(self, fault: Any) -> Failure | InputError:
        status, said = int(fault.status_code), self._told(_said(fault))
        if status in (400, 404, 422) and not self.answered and (setting := self._setting_named_in(fault)):
            return UnsupportedSetting(setting, self._clean(_said(fault)))
        if status in _ENDS_THE_RUN or "insufficient_quota" in said:
            why = _ENDS_THE_RUN.get(status, "the quota is used up")
            where = api_requests.base_url(self._api) + self._path
            return InputError(
                f"HTTP {status} from {where}: {why}",
                value=said,
                next_step="check the key, the model's name and base_url, then run again: what is answered is kept",
            )
        again = worth_another_try(status)
        wait = retry_after(fault.response.headers) if again else None
        return Failure(f"HTTP {status}: {said}", again=again, retry_after=wait, unreached=again)

    def _told(self, text: str) -> str:
        # Cleaned before it is cut: half a key is still half a key.
        return self._clean(text)[:_LONGEST_TOLD]

    def _setting_named_in(self, fault: Any) -> str | None:
        """The declared setting that a refusal names, if it names one."""
        text = "\n".join(_messages(fault.body))
        for word, setting in _spelled(self._api):
            if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                return setting
        return "parameters" if "requested parameters" in text else None


def library(api: Api) -> Any:
    """The provider's client library.

    Raises:
        InputError: it is not installed.
    """
    name = "anthropic" if api_requests.is_anthropic(api) else "openai"
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{name} is not installed", next_step="pip install -e '.[api]'") from None


def library_version(api: Api) -> dict[str, str]:
    """Name and version of the provider's client library."""
    name = library(api).__name__
    return {name: version(name)}


def _spelled(api: Api) -> Iterator[tuple[str, str]]:
    """(word of a request's body, setting of the study file that put it there), those that are declared."""
    reasoning = api_requests.reasoning(api)
    for word in [*_keys(reasoning), *(("reasoning", "thinking") if reasoning else ())]:
        yield word, "reasoning"
    for word in ("temperature", "seed"):
        if getattr(api, word) is not None:
            yield word, word
    for word in api.extra_body:
        yield word, f"extra_body.{word}"
    yield from (("response_format", "schema"), ("json_schema", "schema"), ("max_tokens", "max_tokens"))
    # "stop" is an ordinary word: it has to stand in quotation marks.
    yield from (("max_completion_tokens", "max_tokens"), ("stop_sequences", "stop"), ("'stop'", "stop"))


def _keys(value: dict[str, Any]) -> Iterator[str]:
    for name, part in value.items():
        if name not in _NAMES_NOTHING:
            yield name
        if isinstance(part, dict):
            yield from _keys(part)


def _said(fault: Any) -> str:
    """What the server said, word for word where it is text, as JSON where it is not."""
    body = fault.body
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False) if body else str(fault.message)


def _messages(body: Any) -> Iterator[str]:
    """The parts of an error body that speak: not its type, and not the request that some servers repeat in it."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, list):
        for part in body:
            yield from _messages(part)
    elif isinstance(body, dict):
        for name in ("message", "msg", "loc", "detail", "error"):
            yield from _messages(body.get(name))
        yield f"'{body.get('param')}'"


def retry_after(headers: Any) -> float | None:
    """Seconds that a server asks to wait: ``retry-after-ms``, or ``retry-after`` in seconds or as an HTTP date."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * scale
        except ValueError:
            seconds = _seconds_until(value)
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _seconds_until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - datetime.now(UTC)).total_seconds()
