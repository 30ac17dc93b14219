"""Export items and prompts for lm-evaluation-harness, inspect_ai and as a Hugging Face dataset folder."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import alifba
from alifba.azeval.interop.croissant import croissant
from alifba.azeval.prompts import item_prompt, template_sha
from alifba.azeval.running import token_limit
from alifba.azeval.scoring import accepted_answers
from alifba.items import ItemSet
from alifba.paths import write_atomic


def _filled(name: str, words: dict[str, object]) -> str:
    text = (files("alifba.azeval.interop") / "data" / name).read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(f"@{word}@", str(value))
    return text


def _lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _task(items: ItemSet, language: str, style: str, folder: Path, until: list[str]) -> dict[str, object]:
    """Write the prompts of one run as JSON Lines; returns what the task templates are filled with."""
    task = f"alifba_azeval_{language}" + ("" if style == "default" else f"_{style}")
    rows = [
        {
            "id": item.id,
            "prompt": item_prompt(item, items, language, style),
            "answer": item.answer if language == "az" else item.answer_en,
            "golds": accepted_answers(item, language),
        }
        for item in items
    ]
    write_atomic(folder / f"{task}.jsonl", _lines(rows))
    return {
        "TASK": task,
        "ITEMS": f"{task}.jsonl",
        "LANGUAGE": language,
        "STYLE": style,
        "LIMIT": token_limit(style),
        "UNTIL": json.dumps(until, ensure_ascii=False),
        "VERSION": f"{alifba.__version__}+{items.sha256[:12]}.{template_sha(language, style)}",
    }


def export_lm_eval(items: ItemSet, language: str, style: str, folder: Path, until: list[str]) -> Path:
    """Write ``<task>.yaml`` and ``<task>.jsonl``: every item with the prompt that alifba sends, greedy, same limit.

    `until`: strings that end an answer; [] as alifba's own runs have none unless the study declares one.
    """
    words = _task(items, language, style, folder, until)
    path = folder / f"{words['TASK']}.yaml"
    write_atomic(path, _filled("lm_eval.yaml", words))
    return path


def export_inspect(items: ItemSet, language: str, style: str, folder: Path) -> Path:
    """Write ``<task>.py`` and ``<task>.jsonl`` for inspect_ai."""
    words = _task(items, language, style, folder, [])
    path = folder / f"{words['TASK']}.py"
    write_atomic(path, _filled("inspect_task.py.txt", words))
    return path


def export_hugging_face(items: ItemSet, name: str, folder: Path) -> Path:
    """Write a dataset folder: ``README.md`` (card), ``data/test.jsonl`` and ``croissant.json``."""
    notice = (
        f"**{items.notice[0].upper()}{items.notice[1:]}.**" if items.notice else "Every item was accepted by a person."
    )
    size = "n<1K" if len(items) < 1000 else "1K<n<10K" if len(items) < 10_000 else "10K<n<100K"
    data = _lines([item.model_dump() for item in items])
    write_atomic(folder / "data" / "test.jsonl", data)
    words = {"NAME": name, "N": len(items), "SIZE": size, "NOTICE": notice, "SHA": items.sha256}
    write_atomic(folder / "README.md", _filled("card.md", words))
    metadata = croissant(
        name, f"{len(items)} parallel Azerbaijani-English short questions. {notice.strip('*')}", data.encode()
    )
    write_atomic(folder / "croissant.json", json.dumps(metadata, ensure_ascii=False, indent=1) + "\n")
    return folder / "README.md"
