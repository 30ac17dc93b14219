"""Per-item scores come back from disk as they were, whatever was answered."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alifba.azeval.scorebook import ScoreBook, prune_scores, read_scores, row_rng, score_runs, scored
from alifba.errors import InputError
from alifba.items import read_items
from alifba.runs import read_run, read_runs
from alifba.signature import Signature
from alifba.text.chains import CHAINS
from samples import CAPITALS, answer_row, item_row, write_answers, write_rows


@pytest.fixture
def items(tmp_path):
    return read_items(write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(6)]))


def test_one_pair_of_files_a_run(tmp_path, items):
    write_answers(tmp_path / "raw", "org/one", "az", ["Paris", "Roma"])
    write_answers(tmp_path / "raw", "org/one", "en", ["Paris"])
    score_runs(read_runs(tmp_path / "raw"), items, tmp_path / "scores")
    assert sorted(path.name for path in (tmp_path / "scores").iterdir()) == [
        "org__one__az.csv",
        "org__one__az.json",
        "org__one__en.csv",
        "org__one__en.json",
    ]


def test_a_record_counts_items_and_rows(tmp_path, items):
    rows = [answer_row(0), answer_row(0), answer_row(1, "<think>"), answer_row(2, None, error="x"), answer_row(77)]
    record = scored(read_run(write_rows(tmp_path / "r.jsonl", rows)), items).record
    assert (record.n_items, record.n_scored, record.n_unscored, record.n_no_answer) == (6, 2, 4, 1)
    assert (record.n_rows, record.n_stray, record.n_duplicates) == (4, 1, 1)
    signature = Signature.parse(record.signature)
    assert (signature.model, signature.lang, signature.decoding) == ("org/one", "az", "greedy,max=32,seed=0")
    # The run does not say on which dataset it was made; the one that scored it is known.
    assert signature.data == f"unknown+{items.sha256[:12]}"


answers = st.one_of(
    st.none(),
    st.sampled_from(
        ["", "NA", "None", "nan", "null", "NaN", "N/A", "-", "1", "1.0", "True", " x", '"', "a,b", "\\", "\0"]
    ),
    st.text(st.characters(codec="utf-8")),
    st.text("\",\r\n\t'\\ a\0\x1a\u2028\u0085", max_size=6),
)


@settings(max_examples=60)
@given(given_answers=st.lists(answers, min_size=6, max_size=6))
def test_scores_come_back_as_they_were(tmp_path_factory, given_answers):
    folder = tmp_path_factory.mktemp("book")
    items = read_items(write_rows(folder / "d.jsonl", [item_row(i) for i in range(6)]))
    rows = [answer_row(i, a, **({} if a is not None else {"error": "x"})) for i, a in enumerate(given_answers)]
    run = read_run(write_rows(folder / "raw" / "r.jsonl", rows))
    (made,) = score_runs([run], items, folder / "scores")
    (back,) = ScoreBook.open(items, folder / "scores").runs
    assert back.record == made.record
    assert back.scores["answer"].tolist() == made.scores["answer"].tolist()
    assert back.scores["status"].tolist() == made.scores["status"].tolist()
    assert back.scores.index.tolist() == list(items.by_id)
    for chain in CHAINS:
        np.testing.assert_array_equal(back.exact_match(chain), made.exact_match(chain).astype(float))
        np.testing.assert_array_equal(back.token_f1(chain), made.token_f1(chain).astype(float))


def test_scores_of_another_dataset_are_refused(tmp_path, items):
    write_answers(tmp_path / "raw", "org/one", "az", ["Paris"])
    score_runs(read_runs(tmp_path / "raw"), items, tmp_path / "scores")
    other = read_items(write_rows(tmp_path / "other.jsonl", [item_row(i, category="world") for i in range(6)]))
    with pytest.raises(InputError, match="another dataset"):
        ScoreBook.open(other, tmp_path / "scores")


def test_scores_of_runs_that_are_gone_are_removed(tmp_path, items):
    first = write_answers(tmp_path / "raw", "org/one", "az", ["Paris"])
    write_answers(tmp_path / "raw", "org/two", "az", ["Paris"])
    score_runs(read_runs(tmp_path / "raw"), items, tmp_path / "scores")
    first.unlink()
    prune_scores(tmp_path / "scores", read_runs(tmp_path / "raw"))
    assert [run.key[0] for run in read_scores(tmp_path / "scores")] == ["org/two"]
    assert len(list((tmp_path / "scores").iterdir())) == 2


@pytest.mark.parametrize("damage", ["no csv", "torn csv", "torn json", "other fields", "nothing"])
def test_damaged_scores_are_named_and_not_read(tmp_path, items, damage):
    write_answers(tmp_path / "raw", "org/one", "az", ["Paris"] * 6)
    score_runs(read_runs(tmp_path / "raw"), items, tmp_path / "scores")
    table, record = tmp_path / "scores" / "org__one__az.csv", tmp_path / "scores" / "org__one__az.json"
    if damage == "no csv":
        table.unlink()
    elif damage == "torn csv":
        table.write_text("".join(table.read_text().splitlines(keepends=True)[:4]))
    elif damage == "torn json":
        record.write_text(record.read_text()[:30])
    elif damage == "other fields":
        record.write_text(json.dumps({"model": "org/one"}))
    else:
        table.unlink(), record.unlink()
    with pytest.raises(InputError, match="make tables"):
        ScoreBook.open(items, tmp_path / "scores")


def test_a_pairing_rests_on_items_scored_in_both_languages(tmp_path, items):
    right_az, right_en = [c[2] for c in CAPITALS], [c[3] for c in CAPITALS]
    rows = [answer_row(i, right_az[i]) for i in (5, 3, 0, 1)]
    write_rows(tmp_path / "raw" / "a.jsonl", rows)
    rows = [answer_row(i, right_en[i] if i else "wrong", language="en") for i in (0, 1, 2, 3)]
    write_rows(tmp_path / "raw" / "b.jsonl", [*rows, answer_row(5, None, language="en", error="429")])
    write_answers(tmp_path / "raw", "org/alone", "az", right_az)
    score_runs(read_runs(tmp_path / "raw"), items, tmp_path / "scores")
    (pairing,) = ScoreBook.open(items, tmp_path / "scores").pairings()
    assert pairing.ids == ["t-000", "t-001", "t-003"]
    az, en = pairing.correct("strict")
    assert (az.tolist(), en.tolist()) == ([1, 1, 1], [0, 1, 1])
    assert Signature.parse(pairing.signature).lang == "az+en"


def test_a_generator_belongs_to_its_row():
    assert row_rng(0, "a", "b").integers(1 << 60) == row_rng(0, "a", "b").integers(1 << 60)
    drawn = [row_rng(*key).integers(1 << 60) for key in ((0, "a", "b"), (1, "a", "b"), (0, "ab"), (0, "a", "c"))]
    assert len(set(drawn)) == 4
