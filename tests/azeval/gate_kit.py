"""Drafts, decisions on them, and what the gate says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alifba.azeval.dataset.build import Places
from alifba.azeval.dataset.drafts import Draft
from alifba.azeval.dataset.gate import Gate, pass_gate
from alifba.decisions import DecisionLog, read_decisions, text_sha
from alifba.items import read_items
from samples import PILOT

PILOT_ROWS = [item.model_dump() for item in read_items(PILOT)]


def decide(folder: Path, row: dict[str, Any], decision: str = "accept", who: str = "anna", **fields: Any) -> None:
    """A decision of the annotation app on `row` as it is."""
    log = DecisionLog(folder, "review", who)
    standing = log.replay.in_force.get(row["id"])
    log.append(row["id"], decision, text_sha("review", row), seen=standing and standing.id, **fields)


def judge(tmp_path: Path, rows: list[dict[str, Any]]) -> Gate:
    """The gate on `rows` with the decisions below `tmp_path`."""
    drafts = [Draft("drafts.jsonl", line, row) for line, row in enumerate(rows, 1)]
    return pass_gate(drafts, read_decisions(tmp_path, "review"))


def reasons(gate: Gate) -> list[list[str]]:
    return [[reason.kind for reason in judged.reasons] for judged in gate.judged]


def accepted(tmp_path: Path, *rows: dict[str, Any]) -> Gate:
    """The gate on `rows` after a person accepted each just as it is."""
    for row in {row["id"]: row for row in rows}.values():
        decide(tmp_path, row)
    return judge(tmp_path, list(rows))


def places(tmp_path: Path, *drafts: Path) -> Places:
    return Places(drafts or (tmp_path / "raw",), tmp_path / "raw" / "decisions", tmp_path / "raw", tmp_path / "built")
