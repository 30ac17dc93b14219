"""Between pairs: which account of the damage do the included pairs bear out? Exact, over every relabelling."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from alifba.azeval.pairs import is_damaged
from alifba.config import Account, Study
from alifba.errors import InputError, closest
from alifba.paths import resolve, shown
from alifba.stats.permutation import label_permutation, predictions_right

Source = Literal["study", "published"]


@dataclass(frozen=True)
class PairFigure:
    """One pair in one style, as the comparison between pairs sees it.

    Losses, excess, its interval and the Cyrillic share of the tuned half's Azerbaijani answers are in points. `reason`
    says why a pair is excluded; an excluded pair may lack every number.
    """

    source: Source
    pair: str
    style: str
    base: str
    tuned: str
    target: str
    related: bool
    script: str
    base_family: str
    az_loss: float
    en_loss: float
    excess: Fraction | None
    ci_low: float
    ci_high: float
    cyrillic_share: float
    cyrillic_share_base: float = math.nan
    reason: str = ""

    @property
    def valid(self) -> bool:
        return not self.reason and self.excess is not None

    @property
    def damaged(self) -> bool:
        return is_damaged(self.ci_low, self.az_loss)

    @property
    def strength(self) -> float:
        """How strongly the pair was adapted: both losses, without their signs, added."""
        return abs(self.az_loss) + abs(self.en_loss)


_SHARES = ("az_loss", "en_loss", "ci_low", "ci_high", "cyrillic_share", "cyrillic_share_base")
_NEEDED = ("az_loss", "en_loss", "excess", "ci_low", "ci_high")
_WORDS = ("pair", "style", "base", "tuned", "target", "script", "base_family")


def predicts(account: Account, figure: PairFigure) -> bool:
    """Whether `account` says that the pair is damaged."""
    if account.field == "strength":
        return figure.strength > float(account.above or 0)
    return bool(getattr(figure, account.field) == account.equals)


def measured(pairs: pd.DataFrame) -> list[PairFigure]:
    """The study's own pairs under STRICT, from their `pairs_table`; a pair without any run is among them, excluded."""
    figures = []
    for row in pairs[pairs["chain"] == "strict"].fillna({"style": "", "reason": ""}).to_dict("records"):
        told: dict[str, Any] = {name: row[name] for name in _WORDS}
        told |= {name: 100 * float(row[name]) for name in _SHARES}
        # The excess is a whole number of items over n; as such, pairs that tie do tie.
        excess = Fraction(100 * round(row["excess"] * row["n"]), row["n"]) if row["valid"] else None
        told |= {"related": bool(row["related"]), "excess": excess, "reason": row["reason"]}
        figures.append(PairFigure(source="study", **told))
    return figures


def published(path: str | Path | None) -> list[PairFigure]:
    """Published pair figures, in points, as printed; none without a table.

    Raises:
        InputError: the table lacks a column, or a cell is no number.
    """
    if path is None:
        return []
    path = resolve(path)
    try:
        table = pd.read_csv(path, keep_default_na=False, dtype=str, encoding="utf-8-sig")
    except (OSError, ValueError) as fault:
        raise InputError(f"no table of published pairs here ({fault})", file=shown(path)) from None
    needed = [*_WORDS, "related", *_NEEDED, "cyrillic_share"]
    if missing := [name for name in needed if name not in table]:
        raise InputError(
            f"column {missing[0]!r} is missing",
            file=shown(path),
            likely=closest(missing[0], table.columns),
            next_step="columns needed: " + ", ".join(needed),
        )
    return [_printed(row, path, line) for line, row in enumerate(table.to_dict("records"), 2)]


def _printed(row: dict[Any, str], path: Path, line: int) -> PairFigure:
    if row["related"] not in ("yes", "no"):
        raise InputError("'related' is neither yes nor no", file=shown(path), line=line, value=row["related"])
    told: dict[str, Any] = {name: row[name] for name in _WORDS} | {"related": row["related"] == "yes"}
    try:
        told |= {name: float(row[name]) for name in _NEEDED}
        # As printed: a float would lose that two figures print alike.
        told |= {"excess": Fraction(row["excess"]), "cyrillic_share": float(row["cyrillic_share"] or "nan")}
    except ValueError as fault:
        raise InputError(f"not a number: {fault}", file=shown(path), line=line) from None
    return PairFigure(source="published", **told)


def compared_table(figures: Iterable[PairFigure]) -> pd.DataFrame:
    """What the figures of pairs are drawn from: one row per source, pair and style; STRICT, shares in [0, 1].

    `damaged` (1/0) follows the two-part rule; empty where the pair is excluded.
    """
    columns = ["source", *_WORDS, "related", "valid", "reason", "damaged", "excess", *_SHARES]
    rows = []
    for figure in figures:
        row = asdict(figure) | {name: getattr(figure, name) / 100 for name in _SHARES}
        row |= {"related": int(figure.related), "valid": int(figure.valid)}
        row["excess"] = math.nan if figure.excess is None else float(figure.excess / 100)
        rows.append(row | {"damaged": int(figure.damaged) if figure.valid else math.nan})
    return pd.DataFrame(rows, columns=columns)


def drawn(compared: pd.DataFrame) -> pd.DataFrame:
    """The rows of a `compared_table` that figures show: the study's own pairs, or the published ones where it has no
    valid pair of its own."""
    own = compared[compared["source"] == "study"]
    return own if (own["valid"] == 1).any() else compared[compared["source"] == "published"]


def select(figures: Iterable[PairFigure], rule: Sequence[str]) -> list[PairFigure]:
    """One valid figure a pair: the first style of `rule` that it has."""
    chosen: dict[str, PairFigure] = {}
    for figure in sorted((f for f in figures if f.valid and f.style in rule), key=lambda f: rule.index(f.style)):
        chosen.setdefault(figure.pair, figure)
    return list(chosen.values())


def rule_name(rule: Sequence[str]) -> str:
    """How a style rule is called in tables: by the style that it prefers."""
    return f"{rule[0]} preferred"


def between_table(figures: Iterable[PairFigure], study: Study) -> pd.DataFrame:
    """One row per source of figures, style rule and account: predictions right, p of means and of ranks, smallest p.

    `difference` is the mean excess of the labelled pairs minus that of the others, a share like every other.
    """
    by_source: dict[str, list[PairFigure]] = {}
    for figure in figures:
        by_source.setdefault(figure.source, []).append(figure)
    rows = [row for source, own in by_source.items() for row in _rows(source, own, study)]
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = [
    *("source", "rule", "account", "n_pairs", "n_labelled", "n_damaged", "right", "n_assignments", "difference"),
    *("p_mean", "p_rank", "smallest_p_mean", "smallest_p_rank"),
]


def _rows(source: str, figures: list[PairFigure], study: Study) -> Iterator[dict[str, Any]]:
    for rule in study.style_rules:
        chosen = select(figures, rule)
        for account in study.accounts if chosen else ():
            labels = [predicts(account, figure) for figure in chosen]
            damaged = [figure.damaged for figure in chosen]
            test = label_permutation([figure.excess for figure in chosen if figure.excess is not None], labels)
            yield {
                "source": source,
                "rule": rule_name(rule),
                "account": account.name,
                "n_pairs": test.n,
                "n_damaged": sum(damaged),
                "right": predictions_right(labels, damaged)[0],
                **{name: value for name, value in test._asdict().items() if name != "n"},
                "difference": test.difference / 100,
            }
