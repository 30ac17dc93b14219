"""Templates and what all pages have in common: words, view, progress, the last decision."""

from __future__ import annotations

from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from alifba.annotate.edits import as_text, difference
from alifba.annotate.guard import Session
from alifba.annotate.wording import Wording, choose, wordings
from alifba.annotate.worklist import STATUSES, Worklist
from alifba.decisions import Decision

# Previous and next point against and along the direction of writing: the key and its sign.
_LEFT, _RIGHT = ("ArrowLeft", "←"), ("ArrowRight", "→")
_ARROWS = {"ltr": (_LEFT, _RIGHT), "rtl": (_RIGHT, _LEFT)}


class Static(NamedTuple):
    """A file of the app that a page loads."""

    text: str
    media_type: str


class Renderer:
    """Makes the pages of `worklist`; every text is escaped."""

    def __init__(self, worklist: Worklist, session: Session) -> None:
        self._list, self._session = worklist, session
        self._lines_at_start = len(worklist.log.replay)
        self._lang_cookie = f"{session.cookie}_lang"
        loader = PackageLoader("alifba.annotate", "data")
        self._templates = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        kinds = {"app.js": "text/javascript", "style.css": "text/css"}
        self.static = {
            name: Static(loader.get_source(self._templates, name)[0], media_type) for name, media_type in kinds.items()
        }

    def page(self, request: Request, name: str, here: str, status: int = 200, **values: Any) -> Response:
        """The page `name`; `here` is its own address without a query."""
        t, worklist = self.wording(request), self._list
        view = worklist.view(request.query_params)
        counts = worklist.counts(view)
        common = {
            "t": t,
            "arrows": _ARROWS[t.dir],
            "languages": [language for code, language in wordings().items() if code != t.code],
            "here": here,
            "task": worklist.task,
            "annotator": worklist.log.annotator,
            # Said until the next decision is written.
            "mended": worklist.log.mended and len(worklist.log.replay) == self._lines_at_start,
            "view": view,
            "choices": worklist.choices,
            "statuses": STATUSES,
            "counts": counts,
            "total": counts.total(),
            "n_all": len(worklist),
            "last": worklist.log.replay.last,
            "last_place": worklist.position_of_last(),
            "csrf": self._session.csrf,
            "as_text": as_text,
            "difference": difference,
            "is_link": is_link,
            "what": lambda decision: what(t, decision),
        }
        answer = HTMLResponse(self._templates.get_template(name).render(common | values), status_code=status)
        if request.query_params.get("lang") == t.code:
            answer.set_cookie(self._lang_cookie, t.code, httponly=True, samesite="strict", path="/")
        return answer

    def notice(self, request: Request, status: int, key: str, **values: Any) -> Response:
        """A page that says one thing and shows nothing of the session."""
        t = self.wording(request)
        text = self._templates.get_template("notice.html").render(t=t, text=t(key, **values))
        return HTMLResponse(text, status_code=status)

    def wording(self, request: Request) -> Wording:
        """The language of the answer to `request`."""
        kept = request.cookies.get(self._lang_cookie, "")
        return choose(request.query_params.get("lang", ""), kept, request.headers.get("accept-language", ""))


def is_link(value: object) -> bool:
    """Whether a source may be followed: only the web, never ``javascript:`` or ``data:``."""
    return isinstance(value, str) and value.startswith(("https://", "http://")) and not set(value) & set(" \t\r\n")


def what(t: Wording, decision: Decision) -> str:
    """A decision in words, with its reason, note or answer."""
    more = [t.known(f"reason_{decision.reason}", decision.reason) if decision.reason else "", decision.note or ""]
    if decision.answer is not None:
        more.append(decision.answer or t("empty"))
    more += [f"{name} {t.number(points)}" for name, points in (decision.criteria or {}).items()]
    text = "; ".join(part for part in more if part)
    return f"{t(f'is_{decision.decision}')}: {text}" if text else t(f"is_{decision.decision}")
