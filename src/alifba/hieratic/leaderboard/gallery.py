"""A page of single answers: the image that was shown, what was said, the line that was read, the score."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template

import numpy as np

from alifba.errors import InputError, closest
from alifba.hieratic.items import ItemFolder
from alifba.hieratic.records import RUNGS, Item, RunRecord

SHOW = ("all", "right", "wrong", "unread")


def choose(
    records: Sequence[RunRecord],
    items: ItemFolder,
    *,
    model: str = "",
    rung: str = "",
    show: str = "all",
    most: int = 24,
    seed: int = 0,
) -> list[RunRecord]:
    """At most `most` records drawn by `seed`, in the order of `records`; failed calls and unknown items are left out.

    `show` is all, right (score 1), wrong (less) or unread (no final answer line). Empty `model` or `rung`: every one.

    Raises:
        InputError: a model without records, or a rung or `show` that does not exist.
    """
    models = sorted({record.model.key for record in records})
    for name, value, known in (("model", model, models), ("rung", rung, RUNGS), ("show", show, SHOW)):
        if value and value not in known:
            raise InputError(
                f"no such {name}", value=value, likely=closest(value, known), next_step=f"known: {', '.join(known)}"
            )
    fitting = [
        record
        for record in records
        if record.item_id in items
        and not record.failed
        and model in ("", record.model.key)
        and rung in ("", record.rung)
        and _shows(record, show)
    ]
    drawn = np.random.default_rng(seed).permutation(len(fitting))[:most]
    return [fitting[place] for place in sorted(drawn)]


def _shows(record: RunRecord, show: str) -> bool:
    if show == "unread":
        return record.parsed is None
    if show == "all":
        return True
    return record.score is not None and (record.score == 1) == (show == "right")


def gallery_html(records: Sequence[RunRecord], items: ItemFolder, notice: str) -> str:
    """A whole HTML page with one figure a record; images are inside it, and what models wrote is shown as text."""
    template = Template((files("alifba.hieratic") / "data" / "gallery.html").read_text(encoding="utf-8"))
    return template.substitute(notice=escape(notice), cards="\n".join(_card(record, items) for record in records))


def _card(record: RunRecord, items: ItemFolder) -> str:
    item = items[record.item_id].item
    image = items[record.item_id].read_image()
    source = f"data:{image.media_type};base64,{base64.b64encode(image.data).decode('ascii')}"
    rows = {
        "item": f"{item.id}, {record.rung}, sample {record.sample}",
        "model": record.model.shown,
        "label": _label(item, record.rung),
        "read": "no final answer line" if record.parsed is None else record.parsed,
        "score": _score(record),
        "source": item.source.attribution or "",
    }
    listed = "".join(f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in rows.items() if value)
    said = "The text is private: the item is sealed." if record.withheld else record.response or "(empty)"
    return (
        f'<figure><img src="{source}" alt="{escape(item.title or item.id, quote=True)}">'
        f"<figcaption><dl>{listed}</dl><pre>{escape(said)}</pre></figcaption></figure>"
    )


def _label(item: Item, rung: str) -> str:
    if rung == "identify":
        return item.script or ""
    return " or ".join(item.gardiner or ()) if rung == "signs" else ""


def _score(record: RunRecord) -> str:
    score = "not scored" if record.score is None else f"{record.score:.2f}"
    refused = ", the model declined" if record.refusal else ""
    return f"{score}{f', {record.score_detail}' if record.score_detail else ''}{refused}"
