"""A third of the pilot items: whole rows of the pilot file, every template with its third."""

from __future__ import annotations

import math
from collections import Counter

from alifba.azeval.pilot.third import every_third, write_third
from alifba.items import read_items
from alifba.paths import repo_root
from samples import PILOT, item_row, write_rows

THIRD = repo_root() / "data" / "azeval" / "pilot-third.jsonl"


def test_the_committed_file_is_what_the_committed_pilot_gives(tmp_path):
    write_third(PILOT, tmp_path / "third.jsonl")
    assert (tmp_path / "third.jsonl").read_bytes() == THIRD.read_bytes()


def test_every_template_keeps_a_third_rounded_up_and_rows_are_those_of_the_pilot_in_its_order():
    whole, third = read_items(PILOT), read_items(THIRD)
    kept = Counter(item.template for item in third)
    assert kept == {template: math.ceil(n / 3) for template, n in Counter(item.template for item in whole).items()}
    assert all(whole.by_id[item.id] == item for item in third)
    places = [whole.position[item.id] for item in third]
    assert places == sorted(places)


def test_templates_are_counted_apart_wherever_their_items_stand(tmp_path):
    # Templates in turn, a b a b ...: every third of the file would be another choice.
    rows = [item_row(i, notes=f"template={'ab'[i % 2]}") for i in range(14)]
    items = list(read_items(write_rows(tmp_path / "d.jsonl", rows)))
    assert every_third(items) == [0, 1, 6, 7, 12, 13]
