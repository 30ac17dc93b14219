"""CSV in, CSV out: strict about what it reads, whole or nothing in what it writes."""

from __future__ import annotations

import csv

import pytest

from alifba.errors import InputError
from alifba.text.confusion import FLAGS, detect_file, evaluate, failure_mode, read_table


@pytest.fixture
def source(tmp_path):
    return tmp_path / "errors.csv"


def test_answers_that_look_like_missing_values_are_answers(source):
    source.write_bytes("\ufeffid,gold,answer\n007,Qahirə,Kahire\n2,NA,None\n\n3,nan,\n".encode())
    table = read_table(source)
    assert table.to_dict("list") == {
        "id": ["007", "2", "3"],
        "gold": ["Qahirə", "NA", "nan"],
        "answer": ["Kahire", "None", ""],
    }


def test_the_judged_file_holds_what_was_read_and_the_flags(source, tmp_path):
    rows = [["gold", "answer", "note"], ["Qahirə", "Kahire", 'says "yes", twice'], ["Paris", "Paris", "two\nlines"]]
    with source.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    out = tmp_path / "deep" / "out.csv"
    detect_file(source, out)
    with out.open(encoding="utf-8", newline="") as stream:
        written = list(csv.reader(stream))
    assert written[0] == [*rows[0], *FLAGS, "flag", "language"]
    assert [row[:3] for row in written] == rows
    assert [row[7:] for row in written[1:]] == [["1", "tr"], ["0", ""]]


@pytest.mark.parametrize(
    ("content", "says", "line"),
    [
        (b"", "empty", None),
        (b"gold,answer\n", "no row", None),
        (b"gold,reply\na,b\n", "no column 'answer'", None),
        (b"gold;answer\na;b\n", "no column 'gold'", None),
        (b"gold,answer\na,b\na,b,c\n", "3 cells under 2", 3),
        (b'gold,answer\na,"b\n', "not a CSV table", 2),
        ("gold,answer\nQahirə,Bakı\n".encode("utf-16"), "not UTF-8", None),
        ("gold,answer\nQahir\xe9,x\n".encode("latin-1"), "not UTF-8", None),
    ],
)
def test_a_bad_file_is_named_and_nothing_is_written(source, tmp_path, content, says, line):
    source.write_bytes(content)
    out = tmp_path / "out.csv"
    with pytest.raises(InputError, match=says) as caught:
        detect_file(source, out)
    assert (caught.value.file, caught.value.line) == (source, line)
    assert not out.exists()


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("gold", "answer", "wrong_language", "mode"),
    [
        ("Bakı", "Bakı", False, "right"),
        ("Bakı", "Bakıda", False, "right"),
        ("Şəki", "Seki", False, "orthographic"),
        ("London", "Лондон", False, "orthographic"),
        ("Vaşinqton", "Вашингтон", False, "hole"),
        ("Qahirə", "Kahire", True, "wrong_language"),
        ("Moskva", "Мәскеу", True, "both"),
        ("Bakı", "Gəncə", False, "capability"),
        ("Bakı", " ?!", False, "empty"),
    ],
)
def test_each_failure_has_one_mode(gold, answer, wrong_language, mode):
    assert failure_mode(gold, answer, wrong_language=wrong_language) == mode


def test_one_flag_for_each_label():
    with pytest.raises(InputError, match="2 flags for 1 labels"):
        evaluate([True, False], ["factual"])
