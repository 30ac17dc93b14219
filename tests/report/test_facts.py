"""Facts: what is written is read back, what changed is found, what was edited by hand is refused."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import pytest

from alifba.errors import InputError
from alifba.report.facts import FactBook, read_facts, stale_inputs, write_facts


@pytest.fixture
def results(tmp_path: Path) -> Path:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "gap.csv").write_bytes(b"model,gap\na,0.1\n")
    (tmp_path / "tables" / "runs.csv").write_bytes(b"model\na\n")
    return tmp_path


def add_three(book: FactBook) -> FactBook:
    book.add("gap.a.gap", 0.1, "points", 1, "20_gap.ipynb", ["tables/gap.csv"], signed=True)
    book.add("models.label", "a\u0308", "text", 0, "20_gap.ipynb", ["tables/gap.csv", "tables/runs.csv"])
    book.add("gap.a.p", math.nan, "p", 3, "20_gap.ipynb", ["tables/gap.csv"])
    return book


def test_round_trip(results: Path) -> None:
    book = add_three(FactBook(results))
    write_facts(results / "facts.json", book)
    read = read_facts(results / "facts.json")
    assert read == book.facts
    assert read["gap.a.gap"].text == "+10.0"
    assert read["models.label"].value == "ä"
    digest = hashlib.sha256(b"model,gap\na,0.1\n").hexdigest()[:16]
    assert read["gap.a.gap"].inputs == {"tables/gap.csv": digest}


def test_the_file_maps_a_name_to_its_fact_and_does_not_depend_on_the_order(results: Path) -> None:
    book = add_three(FactBook(results))
    write_facts(results / "one.json", book)
    write_facts(results / "two.json", dict(reversed(book.facts.items())))
    source = (results / "one.json").read_text(encoding="utf-8")
    assert source == (results / "two.json").read_text(encoding="utf-8")
    assert source.endswith("}\n")
    assert list(json.loads(source)) == sorted(book.facts)
    assert json.loads(source)["gap.a.gap"].keys() >= {"value", "unit", "digits", "text", "produced_by", "inputs"}


def test_an_undefined_value_is_told_and_counted(results: Path) -> None:
    book = add_three(FactBook(results))
    assert book.facts["gap.a.p"].text == "not available"
    assert book.facts["gap.a.p"].value is None
    assert book.unavailable == ["gap.a.p"]


def test_the_last_digits_of_a_float_do_not_reach_the_file(results: Path) -> None:
    book = FactBook(results)
    one = book.add("a", 0.1 + 0.2, "points", 1, "x", [])
    two = book.add("b", 0.3, "points", 1, "x", [])
    assert one.value == two.value


def test_a_changed_and_a_vanished_table_make_their_facts_stale(results: Path) -> None:
    facts = add_three(FactBook(results)).facts
    assert stale_inputs(facts, results) == {}
    (results / "tables" / "runs.csv").unlink()
    assert stale_inputs(facts, results) == {"tables/runs.csv": ["models.label"]}
    (results / "tables" / "gap.csv").write_bytes(b"model,gap\na,0.2\n")
    assert sorted(stale_inputs(facts, results)) == ["tables/gap.csv", "tables/runs.csv"]


@pytest.mark.parametrize(
    ("name", "value", "inputs", "complaint"),
    [
        ("gap.a.gap", 1, [], "added twice"),
        ("gap a", 1, [], "not a fact name"),
        ("", 1, [], "not a fact name"),
        ("x", 1, ["tables/gone.csv"], "does not exist"),
        ("x", 1, ["../other/gap.csv"], "outside"),
        ("x", 1, ["/etc/hostname"], "outside"),
        ("x", 1.5, [], "the fact 'x': a count is not a whole number"),
    ],
)
def test_a_fact_that_cannot_be(results: Path, name: str, value: object, inputs: list[str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        add_three(FactBook(results)).add(name, value, "count", 0, "x", inputs)


def test_nothing_is_written_of_a_book_that_fails(results: Path) -> None:
    with pytest.raises(InputError):
        write_facts(results / "facts.json", read_facts(results / "gone.json"))
    assert not (results / "facts.json").exists()


def test_a_missing_file_names_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make tables"):
        read_facts(tmp_path / "facts.json")


@pytest.mark.parametrize(
    ("old", "new", "complaint", "line"),
    [
        ('"text": "+10.0"', '"text": "+11.0"', "by hand", 2),
        ('"value": 0.1', '"value": 0.2', "does not follow", 2),
        ('"unit": "points"', '"unit": "pounds"', "'gap.a.gap': unit", 2),
        ('"signed": true', '"sign": true', "'gap.a.gap'", 2),
        (',\n  "value": 0.1', "", "'gap.a.gap': value", 2),
        ("{\n", "{{\n", "not JSON", 1),
    ],
)
def test_a_wrong_entry_is_named_with_its_line(results: Path, old: str, new: str, complaint: str, line: int) -> None:
    path = results / "facts.json"
    write_facts(path, add_three(FactBook(results)))
    source = path.read_text(encoding="utf-8")
    assert old in source
    path.write_text(source.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=complaint) as caught:
        read_facts(path)
    assert caught.value.line == line


def test_a_list_is_no_fact_file(tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="not an object"):
        read_facts(tmp_path / "facts.json")
