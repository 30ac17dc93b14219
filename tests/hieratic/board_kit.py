"""Items and records for tests of the hieratic leaderboard."""

from __future__ import annotations

from typing import Any

from alifba.hieratic.records import Item, RunRecord


def an_item(name: str, **changes: Any) -> Item:
    """An identify item in hieratic; a `gardiner` makes it a single sign."""
    row: dict[str, Any] = {"id": name, "split": "public", "rungs": ["identify"], "image": "x.png", "script": "hieratic"}
    if "gardiner" in changes:
        row["rungs"] = ["signs"]
    return Item.model_validate(row | changes)


def by_id(*items: Item) -> dict[str, Item]:
    return {item.id: item for item in items}


def a_record(item: str, score: float | None, **changes: Any) -> RunRecord:
    """An answer of model "m" on identify; None as score with an error is a failed call."""
    row: dict[str, Any] = {
        "runId": "run-1",
        "model": {"key": "m", "label": "M", "provider": "test", "id": "m-1"},
        "itemId": item,
        "rung": "identify",
        "sample": 0,
        "response": "SCRIPT: x",
        "parsed": "x",
        "score": score,
    }
    return RunRecord.model_validate(row | changes)


def of_model(key: str, **changes: Any) -> dict[str, Any]:
    return {"model": {"key": key, "label": key.upper(), "provider": "test", "id": key} | changes}
