"""Who may score an attempt: two people blind to each other, one of them Gulf for a Gulf item, a third after a gap."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from alifba.arabic.project import Project
from alifba.arabic.records import Attempt, Item, Role, Score


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
    blind = blind_pair(standing, speakers(project, item))
    left_to_gulf = item.needs_gulf and blind and not any(project.scorer(name).gulf for name in blind)
    if left_to_gulf and not person.gulf:
        raise NoSeat("gulf")
    if len(blind) < 2 or left_to_gulf:
        return "second" if blind else "first"
    if gaps(project, *blind.values()) and third(standing) is None:
        return "third"
    raise NoSeat("full")


def speakers(project: Project, item: Item) -> frozenset[str] | None:
    """The scorers of whom an item needs one: those of Gulf Arabic for a Gulf item; None where anyone will do."""
    return frozenset(one.id for one in project.settings.scorers if one.gulf) if item.needs_gulf else None


def blind_pair(standing: Mapping[str, Score], needed: Collection[str] | None = None) -> dict[str, Score]:
    """The first two blind scores by time (then by name), by scorer; fewer while there are fewer.

    Of `needed` (see `speakers`) one must be among them: where two others came first, on two machines at the same time,
    the first of `needed` takes the seat of the second.
    """
    blind = [(name, one) for name, one in standing.items() if one.role != "third"]
    blind.sort(key=lambda pair: (pair[1].moment, pair[0]))
    pair = blind[:2]
    if needed is not None and not any(name in needed for name, _ in pair):
        pair = [*blind[:1], *([entry for entry in blind if entry[0] in needed] or blind[1:2])[:1]]
    return dict(pair)


def third(standing: Mapping[str, Score]) -> Score | None:
    """The third score, the earliest if two people gave one."""
    found = [(one.moment, name, one) for name, one in standing.items() if one.role == "third"]
    return min(found, key=lambda entry: entry[:2])[2] if found else None


def gaps(project: Project, first: Score, second: Score) -> list[str]:
    """The criteria on which the two are further apart than the rules allow without a third."""
    one, other = first.criteria or {}, second.criteria or {}
    return [name for name in one if abs(one[name] - other[name]) > project.rules.gap]
