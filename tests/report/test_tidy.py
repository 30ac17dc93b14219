"""Tables: the same bytes everywhere, and text that looks like nothing stays text."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from alifba.errors import InputError
from alifba.report.tidy import PUBLISHED, load_table, notice_of, write_table

NOTICE = "pilot items, not verified by a person"


@pytest.mark.parametrize("notice", [NOTICE, None])
def test_every_row_says_whether_a_person_verified_the_items(tmp_path, notice):
    write_table(pd.DataFrame({"n": [1, 2]}), tmp_path / "t.csv", notice)
    table = load_table(tmp_path / "t.csv")
    assert list(table.columns) == ["n", "items_status"]
    assert set(table["items_status"]) == {notice or "verified by a person"}
    assert notice_of(table) == notice


def test_undefined_numbers_are_empty_and_words_stay_words(tmp_path):
    words = ["NA", "None", "nan", "null", 'a "b", c', "ə\n"]
    made = pd.DataFrame({"model": words, "share": [0.5, math.nan, 0.0, 1.0, 1 / 3, -0.0], "n": range(6)})
    write_table(made, tmp_path / "t.csv", None)
    back = load_table(tmp_path / "t.csv")
    assert back["model"].tolist() == words
    assert back["share"].isna().tolist() == [False, True, False, False, False, False]
    assert back["n"].tolist() == list(range(6))


def test_differences_in_the_last_bits_are_not_written(tmp_path):
    # The two sums differ in the last bit; the tables must not.
    for name, values in (("a", 0.1 + 0.2), ("b", 0.3)):
        write_table(pd.DataFrame({"x": [values]}), tmp_path / name, None)
    assert (
        (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == b"x,items_status\n0.3,verified by a person\n"
    )


def test_a_row_of_printed_numbers_says_so_and_not_that_its_items_are_unverified(tmp_path):
    write_table(pd.DataFrame({"source": ["study", "published"]}), tmp_path / "t.csv", NOTICE)
    assert load_table(tmp_path / "t.csv")["items_status"].tolist() == [NOTICE, PUBLISHED]


def test_a_table_that_is_not_made_yet_says_what_makes_it(tmp_path):
    with pytest.raises(InputError, match=r"gates\.csv: this table is not made yet") as caught:
        load_table(tmp_path / "gates.csv")
    assert "make tables" in str(caught.value)
