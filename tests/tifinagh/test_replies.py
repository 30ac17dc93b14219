"""Replies that misbehave: what is valid is kept, everything else is told and asked again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.tifinagh.replies import read_answers, read_verdicts

MISSING, TWICE, BROKEN = "missing", "duplicated", "not by the schema"
GOOD = '{"answers":[{"id":"1","answer":"water"},{"id":"2","answer":""}]}'


def rows(*given: dict) -> str:
    return json.dumps({"answers": given})


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"Of course! Here it is:\n```json\n{GOOD}\n```\nGood luck.",
        f"{{not json}} {GOOD} {{",
        json.dumps(json.loads(GOOD), indent=4),
    ],
    ids=["plain", "prose and fence", "stray braces", "indented"],
)
def test_a_reply_is_found_whatever_stands_around_it(text):
    read = read_answers(text, 2)
    assert read.values == {"1": "water", "2": ""}
    assert read.faults == {}


@pytest.mark.parametrize(
    ("text", "values", "faults"),
    [
        # Cut off in the middle of row 2: row 1 stands.
        (GOOD[:-18], {"1": "water"}, {"2": MISSING}),
        (rows({"id": "1", "answer": "a"}, {"id": "1", "answer": "a"}), {}, {"1": TWICE, "2": MISSING}),
        (GOOD + GOOD, {}, {"1": TWICE, "2": TWICE}),
        (rows({"id": "1", "answer": None}, {"id": "2", "answer": 7}), {}, {"1": BROKEN, "2": BROKEN}),
        (rows({"id": "1", "answer": "a", "sure": True}, {"id": 2, "answer": "b"}), {}, {"1": BROKEN, "2": MISSING}),
        (rows({"id": "1", "answer": "a"}, {"id": "3", "answer": "b"}), {"1": "a"}, {"2": MISSING}),
        ('{"answers":[{"id":"1","answer":"\\ud83d"},"two",["2"]]}', {}, {"1": BROKEN, "2": MISSING}),
        ('{"answers":{"1":"a"}}', {}, {"1": MISSING, "2": MISSING}),
        ("I would rather not.", {}, {"1": MISSING, "2": MISSING}),
        ("", {}, {"1": MISSING, "2": MISSING}),
        ('{"a":' * 5000, {}, {"1": MISSING, "2": MISSING}),
    ],
    ids=[
        "half",
        "id twice",
        "all twice",
        "no text",
        "extra",
        "other id",
        "surrogate",
        "map",
        "prose",
        "silence",
        "deep",
    ],
)
def test_what_is_broken_is_told_by_id(text, values, faults):
    read = read_answers(text, 2)
    assert (read.values, read.faults) == (values, faults)


def test_verdicts_need_all_three_fields_and_a_known_word():
    rows = [
        {"id": "1", "verdict": "correct", "note": ""},
        {"id": "2", "verdict": "Correct", "note": ""},
        {"id": "3", "verdict": "partial"},
        {"id": "4", "verdict": "wrong", "note": "another thing"},
    ]
    read = read_verdicts(json.dumps({"verdicts": rows}), 4)
    assert read.values == {"1": ("correct", ""), "4": ("wrong", "another thing")}
    assert read.faults == {"2": "not by the schema", "3": "not by the schema"}


@given(st.text(max_size=200), st.integers(0, 4))
def test_no_text_breaks_the_reader_and_every_id_is_accounted_for(text, n):
    read = read_answers(text, n)
    assert read.values.keys() | read.faults.keys() == {str(number) for number in range(1, n + 1)}
    assert not read.values.keys() & read.faults.keys()


@given(st.lists(st.text(), min_size=1, max_size=5), st.data())
def test_every_whole_row_of_a_cut_reply_is_kept(answers, data):
    text = json.dumps({"answers": [{"id": str(i), "answer": a} for i, a in enumerate(answers, 1)]})
    end = data.draw(st.integers(0, len(text)))
    read = read_answers(text[:end], len(answers))
    whole = {str(i): a for i, a in enumerate(answers, 1)}
    assert read.values == {id_: whole[id_] for id_ in read.values}
    assert len(read.values) >= text[:end].count("}, {")
