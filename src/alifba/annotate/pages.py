"""The pages: what is shown, and what happens to what a person answers.

Handlers are coroutines that never wait between reading the log and writing it, so the requests of one server follow
one another; other processes are kept apart by the lock of the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from alifba.annotate import edits
from alifba.annotate.answers import Unfit, answer_fields, same_answer
from alifba.annotate.guard import Guard, Session
from alifba.annotate.rendering import WorkRenderer
from alifba.annotate.serving import serve
from alifba.annotate.tasks import Work
from alifba.annotate.worklist import View, Worklist
from alifba.decisions import SKIP, Conflict, as_decided

_PAGE_LENGTH = 50


def build_app(worklist: Worklist, session: Session, hosts: set[str], language: str = "") -> Guard:
    """The app of one annotator's `worklist`, behind a guard that accepts `hosts`. `language` is the one it opens in
    (default: what the browser prefers)."""
    renderer = WorkRenderer(worklist, session, language)
    pages = Pages(worklist, renderer)
    return serve(
        renderer,
        [
            Route("/", pages.resume),
            Route("/list", pages.listing),
            Route("/item/{position:int}", pages.item, methods=["GET", "POST"]),
            Route("/item/{position:int}/edit", pages.edit, methods=["GET", "POST"]),
            Route("/item/{position:int}/prescore", pages.prescore, methods=["POST"]),
            Route("/undo", pages.undo, methods=["POST"]),
        ],
        session,
        hosts,
    )


class Pages:
    """The handlers, one a route."""

    def __init__(self, worklist: Worklist, renderer: WorkRenderer) -> None:
        self._list, self.renderer = worklist, renderer

    async def resume(self, request: Request) -> Response:
        """Go on where the annotator stopped."""
        view = self._list.view(request.query_params)
        return self._go(self._list.resume(view), view)

    async def listing(self, request: Request) -> Response:
        """Every item of the view with its state, and where to go when none is left."""
        view = self._list.view(request.query_params)
        places = self._list.positions(view)
        pages = max(1, -(-len(places) // _PAGE_LENGTH))
        asked = request.query_params.get("page", "1")
        page = min(max(1, int(asked) if asked.isdecimal() and len(asked) < 9 else 1), pages)
        shown = places[(page - 1) * _PAGE_LENGTH : page * _PAGE_LENGTH]
        rows = [(place, work, self._list.decision(work)) for place in shown if (work := self._list.work(place))]
        return self.renderer.page(request, "list.html", "/list", rows=rows, page=page, pages=pages, n_found=len(places))

    async def item(self, request: Request) -> Response:
        """One item; a post decides on it."""
        position, work = self._asked(request)
        if why := self._list.closed(work):
            return self.renderer.page(request, "closed.html", f"/item/{position}", status=403, why=why)
        if request.method != "POST":
            return self._item_page(request, position, work)
        form = request.scope["form"]
        view = self._list.view(request.query_params)
        if self._stands(work, form):
            return self._go(self._list.next(position, view), view)
        try:
            decision, fields = answer_fields(self._list.task, work, form, self._list.offer(work))
            self._append(work, decision, form, fields)
        except Unfit as unfit:
            return self._item_page(request, position, work, problem=unfit)
        except Conflict:
            return self._item_page(request, position, work, problem=Unfit("conflict", 409))
        return self._go(self._list.next(position, view), view)

    async def edit(self, request: Request) -> Response:
        """The form of an edit, then its difference, then the decision."""
        position, work = self._asked(request)
        if not self._list.task.editable:
            raise HTTPException(404)
        form = request.scope.get("form", {})
        decision = self._list.decision(work)
        edited = as_decided(work.row, decision) if decision else work.row
        problem, step = None, form.get("step", "form")
        if request.method == "POST":
            edited = edits.edited_row(self._list.task, work.row, form)
            changed = edits.changes(work.row, edited)
            problem = self._unfit(edited, changed)
            if step == "save" and not problem:
                return self._save_edit(request, position, work, changed)
        return self.renderer.page(
            request,
            "edit.html",
            f"/item/{position}/edit",
            status=problem.status if problem else 200,
            position=position,
            work=work,
            logged=self._list.logged(work),
            edited=edited,
            step="form" if problem else step,
            problem=problem,
            # A link to another language would lose what was typed.
            languages=[],
        )

    def _unfit(self, edited: Mapping[str, Any], changed: Mapping[str, Any]) -> Unfit | None:
        if absent := edits.missing(self._list.task, edited):
            return Unfit("needs_fields", fields=absent)
        return None if changed else Unfit("no_change")

    def _save_edit(self, request: Request, position: int, work: Work, changed: dict[str, Any]) -> Response:
        try:
            self._append(work, "edit", request.scope["form"], {"changes": changed})
        except Conflict:
            return self._item_page(request, position, work, problem=Unfit("conflict", 409))
        view = self._list.view(request.query_params)
        return self._go(self._list.next(position, view), view)

    async def prescore(self, request: Request) -> Response:
        """Show a model's points from now on; that they were asked for is on disk first."""
        position, work = self._asked(request)
        if self._list.closed(work) or not self._list.has_prescore(work):
            raise HTTPException(404)
        self._list.ask(work)
        return self._go(position, self._list.view(request.query_params))

    async def undo(self, request: Request) -> Response:
        """Take back the last decision and show its item."""
        view = self._list.view(request.query_params)
        try:
            undone = self._list.log.undo(request.scope["form"].get("last", ""))
        except Conflict:
            position = self._list.position_of_last() or 1
            work = self._list.work(position)
            assert work is not None
            return self._item_page(request, position, work, problem=Unfit("conflict_undo", 409))
        return self._go(self._list.position(undone.item_id), view)

    def _asked(self, request: Request) -> tuple[int, Work]:
        position = request.path_params["position"]
        work = self._list.work(position)
        if work is None:
            raise HTTPException(404)
        return position, work

    def _stands(self, work: Work, form: Mapping[str, str]) -> bool:
        """Whether the decision that the person saw in force stays: skipping takes nothing back, and accepting what
        they edited, which is what the page shows, does not bring back the draft."""
        in_force = self._list.decision(work)
        if in_force is None or in_force.id != form.get("seen"):
            return False
        return form.get("decision") == SKIP or (form.get("decision") == "accept" and in_force.decision == "edit")

    def _append(self, work: Work, decision: str, form: Mapping[str, str], fields: dict[str, Any]) -> None:
        """Write a decision; the same one posted twice (a key pressed twice) counts once."""
        try:
            self._list.log.append(work.id, decision, work.sha, seen=form.get("seen") or None, **fields)
        except Conflict:
            if not same_answer(self._list.decision(work), decision, fields):
                raise

    def _go(self, position: int | None, view: View) -> Response:
        path = f"/item/{position}" if position else "/list"
        return RedirectResponse(path + view.query, status_code=303)

    def _item_page(self, request: Request, position: int, work: Work, problem: Unfit | None = None) -> Response:
        view = self._list.view(request.query_params)
        previous, following = self._list.neighbours(position, view)
        decision, logged = self._list.decision(work), self._list.logged(work)
        return self.renderer.page(
            request,
            "item.html",
            f"/item/{position}",
            status=problem.status if problem else 200,
            position=position,
            work=work,
            row=as_decided(work.row, decision) if decision else work.row,
            decision=decision,
            logged=logged,
            previous=previous,
            following=following,
            problem=problem,
            form=request.scope.get("form", {}),
            third=self._list.is_third(work),
            has_prescore=self._list.has_prescore(work),
            offer=self._list.offer(work),
        )
