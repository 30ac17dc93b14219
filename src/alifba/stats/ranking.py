"""Ranks that say how sure they are: a score with its standard error, ties, and tiers by the leader of the tier."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from alifba.errors import InputError
from alifba.stats._checked import FloatArray, IntArray, integers

Z95 = 1.96
"""The multiplier of a 95 % interval, as TifinaghBench rounds it; every tie and every interval here uses this one."""


class CellMoments(NamedTuple):
    """Mean score per question in [0, 1] and the variance of that mean, each of shape ``(n_cells,)``."""

    mean: FloatArray
    variance: FloatArray


class Score(NamedTuple):
    """A score and its standard error, both in points (0 to 100). Undefined is NaN."""

    value: float
    se: float

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval, in points; not cut at 0."""
        return self.value - Z95 * self.se

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval, in points; not cut at 100."""
        return self.value + Z95 * self.se


class Tiers(NamedTuple):
    """Where each run stands; all of shape ``(n_runs,)``.

    `order` holds the positions of the runs in the input, best first. `tier` (from 1) and `rank` (from 1) are in the
    order of the input; every run of a tier has the rank of its leader, so the ranks of three runs may be 1, 1, 3.
    """

    order: IntArray
    tier: IntArray
    rank: IntArray


def cell_moments(n: ArrayLike, correct: ArrayLike, partial: ArrayLike) -> CellMoments:
    """Moments of cells with `n` questions, of which `correct` score 1, `partial` score 0.5 and the others 0.

    ``m = (c + 0.5 p) / n`` and ``Var(m) = ((c + 0.25 p) / n - m²) / n``. All arguments have shape ``(n_cells,)``.
    Estimand: the mean over all questions that the `n` are a simple random sample of. The mean is NaN where
    ``n == 0``; the variance is NaN where ``n < 2``, because one question says nothing of the spread.

    Raises InputError for counts that are no counts of such a cell. Source: TifinaghBench, "How this site ranks models".
    """
    counts = {"n": n, "correct": correct, "partial": partial}
    total, right, half = (integers(values, name, 1) for name, values in counts.items())
    if not total.shape == right.shape == half.shape:
        raise InputError("n, correct and partial must have one value a cell", value=(n, correct, partial))
    if np.any((right < 0) | (half < 0) | (right + half > total)):
        raise InputError("correct and partial must lie between 0 and n together", value=(n, correct, partial))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (right + 0.5 * half) / total
        variance = ((right + 0.25 * half) / total - mean**2) / total
    # Rounding can leave -1e-18 where all answers are alike.
    return CellMoments(mean, np.where(total < 2, np.nan, np.maximum(variance, 0.0)))


def equal_weight_score(cells: CellMoments) -> Score:
    """The mean of independent cells, each with the same weight, in points.

    ``100 / K Σ m`` with ``SE = 100 / K √Σ Var(m)`` over the K cells. NaN where a cell is undefined, and where there is
    none. Estimand: the mean of the cells' means over further questions of the same cells.
    """
    k = len(cells.mean)
    if not k:
        return Score(np.nan, np.nan)
    return Score(float(100 * cells.mean.sum() / k), float(100 * np.sqrt(cells.variance.sum()) / k))


def is_tie(a: Score, b: Score) -> bool:
    """Whether two scores cannot be told apart: ``|a - b| < 1.96 √(SE_a² + SE_b²)``.

    Equal scores are a tie even where both standard errors are 0, which the inequality alone would call a difference.
    Raises InputError for a score or standard error that is undefined or negative.
    """
    _check([a, b])
    return a.value == b.value or abs(a.value - b.value) < Z95 * float(np.hypot(a.se, b.se))


def tiers(scores: list[Score]) -> Tiers:
    """Sort `scores` downwards and cut them into tiers.

    A new tier begins at the first run that is not tied with the leader of the current tier: not with its neighbour,
    so that a long row of small steps does not become one tier. Equal scores keep the order of the input.
    Raises InputError for an undefined score: such a run has no place; list it apart.
    """
    _check(scores)
    order = np.argsort([-score.value for score in scores], kind="stable").astype(np.int64)
    tier, rank = np.zeros(len(scores), np.int64), np.zeros(len(scores), np.int64)
    leader, current = 0, 0
    for place, run in enumerate(order):
        if place == 0 or not is_tie(scores[run], scores[order[leader]]):
            leader, current = place, current + 1
        tier[run], rank[run] = current, leader + 1
    return Tiers(order, tier, rank)


def _check(scores: list[Score]) -> None:
    for score in scores:
        if not (np.isfinite(score.value) and np.isfinite(score.se) and score.se >= 0):
            raise InputError(
                "a rank needs a score and a standard error that is not negative",
                value=tuple(score),
                likely="a run without a score, or a cell with fewer than two questions",
                next_step="leave such runs out of the ranking and list them apart",
            )
