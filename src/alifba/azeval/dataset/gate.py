"""The gate: a row enters a dataset if a person accepted its very text and no check finds a fault; else it stays out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from alifba.azeval.dataset.checks import (
    Labels,
    as_item,
    constant_judgements,
    duplicates,
    judgement_faults,
    origin_faults,
    parallel_faults,
    text_faults,
)
from alifba.azeval.dataset.drafts import Draft
from alifba.azeval.dataset.verdicts import STALE, UNDECIDED, Decisions, Reason, Verdict, verdict
from alifba.items import Item

# What only means that people have not finished with a draft: no fault of the row.
_WAITING = (UNDECIDED, STALE)


@dataclass(frozen=True)
class Judged:
    """One draft with what people and checks said of it. `item` is what would enter, None if the row is no item."""

    draft: Draft
    verdict: Verdict
    item: Item | None
    reasons: tuple[Reason, ...]

    @property
    def admitted(self) -> bool:
        return not self.reasons

    @property
    def rejected(self) -> bool:
        """Refused for a fault, and not only for want of a decision."""
        return any(reason.kind not in _WAITING for reason in self.reasons)


@dataclass(frozen=True)
class Gate:
    """All drafts judged, in the order they were read, and decisions on ids that no draft has."""

    judged: tuple[Judged, ...]
    strays: tuple[str, ...]

    @property
    def items(self) -> list[Item]:
        """What enters the dataset: ``verified_by`` is "human", in the order of template, concept and id."""
        admitted = [judged.item for judged in self.judged if judged.admitted and judged.item]
        return sorted(admitted, key=lambda item: (item.category, item.template, item.id))

    @property
    def refusals(self) -> dict[str, list[Judged]]:
        """Kind of reason → the drafts refused for it (one with several reasons stands under each), commonest first."""
        found: dict[str, list[Judged]] = {}
        for judged in self.judged:
            for kind in dict.fromkeys(reason.kind for reason in judged.reasons):
                found.setdefault(kind, []).append(judged)
        return dict(sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0])))


def pass_gate(drafts: Sequence[Draft], decisions: Decisions, labels: Labels | None = None) -> Gate:
    """Judge every draft. Each is admitted or has at least one reason; none is admitted that no person accepted.

    `labels`: names of the concepts of harvested drafts, for the check that both questions ask about the same one.
    """
    verdicts = [verdict(draft, decisions) for draft in drafts]
    repeated = {id_ for id_, n in Counter(draft.id for draft in drafts).items() if n > 1 and id_}
    constants = constant_judgements(drafts)
    judged = []
    for draft, said in zip(drafts, verdicts, strict=True):
        item = as_item(said.row or draft.row, draft)
        reasons = [*said.reasons, *origin_faults(draft, said.row is not None), *judgement_faults(draft, constants)]
        if draft.id in repeated:
            reasons.append(Reason("an id that several drafts have"))
        if isinstance(item, Reason):
            judged.append(Judged(draft, said, None, (*reasons, item)))
            continue
        reasons += text_faults(item)
        if not reasons or all(reason.kind in _WAITING for reason in reasons):
            reasons += parallel_faults(item, worded_by_person=_reworded(said, draft), labels=labels or {})
        verified = item.model_copy(update={"verified_by": "human"}) if said.row is not None else item
        judged.append(Judged(draft, said, verified, tuple(reasons)))
    return Gate(tuple(_without_duplicates(judged)), tuple(_strays(drafts, decisions)))


def _reworded(said: Verdict, draft: Draft) -> bool:
    """Whether an edit touched a question, so that its words are a person's."""
    row: Mapping[str, Any] = said.row or {}
    return any(name in row and row[name] != draft.row.get(name) for name in ("question_az", "question_en"))


def _without_duplicates(judged: Sequence[Judged]) -> Iterator[Judged]:
    """`judged` with the rows refused that ask what another row that would enter asks."""
    found = duplicates([entry.item for entry in judged if entry.admitted and entry.item])
    for entry in judged:
        if entry.admitted and entry.item and entry.item.id in found:
            yield Judged(entry.draft, entry.verdict, entry.item, (found[entry.item.id],))
        else:
            yield entry


def _strays(drafts: Sequence[Draft], decisions: Decisions) -> Iterator[str]:
    known = {draft.id for draft in drafts}
    for annotator, log in decisions.items():
        yield from (f"{annotator}: {id_}" for id_ in log if id_ not in known)
