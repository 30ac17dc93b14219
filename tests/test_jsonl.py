"""Lines of JSON: a fault names its line, a repair is counted, and no bytes get past that."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from alifba.errors import InputError
from alifba.jsonl import Notices, iter_objects, read_bytes
from samples import outcome


def objects(path, data, **options):
    notices = Notices(path)
    return list(iter_objects(path, data, notices, **options)), notices


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters())
trees = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))
rows = st.dictionaries(st.text(), trees, max_size=4)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        (b"", "the file is empty"),
        (b" \n\n\t", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
    ],
)
def test_a_missing_or_empty_file_is_named(tmp_path, content, message):
    path = tmp_path / "a.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_bytes(path)
    assert caught.value.file == path
    assert caught.value.next_step


@pytest.mark.parametrize("path", ["folder", "folder/file/below"])
def test_a_folder_is_no_file(tmp_path, path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    with pytest.raises(InputError):
        read_bytes(tmp_path / path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"a": 1', "torn"),
        (b"{'a': 1}", "not a JSON object"),
        (b"[1]", "JSON object"),
        (b"12", "JSON object"),
        (b'"NA"', "JSON object"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"a": "\xc9"}', "not UTF-8"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "recursion"),
        (b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}", "recursion"),
        (b'{"a": ' + b"9" * 5000 + b"}", "digits"),
        (b"\x00", "not a JSON object"),
        (b'{"a": 1} {"b": 2}', "not a JSON object"),
        (b'{"a": 1, "b": 2, "a": 3}', "'a' stands twice"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message):
    with pytest.raises(InputError, match=message) as caught:
        objects(tmp_path / "a.jsonl", b'{"good": 1}\n\n' + line + b'\n{"good": 2}\n')
    assert (caught.value.file, caught.value.line) == (tmp_path / "a.jsonl", 3)


@given(st.lists(rows, min_size=1, max_size=4))
def test_what_was_written_is_read_up_to_composition(tmp_path_factory, written):
    def composed(value):
        if isinstance(value, str):
            return unicodedata.normalize("NFC", value)
        if isinstance(value, dict):
            return {key: composed(part) for key, part in value.items()}
        return [composed(part) for part in value] if isinstance(value, list) else value

    data = "\n".join(json.dumps(row) for row in written).encode()
    read, notices = objects("a.jsonl", data)
    if "half a surrogate pair replaced by U+FFFD" not in notices.counts:
        assert [row for _, row in read] == [composed(row) for row in written]
    json.dumps([row for _, row in read], ensure_ascii=False).encode()


@given(st.binary(max_size=200) | st.text(st.sampled_from('{}[]":,\\ud8001e.-nulltrue \n'), max_size=60).map(str.encode))
@example(b'{"a": 1e999}')
@example(b'{"a": NaN}')
@example(b'{"a": ' + b"[" * 900 + b"]" * 900 + b"}")
@pytest.mark.parametrize("torn_end", [False, True])
def test_any_bytes_are_objects_or_an_error(torn_end, data):
    read = outcome(lambda: objects("a.jsonl", data, torn_end=torn_end)[0])
    assert read.line if isinstance(read, InputError) else all(isinstance(row, dict) for _, row in read)


def test_repairs_are_counted_with_their_first_line(tmp_path):
    nfd = unicodedata.normalize("NFD", "Şəki, Gəncə, İraq")
    data = "\n".join(['{"a": "x"}', json.dumps({"a": nfd}), json.dumps({"a": [nfd, {"b": "\ud83d"}]}), "{"]).encode()
    read, notices = objects(tmp_path / "a.jsonl", data, torn_end=True)
    assert [row for _, row in read[1:]] == [{"a": "Şəki, Gəncə, İraq"}, {"a": ["Şəki, Gəncə, İraq", {"b": "\ufffd"}]}]
    assert notices.lines() == [
        f"{tmp_path / 'a.jsonl'}:3: half a surrogate pair replaced by U+FFFD (1 time)",
        f"{tmp_path / 'a.jsonl'}:2: text brought to NFC (2 times)",
        f"{tmp_path / 'a.jsonl'}:4: torn last line left out (1 time)",
    ]


def test_a_torn_line_is_left_out_only_at_the_very_end(tmp_path):
    assert len(objects(tmp_path, b'{"a": 1}\n{"a": "\xc9', torn_end=True)[0]) == 1
    for data in (b'{"a": 1}\n{"a"\n', b'{"a"\n{"a": 1}'):
        with pytest.raises(InputError):
            objects(tmp_path, data, torn_end=True)


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path):
    assert objects(tmp_path, b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"a": 2}\r\n')[0] == [(1, {"a": 1}), (3, {"a": 2})]


def test_a_whole_surrogate_pair_is_one_character(tmp_path):
    assert objects(tmp_path, rb'{"a": "\ud83d\ude00"}')[0] == [(1, {"a": "😀"})]
