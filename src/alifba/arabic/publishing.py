"""What is published: ``scores.json``, ``scores.csv`` and, by `alifba.arabic.pages`, the pages. CC BY 4.0."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from alifba.arabic.aggregate import ToolResult
from alifba.arabic.logs import Logs
from alifba.arabic.methodology import methodologies
from alifba.arabic.pages import write_pages
from alifba.arabic.project import Project
from alifba.arabic.records import RIYADH, Attempt
from alifba.arabic.scoring import Number, half_up
from alifba.paths import write_atomic

LICENCE = "CC-BY-4.0"
_DIGITS = 4


def publish(project: Project, results: Sequence[ToolResult], logs: Logs, folder: Path) -> list[Path]:
    """Write scores.json, scores.csv, the pages and the transcripts below `folder`; the same bytes for the same logs."""
    document = json.dumps(scores_document(project, results), ensure_ascii=False, indent=2, allow_nan=False)
    write_atomic(folder / "scores.json", document + "\n")
    write_atomic(folder / "scores.csv", scores_csv(project, results))
    return [folder / "scores.json", folder / "scores.csv", *write_pages(project, results, logs, folder)]


def scores_document(project: Project, results: Sequence[ToolResult]) -> dict[str, Any]:
    """The content of scores.json. A number that was not earned is null; sections that do not apply are left out.

    Section scores and composites are exact to four decimals, rounded half up; `composite_rounded` and the directory
    review are whole, rounded half up.
    """
    rules = project.rules
    return {
        "licence": LICENCE,
        "methodology": project.settings.methodology,
        "methodology_date": rules.date.isoformat(),
        "test_set": project.settings.test_set,
        "rounding": "half up: 71.5 is 72, 80.5 is 81",
        "layers": "review (directory review) and test_set are two layers; no formula merges them",
        "weights": {"review": rules.review, "sections": rules.sections},
        "change_log": [
            {"version": version, "date": entry.date.isoformat(), "en": entry.changes_en, "ar": entry.changes_ar}
            for version, entry in methodologies().items()
        ],
        "tools": [_tool(project, result) for result in results],
    }


def _tool(project: Project, result: ToolResult) -> dict[str, Any]:
    tool, setting = result.tool, next(iter(result.attempts), None)
    days = run_days(result.attempts)
    return {
        "id": tool.id,
        "name_en": tool.name_en,
        "name_ar": tool.name_ar,
        "kind": tool.kind,
        "example": tool.example,
        "links": tool.links,
        "review": {
            "score": result.review,
            "criteria": dict(result.raw),
            "date": result.reviewed.date.isoformat() if result.reviewed else None,
            "links": result.reviewed.links if result.reviewed else {},
        },
        "test_set": {
            "version": result.test_set,
            "run": result.run,
            "plan": setting.plan if setting else None,
            "model_version": setting.model_version if setting else None,
            "interface": setting.interface if setting else None,
            "ui_language": setting.ui_language if setting else None,
            "first_day": days[0] if days else None,
            "last_day": days[-1] if days else None,
            "composite": as_float(result.composite),
            "composite_rounded": None if result.composite is None else int(half_up(result.composite)),
            "sections": {one.name: as_float(one.score) for one in result.sections},
            "maghrebi": None,
            "transcripts": {code: f"transcripts/{result.run}.{code}.html" for code in ("en", "ar")}
            if result.run
            else None,
        },
        "missing": [one.text("en") for one in result.missing],
    }


def scores_csv(project: Project, results: Sequence[ToolResult]) -> str:
    """The content of scores.csv: one row a tool, an empty cell for null. `sections` names those that apply."""
    rows = [_row(project, _tool(project, result)) for result in results]
    out = io.StringIO()
    names = list(_row(project, _tool(project, results[0]))) if results else ["id"]
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _row(project: Project, tool: Mapping[str, Any]) -> dict[str, Any]:
    review, test_set = tool["review"], tool["test_set"]
    transcripts = test_set["transcripts"] or {}
    return {
        **{name: tool[name] for name in ("id", "name_en", "name_ar", "kind")},
        "example": "yes" if tool["example"] else "no",
        "methodology": project.settings.methodology,
        "review_score": review["score"],
        **{f"review_{name}": value for name, value in review["criteria"].items()},
        "review_date": review["date"],
        "test_set": test_set["version"],
        **{name: test_set[name] for name in ("run", "plan", "model_version", "interface", "ui_language")},
        **{name: test_set[name] for name in ("first_day", "last_day", "composite", "composite_rounded")},
        "sections": ";".join(test_set["sections"]),
        **{f"section_{name}": test_set["sections"].get(name) for name in project.rules.sections},
        "section_maghrebi": test_set["maghrebi"],
        "transcript_en": transcripts.get("en"),
        "transcript_ar": transcripts.get("ar"),
    }


def as_float(value: Number) -> float | None:
    """A score to four decimals, half up; None stays None."""
    return None if value is None else float(half_up(value, _DIGITS))


def run_days(attempts: Sequence[Attempt]) -> list[str]:
    """The days (Riyadh, ISO) on which the attempts were made, ascending."""
    return sorted({datetime.fromisoformat(one.time).astimezone(RIYADH).date().isoformat() for one in attempts})
