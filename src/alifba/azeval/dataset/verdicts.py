"""What people said of a draft: the row as they want it, or why no person stands behind it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from alifba.azeval.dataset.drafts import Draft
from alifba.decisions import JUDGED, SKIP, Decision, as_decided, text_sha
from alifba.stats.proportions import wilson_interval

TASK = "review"
Decisions = Mapping[str, Mapping[str, Decision]]
"""Annotator → item id → the decision in force, as `alifba.decisions.read_decisions` gives them."""

Outcome = Literal["accepted", "edited", "rejected", "disputed", "undecided"]


@dataclass(frozen=True)
class Reason:
    """Why a row is refused: `kind` is what refusals are counted by, `detail` belongs to this row."""

    kind: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}" if self.detail else self.kind


@dataclass(frozen=True)
class Verdict:
    """The outcome of the review of one draft. `row` is the row as accepted; None if no person accepted it."""

    outcome: Outcome
    row: dict[str, Any] | None = None
    reasons: tuple[Reason, ...] = ()
    annotators: tuple[str, ...] = ()


UNDECIDED = "not decided by a person"
STALE = "changed since a person decided"


def verdict(draft: Draft, decisions: Decisions) -> Verdict:
    """What the decisions in force say of `draft`. A decision counts for the text that was shown and for no other."""
    given = {who: log[draft.id] for who, log in decisions.items() if draft.id in log}
    sha = text_sha(TASK, draft.row)
    valid = {who: said for who, said in given.items() if said.text_sha == sha}
    spoken = {who: said for who, said in valid.items() if said.decision != SKIP}
    if not spoken:
        stale = sorted(set(given) - set(valid))
        reason = Reason(STALE, f"decided by {', '.join(stale)}") if stale else Reason(UNDECIDED)
        return Verdict("undecided", reasons=(reason,))
    annotators = tuple(sorted(spoken))
    rejections = [
        Reason("rejected by a person", f"{who}: {said.reason}")
        for who, said in sorted(spoken.items())
        if said.decision == "reject"
    ]
    if len(rejections) == len(spoken):
        return Verdict("rejected", reasons=tuple(rejections), annotators=annotators)
    wanted = {_canonical(as_decided(draft.row, said)) for said in spoken.values() if said.decision != "reject"}
    if rejections or len(wanted) > 1:
        said_by = ", ".join(f"{who}: {said.decision}" for who, said in sorted(spoken.items()))
        return Verdict("disputed", reasons=(Reason("annotators disagree", said_by), *rejections), annotators=annotators)
    first = next(iter(spoken.values()))
    foreign = sorted(set(first.changes or {}) - set(JUDGED[TASK]))
    if foreign:
        reason = Reason("an edit of what is not shown for editing", ", ".join(foreign))
        return Verdict("undecided", reasons=(reason,), annotators=annotators)
    row = as_decided(draft.row, first)
    return Verdict("edited" if first.changes else "accepted", row, annotators=annotators)


def _canonical(row: Mapping[str, Any]) -> str:
    return json.dumps(row, sort_keys=True, ensure_ascii=False)


def acceptance(outcomes: Iterable[tuple[str, Outcome]], level: float = 0.95) -> pd.DataFrame:
    """Counts of ``(template, outcome)`` by template, and in all (template "all", first row).

    `n` drafts; `accepted`, `edited` (accepted with changes), `rejected`, `disputed`, `undecided` add up to it. `share`
    of the decided drafts that were accepted, edited or not, with its Wilson interval; NaN where nothing is decided.
    """
    names = ("accepted", "edited", "rejected", "disputed", "undecided")
    table = pd.DataFrame(list(outcomes), columns=["template", "outcome"])
    counts = pd.crosstab(table["template"], table["outcome"]).reindex(columns=list(names), fill_value=0)
    counts = pd.concat([counts.sum().to_frame("all").T, counts]).rename_axis("template").rename_axis(columns=None)
    counts = counts.reset_index()
    counts.insert(1, "n", counts[list(names)].sum(axis=1))
    counts = counts.astype(dict.fromkeys(["n", *names], int))
    kept, decided = counts["accepted"] + counts["edited"], counts["n"] - counts["undecided"]
    low, high = wilson_interval(kept, decided, level)
    return counts.assign(share=kept / decided.where(decided > 0), ci_low=low, ci_high=high)
