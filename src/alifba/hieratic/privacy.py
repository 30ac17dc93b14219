"""What may be published of an answer about a sealed item: the script that it names and its score. Nothing else."""

from __future__ import annotations

import re

from alifba.hieratic.records import Item, RunRecord
from alifba.hieratic.scoring import classify
from alifba.text.resources import load_toml

_WORD = re.compile(r"[^\W_]+")
_OF_SCRIPTS = frozenset(load_toml("script_words.toml", package="alifba.hieratic")["words"])
FAILED = "the call failed"
"""What a public record says of a failed call: the provider's own words could repeat the answer."""


def public_parsed(parsed: str | None) -> str | None:
    """`parsed` where it is nothing but words of script names, else the script that it is read as.

    A model may write its translation into the answer line. Both are read as scripts of one family, so the score is the
    same.
    """
    if parsed is None or all(word in _OF_SCRIPTS for word in _WORD.findall(parsed.lower())):
        return parsed
    return classify(parsed)


def split(record: RunRecord, item: Item) -> tuple[RunRecord | None, RunRecord | None]:
    """(public record, private record) of one call.

    A public item has no private one. A sealed rung has only a private one. Identify on a sealed item has both: the
    public one without the text, the private one with all of it.
    """
    if item.split != "sealed":
        return record, None
    if item.is_sealed(record.rung):
        return None, record
    return public_copy(record), record.model_copy(update={"private_copy": True})


def public_copy(record: RunRecord) -> RunRecord:
    """What is published of an identify answer about a sealed item; what is not named here is left out."""
    kept = (
        *("harness", "run_id", "model", "item_id", "rung", "sample", "prompt", "score", "score_detail"),
        *("stop_reason", "refusal", "usage", "latency_ms", "created_at"),
    )
    return RunRecord(
        **{name: getattr(record, name) for name in kept},
        response="",
        parsed=public_parsed(record.parsed),
        withheld=True,
        error=FAILED if record.error else None,
    )
