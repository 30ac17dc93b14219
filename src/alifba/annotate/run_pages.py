"""The form to log what a chat app answered: one page that always offers the next attempt."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from alifba.annotate.answers import Unfit
from alifba.annotate.guard import Guard, Session
from alifba.annotate.rendering import Renderer
from alifba.annotate.runlog import INTERFACES, OUTCOMES, SETTING, Place, RunLog
from alifba.annotate.serving import serve
from alifba.arabic.records import ATTEMPTS, riyadh_now
from alifba.arabic.wording import label
from alifba.errors import InputError

# A long answer in Arabic: a form writes every letter as six bytes.
_BODY_LIMIT = 1024 * 1024


def build_run_app(log: RunLog, session: Session, hosts: set[str], language: str = "") -> Guard:
    """The app that logs attempts, behind a guard that accepts `hosts`; it opens in `language`."""
    pages = RunPages(log, Renderer(session, log.by, language))
    routes = [Route("/", pages.form, methods=["GET", "POST"])]
    return serve(pages.renderer, routes, session, hosts, _BODY_LIMIT)


class RunPages:
    """The handlers, one a route."""

    def __init__(self, log: RunLog, renderer: Renderer) -> None:
        self._log, self.renderer = log, renderer

    async def form(self, request: Request) -> Response:
        """The form of the attempt that the address names; a post writes it and leads to the next one."""
        given = dict(request.query_params)
        try:
            place = self._log.place(given)
        except InputError as fault:
            return self.renderer.notice(request, 404, "project_fault", why=fault.what)
        if place is None or place.item is None or request.method != "POST":
            return self._page(request, place)
        try:
            made = self._log.save(place, request.scope["form"])
        except Unfit as unfit:
            return self._page(request, place, unfit)
        except InputError as fault:
            return self._page(request, place, Unfit("project_fault", fields=[fault.what]))
        query = {"tool": made.tool, "run": made.run, "saved": made.id}
        return RedirectResponse(f"/?{urlencode(query)}", status_code=303)

    def _page(self, request: Request, place: Place | None, problem: Unfit | None = None) -> Response:
        t = self.renderer.wording(request)
        language = "ar" if t.code == "ar" else "en"
        query = {name: value for name, value in request.query_params.items() if name not in ("lang", "saved")}
        saved = self._log.standing().get(request.query_params.get("saved", ""))
        return self.renderer.page(
            request,
            "run.html",
            "/",
            status=problem.status if problem else 200,
            place=place,
            problem=problem,
            form=request.scope.get("form", {}) if problem else {},
            saved=None if problem else saved,
            tools=self._log.tools,
            items=self._log.items(place.tool) if place else [],
            waiting=self._log.waiting(place.tool) if place else [],
            table=list(self._log.table(place)) if place else [],
            attempts=ATTEMPTS,
            interfaces=INTERFACES,
            outcomes=OUTCOMES,
            setting=SETTING,
            now=riyadh_now(),
            named=lambda thing: getattr(thing, f"name_{language}", None) or getattr(thing, f"title_{language}"),
            section=lambda name: label("sections", name, language),  # type: ignore[arg-type]
            link=lambda **more: f"/?{urlencode(query | more)}",
        )
