"""The data card and the Croissant metadata of a built dataset."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from string import Template
from typing import Any

import pandas as pd

import alifba
from alifba.azeval.dataset.gate import Gate
from alifba.azeval.dataset.verdicts import Decisions, acceptance
from alifba.azeval.interop.croissant import croissant
from alifba.errors import InputError
from alifba.items import Item

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def data_card(gate: Gate, decisions: Decisions, file: str, data: bytes) -> str:
    """The card of the dataset `file` with the bytes `data`: Markdown with the header that Hugging Face reads."""
    admitted = [entry for entry in gate.judged if entry.admitted]
    days = _days(gate, decisions)
    return Template((files("alifba.azeval.dataset") / "data" / "card.md").read_text(encoding="utf-8")).substitute(
        n=len(admitted),
        edited=sum(entry.verdict.outcome == "edited" for entry in admitted),
        reviewers=len({who for entry in admitted for who in entry.verdict.annotators}),
        first=days[0],
        last=days[-1],
        file=file,
        sha=hashlib.sha256(data).hexdigest(),
        size=next((name for limit, name in _SIZES if len(admitted) < limit), "n>1M"),
        composition=_markdown(_composition(gate.items)),
        acceptance=_markdown(acceptance((entry.draft.template, entry.verdict.outcome) for entry in gate.judged)),
        refused=_refused(gate),
    )


def _days(gate: Gate, decisions: Decisions) -> list[str]:
    """The days on which people accepted what enters, sorted, as their own clocks had them."""
    admitted = (entry for entry in gate.judged if entry.admitted)
    return sorted(decisions[who][entry.draft.id].time[:10] for entry in admitted for who in entry.verdict.annotators)


def _composition(items: Sequence[Item]) -> pd.DataFrame:
    counts = [(field, value, n) for field in ("category", "provenance") for value, n in _counted(items, field)]
    return pd.DataFrame(counts, columns=["field", "value", "items"])


def _counted(items: Sequence[Item], field: str) -> list[tuple[str, int]]:
    return sorted(Counter(getattr(item, field) for item in items).items())


def _refused(gate: Gate) -> str:
    kinds = [(kind, len(entries)) for kind, entries in gate.refusals.items()]
    if not kinds:
        return "No draft was refused."
    return "Refused, by reason (a draft may have several):\n\n" + _markdown(
        pd.DataFrame(kinds, columns=["reason", "drafts"])
    )


def _markdown(table: pd.DataFrame) -> str:
    rows = [list(table.columns), ["---"] * len(table.columns), *table.to_numpy().tolist()]
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in rows)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.3f}"
    return str(value).replace("|", "\\|")


def dataset_metadata(gate: Gate, decisions: Decisions, file: str, data: bytes) -> dict[str, Any]:
    """Croissant metadata of the dataset `file` with the bytes `data`, valid by mlcroissant.

    Raises:
        InputError: the validator finds a fault.
    """
    import mlcroissant

    metadata = croissant(
        "alifba-azeval",
        f"{len(gate.items)} parallel Azerbaijani-English short questions, every one accepted by a person.",
        data,
        file,
    )
    metadata["datePublished"] = _days(gate, decisions)[-1]
    metadata["citeAs"] = f"The alifba contributors: alifba azeval, version {alifba.__version__}."
    try:
        mlcroissant.Dataset(jsonld=metadata)
    except mlcroissant.ValidationError as fault:
        raise InputError(f"the Croissant metadata are not valid ({fault})", file=file) from None
    return metadata
