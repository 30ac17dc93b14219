"""Findings on gates, on the study's own pairs, and on what separates pairs, own and published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from alifba.azeval.between import drawn, rule_name
from alifba.azeval.finding import Finding, slug
from alifba.azeval.gates import GATES
from alifba.config import Study

_GATES, _PAIRS, _LOSSES = ("tables/gates.csv",), ("tables/pairs.csv",), ("tables/losses.csv",)
_COMPARED, _BETWEEN = ("tables/compared_pairs.csv",), ("tables/between_pairs.csv",)
_DRAWN_FROM = {"study": "this study's own runs", "published": "the published figures"}


def of_gates(gates: pd.DataFrame) -> Iterator[Finding]:
    """How many runs were gated and failed; of each gate the threshold and the worst figure."""
    runs = gates.groupby(["model", "language", "prompt_style"])["passed"].min()
    yield Finding("gates.runs.n", len(runs), "count", 0, _GATES)
    yield Finding("gates.failed.n", int((runs == 0).sum()), "count", 0, _GATES)
    for gate in GATES:
        rows = gates[gates["gate"] == gate]
        worst = rows["share"].min() if gate == "coverage" else rows["share"].max()
        yield Finding(f"gates.{gate}.threshold", rows["threshold"].min(), "percent", 0, _GATES)
        yield Finding(f"gates.{gate}.worst", worst, "percent", 1, _GATES)


def of_pairs(pairs: pd.DataFrame, losses: pd.DataFrame, sweep: pd.DataFrame) -> Iterator[Finding]:
    """Counts of the declared pairs, the sizes of the families, and each own pair in each style under STRICT."""
    strict = pairs[pairs["chain"] == "strict"]
    valid = strict[strict["valid"] == 1]
    yield Finding("pairs.declared.n", strict["pair"].nunique(), "count", 0, _PAIRS)
    yield Finding("pairs.valid.n", valid["pair"].nunique(), "count", 0, _PAIRS)
    yield Finding("pairs.excluded.n", strict["pair"].nunique() - valid["pair"].nunique(), "count", 0, _PAIRS)
    confirmatory = strict[strict["family"] == "confirmatory"]
    yield Finding("pairs.damaged.n", int(confirmatory["damaged"].sum()), "count", 0, _PAIRS)
    yield Finding("pairs.tests.n", int((losses["family"] == "confirmatory").sum()), "count", 0, _LOSSES)
    yield Finding("sweep.tests.n", len(sweep), "count", 0, ("tables/pairwise.csv",))
    for row in strict[strict["style"].notna()].to_dict("records"):
        prefix = f"pair.{slug(row['pair'])}.{row['style']}"
        yield from _of_pair(prefix, row, _PAIRS)
        for side in ("az_base", "az_tuned", "en_base", "en_tuned"):
            yield Finding(f"{prefix}.{side}", row[side], "percent", 1, _PAIRS)
        yield Finding(f"{prefix}.p", row["p"], "p", 3, _PAIRS)
        yield Finding(f"{prefix}.p_holm", row["p_holm"], "p", 3, _PAIRS)
        yield Finding(f"{prefix}.reason", row["reason"], "text", 0, _PAIRS)


def _of_pair(prefix: str, row: Any, inputs: tuple[str, ...]) -> Iterator[Finding]:
    for part in ("az_loss", "en_loss", "excess", "ci_low", "ci_high"):
        yield Finding(f"{prefix}.{part}", row[part], "points", 1, inputs, signed=True)
    yield Finding(f"{prefix}.cyrillic", row["cyrillic_share"], "percent", 1, inputs)
    verdict = ("damaged" if row["damaged"] else "not damaged") if row["valid"] else "excluded"
    yield Finding(f"{prefix}.verdict", verdict, "text", 0, inputs)


def of_compared(compared: pd.DataFrame) -> Iterator[Finding]:
    """What the figures of pairs are drawn from, and every published pair in every style."""
    rows = drawn(compared)
    yield Finding("pairs.drawn.n", rows["pair"].nunique(), "count", 0, _COMPARED)
    source = _DRAWN_FROM[rows["source"].iloc[0]] if len(rows) else None
    yield Finding("pairs.drawn.source", source, "text", 0, _COMPARED)
    published = compared[compared["source"] == "published"]
    yield Finding("published.pairs.n", published["pair"].nunique(), "count", 0, _COMPARED)
    for row in published.to_dict("records"):
        yield from _of_pair(f"published.{slug(row['pair'])}.{row['style']}", row, _COMPARED)


def of_between(study: Study, between: pd.DataFrame, compared: pd.DataFrame) -> Iterator[Finding]:
    """Each account under each style rule, for the study's own pairs and for the published ones."""
    yield Finding("between.n", len(between), "count", 0, _BETWEEN)
    for source in ("study", "published"):
        own = between[between["source"] == source]
        yield Finding(f"between.{source}.n", len(own), "count", 0, _BETWEEN)
        for rule in study.style_rules:
            rows = own[own["rule"] == rule_name(rule)].to_dict("records")
            prefix = f"between.{source}.{slug(rule_name(rule))}"
            for row in rows[:1]:
                yield Finding(f"{prefix}.n", row["n_pairs"], "count", 0, _BETWEEN)
                yield Finding(f"{prefix}.damaged", row["n_damaged"], "count", 0, _BETWEEN)
                yield from _of_marker(prefix, compared[compared["source"] == source], rule)
            for row in rows:
                yield from _of_account(f"{prefix}.{slug(row['account'])}", row)


def _of_marker(prefix: str, rows: pd.DataFrame, rule: Sequence[str]) -> Iterator[Finding]:
    """The least Cyrillic share among the damaged pairs and the largest among the others, each pair in one style."""
    place = rows["style"].map({name: i for i, name in enumerate(rule)})
    one_each = rows[rows["valid"] == 1].assign(place=place).dropna(subset="place").sort_values("place", kind="stable")
    shares = one_each.drop_duplicates("pair").set_index("damaged")["cyrillic_share"]
    yield Finding(f"{prefix}.cyrillic.least_damaged", shares[shares.index == 1].min(), "percent", 1, _COMPARED)
    yield Finding(f"{prefix}.cyrillic.most_unharmed", shares[shares.index == 0].max(), "percent", 1, _COMPARED)


def _of_account(prefix: str, row: Any) -> Iterator[Finding]:
    for part in ("right", "n_labelled", "n_assignments"):
        yield Finding(f"{prefix}.{part}", row[part], "count", 0, _BETWEEN)
    yield Finding(f"{prefix}.difference", row["difference"], "points", 1, _BETWEEN, signed=True)
    for part in ("p_mean", "p_rank"):
        yield Finding(f"{prefix}.{part}", row[part], "p", 4, _BETWEEN)
    yield Finding(f"{prefix}.smallest_p", row["smallest_p_mean"], "p", 4, _BETWEEN)
    yield Finding(f"{prefix}.one_assignment", 1 / row["n_assignments"], "p", 4, _BETWEEN)


def of_tokenisers(tokenisers: pd.DataFrame) -> Iterator[Finding]:
    """How many pairs have both tokenisers declared, and how many of those cut text alike."""
    known = tokenisers["identical"].dropna()
    yield Finding("tokenisers.compared.n", len(known), "count", 0, ("tables/tokenisers.csv",))
    yield Finding("tokenisers.identical.n", int(known.sum()), "count", 0, ("tables/tokenisers.csv",))
