"""A project whose tools, people and outputs are invented, plainly so, and ways to log and score in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from annotate_kit import HOSTS, Browser

from alifba.annotate.blind import blind_worklist
from alifba.annotate.run_pages import build_run_app
from alifba.annotate.runlog import RunLog
from alifba.arabic.logs import append_attempt, append_record
from alifba.arabic.project import Project, load_project, prompt_sha
from alifba.arabic.records import Attempt, Prescore, attempt_id

PROJECT = "data/arabic/project.yaml"
RUN = "falcon-2026-11"
CRITERIA = ["instructions", "dialect"]
TOOLS = [
    {"id": "falcon", "kind": "game", "name_en": "Falcon (invented)", "name_ar": "صقر (أداة خيالية)"},
    {"id": "oryx", "kind": "game", "name_en": "Oryx (invented)", "name_ar": "مها (أداة خيالية)"},
    {"id": "example-game", "kind": "game", "name_en": "Example", "name_ar": "مثال", "example": True},
]
# Invented people: three speak Gulf Arabic, one does not.
SCORERS = [
    {"id": "demo-noura", "varieties": ["gulf"]},
    {"id": "demo-salma", "varieties": ["gulf", "msa"]},
    {"id": "demo-reem", "varieties": ["gulf"]},
    {"id": "demo-hani", "varieties": ["egyptian"]},
    {"id": "demo-farah", "varieties": ["egyptian"]},
]
ITEMS = [
    {
        "id": "GM-02",
        "section": "niche",
        "variety": "gulf",
        "kinds": ["game"],
        "title_en": "Invented slang",
        "title_ar": "عامية خيالية",
        "prompt": "قل لي كلمة خيالية.\nثم اشرحها: (v2).",
        "criteria": CRITERIA,
        "test_sets": ["0.1"],
        "status": "untested",
    }
]
STRINGS = ITEMS[0] | {
    "id": "GM-03",
    "variety": "msa",
    "title_en": "Invented interface",
    "title_ar": "واجهة خيالية",
    "prompt": "سمّ خمسة أزرار خيالية.",
    "criteria": ["instructions"],
}


def make_tools_project(folder: Path, *more_items: dict[str, Any], **settings: Any) -> Project:
    """A checkout with a project below `folder`; by default one Gulf item and two games."""
    (folder / "studies").mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").touch()
    content = {"methodology": "1.0", "test_set": "0.1", "items": "items.yaml", "logs": "../raw/arabic"}
    content |= {"tools": TOOLS, "scorers": SCORERS} | settings
    path = folder / PROJECT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    items = yaml.safe_dump([*ITEMS, *more_items], allow_unicode=True)
    (path.parent / "items.yaml").write_text(items, encoding="utf-8")
    return load_project(path)


def log_attempt(project: Project, number: int = 1, key: str = "GM-02", tool: str = "falcon", **changes: Any) -> Attempt:
    """One attempt as a person logs it."""
    item, run = project.item(key), f"{tool}-2026-11"
    row = {
        "id": attempt_id(run, key, number),
        "run": run,
        "tool": tool,
        "plan": "free",
        "model_version": "x-1",
        "interface": "web",
        "ui_language": "ar",
        "time": f"2026-11-0{number}T10:00:00+03:00",
        "test_set": "0.1",
        "item": item.id,
        "prompt_sha": prompt_sha(item.prompt or ""),
        "attempt": number,
        "fresh_session": True,
        "output": f"جواب خيالي {number}",
        "logged_by": "demo-hani",
    }
    attempt = Attempt.model_validate(row | changes)
    append_attempt(project, attempt)
    return attempt


def log_prescore(project: Project, attempt: Attempt, points: list[int]) -> None:
    """What an invented model would give."""
    criteria = dict(zip(project.item(attempt.key).criteria, points, strict=True))
    row = {"id": f"pre/{attempt.id}", "attempt": attempt.id, "model": "demo-judge-1", "criteria": criteria}
    row |= {"note": "تعليل خيالي", "time": "2026-11-05T10:00:00+03:00"}
    append_record(project.logs / "prescores" / "demo-judge-1.jsonl", Prescore.model_validate(row))


def scorer(project: Project, name: str) -> Browser:
    """A browser in which `name` scores; in English, as no language was asked for."""
    browser = Browser(blind_worklist(project, name)[0])
    browser.enter()
    return browser


def logger(project: Project, name: str = "demo-hani") -> Browser:
    """A browser in which `name` logs runs, in English."""
    return Browser.of_app(lambda session: build_run_app(RunLog(project, name), session, HOSTS))
