"""Small items, records and repositories for the tests of hieratic; all of them invented."""

from __future__ import annotations

import json
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

from alifba.hieratic.items import ItemFolder, load_items
from alifba.hieratic.records import Item, RunRecord

SECRET = "The baker of the western storehouse counted ninety loaves before the flood came to his door"
"""What the sealed sentence of these tests says; it stands in no real text."""


def png(number: int = 0) -> bytes:
    """A PNG of one grey pixel, another one for each number. Made by the PNG specification, section 5."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixel = zlib.compress(bytes([0, number % 256]))
    words = chunk(b"tEXt", f"number\0{number}".encode())
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + words + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


def item_row(id_: str = "wm-001", **changes: Any) -> dict[str, Any]:
    """A sound public item that is asked for its script; a change to None takes the field out."""
    row = {
        "id": id_,
        "split": "public",
        "rungs": ["identify"],
        "image": f"images/{id_}.png",
        "title": "A letter",
        "script": "hieratic",
        "source": {"url": "https://example.org/1", "license": "CC BY-SA 4.0"},
        "famous": False,
    } | changes
    return {name: value for name, value in row.items() if value is not None}


def sign_row(id_: str = "aku-001", code: str = "G17", **changes: Any) -> dict[str, Any]:
    return item_row(id_, **{"rungs": ["signs"], "script": None, "gardiner": [code]} | changes)


def sealed_row(id_: str = "hb-001", **changes: Any) -> dict[str, Any]:
    rungs = ["identify", "signs", "transliterate", "translate"]
    return item_row(id_, **{"split": "sealed", "rungs": rungs, "source": None} | changes)


def write_items(folder: Path, *rows: dict[str, Any]) -> Path:
    """A folder of items in the published layout, images and all."""
    for number, row in enumerate(rows):
        path = folder / "items" / f"{row['id']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
        image = folder / row["image"]
        image.parent.mkdir(parents=True, exist_ok=True)
        image.write_bytes(png(number))
    return folder


def few_items(folder: Path) -> ItemFolder:
    """Two documents, two signs and one sealed sentence."""
    documents = [item_row("wm-001"), item_row("met-002", script="demotic")]
    return load_items(write_items(folder, *documents, sign_row("aku-001"), sign_row("aku-002", "X1"), sealed_row()))


def item(**changes: Any) -> Item:
    return Item.model_validate(item_row(**changes))


def record_row(**changes: Any) -> dict[str, Any]:
    """A record as a run file of the published shape holds it."""
    return {
        "harness": "0.1.0",
        "runId": "r",
        "model": {"key": "m", "label": "M", "provider": "openrouter", "id": "org/m"},
        "itemId": "wm-001",
        "rung": "identify",
        "sample": 0,
        "prompt": "?",
        "response": "SCRIPT: Hieratic",
        "parsed": "Hieratic",
        "score": 1,
        "scoreDetail": None,
        "withheld": False,
        "stopReason": "stop",
        "refusal": False,
        "error": None,
        "usage": {"inputTokens": 10, "outputTokens": 5},
        "latencyMs": 1200,
        "createdAt": "2026-10-05T10:00:00.000Z",
    } | changes


def record(**changes: Any) -> RunRecord:
    return RunRecord.model_validate(record_row(**changes))


def write_run(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def git(root: Path, *words: str) -> str:
    """Run git in `root`, as nobody in particular."""
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(root), *who, *words], capture_output=True, text=True, check=True)
    return done.stdout


def checkout(root: Path) -> Path:
    """A small git checkout of the shape of ours, with one sealed item and an inbox that holds an answer about it."""
    write_items(root / "data/hieratic/pilot", item_row("wm-001"), sealed_row("pilot-sealed"))
    (root / "studies").mkdir(parents=True)
    study = {"name": "hieratic", "title": "T", "data": "data/hieratic/pilot", "results": "results/hieratic"}
    (root / "studies/hieratic.yaml").write_text(json.dumps(study), encoding="utf-8")
    (root / "pyproject.toml").touch()
    (root / ".gitignore").write_text("inbox/\n", encoding="utf-8")
    sealed = {"itemId": "pilot-sealed", "rung": "translate", "parsed": SECRET, "score": None}
    answer = record_row(**sealed, response=f"I read it so.\n\nTRANSLATION: {SECRET}")
    write_run(root / "results/hieratic/inbox/r.jsonl", answer)
    write_run(root / "results/hieratic/runs/r.jsonl", record_row(response="It is hieratic.\nSCRIPT: Hieratic"))
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "begin")
    return root
