"""Reading dictionaries: five kinds of files, one result; what is left out is counted, what is wrong is named."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing

import pytest
import yaml
from tifinagh_kit import rows_of, write_dictionary

from alifba.errors import InputError
from alifba.tifinagh.dictionaries import load_dictionaries, load_dictionary

ROWS = [
    {"id": "1", "tifinagh": "ⴰⵎⴰⵏ", "latin": "aman", "english": "water", "french": "eau"},
    {"id": "2", "tifinagh": "ⵜⴰⵎⵖⴰⵔⵜ", "latin": "tamɣart", "english": "woman; wife | old woman", "french": "femme"},
    # Words, not missing values.
    {"id": "3", "tifinagh": "ⵡⴰⵍⵓ", "latin": "NA", "english": "None", "french": "null"},
    {"id": "4", "tifinagh": "ⴰⴷⵔⴰⵔ", "latin": "", "english": "", "french": "montagne"},
]


def written(folder, suffix):
    """The same rows as another kind of file."""
    path = write_dictionary(folder, "ircam", ROWS, file=f"d{suffix}", table="words" if suffix == ".db" else None)
    file = folder / f"d{suffix}"
    if suffix == ".jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    elif suffix == ".json":
        file.write_text(json.dumps(ROWS), encoding="utf-8-sig")
    elif suffix == ".db":
        with closing(sqlite3.connect(file)) as base:
            base.execute("CREATE TABLE words (id INTEGER, tifinagh TEXT, latin TEXT, english TEXT, french TEXT)")
            base.executemany("INSERT INTO words VALUES (:id, :tifinagh, :latin, :english, :french)", ROWS)
            base.commit()
    else:
        with file.open("w", encoding="utf-8-sig", newline="") as stream:
            writer = csv.DictWriter(stream, ROWS[0], delimiter="\t" if suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(ROWS)
    return path


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".tsv", ".db"])
def test_every_kind_of_file_gives_the_same_dictionary(tmp_path, suffix):
    dictionary = load_dictionary(written(tmp_path, suffix))
    water, woman, nothing, mountain = dictionary.entries
    assert (water.id, water.tifinagh, water.latin, water.english) == ("1", "ⴰⵎⴰⵏ", "aman", "water")
    assert woman.senses == ("woman", "wife", "old woman")
    assert (nothing.latin, nothing.english, nothing.hidden) == ("NA", "None", {"french": "null"})
    assert (mountain.latin, mountain.english, mountain.senses) == (None, None, ())
    record = dictionary.record
    assert (record.n_rows, record.n_entries, record.no_english, record.no_latin) == (4, 4, 1, 1)
    assert (record.licence, record.source) == ("CC0-1.0", "made up for a test")
    assert record.sha256 == load_dictionary(written(tmp_path / "again", ".json")).record.sha256


@pytest.mark.parametrize(
    ("separator", "senses"),
    [
        (";", ("a, b", "c | d")),
        ("|", ("a, b; c", "d")),
        ("any", ("a, b", "c", "d")),
        ("none", ("a, b; c | d",)),
    ],
)
def test_senses_are_split_where_the_mapping_says_and_never_at_commas(tmp_path, separator, senses):
    row = {"id": "1", "tifinagh": "ⴰ", "latin": "a", "english": "a, b; c | d", "french": ""}
    (entry,) = load_dictionary(write_dictionary(tmp_path, "ircam", [row], sense_separator=separator)).entries
    assert entry.senses == senses


def test_what_cannot_be_asked_is_left_out_and_counted(tmp_path):
    bad = [
        {"id": "", "tifinagh": "ⴰ"},
        {"id": "b", "tifinagh": ""},
        {"id": "c", "tifinagh": "aman"},
        {"id": "d", "tifinagh": "ⴰmⴰ"},
        {"id": "e", "tifinagh": "ⴻⴻ"},
        {"id": "f", "tifinagh": None},
    ]
    record = load_dictionary(write_dictionary(tmp_path, "ircam", ROWS + bad)).record
    assert record.left_out == {
        "no id": 1,
        "no Tifinagh": 2,
        "signs outside U+2D30 to U+2D7F": 2,
        "nothing left after folding": 1,
    }
    assert record.n_rows == record.n_entries + sum(record.left_out.values()) == 10


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_html_and_decomposed_letters_are_mended_and_counted(tmp_path, suffix):
    row = {"id": "1", "tifinagh": "<b>ⴰⵎⴰⵏ</b>", "latin": "ad\u0323ar", "english": "foot &amp; leg<br/>x < y"}
    path = write_dictionary(tmp_path, "ircam", [row | {"french": None}], file=f"ircam{suffix}")
    (tmp_path / "ircam.json").write_text(json.dumps([row]))
    dictionary = load_dictionary(path)
    (entry,) = dictionary.entries
    assert (entry.tifinagh, entry.latin, entry.english) == ("ⴰⵎⴰⵏ", "aḍar", "foot & leg x < y")
    assert dictionary.record.repaired == {"HTML taken out": 2, "text brought to NFC": 1}


def test_english_or_latin_of_which_nothing_is_left_counts_as_missing(tmp_path):
    # An empty form would match an empty answer.
    row = {"id": "1", "tifinagh": "ⴰ", "latin": "ee", "english": " ?; !", "french": ""}
    (entry,) = load_dictionary(write_dictionary(tmp_path, "ircam", [row])).entries
    assert (entry.latin, entry.english, entry.senses) == (None, None, ())


@pytest.mark.parametrize(
    ("rows", "mapping", "message"),
    [
        ([ROWS[0], ROWS[0]], {}, r"ircam.jsonl:2: this id stands twice"),
        (ROWS, {"columns": {"id": "nr", "tifinagh": "tifinagh"}}, "no column 'nr'"),
        (ROWS, {"file": "none.csv"}, "no such file"),
        (ROWS, {"file": "ircam.xlsx"}, "not a known kind of file"),
        (ROWS, {"dialect": "chaoui"}, "'dialect'"),
        (ROWS, {"licence": ""}, "'licence'"),
        (ROWS, {"seperator": ";"}, "unknown field 'seperator'"),
        ([{"id": "1", "tifinagh": "aman"}], {}, "no row is an entry"),
    ],
)
def test_faults_are_named(tmp_path, rows, mapping, message):
    with pytest.raises(InputError, match=message):
        load_dictionary(write_dictionary(tmp_path, "ircam", rows, **mapping))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".db"])
def test_a_misspelt_column_of_a_table_is_no_dictionary_without_english(tmp_path, suffix):
    path = written(tmp_path, suffix)
    mapping = yaml.safe_load(path.read_text(encoding="utf-8"))
    mapping["columns"]["english"] = "englsh"
    path.write_text(yaml.safe_dump(mapping, allow_unicode=True), encoding="utf-8")
    with pytest.raises(InputError, match=r"no column 'englsh'\n.*did you mean 'english'"):
        load_dictionary(path)


def test_a_broken_table_is_named_by_its_line(tmp_path):
    path = write_dictionary(tmp_path, "ircam", ROWS, file="d.csv", columns={"id": "id", "tifinagh": "tifinagh"})
    (tmp_path / "d.csv").write_text("id,tifinagh\n1,ⴰ\n2,ⴰ,c\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"d.csv:3: not as many fields"):
        load_dictionary(path)
    (tmp_path / "d.csv").write_bytes(b"id,tifinagh\n1,\xff\n")
    with pytest.raises(InputError, match="not UTF-8"):
        load_dictionary(path)


def test_a_stray_quotation_mark_swallows_no_entries(tmp_path):
    path = write_dictionary(tmp_path, "ircam", ROWS, file="d.tsv", columns={"id": "id", "tifinagh": "tifinagh"})
    (tmp_path / "d.tsv").write_text('id\ttifinagh\n1\tⴰ\n2\t"ⴱ\n3\tⴳ\n4\tⴷ"\n5\tⴹ\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"d.tsv:3: a field goes over the end of its line"):
        load_dictionary(path)


def test_sqlite_needs_its_table_and_is_never_written(tmp_path):
    path = written(tmp_path, ".db")
    before = (tmp_path / "d.db").read_bytes()
    mapping = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump(mapping | {"table": "wurds"}))
    with pytest.raises(InputError, match=r"no such table[\s\S]*tables: words"):
        load_dictionary(path)
    assert (tmp_path / "d.db").read_bytes() == before
    assert [file.name for file in tmp_path.glob("d.db*")] == ["d.db"]


def test_two_dictionaries_of_a_dialect_are_refused(tmp_path):
    paths = [write_dictionary(tmp_path / name, "kabyle", rows_of(2)) for name in "ab"]
    with pytest.raises(InputError, match="a second dictionary of the same dialect"):
        load_dictionaries(paths)
