"""Gaps on items that are younger than a model."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path

import pytest

from alifba.azeval.contamination import contamination_table, created
from alifba.azeval.scorebook import ScoreBook, score_runs
from alifba.config import load_study
from alifba.errors import InputError
from alifba.items import Item, read_items
from alifba.runs import read_runs
from samples import item_row, write_answers, write_rows, write_study


def contaminated(tmp_path: Path, days: list[str | None], **released: date | None):
    notes = [f"template=t;created={day}" if day else "template=t" for day in days]
    rows = [item_row(number, notes=note) for number, note in enumerate(notes)]
    items = read_items(write_rows(tmp_path / "items.jsonl", rows))
    for language in ("az", "en"):
        answers = [row["answer" if language == "az" else "answer_en"] for row in rows]
        write_answers(tmp_path / "runs", "org/one", language, answers if language == "en" else [answers[0], *"xxxxx"])
    score_runs(read_runs(tmp_path / "runs"), items, tmp_path / "scores")
    model = {"slug": "one", "name": "org/one", "label": "One", "backend": "fake"}
    path = write_study(tmp_path, bootstrap={"resamples": 200}, models=[model])
    study = load_study(path)
    day = released["released"]
    dated = study.model_copy(update={"models": [study.models[0].model_copy(update={"released": day})]})
    table = contamination_table(ScoreBook.open(items, tmp_path / "scores"), dated)
    return table[table["chain"] == "strict"].to_dict("records")


DAYS = ["2026-11-30", "2026-11-30", "2025-01-01", "2025-01-02", None, None]


def test_the_gap_is_on_the_items_that_are_younger_than_the_model(tmp_path):
    (row,) = contaminated(tmp_path, DAYS, released=date(2025, 1, 1))
    assert (row["released"], row["n_computed"], row["n_later"], row["all_later"]) == ("2025-01-01", 4, 3, 0)
    assert (row["first_created"], row["last_created"]) == ("2025-01-01", "2026-11-30")
    # Of the three, Azerbaijani has one right and English all.
    assert (row["n"], row["az"], row["en"]) == pytest.approx((3, 1 / 3, 1))
    assert row["gap"] == pytest.approx(2 / 3)
    assert row["p"] == pytest.approx(0.5)


def test_a_model_without_a_date_is_unknown_and_not_clean(tmp_path):
    (row,) = contaminated(tmp_path, DAYS, released=None)
    assert (row["n_computed"], row["n"]) == (4, 0)
    assert all(row[name] is None or math.isnan(row[name]) for name in ("n_later", "all_later", "az", "en", "gap"))


def test_a_model_older_than_every_item_is_clean(tmp_path):
    (row,) = contaminated(tmp_path, DAYS, released=date(2024, 12, 31))
    assert (row["n_later"], row["all_later"]) == (4, 1)


def test_without_computed_items_nothing_is_claimed(tmp_path):
    assert contaminated(tmp_path, [None] * 6, released=date(2024, 12, 31)) == []


def test_a_day_that_is_none_is_told():
    with pytest.raises(InputError, match="no date"):
        created(Item.model_validate(item_row(0, notes="created=yesterday")))
