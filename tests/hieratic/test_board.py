"""The leaderboard: its published shape, its order, tiers, baselines and famous documents."""

from __future__ import annotations

import json
import re

import pytest
from board_kit import a_record, an_item, by_id, of_model

from alifba.hieratic.leaderboard import entries, leaderboard
from alifba.hieratic.leaderboard.tables import (
    NO_LINE,
    confusion_table,
    famous_table,
    in_board_order,
    rung_table,
    sign_table,
)

ITEMS = by_id(
    *(an_item(f"wm-{n:03}", famous=n < 40) for n in range(80)),
    *(an_item(f"met-{n}", script="demotic") for n in range(38)),
    *(an_item(f"aku-{n}", gardiner=["G17"] if n < 3 else [f"A{n}"]) for n in range(4)),
    an_item("hb-1", split="sealed", rungs=["identify", "signs", "transliterate", "translate"]),
)


def answers(key: str, score: float, n: int = 119, **changes):
    names = sorted(name for name, item in ITEMS.items() if "identify" in item.rungs)[:n]
    return [
        a_record(name, score if place % 10 else 1 - score, **of_model(key), **changes)
        for place, name in enumerate(names)
    ]


def test_the_fields_are_the_published_ones():
    board = leaderboard(ITEMS, answers("a", 1.0, createdAt="2026-10-05T10:00:00Z"))
    assert list(board)[:4] == ["harness", "generatedAt", "dataset", "entries"]
    assert {"perItem", "prompts", "items"} <= set(board)
    (entry,) = board["entries"]
    published = {"key", "label", "provider", "modelId", "rungs", "overall", "refusals", "lastRun"}
    assert published <= set(entry)
    assert {"score", "items", "coverage", "samples"} <= set(entry["rungs"]["identify"])
    assert board["dataset"] == {
        "items": 123,
        "sealed": 1,
        "byRung": {"identify": 119, "signs": 5, "transliterate": 1, "translate": 1},
        "byScript": {"demotic": 38, "hieratic": 85},
        "bySource": {"aku": 4, "hb": 1, "met": 38, "wm": 80},
    }
    assert board["generatedAt"] == entry["lastRun"] == "2026-10-05T10:00:00Z"
    assert json.loads(json.dumps(board, allow_nan=False)) == board


def test_a_partly_answered_rung_shows_its_coverage_and_has_no_tier():
    board = leaderboard(ITEMS, answers("part", 1.0, 70) + answers("whole", 0.0))
    cells = {entry["key"]: entry["rungs"]["identify"] for entry in board["entries"]}
    assert cells["part"]["coverage"] == pytest.approx(70 / 119)
    assert cells["part"]["tier"] is None
    assert (cells["whole"]["coverage"], cells["whole"]["tier"]) == (1, 1)


def test_a_sealed_rung_is_no_gap():
    signs = [a_record(f"aku-{n}", 1.0, rung="signs") for n in range(4)]
    (entry,) = leaderboard(ITEMS, signs)["entries"]
    assert entry["rungs"]["signs"]["coverage"] == 1
    assert list(entry["rungs"]) == ["signs"]


def test_overall_needs_all_four_rungs():
    three = [a_record("hb-1", 1.0, rung=rung) for rung in ("identify", "signs", "transliterate")]
    assert leaderboard(ITEMS, three)["entries"][0]["overall"] is None
    four = [*three, a_record("hb-1", 0.2, rung="translate")]
    # By hand: (1 + 1 + 1 + 0.2) / 4.
    assert leaderboard(ITEMS, four)["entries"][0]["overall"] == pytest.approx(0.8)


def test_who_has_an_overall_comes_first_then_identify_decides():
    four = [
        a_record("hb-1", 0.1, rung=rung, **of_model("d"))
        for rung in ("identify", "signs", "transliterate", "translate")
    ]
    signs = [a_record("aku-0", 1.0, rung="signs", **of_model("c"))]
    board = leaderboard(ITEMS, answers("a", 0.0) + answers("b", 1.0) + signs + four)
    assert [entry["key"] for entry in board["entries"]] == ["d", "b", "a", "c"]


def test_models_that_cannot_be_told_apart_share_a_tier():
    near = [a_record(r.item_id, r.score if n else 0.5, **of_model("near")) for n, r in enumerate(answers("a", 1.0))]
    board = leaderboard(ITEMS, answers("a", 1.0) + near + answers("far", 0.0))
    tier = {entry["key"]: entry["rungs"]["identify"]["tier"] for entry in board["entries"]}
    assert tier == {"a": 1, "near": 1, "far": 2}


def test_baselines_follow_from_the_rules_of_the_protocol():
    found = {entry["key"]: entry["rungs"] for entry in leaderboard(ITEMS, [])["baselines"]}
    # hieratic scores 1 and demotic a half: 81 and 38 of 119 items.
    assert found["always-hieratic"]["identify"]["score"] == pytest.approx((81 + 38 / 2) / 119)
    # G17 is right for three of four signs.
    assert found["majority-sign"]["signs"]["score"] == 0.75
    # Of seven scripts, for a hieratic item: two right, three at a half; for a demotic one: one right, four at a half.
    assert found["chance"]["identify"]["score"] == pytest.approx((81 * 3.5 / 7 + 38 * 3 / 7) / 119)
    # Two codes, G17 and A3: each sign accepts one of them.
    assert found["chance"]["signs"]["score"] == 0.5


