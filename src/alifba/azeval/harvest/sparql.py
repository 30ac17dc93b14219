"""Ask a SPARQL endpoint politely: one request at a time, paced, retried within a deadline, answers kept on disk."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

from SPARQLWrapper import JSON, POST, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import EndPointInternalError, QueryBadFormed, SPARQLWrapperException

import alifba
from alifba.errors import InputError
from alifba.paths import write_atomic

WIKIDATA = "https://query.wikidata.org/sparql"
"""The public endpoint of Wikidata's query service."""
CONTACT = "ALIFBA_CONTACT"
_HERE = ("127.0.0.1", "localhost", "::1")
_JSON_TYPES = ("application/sparql-results+json", "application/json")
# A server that is busy, restarting or behind a proxy in trouble: the same request may succeed later.
_PASSING = (408, 429, 500, 502, 503, 504)

Row = dict[str, str]
"""One solution: variable → value (a URI or the text of a literal). An unbound variable is absent."""


@dataclass(frozen=True)
class Patience:
    """How long to wait, in seconds. `pause` passes between two requests; `deadline` bounds one query with all its
    attempts; `longest` bounds one wait that the server did not ask for."""

    pause: float = 1.0
    timeout: int = 65
    attempts: int = 5
    deadline: float = 300.0
    longest: float = 60.0


class _Passing(Exception):
    """The request failed in a way that may pass. `after`: seconds that the server asked to wait."""

    def __init__(self, why: str, after: float | None = None) -> None:
        self.after = after
        super().__init__(why)


def user_agent(url: str) -> str:
    """What every request says of its sender. Public services ask for a contact: the variable ``ALIFBA_CONTACT``.

    Raises:
        InputError: no contact is set and the endpoint is not on this machine.
    """
    contact = os.environ.get(CONTACT, "").strip()
    if not contact and urlsplit(url).hostname not in _HERE:
        raise InputError(
            "a public endpoint must be able to reach whoever sends it queries",
            value=url,
            next_step=f"set {CONTACT} to a mail address or a page about you, then harvest again",
        )
    if not contact.isprintable() or not contact.isascii():
        raise InputError(f"{CONTACT} must be plain ASCII on one line", value=contact)
    return f"alifba/{alifba.__version__} (dataset drafts; {contact or 'local endpoint'})"


class Endpoint:
    """A SPARQL 1.1 endpoint with its cache folder: a query that was answered once is not sent again.

    `tell` is called with one line whenever it waits. `refresh` asks again and replaces what the cache holds.
    """

    def __init__(
        self,
        url: str,
        cache: Path,
        patience: Patience | None = None,
        *,
        refresh: bool = False,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.url, self.cache, self.refresh = url, cache, refresh
        self._patience, self._tell = patience or Patience(), tell
        self._agent = user_agent(url)
        self._last_request = float("-inf")

    def select(self, query: str) -> list[Row]:
        """The solutions of a SELECT query, in the server's order.

        Raises:
            InputError: the server refuses the query, cannot be reached or does not answer in the SPARQL JSON format
                within the attempts and the deadline. Nothing is cached then.
        """
        path = self._cached(query)
        if not self.refresh and (kept := _kept(path)) is not None:
            return kept
        rows = self._ask(query)
        self._keep(path, {"endpoint": self.url, "query": query, "rows": rows})
        return rows

    def _cached(self, query: str) -> Path:
        key = hashlib.sha256(f"{self.url} {query}".encode()).hexdigest()
        return self.cache / f"{key[:32]}.json"

    def _keep(self, path: Path, content: dict[str, Any]) -> None:
        if not self.cache.exists():
            # A cache is no part of the project; git is told where it lies.
            write_atomic(self.cache / ".gitignore", "*\n")
        write_atomic(path, json.dumps(content, ensure_ascii=False, indent=0) + "\n")

    def _ask(self, query: str) -> list[Row]:
        start, limits = time.monotonic(), self._patience
        for attempt in range(1, limits.attempts + 1):
            try:
                return self._once(query)
            except _Passing as fault:
                wait = min(2.0**attempt, limits.longest) if fault.after is None else fault.after
                left = limits.deadline - (time.monotonic() - start)
                if attempt == limits.attempts or wait > left:
                    raise InputError(
                        f"no answer from the endpoint after {attempt} attempts: {fault}",
                        value=self.url,
                        likely=f"it asks to wait {wait:.0f} s" if wait > left else None,
                        next_step="try again later; the pages fetched so far are kept and not asked for again",
                    ) from None
                self._tell(f"waiting {wait:.0f} s, attempt {attempt} of {limits.attempts} failed: {fault}")
                time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, query: str) -> list[Row]:
        time.sleep(max(0.0, self._last_request + self._patience.pause - time.monotonic()))
        wrapper = SPARQLWrapper(self.url, agent=self._agent)
        wrapper.setMethod(POST)
        wrapper.setReturnFormat(JSON)
        wrapper.setTimeout(self._patience.timeout)
        wrapper.setQuery(query)
        try:
            response = wrapper.query().response
            return _rows(response.headers.get("Content-Type", ""), response.read())
        except EndPointInternalError:
            raise _Passing("HTTP 500") from None
        except QueryBadFormed as fault:
            raise InputError("the endpoint refuses the query", value=self.url, likely=str(fault)[:500]) from None
        except HTTPError as fault:
            if fault.code in _PASSING:
                raise _Passing(f"HTTP {fault.code}", _asked_to_wait(fault.headers.get("Retry-After"))) from None
            raise InputError(f"the endpoint answers HTTP {fault.code} {fault.reason}", value=self.url) from None
        except SPARQLWrapperException as fault:
            said = " ".join(str(fault).split())[:200]
            raise InputError(f"the endpoint does not answer: {said}", value=self.url) from None
        except (OSError, HTTPException) as fault:
            raise _Passing(str(fault) or type(fault).__name__) from None
        finally:
            self._last_request = time.monotonic()


def _kept(path: Path) -> list[Row] | None:
    try:
        return list(json.loads(path.read_text(encoding="utf-8"))["rows"])
    except (OSError, ValueError, KeyError, TypeError):
        # Not there, or spoilt by something other than us: asking again mends it.
        return None


def _asked_to_wait(header: str | None) -> float | None:
    """Seconds from a Retry-After header (a number or an HTTP date), or None where it says nothing usable."""
    if header is None:
        return None
    try:
        if header.strip().isdecimal():
            return float(header)
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _rows(content_type: str, body: bytes) -> list[Row]:
    """The solutions in a response body. A result that was cut off while it was sent is no JSON."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in _JSON_TYPES:
        raise _Passing(f"the answer is {kind or 'of no type'}, not SPARQL JSON")
    try:
        bindings = json.loads(body.decode("utf-8"))["results"]["bindings"]
        return [{name: _text(term["value"]) for name, term in binding.items()} for binding in bindings]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _Passing("the answer is not whole SPARQL JSON") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
