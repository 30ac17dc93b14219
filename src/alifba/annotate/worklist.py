"""The state of one annotator's work: what is decided, what is left, where to go next."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from alifba.annotate.answers import Offer
from alifba.annotate.tasks import Task, Work
from alifba.decisions import SKIP, Decision, DecisionLog

UNDECIDED, SKIPPED, DECIDED = "undecided", "skipped", "decided"
STATUSES = (UNDECIDED, DECIDED, SKIPPED)


@dataclass(frozen=True)
class View:
    """What the list is narrowed to; "" stands for all."""

    category: str = ""
    template: str = ""
    status: str = ""
    queue: str = ""

    @property
    def query(self) -> str:
        """The view as the query of an address, "" or beginning with "?"."""
        return self.query_with()

    def query_with(self, **more: object) -> str:
        """`query` with further fields."""
        pairs = {name: value for name, value in (vars(self) | more).items() if value}
        return f"?{urlencode(pairs)}" if pairs else ""

    @property
    def without_status(self) -> View:
        return replace(self, status="")


class Worklist:
    """All work of one task and the log of one annotator. Positions count from 1, in file order."""

    def __init__(self, task: Task, works: list[Work], log: DecisionLog) -> None:
        self.task, self.works, self.log = task, works, log
        self._position = {work.id: place for place, work in enumerate(works, 1)}
        self.choices = {name: self._choices(name) for name in task.filters}

    def __len__(self) -> int:
        return len(self.works)

    def _choices(self, name: str) -> list[str]:
        return sorted({getattr(work, name) for work in self.works} - {""})

    def term(self, kind: str, name: str, language: str) -> str:
        """What the work calls `name`, a value of a filter or a criterion (`kind` says of which), in a language."""
        return name

    def closed(self, work: Work) -> str:
        """Why this annotator cannot judge `work`, as a key of the wording; "" where they can."""
        return ""

    def is_third(self, work: Work) -> bool:
        """Whether this annotator is called because two others differ."""
        return False

    def has_prescore(self, work: Work) -> bool:
        """Whether there are points of a model for `work`."""
        return False

    def offer(self, work: Work) -> Offer | None:
        """The model's points, if this annotator has asked to see them."""
        return None

    def ask(self, work: Work) -> None:
        """Keep that this annotator asked to see the model's points."""

    def within(self, work: Work, view: View) -> bool:
        """Whether `work` belongs to `view`, whatever is decided on it."""
        return view.category in ("", work.category) and view.template in ("", work.template)

    def view(self, given: Mapping[str, str]) -> View:
        """The view that the fields of an address ask for; what this task cannot be narrowed by is ignored."""
        status = given.get("status", "")
        narrowed = {name: given.get(name, "") for name in self.task.filters}
        return View(**narrowed, status=status if status in STATUSES else "")

    def work(self, position: int) -> Work | None:
        return self.works[position - 1] if 1 <= position <= len(self.works) else None

    def logged(self, work: Work) -> Decision | None:
        """The decision in force on this id, even one on an older text."""
        return self.log.replay.in_force.get(work.id)

    def decision(self, work: Work) -> Decision | None:
        """The decision in force on this very text."""
        return _on_this_text(work, self.logged(work))

    def status(self, work: Work) -> str:
        return _status(self.decision(work))

    def positions(self, view: View) -> list[int]:
        """Positions of the work in `view`, ascending."""
        return [place for place, _ in self._found(view)]

    def counts(self, view: View) -> Counter[str]:
        """How often each decision is in force among the work of `view`, of any status; "undecided" counts the rest."""
        found = self._found(view.without_status)
        return Counter(decision.decision if decision else UNDECIDED for _, decision in found)

    def _found(self, view: View) -> Iterator[tuple[int, Decision | None]]:
        # Asked once: each look at the log is a look at the disk.
        in_force = self.log.replay.in_force
        for place, work in enumerate(self.works, 1):
            if not self.within(work, view):
                continue
            decision = _on_this_text(work, in_force.get(work.id))
            if not view.status or _status(decision) == view.status:
                yield place, decision

    def neighbours(self, position: int, view: View) -> tuple[int | None, int | None]:
        """The positions before and after `position` in `view`."""
        places = self.positions(view)
        before, after = bisect_left(places, position), bisect_right(places, position)
        return (places[before - 1] if before else None, places[after] if after < len(places) else None)

    def next(self, position: int, view: View) -> int | None:
        """Where to go after a decision: the next undecided work, from the start again after the end. In a view of
        decided or skipped work: the one that follows. None when there is none."""
        if view.status in (DECIDED, SKIPPED):
            return self.neighbours(position, view)[1]
        left = self.positions(replace(view, status=UNDECIDED))
        if not left:
            return None
        place = bisect_right(left, position)
        return left[place if place < len(left) else 0]

    def resume(self, view: View) -> int | None:
        """Where the annotator stopped: what follows their last decision. None when nothing of `view` is left."""
        if view.status in (DECIDED, SKIPPED):
            return next(iter(self.positions(view)), None)
        return self.next(self.position_of_last(), view)

    def position_of_last(self) -> int:
        """Position of the last decision, or 0."""
        last = self.log.replay.last
        return self._position.get(last.item_id, 0) if last else 0

    def position(self, item_id: str) -> int | None:
        return self._position.get(item_id)


def _on_this_text(work: Work, logged: Decision | None) -> Decision | None:
    return logged if logged and logged.text_sha == work.sha else None


def _status(decision: Decision | None) -> str:
    if decision is None:
        return UNDECIDED
    return SKIPPED if decision.decision == SKIP else DECIDED
