"""What every app of this package answers with: its routes, its static files, its faults, behind the guard."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from alifba.annotate.guard import BODY_LIMIT, Guard, Session
from alifba.annotate.rendering import Renderer
from alifba.errors import InputError


def serve(
    renderer: Renderer, routes: list[Route], session: Session, hosts: set[str], body_limit: int = BODY_LIMIT
) -> Guard:
    """An app of `routes` behind a guard that accepts `hosts` and posts of at most `body_limit` bytes. No fault tells a
    client more than that it happened."""
    notice = renderer.notice

    async def static(request: Request) -> Response:
        """The script and the style sheet: two names, no path."""
        found = renderer.static.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        return Response(found.text, media_type=found.media_type)

    async def http_fault(request: Request, fault: HTTPException) -> Response:
        return notice(request, fault.status_code, "refused_method" if fault.status_code == 405 else "not_found")

    async def log_fault(request: Request, fault: InputError) -> Response:
        return notice(request, 500, "log_fault", why=fault.what)

    async def any_fault(request: Request, fault: Exception) -> Response:
        return notice(request, 500, "broken")

    app = Starlette(
        routes=[*routes, Route("/static/{name}", static)],
        exception_handlers={HTTPException: http_fault, InputError: log_fault, Exception: any_fault},  # type: ignore[dict-item]
    )
    return Guard(app, session, hosts, lambda scope, status, key: notice(Request(scope), status, key), body_limit)
