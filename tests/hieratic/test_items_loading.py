"""Items: the published folder layout, liberal reading, and the validator's rules (HieraticBench 0.1.0)."""

from __future__ import annotations

import json
import shutil

import pytest
from vision_kit import few_items, item_row, png, record_row, sealed_row, sign_row, write_items, write_run

from alifba.errors import InputError
from alifba.hieratic.items import load_items
from alifba.hieratic.runs import read_run_files
from alifba.hieratic.validation import is_free, item_faults, record_faults


def test_a_checkout_and_its_folder_of_items_load_the_same(tmp_path):
    data = tmp_path / "data"
    write_items(data, item_row(), sign_row())
    (tmp_path / "package.json").write_text('{"id": 1}')
    (tmp_path / "node_modules/x").mkdir(parents=True)
    (tmp_path / "node_modules/x/broken.json").write_text("{")
    write_run(tmp_path / "results/runs/r.jsonl", record_row())
    for folder in (tmp_path, data, data / "items"):
        items = load_items(folder)
        assert list(items) == ["aku-001", "wm-001"]
        assert items["wm-001"].read_image().data == png(0)
        assert items["wm-001"].read_image().media_type == "image/png"


def test_unknown_and_missing_fields_are_taken(tmp_path):
    row = {"id": "x", "split": "public", "rungs": ["signs"], "image": "x.png", "gardiner": "G17", "since": "0.1.0"}
    item = load_items(write_items(tmp_path, row | {"famous": None, "object": None}))["x"].item
    assert (item.gardiner, item.famous, item.object.period, item.source.url) == (("G17",), False, None, None)
    assert item.single_sign
    assert item.model_extra == {"since": "0.1.0"}


def test_a_folder_without_items_a_broken_one_and_a_repeated_id_are_told(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        load_items(tmp_path / "none")
    with pytest.raises(InputError, match="no items"):
        load_items(tmp_path)
    write_items(tmp_path, item_row())
    (tmp_path / "items/schema.json").write_text('{"$id": "item", "properties": {}}')
    (tmp_path / "items/other.json").write_text(json.dumps(item_row()))
    assert list(load_items(tmp_path)) == ["wm-001"]
    (tmp_path / "items/other.json").write_text(json.dumps(item_row(title="Another")))
    with pytest.raises(InputError, match="two files have the id 'wm-001'"):
        load_items(tmp_path)
    (tmp_path / "items/other.json").write_text("{")
    with pytest.raises(InputError, match=r"other\.json.*not a JSON file"):
        load_items(tmp_path)
    (tmp_path / "items/other.json").write_text('{"id": "other"}')
    with pytest.raises(InputError, match=r"other\.json.*no item"):
        load_items(tmp_path)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, None),
        ({"split": "secret"}, "no such split: 'secret'"),
        ({"rungs": ["read"]}, "no such rung: 'read'"),
        ({"rungs": ["translate", "identify"]}, "the rungs are not in canonical order, each once"),
        ({"rungs": []}, "no rungs"),
        ({"script": "Hieratic"}, "no such script: 'Hieratic'"),
        ({"script": None}, "identify needs a script"),
        ({"rungs": ["identify", "signs"]}, "a public signs item needs 'gardiner'"),
        ({"gardiner": ["G17", "g18"]}, "not a code of Gardiner's list as it is spelled: 'g18'"),
        ({"gardiner": []}, "'gardiner' names no code"),
        ({"sameTextAs": "wm-9"}, "sameTextAs names no item: 'wm-9'"),
        ({"source": {"license": "CC0"}}, "a public item needs source.url"),
        ({"source": {"url": "https://example.org"}}, "not a licence that allows sharing and changing: None"),
        ({"split": "sealed", "gardiner": ["G17"], "source": None}, "a sealed item holds its own answer: 'gardiner'"),
        ({"split": "sealed", "source": None}, None),
    ],
)
def test_every_rule_of_the_validator(tmp_path, changes, fault):
    faults = item_faults(load_items(write_items(tmp_path, item_row(**changes))))
    assert [line.split(": ", 1)[1] for line in faults] == ([fault] if fault else [])


def test_an_item_is_named_after_its_file_and_its_image_is_one(tmp_path):
    folder = write_items(tmp_path, *(item_row(f"wm-{n}") for n in range(5)))
    shutil.move(folder / "items/wm-0.json", folder / "items/wm-00.json")
    (folder / "images/wm-1.png").unlink()
    (folder / "images/wm-2.png").write_bytes(b"root:x:0:0")
    (folder / "images/wm-3.png").write_bytes(png() + bytes(3_000_001 - len(png())))
    (folder / "images/wm-4.png").write_bytes(png() + bytes(3_000_000 - len(png())))
    faults = item_faults(load_items(folder))
    assert [line.rpartition("items/")[2] for line in faults] == [
        "wm-00.json: the file is not named after the id 'wm-0'",
        "wm-1.json: the image is not there: 'images/wm-1.png'",
        "wm-2.json: the image is neither PNG nor JPEG: 'images/wm-2.png'",
        "wm-3.json: the image has 3,000,001 bytes, more than 3,000,000",
    ]


@pytest.mark.parametrize(
    ("license", "free"),
    [
        ("Public domain", True),
        ("Public Domain Mark 1.0", True),
        ("CC0", True),
        ("CC0 1.0", True),
        ("CC BY 4.0", True),
        ("CC BY-SA 3.0 DE", True),
        ("cc by", True),
        ("CC BY-SA", True),
        ("CC BY-NC 4.0", False),
        ("CC BY-NC-SA 4.0", False),
        ("CC BY-ND 4.0", False),
        ("CC BY 4.0 NC", False),
        ("CC BY someone", False),
        ("all rights reserved", False),
        ("", False),
    ],
)
def test_a_public_licence_allows_sharing_and_changing(license, free):
    assert is_free(license) is free


def test_records_keep_their_rules(tmp_path):
    items = few_items(tmp_path)
    sealed = {"itemId": "hb-001", "response": "", "withheld": True}
    rows = [
        record_row(),
        record_row(score=None, extra="kept"),
        record_row(**sealed),
        record_row(itemId="wm-9"),
        record_row(rung="signs"),
        record_row(score=1.5),
        record_row(itemId="hb-001"),
        record_row(**sealed, privateCopy=True),
    ]
    write_run(tmp_path / "runs/r.jsonl", *rows)
    faults = record_faults(read_run_files(tmp_path / "runs"), items)
    assert [line.rpartition("r.jsonl:")[2] for line in faults] == [
        "4: no such item: 'wm-9'",
        "5: the item is not asked on the rung 'signs'",
        "6: the score is not in [0, 1]: 1.5",
        "7: the public record of a sealed item holds a response",
        "8: a private copy in a public file",
    ]


def test_a_sealed_item_is_open_on_identify_alone(tmp_path):
    item = load_items(write_items(tmp_path, sealed_row()))["hb-001"].item
    assert [item.is_sealed(rung) for rung in item.rungs] == [False, True, True, True]
    assert item.prefix == "hb"
