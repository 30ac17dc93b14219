"""How many words: margins by sample size, and what it takes to tell two models apart."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from alifba.errors import InputError
from alifba.stats.ranking import Z95, Score, cell_moments, is_tie
from alifba.tifinagh.ranking import HEADLINES, Board, Headline, Placed, cells_of
from alifba.tifinagh.records import DIALECTS, Cell, ItemRecord, read_item_records

SIZES = (50, 100, 250, 500, 1000, 2500, 13000)
POWER = 0.8
_COLUMNS = ("score", "a", "b", "difference", "margin", "tie", "power", "words")
_PAIRED = ("paired_low", "paired_high", "paired_words")


class Question(NamedTuple):
    """What makes a question the same one for two models."""

    dialect: str
    task: str
    entry_id: str


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


def points(items: Iterable[ItemRecord], headline: Headline) -> dict[Question, float]:
    """The score in [0, 1] of every question of `headline`; one that failed counts as 0.

    Raises InputError if a question has no score yet.
    """
    found = {}
    for item in items:
        if item.task not in HEADLINES[headline]:
            continue
        if item.awaiting:
            raise InputError("a question has no score yet", value=item.entry_id, next_step="finish and judge the run")
        found[Question(item.dialect, item.task, item.entry_id)] = float(item.score or 0)
    return found


def paired(a: Mapping[Question, float], b: Mapping[Question, float]) -> tuple[Score, float]:
    """The difference a - b over the same words, with its standard error in points, and its spread in points².

    Both models get the same words, so what makes a word hard for both falls out. The leaderboard's rule does not use
    this; it says how much the rule gives away. Raises InputError if a question is in one run only.
    """
    if odd := a.keys() ^ b.keys():
        raise InputError(f"{len(odd)} questions are in one run only", value=min(odd), likely="two other setups")
    cells = defaultdict(list)
    for question, score in a.items():
        cells[question[:2]].append(score - b[question])
    k = len(cells)
    variances = [float(np.var(values)) for values in cells.values()]
    error = math.sqrt(sum(v / len(values) for v, values in zip(variances, cells.values(), strict=True)))
    mean = sum(float(np.mean(values)) for values in cells.values())
    return Score(100 * mean / k, 100 * error / k), (100 / k) ** 2 * sum(variances)


def power_table(boards: Iterable[Board], power: float = POWER) -> pd.DataFrame:
    """One row a pair of neighbours in a ranking: difference, verdict and the words that would tell them apart.

    Points, but for `words` and `paired_words` (per dialect; missing where the runs do not differ). Reads the
    ``items.jsonl`` of every ranked run, and holds two of them at a time.
    """
    rows = [row for board in boards for row in _neighbours(board, power)]
    return pd.DataFrame(rows, columns=[*_COLUMNS, *_PAIRED]).astype({"words": "Int64", "paired_words": "Int64"})


def _neighbours(board: Board, power: float) -> Iterator[dict[str, object]]:
    before: dict[Question, float] = {}
    for a, b in itertools.pairwise(board.placed):
        before = before or points(read_item_records(a.run.folder), board.headline)
        here = points(read_item_records(b.run.folder), board.headline)
        same_words, total = paired(before, here)
        words = words_needed(same_words.value, total, power)
        paired_values = dict(zip(_PAIRED, (same_words.low, same_words.high, words), strict=True))
        yield _compare(a, b, board.headline, power) | paired_values
        before = here


def _compare(a: Placed, b: Placed, headline: Headline, power: float) -> dict[str, object]:
    difference = a.score.value - b.score.value
    total = spread(cells_of(a.run.summary, headline)) + spread(cells_of(b.run.summary, headline))
    margin_of_tie = Z95 * math.hypot(a.score.se, b.score.se)
    verdict = (is_tie(a.score, b.score), power, words_needed(difference, total, power))
    return dict(zip(_COLUMNS, (headline, a.run.slug, b.run.slug, difference, margin_of_tie, *verdict), strict=True))
