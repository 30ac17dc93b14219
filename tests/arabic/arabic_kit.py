"""A small project whose tools, people and outputs are invented, plainly so, and short ways to log runs and scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from alifba.arabic.logs import append_attempt, append_record, read_attempts
from alifba.arabic.project import Project, load_project, prompt_sha, shown_row
from alifba.arabic.records import Attempt, Review, Score, attempt_id
from alifba.decisions import DecisionLog, text_sha

CRITERIA = ["accuracy", "naturalness"]
TOOL = {
    "id": "zarqa",
    "kind": "chat",
    "name_en": "Zarqa (invented for tests)",
    "name_ar": "زرقاء (أداة خيالية للاختبار)",
}
# Invented people.
SCORERS = [
    {"id": "demo-noura", "varieties": ["gulf"]},
    {"id": "demo-hani", "varieties": ["egyptian"]},
    {"id": "demo-layth", "varieties": ["levantine"]},
    {"id": "demo-salma", "varieties": ["gulf", "msa"]},
]
SECTIONS = {
    "MSA": ("msa", "msa"),
    "GLF": ("gulf", "gulf"),
    "EGY": ("egyptian", "egyptian"),
    "LEV": ("levantine", "levantine"),
    "DIR": ("direction", "msa"),
    "DIA": ("diacritics", "msa"),
}


def item_row(name: str = "MSA-01", **changes: Any) -> dict[str, Any]:
    """An item that can be run; a change to None takes the field out."""
    section, variety = SECTIONS[name[:3].rstrip("-")]
    row = {
        "id": name,
        "section": section,
        "variety": variety,
        "kinds": ["chat", "agent"],
        "title_en": f"Invented item {name}",
        "title_ar": "بند خيالي",
        "prompt": f"سؤال خيالي للبند {name}",
        "criteria": CRITERIA,
        "test_sets": ["0.1"],
        "status": "untested",
    } | changes
    return {key: value for key, value in row.items() if value is not None}


def make_project(folder: Path, items: list[dict[str, Any]], **settings: Any) -> Project:
    """Write ``data/arabic`` below `folder` and load it; by default with one chat tool and four scorers."""
    place = folder / "data" / "arabic"
    place.mkdir(parents=True, exist_ok=True)
    content = {
        "methodology": "1.0",
        "test_set": "0.1",
        "items": "items.yaml",
        "logs": "../raw/arabic",
        "tools": [TOOL],
        "scorers": SCORERS,
    } | settings
    (place / "project.yaml").write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    (place / "items.yaml").write_text(yaml.safe_dump(items, allow_unicode=True), encoding="utf-8")
    return load_project(place / "project.yaml")


def six_sections(folder: Path, **settings: Any) -> Project:
    """A chat tool with one item in each of the six sections that apply to it."""
    return make_project(folder, [item_row(f"{prefix}-01") for prefix in SECTIONS], **settings)


def attempt_of(project: Project, key: str = "MSA-01", number: int = 1, **changes: Any) -> Attempt:
    run = changes.get("run", "zarqa-2026-11")
    item = project.item(key)
    row = {
        "id": attempt_id(run, key, number),
        "run": run,
        "tool": "zarqa",
        "plan": "free",
        "model_version": "z-1",
        "interface": "web",
        "ui_language": "ar",
        "time": f"2026-11-0{number}T10:00:00+03:00",
        "test_set": "0.1",
        "item": item.id,
        "version": item.version,
        "prompt_sha": prompt_sha(item.prompt or ""),
        "attempt": number,
        "fresh_session": True,
        "output": f"جواب خيالي رقم {number} على {key}",
        "logged_by": "demo-hani",
    }
    return Attempt.model_validate(row | changes)


def log_attempts(project: Project, key: str = "MSA-01", numbers: tuple[int, ...] = (1, 2, 3), **changes: Any) -> None:
    for number in numbers:
        append_attempt(project, attempt_of(project, key, number, **changes))


def give(
    project: Project, scorer: str, key: str, number: int, points: list[int], role: str = "first", **fields: Any
) -> None:
    """One score by `scorer` on an attempt of the run of `attempt_of`, as the annotation app writes it."""
    name = attempt_id(fields.pop("run", "zarqa-2026-11"), key, number)
    attempt, item = read_attempts(project).known[name], project.item(key)
    log = DecisionLog(project.logs, "score", scorer, kind=Score)
    seen = log.replay.in_force.get(name)
    criteria = dict(zip(item.criteria, points, strict=True))
    sha = text_sha("score", shown_row(item, attempt))
    log.append(name, "score", sha, seen=seen.id if seen else None, criteria=criteria, role=role, **fields)


def agree(project: Project, key: str, points: list[list[int]], pair: tuple[str, str] = ("demo-noura", "demo-hani")):
    """Log three attempts at `key` and have both scorers give the same points to each."""
    log_attempts(project, key)
    for number, given in enumerate(points, 1):
        for scorer, role in zip(pair, ("first", "second"), strict=True):
            give(project, scorer, key, number, given, role)


def review(project: Project, **changes: Any) -> None:
    raw = {"arabic_quality": 8, "accuracy": 7, "value": 6, "ease": 9, "privacy": 5}
    row = {"tool": "zarqa", "reviewer": "demo-hani", "date": "2026-11-05", "raw": raw} | changes
    append_record(project.logs / "reviews" / "demo-hani.jsonl", Review.model_validate(row))


def write_log(path: Path, rows: list[dict[str, Any]]) -> None:
    """A log as somebody might have written it by hand."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
