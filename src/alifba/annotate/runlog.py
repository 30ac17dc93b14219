"""Attempts that a person logs by hand: what is logged of a run, what comes next, and a form turned into a record."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from pydantic import ValidationError

from alifba.annotate.answers import Unfit
from alifba.arabic.logs import append_attempt, next_replacement, read_attempts
from alifba.arabic.project import Project, prompt_sha
from alifba.arabic.records import ATTEMPTS, Attempt, Item, Outcome, Tool, attempt_id, riyadh_now
from alifba.errors import InputError

OUTCOMES: tuple[str, ...] = get_args(Outcome)
# A person reaches a tool in any way but the last.
INTERFACES = tuple(way for way in get_args(Attempt.model_fields["interface"].annotation) if way != "api")
# What all attempts of a run share; a further attempt takes it from the run.
SETTING = ("plan", "model_version", "interface", "ui_language")
_NEEDED = ("run", *SETTING, "time")


@dataclass(frozen=True)
class Place:
    """What is logged next: an attempt of `run` at `item` (None: nothing of this tool can be run), and what stands
    there already."""

    tool: Tool
    run: str
    item: Item | None
    attempt: int
    logged: Attempt | None
    setting: Mapping[str, str]
    is_new_run: bool


class RunLog:
    """The attempts of a project, as they are on disk now, and the person `by` who logs more of them. `said` is what was
    noticed in the logs at first.

    Raises:
        InputError: a damaged log.
    """

    def __init__(self, project: Project, by: str) -> None:
        self.project, self.by = project, by
        self.said: list[str] = []
        read_attempts(project, self.said)

    @property
    def tools(self) -> list[Tool]:
        """The tools whose runs a person logs."""
        return [tool for tool in self.project.tools if not tool.example and tool.model is None]

    def standing(self) -> dict[str, Attempt]:
        """Every attempt that was not replaced, by id, in log order."""
        return read_attempts(self.project).standing

    def items(self, tool: Tool, test_set: str | None = None) -> list[Item]:
        """The items that `tool` can be asked today."""
        asked = self.project.items_for(tool, test_set)
        return [item for item in asked if item.prompt is not None and item.status != "needs_sample"]

    def waiting(self, tool: Tool) -> list[Item]:
        """The items of `tool` that lack a sample."""
        return [item for item in self.project.items_for(tool) if item.status == "needs_sample"]

    def place(self, given: Mapping[str, str]) -> Place | None:
        """Where the fields of an address lead; whatever they leave open is the next thing to do. None without a tool.

        Raises:
            InputError: a tool, run or item that cannot be logged here.
        """
        if not self.tools:
            return None
        standing = self.standing()
        tool = self._tool(given.get("tool", ""), standing)
        runs = [one.run for one in sorted(standing.values(), key=_moment) if one.tool == tool.id]
        run = given.get("run") or (self._new_run(tool, runs) if "new" in given or not runs else runs[-1])
        logged = {one.place: one for one in standing.values() if one.run == run}
        first = next(iter(logged.values()), None)
        if first and first.tool != tool.id:
            raise InputError(f"this run is one of {first.tool}", value=run)
        items = self.items(tool, first.test_set if first else None)
        if key := given.get("item"):
            items = [item for item in items if item.key == key]
            if not items:
                raise InputError(f"{tool.id} cannot be asked this item", value=key)
        left = [(item, number) for item in items for number in ATTEMPTS if (run, item.key, number) not in logged]
        item, attempt = next(iter(left), (items[-1] if items else None, ATTEMPTS[-1]))
        if (asked := given.get("attempt", "")) in map(str, ATTEMPTS):
            attempt = int(asked)
        there = logged.get((run, item.key, attempt)) if item else None
        setting = {name: getattr(first, name) for name in SETTING} if first else self._usual(tool)
        return Place(tool, run, item, attempt, there, setting, first is None)

    def _tool(self, name: str, standing: Mapping[str, Attempt]) -> Tool:
        """The tool `name`, or without a name the one that was logged last, or else the first."""
        tools = {tool.id: tool for tool in self.tools}
        if not name:
            by_hand = [one for one in standing.values() if one.tool in tools]
            return tools[max(by_hand, key=_moment).tool] if by_hand else self.tools[0]
        if name not in tools:
            raise InputError("no tool whose runs a person logs", value=name, next_step=f"known: {', '.join(tools)}")
        return tools[name]

    def _usual(self, tool: Tool) -> dict[str, str]:
        plan, version = (next(iter(known), "") for known in (tool.plans, tool.versions))
        return {"plan": plan, "model_version": version, "interface": INTERFACES[0], "ui_language": "ar"}

    def _new_run(self, tool: Tool, runs: list[str]) -> str:
        """Tool and month; a number where that was taken."""
        name, number = f"{tool.id}-{riyadh_now()[:7]}", 2
        while name in runs:
            name, number = f"{tool.id}-{riyadh_now()[:7]}-{number}", number + 1
        return name

    def table(self, place: Place) -> Iterator[tuple[Item, list[tuple[int, Attempt | None]]]]:
        """Every item of the run with its three attempts, logged or not."""
        logged = {one.place: one for one in self.standing().values() if one.run == place.run}
        for item in self.items(place.tool):
            yield item, [(number, logged.get((place.run, item.key, number))) for number in ATTEMPTS]

    def save(self, place: Place, form: Mapping[str, str]) -> Attempt:
        """Write the attempt that `form` describes; on disk before this returns.

        Raises:
            Unfit: something is missing or wrong, or the attempt was logged elsewhere meanwhile.
            InputError: it does not fit the project.
        """
        assert place.item is not None
        row = self._row(place, place.item, form)
        if (place.logged.id if place.logged else "") != form.get("replaces", ""):
            raise Unfit("conflict_attempt", 409)
        self._complete(row, form)
        try:
            attempt = Attempt.model_validate(row)
        except ValidationError as fault:
            raise Unfit("bad_fields", fields=[_label(str(fault.errors()[0]["loc"][0]))]) from None
        append_attempt(self.project, attempt)
        return attempt

    def _row(self, place: Place, item: Item, form: Mapping[str, str]) -> dict[str, Any]:
        """A row as the log has it; everything typed is NFC and trimmed but the output, which stays as it came."""
        run = _text(form.get("run", ""))
        row: dict[str, Any] = {name: _text(form.get(name, "")) for name in (*_NEEDED, "note")}
        row |= {
            "id": attempt_id(run, item.key, place.attempt),
            "tool": place.tool.id,
            "test_set": self.project.settings.test_set,
            "item": item.id,
            "version": item.version,
            "prompt_sha": prompt_sha(item.prompt or ""),
            "attempt": place.attempt,
            "fresh_session": form.get("fresh_session") == "yes",
            # A form sends every line end as two signs.
            "output": form.get("output", "").replace("\r\n", "\n"),
            "outcome": form.get("outcome", ""),
            "logged_by": self.by,
        }
        if place.logged:
            used = read_attempts(self.project).known
            row |= {"id": next_replacement(used, place.logged.place), "replaces": place.logged.id}
            row["test_set"] = place.logged.test_set
        return {name: value for name, value in row.items() if name != "note" or value}

    def _complete(self, row: Mapping[str, Any], form: Mapping[str, str]) -> None:
        if empty := [name for name in _NEEDED if not row[name]]:
            raise Unfit("needs_fields", fields=[_label(name) for name in empty])
        if not row["fresh_session"]:
            raise Unfit("needs_fresh")
        if row["outcome"] == "answer" and not row["output"].strip():
            raise Unfit("needs_output")
        if row["outcome"] != "answer" and "note" not in row:
            raise Unfit("needs_why")
        if "replaces" in row and "note" not in row:
            raise Unfit("needs_correction")


def _moment(attempt: Attempt) -> datetime:
    return datetime.fromisoformat(attempt.time)


def _label(name: str) -> str:
    """The word of the form for a field of the record."""
    return name if name in ("output", "outcome") else f"run_{name}"


def _text(value: str) -> str:
    return unicodedata.normalize("NFC", value).strip()
