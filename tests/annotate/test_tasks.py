"""Files to judge: read strictly, told by line, and nothing kept that a task must not show."""

from __future__ import annotations

import csv

import pytest
from annotate_kit import drafts, make_project
from hypothesis import given
from hypothesis import strategies as st

from alifba.annotate.tasks import load_task, load_work
from alifba.decisions import DECISIONS, JUDGED
from alifba.errors import InputError
from samples import PILOT, item_row, outcome, write_rows

FAILURE = {"model": "org/one", "id": "az-1", "gold": "Bakı", "answer": "Baku"}
ATTEMPT = {"id": "GLF-1.1", "prompt": "اكتب", "output": "هلا", "criteria": ["dialect", "tone"], "dir": "rtl"}


def write_table(path, rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_pilot_is_ready_for_review():
    works, said = load_work(load_task("review"), [PILOT])
    rows = PILOT.read_text(encoding="utf-8").splitlines()
    assert len(works) == len(rows)
    assert said == []
    assert {work.template for work in works} == {
        line.split("template=")[1].split(";")[0].split('"')[0] for line in rows
    }


def test_a_second_opinion_and_a_baseline_never_hold_what_they_must_not_show(tmp_path):
    row = item_row(source="https://secret.example", notes="template=secret", verified_by="human", provenance="secret")
    path = make_project(tmp_path, [row])
    for name, fields in (
        ("second", {"question_az", "question_en", "answer", "answer_en", "answer_aliases", "category"}),
        ("baseline", {"question_az", "category"}),
    ):
        ((work,), said) = load_work(load_task(name), [path])
        assert set(work.row) == fields
        assert "secret" not in repr(work)
        assert any("'verified_by' is not shown" in line for line in said)


def test_the_model_of_an_error_is_its_identity_and_not_shown(tmp_path):
    table = write_table(tmp_path / "e.csv", [FAILURE, FAILURE | {"model": "org/two", "answer": ""}])
    works, _ = load_work(load_task("errors"), [table])
    assert [work.id for work in works] == ["az-1@org/one", "az-1@org/two"]
    assert works[1].row == {"question": "", "gold": "Bakı", "answer": "", "category": ""}


def test_the_questions_of_errors_are_found_by_id(tmp_path):
    table = write_table(tmp_path / "e.csv", [FAILURE, FAILURE | {"id": "az-2"}])
    works, _ = load_work(load_task("errors"), [table], {"az-1": "Paytaxt?"})
    assert [work.row["question"] for work in works] == ["Paytaxt?", ""]


@pytest.mark.parametrize("text", ["NA", "None", "nan", "null", "", "1938", "a,b", 'say "x"', "iki\nsətir", "Ə"])
def test_every_cell_of_a_table_is_text(tmp_path, text):
    table = write_table(tmp_path / "e.csv", [FAILURE | {"answer": text}])
    ((work,), _) = load_work(load_task("errors"), [table])
    assert work.row["answer"] == text


def test_several_files_are_one_list(tmp_path):
    first, second = write_rows(tmp_path / "a.jsonl", drafts(2)), write_rows(tmp_path / "b.jsonl", [item_row(2)])
    works, _ = load_work(load_task("review"), [first, second])
    assert [work.id for work in works] == ["t-000", "t-001", "t-002"]
    with pytest.raises(InputError, match="used before") as caught:
        load_work(load_task("review"), [first, first])
    assert caught.value.likely == f"a copy of {first}:1"


@pytest.mark.parametrize(
    ("task", "row", "message"),
    [
        ("review", item_row(answer=None), "'answer' is missing"),
        ("review", item_row(answer=" "), "'answer'"),
        ("review", item_row(answer_aliases="Paris"), "'answer_aliases'"),
        ("review", item_row(question_az=None, qestion_az="?"), "did you mean 'qestion_az'"),
        ("second", item_row(question_en=7), "'question_en'"),
        ("errors", {"id": "az-1", "answer": "x"}, "'gold' is missing"),
        ("score", ATTEMPT | {"criteria": []}, "'criteria'"),
        ("score", ATTEMPT | {"criteria": ["a", "a"]}, "stands twice"),
        ("score", ATTEMPT | {"dir": "up"}, "'dir'"),
    ],
)
def test_a_wrong_row_is_told_by_line(tmp_path, task, row, message):
    good = {"review": item_row(5), "second": item_row(5), "errors": FAILURE, "score": ATTEMPT}[task]
    path = write_rows(tmp_path / "a.jsonl", [good | {"id": "good"}, row])
    with pytest.raises(InputError, match=message) as caught:
        load_work(load_task(task), [path])
    assert (caught.value.file, caught.value.line) == (path, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,gold,answer\na,b\n", "another number of cells"),
        ("id,gold,answer\na,b,c,d\n", "another number of cells"),
        ("id,gold\na,b\n", "'answer' is missing"),
        ('id,gold,answer\na,b,"c\n', "not a CSV table"),
        ("id,gold,answer\n", "nothing to judge"),
        ("", "empty"),
    ],
)
def test_a_wrong_table_is_refused(tmp_path, text, message):
    path = tmp_path / "e.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_work(load_task("errors"), [path])


@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.jsonl"]), st.sampled_from(sorted(DECISIONS)))
def test_any_file_is_read_or_refused(tmp_path_factory, data, name, task):
    path = tmp_path_factory.mktemp("work") / name
    path.write_bytes(data)
    outcome(lambda: load_work(load_task(task), [path]))


def test_an_unknown_task_is_named_with_the_known_ones():
    with pytest.raises(InputError, match="review, second, baseline, errors, score"):
        load_task("rewiev")


@pytest.mark.parametrize("name", sorted(DECISIONS))
def test_a_task_offers_every_decision_and_shows_what_is_judged(name):
    task = load_task(name)
    assert set(task.decisions) == set(DECISIONS[name])
    shown = {field for group in task.fields for field in group} | ({"criteria"} if name == "score" else set())
    assert set(JUDGED[name]) <= shown
    keys = [action.key for action in task.actions if action.key]
    assert len(set(keys) | {"s", "u", "?"}) == len(keys) + 3
    assert set(task.editable) <= set(JUDGED[name])
