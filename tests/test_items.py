"""Dataset rows: strict, every fault with file and line, whatever the bytes."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.errors import InputError
from alifba.items import read_items
from samples import PILOT, REFERENCE, item_row, outcome, write_rows

EVERY_FIELD = item_row() | {"answer_aliases": ["Parisdə"], "source": "x", "provenance": "manual"}


def test_sound_rows_are_read_in_file_order(tmp_path):
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(2), item_row(0), item_row(1)]))
    assert [item.id for item in items] == ["t-002", "t-000", "t-001"]
    assert items.by_id["t-000"].answer == "Paris"
    assert items.by_id["t-001"].question("en") == "What is the capital of Italy?"
    assert items.notices.lines() == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answer": None}, "'answer' is missing"),
        ({"id": None}, "'id' is missing"),
        ({"answer": 5}, "'answer': Input should be a valid string"),
        ({"answer": True}, "'answer'"),
        ({"answer": " \t"}, "'answer'"),
        ({"answer_aliases": "Paris"}, "'answer_aliases'"),
        ({"answer_aliases": ["Paris", ""]}, r"answer_aliases\.1"),
        ({"verified_by": "me"}, "'verified_by'"),
        ({"anwser": "x"}, "unknown field 'anwser'"),
    ],
)
def test_a_bad_field_is_named_with_its_line(tmp_path, changes, message):
    path = write_rows(tmp_path / "d.jsonl", [item_row(0), item_row(1, **changes)])
    with pytest.raises(InputError, match=message) as caught:
        read_items(path)
    assert (caught.value.file, caught.value.line) == (path, 2)


def test_a_misspelt_field_is_guessed(tmp_path):
    path = write_rows(tmp_path / "d.jsonl", [item_row(answer=None, anwser="Paris")])
    with pytest.raises(InputError, match="did you mean 'anwser'"):
        read_items(path)


def test_a_repeated_id_names_both_lines(tmp_path):
    path = write_rows(tmp_path / "d.jsonl", [item_row(0), item_row(1), item_row(2, id="t-000")])
    with pytest.raises(InputError, match="a copy of line 1") as caught:
        read_items(path)
    assert caught.value.line == 3


def test_a_dataset_has_no_torn_end(tmp_path):
    path = write_rows(tmp_path / "d.jsonl", [item_row(0)])
    path.write_bytes(path.read_bytes() + b'{"id": "t-001"')
    with pytest.raises(InputError, match="torn") as caught:
        read_items(path)
    assert caught.value.line == 2


@pytest.mark.parametrize("answer", ["NA", "None", "nan", "null", "no", "1e5", "007", "İ"])
def test_answers_that_look_like_nothing_are_answers(tmp_path, answer):
    assert read_items(write_rows(tmp_path / "d.jsonl", [item_row(answer=answer)])).items[0].answer == answer


def test_decomposed_text_is_composed_and_counted(tmp_path):
    nfd = unicodedata.normalize("NFD", "İçərişəhər")
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(0), item_row(1, answer=nfd)]))
    assert items.items[1].answer == "İçərişəhər"
    assert items.notices.lines() == [f"{tmp_path / 'd.jsonl'}:2: text brought to NFC (1 time)"]


def test_the_difficulty_of_older_versions_is_ignored_with_one_counted_warning(tmp_path):
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(i, difficulty="easy") for i in range(3)]))
    assert items.notices.lines() == [f"{tmp_path / 'd.jsonl'}:1: field 'difficulty' ignored (3 times)"]


@pytest.mark.parametrize(
    ("verified", "notice"),
    [
        (["human", "human"], None),
        (["pending", "llm-draft"], "pilot items, not verified by a person"),
        (["human", "pending", "external"], "2 of 3 items not verified by a person"),
    ],
)
def test_items_say_whether_a_person_verified_them(tmp_path, verified, notice):
    rows = [item_row(i, verified_by=by) for i, by in enumerate(verified)]
    assert read_items(write_rows(tmp_path / "d.jsonl", rows)).notice == notice


@pytest.mark.parametrize(
    ("notes", "template"),
    [("template=a;variant=1", "a"), (" template = a ", "a"), ("", "none"), ("variant=1", "none"), ("template", "none")],
)
def test_the_template_is_read_from_the_notes(tmp_path, notes, template):
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(notes=notes)]))
    assert items.items[0].template == template


@pytest.mark.reference
def test_the_published_dataset_loads_as_it_is():
    items = read_items(REFERENCE / "az_eval_v0.jsonl")
    # 356 items, all verified by people; every row has the old difficulty field.
    assert (len(items), items.n_verified, items.notice) == (356, 356, None)
    assert items.notices.lines() == [f"{REFERENCE / 'az_eval_v0.jsonl'}:1: field 'difficulty' ignored (356 times)"]


@given(data=st.data())
def test_a_mutated_row_is_read_or_refused(tmp_path_factory, data):
    line = bytearray(PILOT.open("rb").readline())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(line) - 1))
        line[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    path = tmp_path_factory.getbasetemp() / "mutated.jsonl"
    path.write_bytes(bytes(line))
    read = outcome(lambda: read_items(path))
    assert read.file == path if isinstance(read, InputError) else read.items[0].answer


@given(
    name=st.sampled_from(sorted(EVERY_FIELD)),
    value=st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers(-(10**4000), 10**4000) | st.text(st.characters()),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(st.characters()), inner, max_size=2),
    ),
)
def test_a_field_of_any_type_is_read_or_refused(tmp_path_factory, name, value):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text(json.dumps(EVERY_FIELD | {name: value}) + "\n", encoding="utf-8")
    read = outcome(lambda: read_items(path))
    assert (read.file, read.line) == (path, 1) if isinstance(read, InputError) else len(read) == 1
