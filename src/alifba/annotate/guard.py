"""The door of the app. Nothing behind it runs for a request that does not come from the annotator's own page.

The server listens on the loopback, but any page open in the same browser can send requests there, and a name that
somebody else controls can be made to point there (DNS rebinding). So every request must name this server as its Host
and carry the session's cookie; a post must also come from our own origin and bring the token of its form.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT = 64 * 1024
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # With "no-referrer" a browser posts "Origin: null" and the origin could not be checked.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # A source link must not be looked up before somebody follows it.
    "X-DNS-Prefetch-Control": "off",
}


@dataclass(frozen=True)
class Session:
    """The secrets of one run of the server: what opens it, what its cookie holds, what its forms bring along."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    key: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """Name of the cookie. All ports of a host share their cookies, so each server needs a name of its own."""
        return f"alifba_{self.port}"


class Refused(Exception):
    """A request that is not let in: its status, and the key of the sentence that says why."""

    def __init__(self, status: int, key: str) -> None:
        super().__init__(key)
        self.status, self.key = status, key


class Guard:
    """An ASGI app around `app`. `hosts` are the accepted Host headers (name:port); `page` makes the answer to what
    is refused. The form of a post, of at most `body_limit` bytes, is handed on as ``scope["form"]``."""

    def __init__(
        self,
        app: ASGIApp,
        session: Session,
        hosts: set[str],
        page: Callable[[Scope, int, str], Response],
        body_limit: int = BODY_LIMIT,
    ) -> None:
        self._app, self._session, self._hosts, self._page, self._limit = app, session, hosts, page, body_limit
        self._origins = {f"http://{host}" for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"only http is served, not {scope['type']}")

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        try:
            answer = await self._admit(scope, receive)
        except Refused as refused:
            answer = self._page(scope, refused.status, refused.key)
        await (answer or self._app)(scope, receive, guarded)

    async def _admit(self, scope: Scope, receive: Receive) -> Response | None:
        """None for a request that may pass, or the answer it gets instead. Raises `Refused`."""
        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            raise Refused(405, "refused_method")
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self._hosts:
            raise Refused(403, "refused_host")
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        if scope["method"] != "POST" and "token" in query:
            return self._enter(scope, query)
        if not _same(Request(scope).cookies.get(self._session.cookie, ""), self._session.key):
            raise Refused(403, "refused_session")
        if scope["method"] == "POST":
            if headers.getlist("origin") != [headers.get("origin")] or headers["origin"] not in self._origins:
                raise Refused(403, "refused_origin")
            scope["form"] = await _form(headers, receive, self._limit)
            if not _same(scope["form"].get("csrf", ""), self._session.csrf):
                raise Refused(403, "refused_form")
        return None

    def _enter(self, scope: Scope, query: dict[str, str]) -> Response:
        """Change the token of the address for a cookie, and the address for one without the token."""
        if not _same(query.pop("token"), self._session.token):
            raise Refused(403, "refused_session")
        # One slash: an address that begins with two would lead to another host.
        path = "/" + scope["path"].lstrip("/\\")
        answer = RedirectResponse(f"{path}?{urlencode(query)}" if query else path, status_code=303)
        answer.set_cookie(self._session.cookie, self._session.key, httponly=True, samesite="strict", path="/")
        return answer


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode("utf-8"))


async def _form(headers: Headers, receive: Receive, limit: int) -> dict[str, str]:
    """The fields of a posted form. Raises `Refused` for a body that is too long or is no form."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise Refused(415, "refused_form")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > limit:
        raise Refused(413, "refused_size")
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "refused_form")
        body += message.get("body", b"")
        if len(body) > limit:
            raise Refused(413, "refused_size")
        more = message.get("more_body", False)
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=200)
    except ValueError:
        raise Refused(400, "refused_form") from None
    return dict(pairs)
