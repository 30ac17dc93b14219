"""Who may score an attempt: two people blind to each other, one of them Gulf for a Gulf item, a third after a gap."""

from __future__ import annotations

from collections.abc import Mapping

from alifba.arabic.project import Project
from alifba.arabic.records import Attempt, Role, Score


class NoSeat(Exception):
    """The person cannot score this attempt. `key`: "full" (two have, and they agree; or a third has), "gulf" (the seat
    that is left needs a Gulf speaker) or "decided" (a refusal or an error, which needs no scorer)."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def seat(project: Project, attempt: Attempt, scorer: str, standing: Mapping[str, Score]) -> Role:
    """The seat of `scorer` at `attempt`, whose scores in force are `standing` (by scorer).

    Raises:
        NoSeat: there is none. InputError: the person has no profile in the project.
    """
    person, item = project.scorer(scorer), project.item(attempt.key)
    if attempt.outcome != "answer":
        raise NoSeat("decided")
    if own := standing.get(scorer):
        assert own.role is not None
        return own.role
    blind = blind_pair(standing)
    if len(blind) < 2:
        left_to_gulf = item.needs_gulf and blind and not any(project.scorer(name).gulf for name in blind)
        if left_to_gulf and not person.gulf:
            raise NoSeat("gulf")
        return "second" if blind else "first"
    if gaps(project, *blind.values()) and third(standing) is None:
        return "third"
    raise NoSeat("full")


def blind_pair(standing: Mapping[str, Score]) -> dict[str, Score]:
    """The first two blind scores by time (then by name), by scorer; fewer while there are fewer."""
    blind = [(name, one) for name, one in standing.items() if one.role != "third"]
    return dict(sorted(blind, key=lambda pair: (pair[1].moment, pair[0]))[:2])


def third(standing: Mapping[str, Score]) -> Score | None:
    """The third score, the earliest if two people gave one."""
    found = [(one.moment, name, one) for name, one in standing.items() if one.role == "third"]
    return min(found, key=lambda entry: entry[:2])[2] if found else None


def gaps(project: Project, first: Score, second: Score) -> list[str]:
    """The criteria on which the two are further apart than the rules allow without a third."""
    one, other = first.criteria or {}, second.criteria or {}
    return [name for name in one if abs(one[name] - other[name]) > project.rules.gap]
