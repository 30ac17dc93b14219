"""Gaps by hand on small studies, and the published tables from the published outputs."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from alifba.azeval.gap import by_table, composition_table, gap_table, recovery_table, scores_table
from alifba.azeval.scorebook import ScoreBook, score_runs
from alifba.config import load_study
from alifba.items import read_items
from alifba.runs import read_runs
from alifba.text.chains import CHAINS
from samples import CAPITALS, REFERENCE, item_row, published, write_answers, write_rows, write_study

RIGHT_AZ, RIGHT_EN = ([capital[place] for capital in CAPITALS] for place in (2, 3))


def book_of(folder, answers: dict[tuple[str, str], list[str | None]], items=None) -> ScoreBook:
    """The scores of `answers`, (model, language) to the answer of each item; an item beyond the list is missing."""
    dataset = read_items(write_rows(folder / "d.jsonl", items or [item_row(i) for i in range(6)]))
    for (model, language), given in answers.items():
        write_answers(folder / "raw", model, language, given)
    score_runs(read_runs(folder / "raw"), dataset, folder / "scores")
    return ScoreBook.open(dataset, folder / "scores")


@pytest.fixture
def study(tmp_path):
    return load_study(write_study(tmp_path, control_templates=["capital0"], bootstrap={"resamples": 500}))


def test_a_gap_by_hand(tmp_path, study):
    # az right: 0 and 1 of five scored in both; en right: 1, 2, 3, 4.
    az = ["Paris", "Romada", "x", "x", "x", None]
    en = ["x", "Rome", "Tbilisi", "Moscow", "Athens", "Stockholm"]
    rows = [item_row(i, answer_aliases=["Romada"] if i == 1 else []) for i in range(6)]
    book = book_of(tmp_path, {("org/one", "az"): az[:5], ("org/one", "en"): en}, rows)
    row = gap_table(book, study).set_index("chain").loc["strict"]
    assert (row["n"], row["n_left_out"]) == (5, 1)
    assert (row["az"], row["en"], row["gap"]) == pytest.approx((2 / 5, 4 / 5, 2 / 5))
    assert row["p"] == pytest.approx(binomtest(1, 4).pvalue)
    assert row["p"] == pytest.approx(mcnemar([[1, 1], [3, 0]], exact=True).pvalue)
    assert -0.6 <= row["ci_low"] <= row["gap"] <= row["ci_high"] <= 1


def test_each_chain_counts_its_own_forms(tmp_path, study):
    az = ["Parisdə", "roma", "Tıflıs", "Москва", "Afina", "?"]
    book = book_of(tmp_path, {("org/one", "az"): az})
    scores = scores_table(book, study).set_index("chain")
    assert (scores["exact_match"] * 6).round().tolist() == [2, 3, 4, 5]
    recovery = recovery_table(book).set_index("chain")
    assert (recovery["first_right"] * 6).round().tolist() == [2, 1, 1, 1]
    assert recovery["n_not_nested"].tolist() == [0, 0, 0, 0]
    assert scores["ci_low"].tolist() == pytest.approx(
        [proportion_confint(hits, 6, method="wilson")[0] for hits in (2, 3, 4, 5)]
    )


def test_holm_is_over_the_whole_table(tmp_path, study):
    answers = {("org/one", "az"): RIGHT_AZ, ("org/one", "en"): ["x"] * 6}
    answers |= {("org/two", "az"): ["x"] * 6, ("org/two", "en"): [*RIGHT_EN[:3], "x", "x", "x"]}
    table = gap_table(book_of(tmp_path, answers), study)
    assert len(table) == 8
    assert table["p_holm"].tolist() == pytest.approx(multipletests(table["p"], method="holm")[1])


def test_swapping_the_languages_turns_the_sign(tmp_path, study):
    same_name = [item_row(i, answer=RIGHT_EN[i]) for i in range(6)]
    one, other = ["x", *RIGHT_EN[1:3], "x", "x", "x"], RIGHT_EN
    there = gap_table(book_of(tmp_path / "1", {("m", "az"): one, ("m", "en"): other}, same_name), study)
    back = gap_table(book_of(tmp_path / "2", {("m", "az"): other, ("m", "en"): one}, same_name), study)
    for column in ("gap", "n"):
        assert (there[column] * (-1 if column == "gap" else 1)).tolist() == back[column].tolist()
    assert there["p"].tolist() == back["p"].tolist()
    np.testing.assert_allclose(there["ci_low"], -back["ci_high"])


def test_another_model_moves_no_number_of_the_first(tmp_path, study):
    answers = {("org/one", "az"): ["Paris", "x", "x", "Moskva", "x", "x"], ("org/one", "en"): RIGHT_EN}
    alone = gap_table(book_of(tmp_path / "1", answers), study)
    more = answers | {("org/a", "az"): RIGHT_AZ, ("org/a", "en"): RIGHT_EN}
    both = gap_table(book_of(tmp_path / "2", more), study)
    kept = both[both["model"] == "org/one"].reset_index(drop=True)
    assert kept.drop(columns="p_holm").equals(alone.drop(columns="p_holm"))


def test_the_order_of_items_moves_no_mean_and_no_p(tmp_path, study):
    answers = {("m", "az"): ["Paris", "x", "x", "Moskva", "x", "x"], ("m", "en"): RIGHT_EN}
    forth = gap_table(book_of(tmp_path / "1", answers), study)
    rows = [item_row(i) for i in reversed(range(6))]
    back = gap_table(book_of(tmp_path / "2", answers, rows), study)
    columns = ["n", "az", "en", "gap", "p", "p_holm"]
    assert forth[columns].equals(back[columns])


def test_a_seed_gives_the_same_table_and_another_seed_another(tmp_path):
    answers = {("m", "az"): ["Paris", "x", "x", "Moskva", "x", "x"], ("m", "en"): ["x", *RIGHT_EN[1:]]}
    rows = [item_row(i, id=f"t-{i:03}") for i in range(6)]
    book = book_of(tmp_path, answers, rows)

    def table(seed):
        (tmp_path / str(seed)).mkdir(exist_ok=True)
        path = write_study(tmp_path / str(seed), bootstrap={"seed": seed, "resamples": 101, "level": 0.77})
        return gap_table(book, load_study(path))

    np.random.seed(1)
    before = np.random.get_state()[1].tolist()
    assert table(0).equals(table(0))
    assert not table(0).equals(table(1))
    assert np.random.get_state()[1].tolist() == before


def test_strata_are_chosen_by_template_and_category(tmp_path, study):
    rows = [item_row(i, category="mathematics" if i in (0, 1) else "world") for i in range(6)]
    book = book_of(tmp_path, {("m", "az"): RIGHT_AZ, ("m", "en"): RIGHT_EN}, rows)
    table = composition_table(book, study)
    counts = table[table["chain"] == "strict"].set_index("stratum")["n"].to_dict()
    # Items 0 and 3 are of template capital0.
    assert counts == {"all": 6, "without_mathematics": 4, "control": 2, "control_without_mathematics": 1}
    by_template = by_table(book, study, "template")
    assert by_template.set_index("template")["n"].to_dict() == {"capital0": 2, "capital1": 2, "capital2": 2}


def test_an_empty_stratum_is_undefined_not_zero(tmp_path):
    study = load_study(write_study(tmp_path, control_templates=["none of them"]))
    book = book_of(tmp_path, {("m", "az"): RIGHT_AZ, ("m", "en"): RIGHT_EN})
    row = composition_table(book, study).query("stratum == 'control'").iloc[0]
    assert row["n"] == 0
    assert all(math.isnan(row[name]) for name in ("az", "en", "gap", "ci_low", "ci_high", "p", "p_holm"))


def test_without_a_pairing_the_tables_keep_their_columns(tmp_path, study):
    paired = book_of(tmp_path / "1", {("m", "az"): RIGHT_AZ, ("m", "en"): RIGHT_EN})
    alone = book_of(tmp_path / "2", {("m", "az"): RIGHT_AZ})
    for table in (gap_table, composition_table, lambda book, study: by_table(book, study, "category")):
        assert list(table(alone, study).columns) == list(table(paired, study).columns)
        assert len(table(alone, study)) == 0


@pytest.fixture(scope="module")
def published_book(tmp_path_factory):
    if not REFERENCE.is_dir():
        pytest.skip("the published data are not beside this checkout")
    folder = tmp_path_factory.mktemp("published")
    items = read_items(REFERENCE / "az_eval_v0.jsonl")
    score_runs(read_runs(REFERENCE / "raw_outputs"), items, folder)
    return ScoreBook.open(items, folder)


@pytest.fixture(scope="module")
def published_study(tmp_path_factory):
    return load_study(write_study(tmp_path_factory.mktemp("study"), bootstrap={"resamples": 10_000}))


@pytest.mark.reference
def test_all_24_published_percentages(published_book, published_study):
    scores = scores_table(published_book, published_study).set_index(["model", "language", "chain"])
    for row in published("modes"):
        for chain in CHAINS:
            ours = scores.loc[(row["model"], row["language"], chain)]
            assert f"{100 * ours['exact_match']:.1f}" == row[f"{chain}_pct"]
            assert (ours["n"], ours["n_unscored"]) == (356, 0)


@pytest.mark.reference
def test_the_published_token_f1(published_book, published_study):
    scores = scores_table(published_book, published_study).set_index(["model", "language", "chain"])
    for row in published("main"):
        ours = scores.loc[(row["model"], row["language"], "strict")]
        assert f"{100 * ours['token_f1']:.1f}" == row["f1_strict_pct"]


def monte_carlo_band(p: float, resamples: int = 10_000, level: float = 0.999) -> tuple[float, float]:
    """Where (hits + 1) / (resamples + 1) falls with probability `level`, hits being binomial with the exact p."""
    low, high = binom.interval(level, resamples, p)
    return (low + 1) / (resamples + 1), (high + 1) / (resamples + 1)


@pytest.mark.reference
def test_the_published_gaps_intervals_and_p(published_book, published_study):
    ours = gap_table(published_book, published_study).set_index(["model", "chain"])
    assert len(ours) == len(published("gap")) == 12
    for row in published("gap"):
        mine = ours.loc[(row["model"], row["chain"])]
        assert mine["n"] == int(row["n"])
        for column, name in (("az", "az_em_pct"), ("en", "en_em_pct"), ("gap", "gap_points")):
            assert f"{100 * mine[column]:.1f}" == row[name]
        # 1000 resamples there, 10 000 here.
        assert abs(100 * mine["ci_low"] - float(row["ci_low"])) <= 0.6
        assert abs(100 * mine["ci_high"] - float(row["ci_high"])) <= 0.6
        low, high = monte_carlo_band(mine["p"])
        assert low - 5e-5 <= float(row["p_monte_carlo"]) <= high + 5e-5


@pytest.mark.reference
def test_the_chains_are_nested_on_every_published_answer(published_book):
    for run in published_book.runs:
        for before, after in pairwise(CHAINS):
            assert (run.exact_match(before) <= run.exact_match(after)).all()
    assert recovery_table(published_book)["n_not_nested"].sum() == 0
