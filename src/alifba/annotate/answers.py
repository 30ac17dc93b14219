"""From a posted form to a decision: which one it is, and what has to come with it."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from alifba.annotate.tasks import Task, Work
from alifba.decisions import SKIP, Decision


class Unfit(Exception):
    """An answer that is not saved: the key of the sentence that says why, and the fields it is about."""

    def __init__(self, key: str, status: int = 422, fields: list[str] | None = None) -> None:
        super().__init__(key)
        self.key, self.status, self.fields = key, status, fields or []


class Offer(NamedTuple):
    """Points that a model proposes and a person asked to see: its id, the points of each criterion, the reason."""

    id: str
    criteria: dict[str, int]
    note: str


def answer_fields(
    task: Task, work: Work, form: Mapping[str, str], offer: Offer | None = None
) -> tuple[str, dict[str, Any]]:
    """The decision that `form` takes on `work`, and its further fields. Raises `Unfit`."""
    decision = form.get("decision", "")
    if decision == SKIP:
        return decision, {}
    action = task.decisions.get(decision)
    if action is None or action.asks == "edit":
        raise Unfit("unknown_decision")
    fields: dict[str, Any] = {}
    if note := _text(form.get("note", "")):
        fields["note"] = note
    if action.asks == "reason":
        fields["reason"] = _text(form.get("reason", ""))
        if not fields["reason"]:
            raise Unfit("needs_reason")
    elif action.asks == "answer":
        fields["answer"] = _text(form.get("answer", ""))
    elif action.asks == "criteria":
        fields["criteria"] = _points(work.row["criteria"], form)
    elif action.asks == "why":
        if "note" not in fields:
            raise Unfit("needs_why")
        fields |= {"criteria": dict.fromkeys(work.row["criteria"], 0), "refusal": True}
    elif action.asks == "prescore":
        if offer is None or offer.id != form.get("prescore"):
            raise Unfit("unknown_decision")
        fields |= {"criteria": offer.criteria, "prescore": offer.id}
    return action.logs or decision, fields


def _points(criteria: list[str], form: Mapping[str, str]) -> dict[str, int]:
    given = [form.get(f"points{number}", "") for number in range(len(criteria))]
    if any(points not in tuple("012345") for points in given):
        raise Unfit("needs_criteria")
    return dict(zip(criteria, map(int, given), strict=True))


def _text(value: str) -> str:
    return unicodedata.normalize("NFC", value).strip()


def same_answer(in_force: Decision | None, decision: str, fields: Mapping[str, Any]) -> bool:
    """Whether `in_force` already says the same."""
    if in_force is None or in_force.decision != decision:
        return False
    return all(getattr(in_force, name) == value for name, value in fields.items())
