"""Between pairs: the published accounts to the printed digits, and the rules on hand-made pairs."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from alifba.azeval.between import (
    PairFigure,
    between_table,
    compared_table,
    drawn,
    measured,
    predicts,
    published,
    select,
)
from alifba.config import Account, Study, load_study
from alifba.errors import InputError
from alifba.paths import repo_root
from samples import REFERENCE

TABLE = repo_root() / "data" / "published" / "azeval-v2-pairs.csv"
SCRIPT, FAMILY = "target script is Cyrillic", "base family is Qwen"
STRENGTH, RELATED = "strong adaptation", "target is related"


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study(repo_root() / "studies" / "azeval.yaml")


@pytest.fixture(scope="module")
def table(study) -> pd.DataFrame:
    return between_table(published(TABLE), study).set_index(["rule", "account"])


def figure(pair: str = "P", excess: str | None = "5", **changes: object) -> PairFigure:
    made = PairFigure(
        "study", pair, "default", "b", "t", "X", True, "Latin", "Qwen", 2.0, 1.0,
        None if excess is None else Fraction(excess), 1.0, 9.0, 0.0,
    )  # fmt: skip
    return replace(made, **changes)


# p of means and of ranks as the published study prints them.
@pytest.mark.parametrize(
    ("account", "p_mean", "p_rank"),
    [(SCRIPT, 0.0714, 0.0952), (FAMILY, 0.0238, 0.0381), (STRENGTH, 0.5667, 0.1714), (RELATED, 0.9667, 0.6095)],
)
def test_the_published_accounts_to_the_printed_digit(table, account, p_mean, p_rank):
    row = table.loc[("default preferred", account)]
    assert (round(row["p_mean"], 4), round(row["p_rank"], 4)) == (p_mean, p_rank)
    assert row["n_pairs"] == 10


def test_nine_of_ten_holds_where_the_one_example_prompt_is_preferred(table):
    # "Script predicts nine of ten": the printed sentence; the printed p values go with the other rule.
    assert table.loc[("oneshot preferred", SCRIPT), "right"] == 9
    assert table.loc[("default preferred", SCRIPT), "right"] == 8
    assert table.loc[("oneshot preferred", SCRIPT), "n_damaged"] == 4
    assert table.loc[("default preferred", SCRIPT), "n_damaged"] == 3


def test_the_smallest_p_of_a_balanced_split_is_two_assignments(table):
    # Printed as 0.0040 = 1/252; by symmetry it is 2/252.
    row = table.loc[("default preferred", SCRIPT)]
    assert row["n_labelled"] == 5
    assert row["n_assignments"] == math.comb(10, 5) == 252
    assert row["smallest_p_mean"] == row["smallest_p_rank"] == 2 / 252


def test_the_published_table_by_brute_force(table, study):
    chosen = select(published(TABLE), study.style_rules[0])
    labels = {f.pair for f in chosen if f.script == "Cyrillic"}
    values = {f.pair: f.excess for f in chosen}

    def statistic(labelled: set[str]) -> Fraction:
        inside, outside = ([v for p, v in values.items() if (p in labelled) is side] for side in (True, False))
        return abs(Fraction(sum(inside), len(inside)) - Fraction(sum(outside), len(outside)))

    every = [statistic(set(names)) for names in combinations(values, len(labels))]
    expected = np.mean([s >= statistic(labels) for s in every])
    assert table.loc[("default preferred", SCRIPT), "p_mean"] == pytest.approx(expected)
    assert table.loc[("default preferred", SCRIPT), "difference"] == pytest.approx(float(statistic(labels)) / 100)


@pytest.mark.reference
def test_the_shipped_figures_are_the_published_ones():
    # A second printing of the pair table lies beside this checkout; the two must agree cell by cell.
    with (REFERENCE.parent / "azeval-v2" / "pairs.csv").open(encoding="utf-8", newline="") as stream:
        printed = list(csv.DictReader(stream))
    ours = published(TABLE)
    assert [(f.pair, f.style, f.base, f.tuned) for f in ours] == [
        (row["pair"], row["style"], row["base"], row["tuned"]) for row in printed
    ]
    for figure_, row in zip(ours, printed, strict=True):
        assert figure_.excess == Fraction(row["excess_points"])
        assert [figure_.az_loss, figure_.en_loss, figure_.ci_low, figure_.ci_high] == [
            float(row[name]) for name in ("az_loss_points", "en_loss_points", "ci_low", "ci_high")
        ]
        assert figure_.cyrillic_share == pytest.approx(float(row["cyrillic_share_pct"] or "nan"), nan_ok=True)


def test_a_rule_takes_the_first_style_in_which_a_pair_is_valid():
    both = [figure("P", style="oneshot"), figure("P", style="default")]
    alone = figure("Q", style="oneshot")
    excluded = figure("R", None, style="default", reason="empty 66.7 % > 20 %")
    fallback = figure("R", style="oneshot")
    unknown = figure("S", style="zeroshot")
    every = [*both, alone, excluded, fallback, unknown]
    assert [(f.pair, f.style) for f in select(every, ["default", "oneshot"])] == [
        ("P", "default"),
        ("Q", "oneshot"),
        ("R", "oneshot"),
    ]
    assert {(f.pair, f.style) for f in select(every, ["oneshot", "default"])} == {
        ("P", "oneshot"),
        ("Q", "oneshot"),
        ("R", "oneshot"),
    }


@pytest.mark.parametrize(
    ("account", "predicted"),
    [
        ({"field": "script", "equals": "Latin"}, True),
        ({"field": "script", "equals": "Cyrillic"}, False),
        ({"field": "base_family", "equals": "Qwen"}, True),
        ({"field": "related", "equals": True}, True),
        ({"field": "related", "equals": False}, False),
        ({"field": "strength", "above": 2.9}, True),
        ({"field": "strength", "above": 3.0}, False),
    ],
)
def test_what_an_account_predicts(account, predicted):
    assert predicts(Account(name="a", **account), figure(az_loss=-2.0, en_loss=1.0)) is predicted


def test_without_pairs_the_tables_have_their_columns(study):
    assert between_table([], study).empty
    assert "p_mean" in between_table([], study)
    assert compared_table([]).empty
    assert {"source", "pair", "excess", "damaged"} <= set(compared_table([]).columns)
    assert drawn(compared_table([])).empty
    assert published(None) == []


def test_own_pairs_are_drawn_and_published_ones_where_there_are_none():
    theirs = replace(figure("T"), source="published")
    excluded = figure("E", None, reason="no run of either half")
    assert set(drawn(compared_table([figure("P"), excluded, theirs]))["pair"]) == {"P", "E"}
    assert set(drawn(compared_table([excluded, theirs]))["pair"]) == {"T"}


def test_a_compared_row_is_in_shares_and_an_excluded_pair_has_no_verdict():
    rows = compared_table([figure("P", "9.8", ci_low=6.2, az_loss=23.4), figure("E", None, reason="r")])
    own, excluded = rows.to_dict("records")
    assert (own["excess"], own["ci_low"], own["az_loss"]) == pytest.approx((0.098, 0.062, 0.234))
    assert (own["damaged"], own["valid"]) == (1, 1)
    assert (excluded["valid"], excluded["reason"]) == (0, "r")
    assert math.isnan(excluded["damaged"])
    assert math.isnan(excluded["excess"])


def test_own_pairs_are_read_back_as_exact_numbers_of_items():
    words = {"pair": "P", "style": "default", "chain": "strict", "base": "b", "tuned": "t", "target": "X"}
    words |= {"script": "Latin", "base_family": "Qwen", "related": 1, "valid": 1, "reason": np.nan}
    shares = {"az_loss": 0.1, "en_loss": 0.0, "ci_low": 0.01, "ci_high": 0.2}
    shares |= {"cyrillic_share": 0.5, "cyrillic_share_base": 0.0}
    row = words | shares | {"n": 997, "excess": round(10 / 997, 10)}
    lost = row | {"pair": "E", "style": np.nan, "n": 0, "excess": np.nan, "valid": 0, "reason": "no run of either half"}
    other_chain = row | {"chain": "translit", "excess": 0.0}
    own, excluded = measured(pd.DataFrame([row, other_chain, lost]))
    assert own.excess == Fraction(1000, 997)
    assert (own.az_loss, own.related, own.valid) == (10.0, True, True)
    assert (excluded.excess, excluded.style, excluded.valid) == (None, "", False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("excess,", "exces,", 1), r"(?s)column 'excess' is missing.*did you mean 'exces'"),
        (lambda text: text.replace("23.4", "many", 1), r"p\.csv:2: not a number"),
        (lambda text: text.replace(",yes,", ",perhaps,", 1), r"p\.csv:2: 'related' is neither yes nor no"),
        (lambda text: "", "no table of published pairs"),
    ],
)
def test_a_damaged_table_of_published_pairs_is_named(tmp_path: Path, change, message):
    path = tmp_path / "p.csv"
    path.write_text(change(TABLE.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        published(path)


def test_a_missing_table_of_published_pairs_is_named(tmp_path: Path):
    with pytest.raises(InputError, match="no table of published pairs"):
        published(tmp_path / "absent.csv")
