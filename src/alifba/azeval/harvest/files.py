"""Keep a harvest: drafts as JSON Lines, the labels of their entities as a table beside them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from alifba.azeval.harvest.drafting import Harvest
from alifba.azeval.harvest.templates import LANGUAGES
from alifba.items import Item, read_items
from alifba.paths import write_atomic

_COLUMNS = ("entity", *LANGUAGES)


def labels_path(drafts: Path) -> Path:
    """Where the labels of the entities of a draft file lie: ``<name>.labels.tsv`` beside it."""
    return drafts.with_name(f"{drafts.stem}.labels.tsv")


def read_drafts(path: Path) -> list[Item]:
    """The drafts of `path`, none if there is no such file yet. Raises `InputError` as `read_items` does."""
    return list(read_items(path)) if path.is_file() else []


def read_labels(path: Path) -> dict[str, dict[str, str]]:
    """Q-id → language → label, as `write_harvest` left them; nothing if there is no such file."""
    if not path.is_file():
        return {}
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return {
        row["entity"]: {code: row[code] for code in LANGUAGES if row.get(code)} for row in rows if row.get("entity")
    }


def write_harvest(path: Path, harvest: Harvest) -> None:
    """Add the drafts of `harvest` to `path` and its labels to the table beside it.

    A draft that is in the file already stays as it is: people may have decided on it.
    """
    drafts = {draft.id: draft for draft in [*harvest.drafts, *read_drafts(path)]}
    if not drafts:
        return
    rows = [draft.model_dump() for draft in sorted(drafts.values(), key=_place)]
    labels = {**read_labels(labels_path(path)), **harvest.labels}
    # The labels first: a draft without them would be harvested, but the detectors would not know its concept.
    write_atomic(labels_path(path), _table(labels))
    write_atomic(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _place(draft: Item) -> tuple[str, int, str]:
    """By template, then Q40 before Q142."""
    number = (draft.note("concept") or "").removeprefix("Q")
    return draft.template, int(number) if number.isdecimal() else 0, draft.id


def _table(labels: dict[str, dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    writer.writerow(_COLUMNS)
    for id_ in sorted(labels, key=lambda q: int(q[1:])):
        writer.writerow([id_, *(labels[id_].get(code, "") for code in LANGUAGES)])
    return text.getvalue()
