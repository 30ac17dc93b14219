"""Build the dataset from drafts and decisions: its file, card and metadata, and the record of what was rejected."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alifba.azeval.dataset.card import data_card, dataset_metadata
from alifba.azeval.dataset.drafts import REJECTED, draft_files, read_drafts
from alifba.azeval.dataset.gate import Gate, pass_gate
from alifba.azeval.dataset.verdicts import TASK
from alifba.azeval.harvest.files import labels_path, read_labels
from alifba.decisions import read_decisions, text_sha
from alifba.jsonl import Notices, iter_objects, read_bytes
from alifba.paths import write_atomic

NAME = "azeval"


@dataclass(frozen=True)
class Places:
    """Where drafts (files or folders) and decisions lie, and the folders that rejected rows and the dataset go to."""

    drafts: tuple[Path, ...]
    decisions: Path
    record: Path
    out: Path

    @property
    def rejected(self) -> Path:
        return self.record / REJECTED

    @property
    def dataset(self) -> Path:
        return self.out / f"{NAME}.jsonl"

    @property
    def card(self) -> Path:
        return self.out / f"{NAME}.md"

    @property
    def metadata(self) -> Path:
        return self.out / f"{NAME}.croissant.json"


@dataclass(frozen=True)
class Built:
    """What a build did: the gate's judgement, what was repaired on reading, and which artefacts of an earlier build,
    no row of which is accepted any more, were removed."""

    gate: Gate
    notices: tuple[str, ...]
    removed: tuple[Path, ...]


def build(places: Places) -> Built:
    """Judge all drafts; write what is accepted. Without an accepted row there is no dataset, and none is left.

    Raises:
        InputError: a file is torn or missing; nothing is written then.
    """
    paths = draft_files(places.drafts)
    drafts, notices = read_drafts(paths)
    decisions = read_decisions(places.decisions, TASK)
    labels = {id_: named for path in paths for id_, named in read_labels(labels_path(path)).items()}
    gate = pass_gate(drafts, decisions, labels)
    rejected = _merged(_earlier(places.rejected), gate)
    artefacts: dict[Path, str] = {}
    if gate.items:
        data = _lines(item.model_dump() for item in gate.items)
        file = places.dataset.name
        metadata = dataset_metadata(gate, decisions, file, data.encode())
        artefacts = {
            places.card: data_card(gate, decisions, file, data.encode()),
            places.metadata: json.dumps(metadata, ensure_ascii=False, indent=1) + "\n",
            places.dataset: data,
        }
    removed = [path for path in (places.dataset, places.card, places.metadata) if not artefacts and path.exists()]
    for path in removed:
        path.unlink()
    for path, content in artefacts.items():
        write_atomic(path, content)
    if rejected or places.rejected.exists():
        write_atomic(places.rejected, _lines(rejected))
    return Built(gate, tuple(notices), tuple(removed))


def _lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _earlier(path: Path) -> list[dict[str, Any]]:
    """The rows of the record so far; a record that was emptied has none."""
    if not path.is_file() or not path.stat().st_size:
        return []
    return [row for _, row in iter_objects(path, read_bytes(path), Notices(path))]


def _merged(earlier: list[dict[str, Any]], gate: Gate) -> list[dict[str, Any]]:
    """The record with this build's judgement: a rejected text stays in it when its draft is gone, so that the same
    fault is not drafted twice, and leaves it when the same text passes."""
    record = {_key(row): row for row in earlier}
    for entry in gate.judged:
        row = {**entry.draft.row, "reasons": [str(reason) for reason in entry.reasons]}
        record.pop(_key(row), None)
        if entry.rejected:
            record[_key(row)] = row
    return [record[key] for key in sorted(record)]


def _key(row: dict[str, Any]) -> tuple[str, str]:
    return str(row.get("id", "")), text_sha(TASK, row)


def rejected_texts(path: Path) -> set[tuple[str, str]]:
    """(id, `text_sha`) of every draft in the record at `path`."""
    return {_key(row) for row in _earlier(path)}
