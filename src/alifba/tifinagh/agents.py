"""Command-line agents: how each is called with everything off, and how its output is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from alifba.config import Command, Model
from alifba.paths import shown
from alifba.text.resources import load_toml
from alifba.tifinagh.prompts import SCHEMA_FILES, Kind, schema, system_text
from alifba.tifinagh.study import Agent

ADAPTERS: dict[str, dict[str, Any]] = load_toml("agents.toml", package="alifba.tifinagh")


class Unusable(Exception):
    """The output of an agent holds no reply that counts; the message says why."""


def as_command(agent: Agent, kind: Kind) -> Model:
    """`agent` as a command that `CommandBackend` runs, in an empty folder and with a scrubbed environment."""
    adapter = ADAPTERS[agent.adapter]
    filled = {
        "{model}": agent.model or "",
        "{system}": system_text(kind),
        "{schema}": json.dumps(schema(kind), separators=(",", ":")),
        "{schema_file}": _data_file(SCHEMA_FILES[kind]),
        "{policy_file}": _data_file("gemini_policy.toml"),
    }
    argv = [filled.get(word, word) for word in adapter["argv"]]
    command = Command(
        argv=agent.argv or [agent.program or adapter["program"], *argv],
        timeout_s=agent.timeout_s,
        workers=agent.workers,
        pass_env=adapter["pass_env"] if agent.pass_env is None else agent.pass_env,
    )
    return Model(slug=agent.slug, name=agent.name, label=agent.label, backend="command", command=command)


def _data_file(name: str) -> str:
    """A file of this package, named from the repository root: the command is part of what a run records."""
    return shown(Path(str(files("alifba.tifinagh") / "data" / name)))


def standing_before(agent: Agent, kind: Kind) -> str:
    """What stands before the user prompt on the agent's standard input: the system prompt, unless a flag carries it."""
    return "" if ADAPTERS[agent.adapter]["system"] == "flag" else system_text(kind) + "\n\n"


def final_text(adapter: str, output: str) -> str:
    """The reply within an agent's output.

    Raises:
        Unusable: the agent reports an error, used a tool, or said nothing that can be read.
    """
    how = ADAPTERS[adapter]
    if how["reply"] == "text":
        return output
    return _of_events(how, output) if how["reply"] == "events" else _of_envelope(how, output)


def _of_events(how: dict[str, Any], output: str) -> str:
    message: str | None = None
    fault = ""
    for event in _objects(output):
        item = event.get("item")
        if isinstance(item, dict) and item.get("type") not in how["quiet_items"]:
            raise Unusable(f"used a tool ({item.get('type')})")
        if isinstance(item, dict) and item.get("type") == "agent_message" and isinstance(item.get("text"), str):
            message = item["text"]
        if event.get("type") in ("error", "turn.failed"):
            fault = str(event.get("message") or event.get("error") or "no reason given")
    if message is None:
        raise Unusable(f"reports an error: {fault[:200]}" if fault else "no message in its output")
    return message


def _objects(output: str) -> Iterator[dict[str, Any]]:
    for line in output.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _of_envelope(how: dict[str, Any], output: str) -> str:
    start = max(output.find("{"), 0)
    try:
        envelope = json.JSONDecoder().raw_decode(output, start)[0]
    except (ValueError, RecursionError):
        raise Unusable("its output is not the JSON that it was asked for") from None
    if not isinstance(envelope, dict):
        raise Unusable("its output is not the JSON that it was asked for")
    for sign in how["tool_signs"]:
        if _at(envelope, sign):
            raise Unusable(f"used a tool ({sign})")
    if envelope.get(how["failed"]):
        raise Unusable(f"reports an error: {str(envelope.get('result') or envelope[how['failed']])[:200]}")
    for name in how["answer"]:
        if answer := envelope.get(name):
            return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    raise Unusable("no message in its output")


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value