def test_a_set_without_items_to_score_has_no_baseline():
    found = leaderboard(by_id(an_item("x-1", rungs=["translate"])), [])["baselines"]
    assert [entry["rungs"] for entry in found] == [{}, {}, {}]


def test_famous_documents_stand_apart():
    records = [a_record(f"wm-{n:03}", float(n < 30 or n % 2)) for n in range(80)]
    cell = leaderboard(ITEMS, records)["entries"][0]["rungs"]["identify"]
    # 30 of the first 40 and the 5 odd ones of the next 10 are right; of the other 40, every second.
    assert (cell["famous"]["score"], cell["notFamous"]["score"]) == (35 / 40, 0.5)
    assert cell["difference"]["value"] == pytest.approx(0.375)
    assert cell["difference"]["low"] < 0.375 < cell["difference"]["high"]
    table = famous_table(leaderboard(ITEMS, records))
    assert table[["famous_n_items", "other_n_items"]].values.tolist() == [[40, 40]]


def test_the_same_seed_gives_the_same_board_and_a_further_model_moves_no_number_of_another():
    uneven = [a_record(f"wm-{n:03}", n * n % 97 / 97, **of_model("b")) for n in range(80)]
    alone = leaderboard(ITEMS, uneven)
    assert alone == leaderboard(ITEMS, uneven)
    assert leaderboard(ITEMS, uneven, seed=1)["entries"] != alone["entries"]
    both = leaderboard(ITEMS, uneven + answers("a", 1.0, 70) + answers("c", 1.0, 70))
    (same,) = [entry for entry in both["entries"] if entry["key"] == "b"]
    assert same == alone["entries"][0]
    assert both["perItem"]["b"] == alone["perItem"]["b"]


def test_nothing_is_published_of_a_sealed_item_but_its_score():
    public = a_record("hb-1", 0.5, response="", withheld=True, parsed="Demotic")
    text = json.dumps(leaderboard(ITEMS, [public, a_record("hb-1", 0.5, privateCopy=True, response="the secret")]))
    assert "secret" not in text
    assert re.search('"hb-1": {"identify": 0.5}', text)


def test_the_table_of_rungs_holds_models_and_baselines():
    table = rung_table(leaderboard(ITEMS, answers("a", 1.0)))
    alone = rung_table(leaderboard(ITEMS, [a_record("hb-1", 0.5)]))
    assert alone["low"].isna().tolist()[:1] == alone["tier"].isna().tolist()[:1] == [True]
    assert table["kind"].tolist() == ["model", *["baseline"] * 4]
    assert table.loc[0, "n_items"] == 119


def test_an_effort_is_part_of_the_row_and_not_of_the_published_label():
    records = [
        a_record(f"wm-{n:03}", 1.0, **of_model("m", effort=effort)) for n in range(2) for effort in ("high", "low")
    ]
    board = leaderboard(ITEMS, records)
    assert [(entry["label"], entry["effort"]) for entry in board["entries"]] == [("M", "high"), ("M", "low")]
    models = rung_table(board).query("kind == 'model'")
    assert models[["key", "label"]].values.tolist() == [["m-high", "M (high)"], ["m-low", "M (low)"]]
    names = {(entry.name, entry.label) for entry in entries(records, ITEMS)}
    assert names == {("m-high", "M (high)"), ("m-low", "M (low)")}


def test_answers_are_counted_by_script():
    records = [
        a_record("wm-000", 0.5, parsed="Demotic"),
        a_record("wm-000", 1.0, parsed="hieratic", sample=1),
        a_record("met-0", 0.0, parsed=None),
        a_record("met-1", None, parsed=None, response=None, error="503"),
    ]
    table = confusion_table(entries(records, ITEMS), ITEMS)
    rows = {(row.script, row.answered): row.n for row in table.itertuples()}
    assert rows == {("hieratic", "hieratic"): 1, ("hieratic", "demotic"): 1, ("demotic", NO_LINE): 1}


def test_signs_are_grouped_by_category_and_period_in_order():
    periods = ["Roman Period", "Old Kingdom, Dynasty 5", None, "reign of Khufu"]
    codes = ["Aa1", "Z4A", "A1", "Z1"]
    items = by_id(
        *(
            an_item(f"aku-{n}", gardiner=[code], object={"period": period})
            for n, (code, period) in enumerate(zip(codes, periods, strict=True))
        )
    )
    records = [a_record(f"aku-{n}", float(n == 1), rung="signs") for n in range(4)]
    table = sign_table(entries(records, items), items, seed=0)
    shown = table.groupby("by", sort=False)["group"].apply(list).to_dict()
    assert shown == {"category": ["A", "Z", "Aa"], "period": ["Old Kingdom", "Roman", "reign of Khufu"]}
    assert table.set_index("group").loc["Z", "score"] == 0.5


def test_tables_come_in_the_order_of_the_board():
    records = answers("a", 0.0) + answers("b", 1.0)
    board = leaderboard(ITEMS, records)
    assert [entry.name for entry in in_board_order(entries(records, ITEMS), board)] == ["b", "a"]
