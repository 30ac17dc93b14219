"""Between pairs: which account of the damage do the included pairs bear out? Exact, over every relabelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from alifba.azeval.pairs import PairRuns, exact_excess, is_damaged
from alifba.config import Account, Study
from alifba.errors import InputError
from alifba.stats.permutation import label_permutation, predictions_right


@dataclass(frozen=True)
class PairFigure:
    """One pair in one style, as the comparison between pairs sees it. Losses, excess and its lower end in points."""

    pair: str
    style: str
    script: str
    base_family: str
    related: bool
    az_loss: float
    en_loss: float
    excess: Fraction | str
    ci_low: float

    @property
    def damaged(self) -> bool:
        return is_damaged(self.ci_low, self.az_loss)

    @property
    def strength(self) -> float:
        """How strongly the pair was adapted: both losses, without their signs, added."""
        return abs(self.az_loss) + abs(self.en_loss)


def predicts(account: Account, figure: PairFigure) -> bool:
    """Whether `account` says that the pair is damaged."""
    if account.field == "strength":
        return figure.strength > float(account.above or 0)
    return bool(getattr(figure, account.field) == account.equals)


def measured(found: Iterable[PairRuns], pairs: pd.DataFrame) -> list[PairFigure]:
    """The valid pairs of a study's own runs, STRICT, in points."""
    strict = pairs[pairs["chain"] == "strict"].set_index(["pair", "style"])
    figures = []
    for entry in found:
        if entry.valid:
            row = strict.loc[(entry.pair.name, entry.style)]
            excess = 100 * exact_excess(entry, "strict")
            losses = (100 * float(row[name]) for name in ("az_loss", "en_loss"))
            pair = entry.pair
            figures.append(
                PairFigure(
                    pair.name,
                    entry.style,
                    pair.script,
                    pair.base_family,
                    pair.related,
                    *losses,
                    excess,
                    100 * float(row["ci_low"]),
                )
            )
    return figures


def published(path: Path) -> list[PairFigure]:
    """Published pair figures, in points, as printed.

    Raises:
        InputError: the table lacks a column, or a cell is no number.
    """
    table = pd.read_csv(path, keep_default_na=False, dtype=str)
    needed = ["pair", "style", "script", "base_family", "related", "az_loss", "en_loss", "excess", "ci_low"]
    if missing := [name for name in needed if name not in table]:
        raise InputError(
            f"column {missing[0]!r} is missing", file=path, next_step="columns needed: " + ", ".join(needed)
        )
    figures = []
    for line, row in enumerate(table.to_dict("records"), 2):
        try:
            numbers = {name: float(row[name]) for name in ("az_loss", "en_loss", "ci_low")}
            Fraction(row["excess"])
        except ValueError as fault:
            raise InputError(f"not a number: {fault}", file=path, line=line) from None
        words = {name: row[name] for name in ("pair", "style", "script", "base_family", "excess")}
        figures.append(PairFigure(**words, related=row["related"] == "yes", **numbers))
    return figures


def select(figures: Sequence[PairFigure], rule: Sequence[str]) -> list[PairFigure]:
    """One figure a pair: the first style of `rule` that it has."""
    chosen: dict[str, PairFigure] = {}
    for figure in sorted((f for f in figures if f.style in rule), key=lambda f: rule.index(f.style)):
        chosen.setdefault(figure.pair, figure)
    return list(chosen.values())


def between_table(sources: dict[str, list[PairFigure]], study: Study) -> pd.DataFrame:
    """One row per source of figures, style rule and account: predictions right, p of means and of ranks, smallest p."""
    rows = [row for source, figures in sources.items() for row in _rows(source, figures, study)]
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = (
    "source rule account n_pairs n_labelled n_damaged right n_assignments difference p_mean p_rank smallest_p_mean smallest_p_rank"
).split()


def _rows(source: str, figures: list[PairFigure], study: Study) -> Iterator[dict[str, Any]]:
    for rule in study.style_rules:
        chosen = select(figures, rule)
        for account in study.accounts if chosen else ():
            labels = [predicts(account, figure) for figure in chosen]
            damaged = [figure.damaged for figure in chosen]
            test = label_permutation([figure.excess for figure in chosen], labels)
            yield {
                "source": source,
                "rule": f"{rule[0]} preferred",
                "account": account.name,
                "n_pairs": test.n,
                "n_labelled": test.n_labelled,
                "n_damaged": sum(damaged),
                "right": predictions_right(labels, damaged)[0],
                "n_assignments": test.n_assignments,
                "difference": test.difference,
                "p_mean": test.p_mean,
                "p_rank": test.p_rank,
                "smallest_p_mean": test.smallest_p_mean,
                "smallest_p_rank": test.smallest_p_rank,
            }
