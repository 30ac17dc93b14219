"""Tokenisers: vocabularies compared by content, and fertility that can be counted by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from alifba.azeval import tokenisers
from alifba.azeval.tokenisers import fertility, read_tokeniser, split, tokenisers_table
from alifba.config import load_study
from alifba.errors import InputError
from alifba.items import read_items
from samples import item_row, write_rows, write_study

WORDS = ["[UNK]", "paytaxtı", "hansı", "şəhərdir", "What", "is", "the", "capital"]


def word_level(path: Path, words: list[str], control: Sequence[str] = ("[UNK]",), plain: Sequence[str] = ()) -> Path:
    """A WordLevel tokenizer.json as the library writes it; words by white space and marks."""
    library = pytest.importorskip("tokenizers")
    model = library.models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]")
    made = library.Tokenizer(model)
    made.pre_tokenizer = library.pre_tokenizers.Whitespace()
    made.add_special_tokens(list(control))
    made.add_tokens(list(plain))
    path.parent.mkdir(parents=True, exist_ok=True)
    made.save(str(path))
    return path


def bpe(path: Path, pieces: list[str], merges: list[tuple[str, str]]) -> Path:
    """A BPE tokenizer.json as the library writes it."""
    library = pytest.importorskip("tokenizers")
    made = library.Tokenizer(library.models.BPE({piece: i for i, piece in enumerate(pieces)}, merges))
    made.save(str(path))
    return path


def compared(folder: Path, base: Path | None, tuned: Path | None) -> dict[str, Any]:
    items = read_items(write_rows(folder / "items.jsonl", [item_row(0), item_row(1)]))
    pair = {"name": "P", "base": "org/b", "tuned": "org/t", "target": "X", "related": True, "script": "Latin"}
    given = {name: str(path) for name, path in (("org/b", base), ("t", tuned)) if path}
    study = load_study(write_study(folder, pairs=[pair | {"base_family": "Q"}], tokenizers=given))
    row = tokenisers_table(study, items).to_dict("records")[0]
    assert row["pair"] == "P"
    return row


def test_the_same_file_twice_is_identical(tmp_path: Path) -> None:
    path = word_level(tmp_path / "t.json", WORDS)
    row = compared(tmp_path, path, path)
    assert (row["identical"], row["same_split_az"], row["same_split_en"], row["reason"]) == (1, 1, 1, "")
    assert [row[f"{kind}_{way}"] for kind in ("word_pieces", "control_tokens") for way in ("added", "removed")] == [
        0
    ] * 4


def test_the_same_size_with_another_entry_counts_as_changed(tmp_path: Path) -> None:
    base = word_level(tmp_path / "b.json", WORDS)
    tuned = word_level(tmp_path / "t.json", [*WORDS[:-1], "астана"])
    row = compared(tmp_path, base, tuned)
    assert row["word_pieces_base"] == row["word_pieces_tuned"] == len(WORDS) - 1
    assert (row["identical"], row["word_pieces_added"], row["word_pieces_removed"]) == (0, 1, 1)


def test_control_tokens_are_counted_apart_and_leave_the_split_alone(tmp_path: Path) -> None:
    base = word_level(tmp_path / "b.json", WORDS)
    tuned = word_level(tmp_path / "t.json", WORDS, ["[UNK]", "<|im_start|>"], ["<think>", "</think>"])
    row = compared(tmp_path, base, tuned)
    assert (row["word_pieces_added"], row["control_tokens_added"], row["control_tokens_removed"]) == (0, 3, 0)
    assert (row["identical"], row["same_split_az"]) == (1, 1)


def test_a_word_added_as_a_token_is_a_word_piece(tmp_path: Path) -> None:
    base = word_level(tmp_path / "b.json", WORDS)
    tuned = word_level(tmp_path / "t.json", WORDS, plain=["Fransanın"])
    row = compared(tmp_path, base, tuned)
    assert (row["identical"], row["word_pieces_added"], row["control_tokens_added"]) == (0, 1, 0)
    assert row["same_split_az"] == 0.5, "one of the two questions begins with that word"


def test_other_merges_of_the_same_pieces_cut_differently(tmp_path: Path) -> None:
    pieces = ["a", "b", "c", "ab", "bc"]
    base = read_tokeniser(bpe(tmp_path / "b.json", pieces, [("a", "b"), ("b", "c")]))
    tuned = read_tokeniser(bpe(tmp_path / "t.json", pieces, [("b", "c"), ("a", "b")]))
    assert base.word_pieces == tuned.word_pieces
    assert not base.cuts_like(tuned)
    assert split(base.path, ["abc"]) == [["ab", "c"]]
    assert split(tuned.path, ["abc"]) == [["a", "bc"]]


def test_merges_written_by_an_older_version_are_the_same_merges(tmp_path: Path) -> None:
    new = bpe(tmp_path / "new.json", ["a", "b", "ab"], [("a", "b")])
    content = json.loads(new.read_text(encoding="utf-8"))
    content["model"]["merges"] = ["a b"]
    (tmp_path / "old.json").write_text(json.dumps(content), encoding="utf-8")
    assert read_tokeniser(new).cuts_like(read_tokeniser(tmp_path / "old.json"))


def test_unigram_scores_are_part_of_the_rules(tmp_path: Path) -> None:
    def written(name: str, score: float) -> Path:
        model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["ab", score], ["a", -2.0], ["b", -2.0]]}
        (tmp_path / name).write_text(json.dumps({"model": model, "added_tokens": []}), encoding="utf-8")
        return tmp_path / name

    one, same, other = (read_tokeniser(written(name, s)) for name, s in (("1", -1.0), ("2", -1.0), ("3", -9.0)))
    assert one.cuts_like(same)
    assert one.word_pieces == other.word_pieces
    assert not one.cuts_like(other)


def test_fertility_is_tokens_per_word(tmp_path: Path) -> None:
    # Characters: a tokeniser without merges cuts "ab a" into a, b, (space), a: 4 tokens over 2 words.
    path = bpe(tmp_path / "t.json", ["a", "b", " "], [])
    assert fertility(split(path, ["ab a"]), ["ab a"]) == 2.0
    assert math.isnan(fertility([], []))


def test_fertility_of_the_questions_by_language(tmp_path: Path) -> None:
    path = word_level(tmp_path / "t.json", WORDS)
    row = compared(tmp_path, path, path)
    # "Fransanın paytaxtı hansı şəhərdir?" is 4 words and 5 tokens, for the mark is one; the English ones 6 and 7.
    assert row["fertility_az_base"] == row["fertility_az_tuned"] == 5 / 4
    assert row["fertility_en_base"] == 7 / 6


def test_a_model_folder_is_as_good_as_its_file(tmp_path: Path) -> None:
    file = word_level(tmp_path / "model" / "tokenizer.json", WORDS)
    assert read_tokeniser(tmp_path / "model") == read_tokeniser(file)


def test_without_the_library_contents_are_compared_and_fertility_is_undefined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = word_level(tmp_path / "t.json", WORDS)
    monkeypatch.setattr(tokenisers, "has_library", lambda: False)
    row = compared(tmp_path, path, path)
    assert row["identical"] == 1
    assert math.isnan(row["fertility_az_base"])
    assert "make local" in row["reason"]


def test_a_half_without_a_declared_tokeniser_is_named(tmp_path: Path) -> None:
    row = compared(tmp_path, word_level(tmp_path / "t.json", WORDS), None)
    assert row["reason"] == "no tokeniser declared for org/t"
    assert math.isnan(row["identical"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.json", None, "no such tokenizer file"),
        ("torn.json", '{"model": {\n"vocab"', "torn.json:2: not JSON"),
        ("config.json", '{"tokenizer_class": "Qwen2Tokenizer"}', "no vocabulary"),
        ("list.json", "[]", "no vocabulary"),
        ("odd.json", '{"model": {"vocab": {"a": 0}}, "added_tokens": [{"id": 1}]}', "no vocabulary"),
    ],
)
def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_tokeniser(tmp_path / name)


def test_a_folder_without_the_file_says_how_to_make_it(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    with pytest.raises(InputError, match=r"(?s)no tokenizer\.json in this folder.*save_pretrained"):
        read_tokeniser(tmp_path / "model")


def test_a_file_that_the_library_refuses_is_named(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    (tmp_path / "t.json").write_text('{"model": {"type": "Other", "vocab": {"a": 0}}}', encoding="utf-8")
    with pytest.raises(InputError, match="library cannot use"):
        split(tmp_path / "t.json", ["a"])
