"""The gap: how far a model's Azerbaijani is behind its own English on the same items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from alifba.azeval.scorebook import Pairing, ScoreBook, row_rng
from alifba.config import Resampling, Study
from alifba.items import Item
from alifba.stats.bootstrap import cluster_mean_interval, mean_interval
from alifba.stats.multiplicity import holm_by_family
from alifba.stats.paired import exact_binary_p
from alifba.stats.proportions import wilson_interval
from alifba.text.chains import CHAINS, Chain

Stratum = Callable[[Item], bool]
_MEASURED = ["n", "az", "en", "gap", "ci_low", "ci_high", "p", "p_holm"]


def scores_table(book: ScoreBook, study: Study) -> pd.DataFrame:
    """Exact match and token F1 per run and chain, shares in [0, 1], with Wilson interval of the exact match."""
    rows = []
    for run in book.runs:
        for chain in CHAINS:
            hits = run.exact_match(chain).dropna()
            low, high = wilson_interval(int(hits.sum()), len(hits), study.bootstrap.level)
            rows.append(
                {
                    "model": run.record.model,
                    "language": run.record.language,
                    "prompt_style": run.record.prompt_style,
                    "chain": chain,
                    "n": len(hits),
                    "exact_match": hits.mean(),
                    "token_f1": run.token_f1(chain).mean(),
                    "ci_low": low,
                    "ci_high": high,
                    "n_unscored": run.record.n_unscored,
                    "signature": run.record.signature,
                }
            )
    return pd.DataFrame(rows)


def _gap_row(pairing: Pairing, chain: Chain, ids: list[str], sampling: Resampling, *key: str) -> dict[str, Any]:
    """Means, gap (en minus az), item-bootstrap interval and exact McNemar p on `ids`."""
    az, en = pairing.correct(chain, ids)
    record = pairing.az.record
    rng = row_rng(sampling.seed, record.model, record.prompt_style, chain, *key)
    interval = mean_interval(en - az, rng, resamples=sampling.resamples, level=sampling.level)
    return {
        "n": len(ids),
        "az": az.mean() if ids else np.nan,
        "en": en.mean() if ids else np.nan,
        "gap": interval.mean,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "p": exact_binary_p(az, en),
    }


def _cluster(item: Item) -> str:
    """Items of one template rise and fall together; an item made by hand stands alone."""
    return item.id if item.template == "none" else item.template


def gap_table(book: ScoreBook, study: Study) -> pd.DataFrame:
    """One row per model, style and chain; shares in [0, 1].

    `ci_low`/`ci_high` resample items; `template_low`/`template_high` resample whole templates, so they speak of
    further templates of the kind. `p_holm` is corrected over the rows of one prompt style, one family.
    """
    rows = []
    for pairing in book.pairings():
        record = pairing.az.record
        clusters = [_cluster(book.items.by_id[id_]) for id_ in pairing.ids]
        for chain in CHAINS:
            az, en = pairing.correct(chain)
            rng = row_rng(study.bootstrap.seed, record.model, record.prompt_style, chain, "templates")
            wide = cluster_mean_interval(
                en - az, clusters, rng, resamples=study.bootstrap.resamples, level=study.bootstrap.level
            )
            rows.append(
                {"model": record.model, "prompt_style": record.prompt_style, "chain": chain}
                | _gap_row(pairing, chain, pairing.ids, study.bootstrap)
                | {
                    "template_low": wide.low,
                    "template_high": wide.high,
                    "n_left_out": len(book.items) - len(pairing.ids),
                    "signature": pairing.signature,
                }
            )
    rest = ["template_low", "template_high", "n_left_out", "signature"]
    return _corrected(rows, ["model", "prompt_style", "chain", *_MEASURED, *rest])


def _corrected(rows: list[dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    """`rows` as a table, p corrected within each prompt style; without a row it keeps its columns."""
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(p_holm=holm_by_family(table["p"].to_numpy(dtype=float), table["prompt_style"].to_numpy()))


def strata(study: Study) -> dict[str, Stratum]:
    """The compositions that are reported. Control is decided by template, never by category label."""
    return {
        "all": lambda item: True,
        "without_mathematics": lambda item: item.category != "mathematics",
        "control": lambda item: study.is_control(item.template),
        "control_without_mathematics": lambda item: study.is_control(item.template) and item.category != "mathematics",
    }


def composition_table(book: ScoreBook, study: Study) -> pd.DataFrame:
    """The gap on each composition of items; `p_holm` within this table and one prompt style, one exploratory family."""
    named = {name: {item.id for item in book.items if keep(item)} for name, keep in strata(study).items()}
    return _split_table(book, study, "stratum", named, CHAINS)


def by_table(book: ScoreBook, study: Study, field: str) -> pd.DataFrame:
    """The STRICT gap by ``category`` or ``template``; exploratory, `p_holm` within this table and style."""
    named: dict[str, set[str]] = {}
    for item in book.items:
        named.setdefault(getattr(item, field), set()).add(item.id)
    return _split_table(book, study, field, dict(sorted(named.items())), ("strict",))


def _split_table(
    book: ScoreBook, study: Study, field: str, named: dict[str, set[str]], chains: Iterable[Chain]
) -> pd.DataFrame:
    rows = []
    for pairing in book.pairings():
        record = pairing.az.record
        for name, members in named.items():
            ids = [id_ for id_ in pairing.ids if id_ in members]
            for chain in chains:
                rows.append(
                    {"model": record.model, "prompt_style": record.prompt_style, field: name, "chain": chain}
                    | _gap_row(pairing, chain, ids, study.bootstrap, field, name)
                    | {"signature": pairing.signature}
                )
    return _corrected(rows, ["model", "prompt_style", field, "chain", *_MEASURED, "signature"])


def recovery_table(book: ScoreBook) -> pd.DataFrame:
    """Share of items that each chain is the first to count as right, per run: the cause of the error before it.

    `n_not_nested` counts items right under a chain but wrong under the next; it should be 0.
    """
    rows = []
    for run in book.runs:
        before = np.zeros(run.record.n_scored, dtype=bool)
        for chain in CHAINS:
            right = run.exact_match(chain).dropna().to_numpy() == 1
            rows.append(
                {
                    "model": run.record.model,
                    "language": run.record.language,
                    "prompt_style": run.record.prompt_style,
                    "chain": chain,
                    "n": len(right),
                    "first_right": (right & ~before).sum() / len(right) if len(right) else np.nan,
                    "exact_match": right.mean() if len(right) else np.nan,
                    "n_not_nested": int((before & ~right).sum()),
                    "signature": run.record.signature,
                }
            )
            before = right
    return pd.DataFrame(rows)
