"""How many words: margins by sample size, and what it takes to tell two models apart."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from alifba.errors import InputError
from alifba.stats.ranking import Z95, Score, cell_moments, is_tie
from alifba.tifinagh.ranking import HEADLINES, Headline, Placed, cells_of
from alifba.tifinagh.records import DIALECTS, Cell, ItemRecord, read_item_records

SIZES = (50, 100, 250, 500, 1000, 2500, 13000)
POWER = 0.8


def margin(words: int, n_cells: int = 1, share: float = 0.5) -> float:
    """Half the width of the 95 % interval, in points, of the mean of `n_cells` cells with `words` questions each.

    `share` in [0, 1] is the share that is right in every cell; 0.5 is the widest. ``196 √(p (1 - p) / (K n))``.
    """
    if words < 1 or n_cells < 1 or not 0 <= share <= 1:
        raise InputError("words and cells are at least 1, a share is in [0, 1]", value=(words, n_cells, share))
    return 100 * Z95 * math.sqrt(share * (1 - share) / (n_cells * words))


def sample_sizes(sizes: Sequence[int] = SIZES) -> pd.DataFrame:
    """Margins in points by words per dialect: of one cell, of the six meaning cells, of the three script cells."""
    per = {"cell": 1} | {name: len(DIALECTS) * len(tasks) for name, tasks in HEADLINES.items()}
    return pd.DataFrame([{"words": n} | {name: margin(n, k) for name, k in per.items()} for n in sizes])


def spread(cells: Sequence[Cell]) -> float:
    """The variance of a score if each of its cells had one question, in points²: ``(100 / K)² Σ n Var(m)``.

    Divided by a number of words per dialect it is the squared standard error at that size.
    """
    counts = ([cell.n for cell in cells], [cell.n_correct for cell in cells], [cell.n_partial for cell in cells])
    variances = cell_moments(*counts).variance * np.asarray(counts[0])
    return float((100 / len(cells)) ** 2 * variances.sum())


def words_needed(difference: float, total_spread: float, power: float = POWER) -> int | None:
    """Words per dialect after which the leaderboard tells two models apart with probability `power`.

    `difference` in points is the true one; `total_spread` in points² is the sum of both `spread`s (or the one of paired
    differences). ``n = (1.96 + z_power)² S / d²``, rounded up, at least 2. None where the models do not differ.
    Source: the two-sided z test; the chance of a difference in the wrong direction is left out, as is usual.
    """
    if not 0 < power < 1:
        raise InputError("power lies between 0 and 1", value=power, likely="percent instead of a share")
    if difference == 0:
        return None
    return max(2, math.ceil((Z95 + float(ndtri(power))) ** 2 * total_spread / difference**2))


def power_at(words: int, difference: float, total_spread: float) -> float:
    """The probability, in [0, 1], that two models a true `difference` points apart are told apart, rightly, at `words`.

    Arguments as in `words_needed`. 1 where nothing varies.
    """
    error = math.sqrt(total_spread / words)
    return float(ndtr(abs(difference) / error - Z95)) if error else float(difference != 0)


def paired(a: Iterable[ItemRecord], b: Iterable[ItemRecord], headline: Headline) -> tuple[Score, float]:
    """The difference a - b over the same words, with its standard error in points, and its spread in points².

    Both models get the same words, so what makes a word hard for both falls out. The leaderboard's rule does not use
    this; it says how much the rule gives away. A failed question counts as 0.
    Raises InputError if a question has no score or only one run has it.
    """
    scores = [{_key(item): _points(item) for item in items if item.task in HEADLINES[headline]} for items in (a, b)]
    if odd := scores[0].keys() ^ scores[1].keys():
        raise InputError(f"{len(odd)} questions are in one run only", value=min(odd), likely="two other setups")
    cells = defaultdict(list)
    for key, score in scores[0].items():
        cells[key[:2]].append(score - scores[1][key])
    k = len(cells)
    variances = [float(np.var(values)) for values in cells.values()]
    error = math.sqrt(sum(v / len(values) for v, values in zip(variances, cells.values(), strict=True)))
    mean = sum(float(np.mean(values)) for values in cells.values())
    return Score(100 * mean / k, 100 * error / k), (100 / k) ** 2 * sum(variances)


def _key(item: ItemRecord) -> tuple[str, str, str, str]:
    return item.dialect, item.task, item.entry_id, item.direction or ""


def _points(item: ItemRecord) -> float:
    if item.awaiting:
        raise InputError("a question has no score yet", value=item.entry_id, next_step="finish and judge the run")
    return 0.0 if item.score is None else item.score


def compare(a: Placed, b: Placed, headline: Headline, power: float = POWER) -> dict[str, object]:
    """One row of the power table: two ranked runs, the leaderboard's verdict, and the words that would settle it.

    Points, but for `words` and `paired_words` (per dialect). Reads both runs' ``items.jsonl``.
    """
    difference = a.score.value - b.score.value
    total = spread(cells_of(a.run.summary, headline)) + spread(cells_of(b.run.summary, headline))
    same_words, paired_spread = paired(read_item_records(a.run.folder), read_item_records(b.run.folder), headline)
    return {
        "score": headline,
        "a": a.run.slug,
        "b": b.run.slug,
        "difference": difference,
        "margin": Z95 * math.hypot(a.score.se, b.score.se),
        "tie": is_tie(a.score, b.score),
        "power": power,
        "words": words_needed(difference, total, power),
        "paired_low": same_words.low,
        "paired_high": same_words.high,
        "paired_words": words_needed(same_words.value, paired_spread, power),
    }
