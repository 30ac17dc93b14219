"""Tables that describe a study, and the strata at exactly 0 or 1 that stop a paper."""

from __future__ import annotations

import pytest

from alifba.azeval.overview import baselines_table, dataset_table, extremes_table, refuse_extremes, runs_table
from alifba.azeval.scorebook import ScoreBook, score_runs
from alifba.config import load_study
from alifba.errors import InputError
from alifba.items import read_items
from alifba.runs import read_runs
from samples import CAPITALS, item_row, write_answers, write_rows, write_study

RIGHT = [capital[2] for capital in CAPITALS]


@pytest.fixture
def book(tmp_path):
    rows = [item_row(i, verified_by="human" if i < 2 else "pending", provenance="manual") for i in range(6)]
    rows[3]["answer"] = "PARİS"
    rows[3]["notes"] = ""
    items = read_items(write_rows(tmp_path / "d.jsonl", rows))
    # Items 1, 3, 5 are geography, 0, 2, 4 world; no geography answer is right under any chain.
    write_answers(tmp_path / "raw", "org/one", "az", ["Paris", "x", "Tiflis", "x", "x", "x"])
    write_answers(tmp_path / "raw", "org/two", "az", [*RIGHT[:3], "Paris"])
    score_runs(read_runs(tmp_path / "raw"), items, tmp_path / "scores")
    return ScoreBook.open(items, tmp_path / "scores")


def test_the_dataset_is_counted(tmp_path, book):
    study = load_study(write_study(tmp_path, control_templates=["capital0"]))
    counts = dataset_table(book, study).set_index(["field", "value"])["n"].to_dict()
    assert counts["items", "all"] == 6
    assert counts["items", "verified by a person"] == 2
    # Item 3 lost its template, so only item 0 is control; its answer is item 0's once case is evened out.
    assert counts["items", "control"] == 1
    assert counts["items", "distinct answers"] == 5
    assert counts["items", "templates"] == 3
    assert counts["words", "mean answer length"] == 1
    assert (counts["category", "world"], counts["category", "geography"]) == (3, 3)
    assert counts["template", "none"] == 1
    assert counts["provenance", "manual"] == 6


def test_every_run_has_a_row_and_its_counts_add_up(book):
    table = runs_table(book)
    assert table["model"].tolist() == ["org/one", "org/two"]
    assert (table["n_scored"] + table["n_unscored"] == table["n_items"]).all()
    assert table["n_unscored"].tolist() == [0, 2]


def test_the_majority_is_given_per_language(tmp_path, book):
    table = baselines_table(book, load_study(write_study(tmp_path)))
    assert table[["language", "exact_match"]].to_numpy().tolist() == [["az", 2 / 6], ["en", 1 / 6]]


@pytest.mark.parametrize(
    ("acknowledged", "refused"),
    [
        ([], True),
        (["org/one/az/geography"], True),
        (["org/two/az/all", "org/one/az/geography"], True),
        (["org/two/*", "org/one/az/geography"], False),
        (["*"], False),
    ],
)
def test_strata_at_exactly_0_or_1_stop_a_paper_until_acknowledged(tmp_path, book, acknowledged, refused):
    study = write_study(tmp_path, acknowledged_extremes=acknowledged)
    table = extremes_table(book, load_study(study))
    assert {tuple(row) for row in table[["run_stratum", "n", "exact_match"]].to_numpy().tolist()} == {
        ("org/one/az/geography", 3, 0),
        ("org/two/az/all", 4, 1),
        ("org/two/az/geography", 2, 1),
        ("org/two/az/world", 2, 1),
    }
    table.to_csv(tmp_path / "extremes.csv", index=False)
    if refused:
        with pytest.raises(InputError, match="acknowledged_extremes"):
            refuse_extremes(tmp_path / "extremes.csv", study)
    else:
        refuse_extremes(tmp_path / "extremes.csv", study)


def test_a_stratum_in_which_any_chain_finds_an_answer_right_is_not_at_0(tmp_path):
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(6)]))
    # Item 1, geography, is right once its Cyrillic is turned into Latin; world has no right answer.
    write_answers(tmp_path / "raw", "m", "az", ["x", "Рома", "x", "x", "x", "x"])
    score_runs(read_runs(tmp_path / "raw"), items, tmp_path / "scores")
    table = extremes_table(ScoreBook.open(items, tmp_path / "scores"), load_study(write_study(tmp_path)))
    assert table["run_stratum"].tolist() == ["m/az/world"]


def test_a_paper_before_its_tables_is_told_what_to_make(tmp_path):
    with pytest.raises(InputError, match="make tables"):
        refuse_extremes(tmp_path / "extremes.csv", tmp_path / "study.yaml")
