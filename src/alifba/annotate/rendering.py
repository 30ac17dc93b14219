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
    """Makes pages for `annotator`; every text is escaped. `language` is the one they open in (default: what the
    browser prefers)."""

    def __init__(self, session: Session, annotator: str, language: str = "") -> None:
        self._session, self._annotator, self._language = session, annotator, language
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
        t = self.wording(request)
        common = {
            "t": t,
            "languages": [language for code, language in wordings().items() if code != t.code],
            "arrows": _ARROWS[t.dir],
            "here": here,
            "annotator": self._annotator,
            "csrf": self._session.csrf,
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
        preferred = self._language or request.headers.get("accept-language", "")
        return choose(request.query_params.get("lang", ""), kept, preferred)


class WorkRenderer(Renderer):
    """Makes the pages of `worklist`."""

    def __init__(self, worklist: Worklist, session: Session, language: str = "") -> None:
        super().__init__(session, worklist.log.annotator, language)
        self._list = worklist
        self._lines_at_start = len(worklist.log.replay)

    def page(self, request: Request, name: str, here: str, status: int = 200, **values: Any) -> Response:
        """The page `name` with the progress of its view and the last decision."""
        t, worklist = self.wording(request), self._list
        view = worklist.view(request.query_params)
        counts = worklist.counts(view)
        common = {
            "task": worklist.task,
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
            "as_text": as_text,
            "difference": difference,
            "is_link": is_link,
            "term": lambda kind, term: worklist.term(kind, str(term), t.code),
            "what": lambda decision: what(t, decision, worklist),
        }
        return super().page(request, name, here, status, **(common | values))


def is_link(value: object) -> bool:
    """Whether a source may be followed: only the web, never ``javascript:`` or ``data:``."""
    return isinstance(value, str) and value.startswith(("https://", "http://")) and not set(value) & set(" \t\r\n")


def what(t: Wording, decision: Decision, worklist: Worklist) -> str:
    """A decision in words, with its reason, note or answer."""
    more = [t.known(f"reason_{decision.reason}", decision.reason) if decision.reason else "", decision.note or ""]
    if decision.answer is not None:
        more.append(decision.answer or t("empty"))
    points = decision.criteria or {}
    more += [f"{worklist.term('criterion', name, t.code)} {t.number(given)}" for name, given in points.items()]
    text = t.semicolon.join(part for part in more if part)
    said = t("is_refusal" if getattr(decision, "refusal", False) else f"is_{decision.decision}")
    return f"{said}: {text}" if text else said
