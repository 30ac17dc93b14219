"""The exploratory sweep: every two models on the same items, in the same language and prompt style."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from alifba.azeval.scorebook import ScoreBook, ScoredRun
from alifba.signature import Signature
from alifba.stats.multiplicity import holm
from alifba.stats.paired import exact_binary_family
from alifba.text.chains import CHAINS

_COLUMNS = [
    *("model_a", "model_b", "language", "prompt_style", "chain"),
    *("n", "em_a", "em_b", "difference", "p", "signature"),
]


def pairwise_table(book: ScoreBook) -> pd.DataFrame:
    """One row per two models, language, style and chain; shares in [0, 1]; exact McNemar p, Holm over this table.

    A comparison is paired on the items that both runs scored. This family is apart from the declared pairs: however
    many models join the sweep, a confirmatory p stays as it is.
    """
    alike = sorted(book.runs, key=lambda run: (run.key[1:], run.key[0]))
    rows = [row for _, runs in groupby(alike, key=lambda run: run.key[1:]) for row in _compared(list(runs))]
    table = pd.DataFrame(rows, columns=_COLUMNS)
    table.insert(_COLUMNS.index("p") + 1, "p_holm", holm(table["p"].astype(float)))
    return table


def _compared(runs: list[ScoredRun]) -> Iterator[dict[str, Any]]:
    """Every two of `runs`, which share language and style."""
    first, second = np.triu_indices(len(runs), k=1)
    if not len(first):
        return
    signatures = [Signature.parse(run.record.signature) for run in runs]
    by_chain = {}
    for chain in CHAINS:
        scores = pd.concat([run.exact_match(chain) for run in runs], axis=1).to_numpy(dtype=float).T
        known = ~np.isnan(scores[first]) & ~np.isnan(scores[second])
        # An item that one of the two lacks is wrong on both sides: it moves no sum and no discordant count.
        a, b = (np.where(known, scores[side], 0).astype(np.int64) for side in (first, second))
        by_chain[chain] = known.sum(axis=1), a.sum(axis=1), b.sum(axis=1), exact_binary_family(a, b)
    for row, (i, j) in enumerate(zip(first, second, strict=True)):
        for chain, (n, right_a, right_b, p) in by_chain.items():
            count = n[row] or np.nan
            yield {
                "model_a": runs[i].key[0],
                "model_b": runs[j].key[0],
                "language": runs[i].key[1],
                "prompt_style": runs[i].key[2],
                "chain": chain,
                "n": n[row],
                "em_a": right_a[row] / count,
                "em_b": right_b[row] / count,
                "difference": (right_a[row] - right_b[row]) / count,
                "p": p[row] if n[row] else np.nan,
                "signature": str(signatures[i].joined(signatures[j])),
            }
