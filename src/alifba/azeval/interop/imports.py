"""Read other harnesses' sample logs as raw runs: their text, our scoring."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from alifba.errors import InputError
from alifba.jsonl import Notices, iter_objects, read_bytes
from alifba.paths import write_atomic
from alifba.runs import read_run, row_line, run_file_name

Answer = tuple[str, str, str | None]
"""(item id, prompt, raw text or None if the harness has none)."""


def _write(rows: Iterable[Answer], harness: str, source: Path, identity: tuple[str, str, str], folder: Path) -> Path:
    """Write the answers as a raw run; an existing file of that run is never overwritten."""
    model, language, style = identity
    path = folder / run_file_name(model, language, style)
    if path.exists():
        raise InputError("this run exists already", file=path, next_step="move it away, or import into another folder")
    template: dict[str, Any] = {"model": model, "language": language, "prompt_style": style}
    # What the other harness used is in its own log; a field that it does not tell us stays "unknown".
    template |= {"generation": {}, "environment": {"harness": harness, "log": source.name}, "timestamp": ""}
    texts = [
        row_line(template | {"id": id_, "prompt": prompt, "raw_response": raw} | (_NO_TEXT if raw is None else {}))
        for id_, prompt, raw in rows
    ]
    if not texts:
        raise InputError("the log holds no sample", file=source)
    write_atomic(path, "".join(texts))
    read_run(path)
    return path


_NO_TEXT = {"error": "the log holds no text for this sample"}


def import_lm_eval(log: Path, model: str, language: str, style: str, folder: Path) -> Path:
    """Read ``samples_<task>_*.jsonl`` of lm-evaluation-harness (``--log_samples``) into `folder`; returns the run file.

    Raises:
        InputError: a line is no sample of an exported task, or the run exists already.
    """
    rows: list[Answer] = []
    for line, sample in iter_objects(log, read_bytes(log), Notices(log)):
        try:
            document = sample["doc"]
            rows.append((str(document["id"]), str(document["prompt"]), str(sample["resps"][0][0])))
        except (KeyError, IndexError, TypeError):
            raise InputError(
                "not a sample of an exported task",
                file=log,
                line=line,
                value=sorted(sample),
                likely="a results file, or samples of another task",
                next_step="give a samples_*.jsonl written with --log_samples",
            ) from None
    return _write(rows, "lm-evaluation-harness", log, (model, language, style), folder)


def import_inspect(log: Path, model: str, language: str, style: str, folder: Path) -> Path:
    """Read a JSON log of inspect_ai into `folder`; returns the run file. A failed sample keeps its place as failed.

    Raises:
        InputError: the log is no JSON log of inspect_ai, or the run exists already.
    """
    data = read_bytes(log)
    try:
        samples = json.loads(data)["samples"]
        rows = [(str(sample["id"]), _input(sample["input"]), _completion(sample)) for sample in samples]
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "not a JSON log of inspect_ai",
            file=log,
            likely="a log in .eval format" if data[:2] == b"PK" else None,
            next_step="write it as JSON: inspect log convert LOG --to json --output-dir DIR",
        ) from None
    return _write(rows, "inspect_ai", log, (model, language, style), folder)


def _input(given: Any) -> str:
    """The prompt: a string, or the text of the last user message."""
    return given if isinstance(given, str) else str(given[-1]["content"])


def _completion(sample: dict[str, Any]) -> str | None:
    output = sample.get("output") or {}
    return str(output["completion"]) if output.get("choices") and not sample.get("error") else None
