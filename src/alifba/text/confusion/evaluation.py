"""Detectors against human labels: precision, recall, F1 with intervals, and what is still missed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from scipy.stats import binomtest

from alifba.errors import InputError
from alifba.text.confusion.detection import FLAGS

Interval = tuple[float, float]
UNDEFINED: Interval = (math.nan, math.nan)
POSITIVE = "wrong_language"


@dataclass(frozen=True)
class Evaluation:
    """Counts of the confusion matrix over `n` rows, and shares in [0, 1] with Wilson intervals.

    A share of nothing (no flag raised, no positive label) is NaN, and so is its interval; the counts say why. The
    estimand is the share among errors drawn like these. F1 is 2j / (1 + j), j the share of hits among all rows that
    are flagged or positive; its interval is the Wilson interval of j carried over by the same formula.
    """

    n: int
    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int
    precision: float
    precision_interval: Interval
    recall: float
    recall_interval: Interval
    f1: float
    f1_interval: Interval


def _share(hits: int, n: int, level: float) -> tuple[float, Interval]:
    if n == 0:
        return math.nan, UNDEFINED
    interval = binomtest(hits, n).proportion_ci(level, method="wilson")
    return hits / n, (float(interval.low), float(interval.high))


def _f1(share: float) -> float:
    return 2 * share / (1 + share)


def evaluate(
    flags: Sequence[bool | int], labels: Sequence[str], *, positive: str = POSITIVE, level: float = 0.95
) -> Evaluation:
    """Compare `flags` with human `labels`, both of length n_rows, in the same order.

    Raises:
        InputError: the lengths differ.
    """
    if len(flags) != len(labels):
        raise InputError(
            f"{len(flags)} flags for {len(labels)} labels", next_step="give one flag and one label for each row"
        )
    pairs = [(bool(flag), label == positive) for flag, label in zip(flags, labels, strict=True)]
    tp, fp, fn, tn = (pairs.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False)))
    precision, precision_interval = _share(tp, tp + fp, level)
    recall, recall_interval = _share(tp, tp + fn, level)
    hit_share, hit_interval = _share(tp, tp + fp + fn, level)
    return Evaluation(
        n=len(pairs),
        true_positive=tp,
        false_positive=fp,
        false_negative=fn,
        true_negative=tn,
        precision=precision,
        precision_interval=precision_interval,
        recall=recall,
        recall_interval=recall_interval,
        f1=_f1(hit_share),
        f1_interval=(_f1(hit_interval[0]), _f1(hit_interval[1])),
    )


def evaluate_table(table: pd.DataFrame, *, positive: str = POSITIVE, level: float = 0.95) -> pd.DataFrame:
    """One row per detector of a table with flags (see `detect_table`) and a column "label".

    Columns: detector, n, true_positive, false_positive, false_negative, true_negative, precision, precision_low,
    precision_high, recall, recall_low, recall_high, f1, f1_low, f1_high. Shares in [0, 1], NaN where undefined.
    """
    rows = []
    for name in (*FLAGS, "flag"):
        found = evaluate(table[name].tolist(), table["label"].tolist(), positive=positive, level=level)
        row: dict[str, object] = {"detector": name, "n": found.n}
        for cell in ("true_positive", "false_positive", "false_negative", "true_negative"):
            row[cell] = getattr(found, cell)
        for share in ("precision", "recall", "f1"):
            row[share] = getattr(found, share)
            row[f"{share}_low"], row[f"{share}_high"] = getattr(found, f"{share}_interval")
        rows.append(row)
    return pd.DataFrame(rows)


def missed(table: pd.DataFrame, *, positive: str = POSITIVE, detector: str = "flag") -> pd.DataFrame:
    """Rows with the label `positive` that `detector` does not flag."""
    return table[(table["label"] == positive) & (table[detector] == 0)]


def label_counts(table: pd.DataFrame, *, detector: str = "flag") -> pd.DataFrame:
    """Rows per label and flag (0, 1): the whole confusion matrix, not only positive against the rest."""
    counts = pd.crosstab(table["label"], table[detector].astype(int))
    return counts.reindex(columns=[0, 1], fill_value=0)
