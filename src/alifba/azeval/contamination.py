"""Computed items that were made after a model: whatever else it has seen, it has not seen these."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd

from alifba.azeval.scorebook import ScoreBook, row_rng
from alifba.config import Study
from alifba.errors import InputError
from alifba.items import Item
from alifba.stats.bootstrap import mean_interval
from alifba.stats.paired import exact_binary_p
from alifba.text.chains import CHAINS

_DAYS = ["released", "first_created", "last_created", "n_computed", "n_later", "all_later"]
_MEASURED = ["n", "az", "en", "gap", "ci_low", "ci_high", "p", "signature"]


def created(item: Item) -> date | None:
    """The day on which a computed item was made, from its notes; None if they name none.

    Raises:
        InputError: the note is no date.
    """
    note = item.note("created")
    if note is None:
        return None
    try:
        return date.fromisoformat(note)
    except ValueError:
        what = f"item {item.id}: 'created' is no date"
        raise InputError(what, value=note, next_step="write it as 2026-11-30") from None


def contamination_table(book: ScoreBook, study: Study) -> pd.DataFrame:
    """The gap on the computed items that are younger than the model; one row per model, style and chain.

    `released` comes from the study file (empty: unknown, then nothing can be said). `n_later` of the `n_computed` items
    were made after that day; `all_later` 1 if every one was, 0 if not. The gap (en minus az, shares in [0, 1], item
    bootstrap, exact McNemar p) is on those later items that both languages scored; an item of the release day itself
    does not count. Without computed items the table has no rows.
    """
    days = {item.id: day for item in book.items if (day := created(item)) is not None}
    released = {model.name: model.released for model in study.models}
    rows: list[dict[str, Any]] = []
    for pairing in book.pairings() if days else ():
        record = pairing.az.record
        day = released.get(record.model)
        later = {id_ for id_, made in days.items() if day is not None and made > day}
        known = {
            "model": record.model,
            "prompt_style": record.prompt_style,
            "released": day.isoformat() if day else None,
            "n_computed": len(days),
            "first_created": min(days.values()).isoformat(),
            "last_created": max(days.values()).isoformat(),
            "n_later": len(later) if day else None,
            "all_later": int(len(later) == len(days)) if day else None,
            "signature": pairing.signature,
        }
        ids = [id_ for id_ in pairing.ids if id_ in later]
        for chain in CHAINS:
            az, en = pairing.correct(chain, ids)
            rng = row_rng(study.bootstrap.seed, record.model, record.prompt_style, chain, "contamination")
            gap = mean_interval(en - az, rng, resamples=study.bootstrap.resamples, level=study.bootstrap.level)
            shares = {"az": az.mean(), "en": en.mean()} if ids else {}
            measured = {"gap": gap.mean, "ci_low": gap.low, "ci_high": gap.high, "p": exact_binary_p(az, en)}
            rows.append(known | {"chain": chain, "n": len(ids)} | shares | measured)
    return pd.DataFrame(rows, columns=["model", "prompt_style", "chain", *_DAYS, *_MEASURED])
