"""Multiple choice against short answer: options, the letter read from the prompt, retention paired on the item."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from alifba.azeval.choice import LETTERS, chosen_option, option_items
from alifba.azeval.formats import formats_table
from alifba.azeval.prompts import item_prompt
from alifba.azeval.scorebook import RunRecord, ScoreBook, ScoredRun
from alifba.config import load_study
from alifba.items import ItemSet, read_items
from alifba.paths import repo_root
from samples import item_row, write_rows, write_study


@pytest.fixture(scope="module")
def pilot() -> ItemSet:
    return read_items(repo_root() / "data/azeval/pilot.jsonl")


@pytest.mark.parametrize("language", ["az", "en"])
def test_the_right_letter_gives_the_gold_and_no_other_does(pilot: ItemSet, language: str) -> None:
    for place, item in enumerate(pilot.items[::40]):
        gold = item.answer if language == "az" else item.answer_en
        prompt = item_prompt(item, pilot, language, "choice")
        chosen = {letter: chosen_option(prompt, item.question(language), f" {letter}\n") for letter in LETTERS}
        right = LETTERS[pilot.position[item.id] % len(LETTERS)]
        assert chosen[right] == gold, place
        assert [letter for letter, text in chosen.items() if text == gold] == [right]


def test_both_languages_show_the_same_facts_in_the_same_order(pilot: ItemSet) -> None:
    item = pilot.items[5]
    options = option_items(item, pilot)
    for language in ("az", "en"):
        prompt = item_prompt(item, pilot, language, "choice")
        shown = [
            f"{letter}) {o.answer if language == 'az' else o.answer_en}"
            for letter, o in zip(LETTERS, options, strict=True)
        ]
        assert "\n".join(shown) in prompt


@pytest.mark.parametrize("reply", ["", "Bilmirəm", "Bakı", "E", "Ankara is A"])
def test_a_reply_without_a_letter_chooses_nothing(pilot: ItemSet, reply: str) -> None:
    item = pilot.items[0]
    assert chosen_option(item_prompt(item, pilot, "az", "choice"), item.question_az, reply) is None


def scored(items: ItemSet, language: str, style: str, right: dict[str, int]) -> ScoredRun:
    """A run that scored the ids of `right` as given and left the others out."""
    marks = {
        f"em_{chain}": [right.get(item.id) for item in items] for chain in ("strict", "morph", "lenient", "translit")
    }
    table = pd.DataFrame(marks, index=[item.id for item in items], dtype=float)
    record = RunRecord(
        "m", language, style, len(items), len(right), 0, 0, len(right), 0, 0, "", items.sha256, "bench:azeval"
    )
    return ScoredRun(record, table)


def test_languages_are_compared_on_the_items_that_both_have(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(3)])
    items = read_items(rows)
    a, b, c = (item.id for item in items)
    # Azerbaijani lacks the first item, English the last: only the middle one can be compared; both retain it.
    runs = [
        scored(items, "az", "choice", {b: 1, c: 1}),
        scored(items, "az", "default", {b: 1, c: 0}),
        scored(items, "en", "choice", {a: 1, b: 1}),
        scored(items, "en", "default", {a: 0, b: 1}),
    ]
    table = formats_table(ScoreBook(items, runs), load_study(write_study(tmp_path)))
    assert table["n_both_languages"].tolist() == [1, 1]
    assert table["p_languages"].tolist() == [1, 1]
    assert table["retention"].tolist() == [0.5, 0.5]
