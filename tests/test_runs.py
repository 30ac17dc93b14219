"""Raw outputs: read strictly, one run a file, published files as they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.errors import InputError
from alifba.items import read_items
from alifba.runs import read_run, read_runs, row_line, run_file_name
from samples import REFERENCE, answer_row, outcome, write_rows


def test_fields_of_the_published_files_are_enough(tmp_path):
    run = read_run(write_rows(tmp_path / "r.jsonl", [answer_row(0), answer_row(1, "")]))
    assert [row.raw_response for row in run.rows.values()] == ["Paris", ""]
    assert run.key == ("org/one", "az", "default")
    assert run.signature.revision == "unknown"
    assert run.signature.decoding == "greedy,max=32,seed=0"


def test_identity_is_what_the_rows_say_not_the_file_name(tmp_path):
    run = read_run(write_rows(tmp_path / "other__model__en.jsonl", [answer_row()]))
    assert run.key == ("org/one", "az", "default")


def test_of_a_repeated_id_the_last_row_counts_and_it_is_counted(tmp_path):
    run = read_run(write_rows(tmp_path / "r.jsonl", [answer_row(0, "a"), answer_row(1, "b"), answer_row(0, "c")]))
    assert run.rows["t-000"].raw_response == "c"
    assert run.n_duplicates == 1
    assert run.notices.lines() == [f"{tmp_path / 'r.jsonl'}:3: duplicated id, the last row counts (1 time)"]


def test_a_failure_never_takes_the_place_of_an_answer(tmp_path):
    failed = answer_row(0, None, error="429")
    path = write_rows(tmp_path / "r.jsonl", [answer_row(0, ""), failed, answer_row(1, None, error="429"), failed])
    run = read_run(path)
    assert {id_: row.raw_response for id_, row in run.rows.items()} == {"t-000": "", "t-001": None}
    assert run.n_duplicates == 2
    assert run.notices.lines() == [f"{path}:2: failed after it was answered, the answer counts (2 times)"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"raw_response": None}, "no 'error' says why"),
        ({"raw_response": 5}, "'raw_response'"),
        ({"language": ""}, "'language'"),
        ({"prompt_style": "fancy"}, "'prompt_style'"),
        ({"generation": []}, "'generation'"),
        ({"prompt_tokens": "5"}, "'prompt_tokens'"),
        ({"model": "org/two"}, "another run: it differs in model"),
        ({"language": "en"}, "differs in lang"),
        ({"prompt_style": "plain"}, "differs in style"),
        ({"revision": "abc"}, "differs in revision"),
        ({"precision": "float16"}, "differs in precision"),
        ({"generation": {"do_sample": True, "temperature": 0.7}}, "differs in decoding, batch"),
    ],
)
def test_a_bad_or_foreign_row_is_named_with_its_line(tmp_path, changes, message):
    path = write_rows(tmp_path / "r.jsonl", [answer_row(0), answer_row(1, **changes)])
    with pytest.raises(InputError, match=message) as caught:
        read_run(path)
    assert (caught.value.file, caught.value.line) == (path, 2)


def test_a_chat_template_on_some_rows_makes_another_run(tmp_path):
    made = answer_row()["generation"]
    rows = [answer_row(i, generation=made | {"chat_template": chat}) for i, chat in enumerate(("none", "3f2a"))]
    with pytest.raises(InputError, match="differs in chat"):
        read_run(write_rows(tmp_path / "r.jsonl", rows))


@pytest.mark.parametrize("name", ["id", "model", "language", "prompt_style", "prompt", "raw_response"])
def test_a_missing_field_is_named(tmp_path, name):
    row = answer_row()
    del row[name]
    with pytest.raises(InputError, match=f"'{name}' is missing"):
        read_run(write_rows(tmp_path / "r.jsonl", [row]))


def test_a_failed_item_is_no_answer(tmp_path):
    run = read_run(write_rows(tmp_path / "r.jsonl", [answer_row(0, None, error="429")]))
    assert run.rows["t-000"].raw_response is None


def test_a_torn_last_line_is_left_out_and_counted(tmp_path):
    path = write_rows(tmp_path / "r.jsonl", [answer_row(0), answer_row(1)])
    path.write_bytes(path.read_bytes()[:-20])
    run = read_run(path)
    assert list(run.rows) == ["t-000"]
    assert run.notices.lines() == [f"{path}:2: torn last line left out (1 time)"]


def test_a_file_with_nothing_but_a_torn_line_is_refused(tmp_path):
    (tmp_path / "r.jsonl").write_text('{"id": "t-000", "mod')
    with pytest.raises(InputError, match="no complete row"):
        read_run(tmp_path / "r.jsonl")


def test_a_folder_is_read_by_model_language_and_style(tmp_path):
    for place, (model, language) in enumerate([("b", "en"), ("b", "az"), ("a", "en")]):
        write_rows(tmp_path / f"{place}.jsonl", [answer_row(model=model, language=language)])
    assert [run.key[:2] for run in read_runs(tmp_path)] == [("a", "en"), ("b", "az"), ("b", "en")]


@pytest.mark.parametrize("other", [{}, {"precision": "float16"}])
def test_two_files_of_one_run_are_refused(tmp_path, other):
    write_rows(tmp_path / "1.jsonl", [answer_row()])
    write_rows(tmp_path / "2.jsonl", [answer_row(**other)])
    with pytest.raises(InputError, match="two files hold the same run"):
        read_runs(tmp_path)


def test_two_models_whose_scores_would_share_a_file_are_refused(tmp_path):
    # Pitfall: the second model in a sweep got the first one's results.
    for place, model in enumerate(["org/m:1", "org/a", "org/m_1"]):
        write_rows(tmp_path / f"{place}.jsonl", [answer_row(model=model)])
    with pytest.raises(InputError, match="org/m"):
        read_runs(tmp_path)


@pytest.mark.parametrize(("kind", "message"), [("missing", "no such folder"), ("empty", r"no \*\.jsonl")])
def test_a_folder_without_runs_says_how_to_make_them(tmp_path, kind, message):
    folder = tmp_path / kind
    if kind == "empty":
        folder.mkdir()
    with pytest.raises(InputError, match=message) as caught:
        read_runs(folder)
    assert "make runs" in str(caught.value)


@pytest.mark.parametrize(
    ("model", "style", "name"),
    [
        ("Qwen/Qwen3-1.7B", "default", "Qwen__Qwen3-1.7B__az.jsonl"),
        ("Qwen/Qwen3-1.7B", "oneshot", "Qwen__Qwen3-1.7B__az__oneshot.jsonl"),
        ("../etc/a b:c", "default", "..__etc__a_b_c__az.jsonl"),
    ],
)
def test_file_names(model, style, name):
    assert run_file_name(model, "az", style) == name


@given(st.text(st.characters(codec="utf-8")))
def test_any_answer_is_one_line_and_comes_back(answer):
    line = row_line(answer_row(answer=answer))
    assert line.count("\n") == 1
    assert json.loads(line)["raw_response"] == answer


@pytest.mark.reference
def test_the_published_runs_load_as_they_are_with_their_23_stray_ids():
    items = read_items(REFERENCE / "az_eval_v0.jsonl")
    runs = read_runs(REFERENCE / "raw_outputs")
    # `wc -l`: 379 rows of two models for the 356 items, 356 of the third; the same 23 ids are too many each time.
    counts = {run.key[:2]: (len(run.rows), len(run.stray_ids(items.by_id))) for run in runs}
    assert counts == {
        (model, language): (379, 23) if model != "Qwen/Qwen3-VL-4B-Thinking" else (356, 0)
        for model in ("Qwen/Qwen3-1.7B", "Qwen/Qwen3-VL-4B-Thinking", "issai/Qolda-AVL-5B")
        for language in ("az", "en")
    }
    assert len({id_ for run in runs for id_ in run.stray_ids(items.by_id)}) == 23
    assert [run.notices.lines() for run in runs] == [[]] * 6


@given(data=st.data())
def test_mutated_rows_are_read_or_refused(tmp_path_factory, data):
    content = bytearray("".join(row_line(answer_row(i)) for i in range(2)).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    path = tmp_path_factory.getbasetemp() / "mutated-run.jsonl"
    path.write_bytes(bytes(content))
    read = outcome(lambda: read_run(path))
    assert read.file == path if isinstance(read, InputError) else str(read.signature)
