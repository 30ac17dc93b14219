"""What the Azerbaijani failures of a run look like: modes, languages, and the detectors against human labels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from alifba.azeval.scorebook import ScoreBook, ScoredRun
from alifba.errors import InputError
from alifba.text.confusion import (
    FLAGS,
    MODES,
    contains_cyrillic,
    detect_table,
    evaluate_table,
    failure_mode,
    read_table,
)

FREE_STYLES = ("default", "plain", "oneshot", "zeroshot", "script")
"""Styles in which a model writes its answer itself; a chosen letter has no language."""


def failures(book: ScoreBook) -> pd.DataFrame:
    """One row per scored Azerbaijani answer of every free-form run, in run and dataset order.

    Columns: model, prompt_style, id, gold, answer, the flags and language of `detect_table`, mode. Whether an answer
    is right, or right but for its spelling, is what the scores say (aliases included); the flags judge the rest.
    """
    runs = [run for run in book.runs if run.record.language == "az" and run.record.prompt_style in FREE_STYLES]
    rows = pd.DataFrame([row for run in runs for row in _answers(book, run)], columns=_ANSWER_COLUMNS)
    judged = detect_table(rows)
    # What a chain recovers is no other language, whatever the gold's own form says.
    judged.loc[rows["em_translit"] == 1, [*FLAGS, "flag"]] = 0
    judged["mode"] = [_mode(row) for row in judged.to_dict("records")]
    return judged


_ANSWER_COLUMNS = ["model", "prompt_style", "id", "gold", "answer", "em_strict", "em_morph", "em_translit"]


def _answers(book: ScoreBook, run: ScoredRun) -> Iterator[tuple[Any, ...]]:
    scored = run.scores[run.exact_match("strict").notna()]
    for id_, answer, *scores in zip(
        scored.index, scored["answer"], *(scored[name] for name in _ANSWER_COLUMNS[5:]), strict=True
    ):
        gold = book.items.by_id[id_].answer
        yield run.record.model, run.record.prompt_style, id_, gold, answer, *map(int, scores)


def _mode(row: dict[Any, Any]) -> str:
    if row["em_morph"]:
        return "right"
    if row["em_translit"]:
        return "orthographic"
    return failure_mode(row["gold"], row["answer"], wrong_language=bool(row["flag"]))


def confusion_table(judged: pd.DataFrame, book: ScoreBook) -> pd.DataFrame:
    """One row per Azerbaijani run.

    `n` answers, `n_wrong` of them wrong under STRICT; a count per mode (they add up to `n`); `cyrillic_share` of all
    answers; and for each detector the share of the wrong answers that it flags (NaN where none is wrong).
    """
    rows = []
    for (model, style), group in judged.groupby(["model", "prompt_style"], sort=True):
        wrong = group[group["em_strict"] == 0]
        counts = group["mode"].value_counts()
        run = book.run(str(model), "az", str(style))
        row: dict[str, Any] = {"model": model, "prompt_style": style, "n": len(group), "n_wrong": len(wrong)}
        row |= {mode: int(counts.get(mode, 0)) for mode in MODES}
        row["cyrillic_share"] = float(np.mean([contains_cyrillic(answer) for answer in group["answer"]]))
        row |= {name: wrong[name].mean() if len(wrong) else np.nan for name in (*FLAGS, "flag")}
        rows.append(row | {"signature": run.record.signature if run else ""})
    columns = ["model", "prompt_style", "n", "n_wrong", *MODES, "cyrillic_share", *FLAGS, "flag", "signature"]
    return pd.DataFrame(rows, columns=columns)


def languages_table(judged: pd.DataFrame) -> pd.DataFrame:
    """Answers flagged as the right concept in another language, counted by that language, per run."""
    flagged = judged[judged["flag"] == 1]
    counts = flagged.groupby(["model", "prompt_style", "language"], sort=True).size()
    return counts.rename("n").reset_index()


def labels_table(path: Path, level: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Every detector against the human labels in `path` (columns gold, answer, label): scores, and the judged rows.

    Raises:
        InputError: the file lacks a column, see also `read_table`.
    """
    labels = read_table(path)
    if "label" not in labels:
        raise InputError("the table has no column 'label'", file=path, value=list(labels.columns))
    judged = detect_table(labels)
    return evaluate_table(judged, level=level), judged
