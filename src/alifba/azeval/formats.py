"""The contrast of formats: of the items a model picks out of four options, how many can it write down?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from alifba.azeval.scorebook import ScoreBook
from alifba.config import Study
from alifba.signature import Signature
from alifba.stats.multiplicity import holm
from alifba.stats.paired import exact_binary_p
from alifba.stats.proportions import retention, retention_contrast

_COLUMNS = [
    "model", "language", "n", "choice", "short", "n_recognised", "n_retained", "retention", "ci_low", "ci_high",
    "p_formats", "p_formats_holm", "n_both_languages", "p_languages", "signature",
]  # fmt: skip


def formats_table(book: ScoreBook, study: Study) -> pd.DataFrame:
    """One row per model and language run in both formats (STRICT, primary style); shares in [0, 1].

    `retention` is the share of the items right as multiple choice that are right as short answer too: no guess can
    earn it, so it is free of chance, which the raw difference is not. `p_formats` is exact McNemar between formats
    (Holm over this table); `p_languages` is the exact p that a model retains alike in both languages, on the items
    that it recognises in both.
    """
    rows = []
    scores = {key: found for key in _keys(book) if (found := _both(book, study, *key)) is not None}
    for (model, language), (both, signature) in scores.items():
        choice, short = both.to_numpy(np.int64).T
        kept = retention(choice, short, study.bootstrap.level)
        other = scores.get((model, "en" if language == "az" else "az"))
        # Paired on the item: what only one language has is left out of this test.
        languages = None
        if other is not None:
            shared = pd.concat([both, other[0]], axis=1, join="inner").to_numpy(np.int64).T
            languages = retention_contrast(*shared)
        rows.append(
            {
                "model": model,
                "language": language,
                "n": kept.n_items,
                "choice": choice.mean() if len(choice) else np.nan,
                "short": short.mean() if len(short) else np.nan,
                "n_recognised": kept.n_recognised,
                "n_retained": kept.n_retained,
                "retention": kept.share,
                "ci_low": kept.low,
                "ci_high": kept.high,
                "p_formats": exact_binary_p(choice, short),
                "n_both_languages": languages.n_both if languages else np.nan,
                "p_languages": languages.p if languages else np.nan,
                "signature": signature,
            }
        )
    table = pd.DataFrame(rows, columns=_COLUMNS)
    return table.assign(p_formats_holm=holm(table["p_formats"]) if len(table) else np.nan)[_COLUMNS]


def _keys(book: ScoreBook) -> list[tuple[str, str]]:
    return list(dict.fromkeys((run.record.model, run.record.language) for run in book.runs))


def _both(book: ScoreBook, study: Study, model: str, language: str) -> tuple[pd.DataFrame, str] | None:
    """0/1 scores as choice and as short answer (two columns, by id) of the items scored in both; the signature."""
    choice, short = book.run(model, language, "choice"), book.run(model, language, study.primary_style)
    if choice is None or short is None:
        return None
    both = pd.concat([choice.exact_match("strict"), short.exact_match("strict")], axis=1).dropna()
    signature = Signature.parse(short.record.signature).joined(Signature.parse(choice.record.signature))
    return both, str(signature)
