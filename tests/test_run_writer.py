"""A stopped run goes on where it stopped, loses at most the item in flight, and never takes another run's answers."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from alifba.errors import InputError
from alifba.run_writer import RunWriter
from alifba.runs import read_run
from samples import answer_row

TEMPLATE = answer_row(answer=None) | {"id": "", "dataset_sha256": "d" * 64, "revision": "r1", "precision": "float32"}
IDS = [f"t-{i:03}" for i in range(60)]


def write(path, ids, **changes):
    with RunWriter(path, TEMPLATE | changes) as writer:
        for id_ in ids:
            if id_ not in writer.answered:
                writer.append(id=id_, prompt="", raw_response=f"answer {id_}", timestamp="")


@pytest.mark.parametrize("before", [0, 1, 3, 5])
def test_a_run_is_resumed_after_none_some_and_all_rows(tmp_path, before):
    path = tmp_path / "r.jsonl"
    write(path, IDS[:before])
    assert path.exists() == bool(before)
    write(path, IDS[:5])
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == IDS[:5]


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("kept", [1, 20, -10, -2])
def test_a_torn_last_row_is_asked_again(tmp_path, rows, kept):
    path = tmp_path / "r.jsonl"
    write(path, IDS[:rows])
    *whole, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole) + last[:kept])
    write(path, IDS[:4])
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == IDS[:4]


def test_a_last_row_that_lacks_only_its_newline_is_kept(tmp_path):
    path = tmp_path / "r.jsonl"
    write(path, IDS[:2])
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    write(path, IDS[:3])
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == IDS[:3]


def test_a_letter_cut_in_two_is_a_torn_row(tmp_path):
    path = tmp_path / "r.jsonl"
    write(path, IDS[:1])
    path.write_bytes(path.read_bytes() + '{"id": "ə'.encode()[:-1])
    write(path, IDS[:2])
    assert list(read_run(path).rows) == IDS[:2]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"model": "org/two"}, "model"),
        ({"language": "en"}, "lang"),
        ({"prompt_style": "plain"}, "style"),
        ({"revision": "r2"}, "revision"),
        ({"precision": "float16"}, "precision"),
        ({"device": "cuda"}, "device"),
        ({"dataset_sha256": "e" * 64}, "data"),
        ({"template": "0123"}, "template"),
        ({"code_version": "9.9"}, "code"),
        ({"generation": TEMPLATE["generation"] | {"max_new_tokens": 64}}, "decoding"),
        ({"generation": TEMPLATE["generation"] | {"seed": 1}}, "decoding"),
        ({"generation": TEMPLATE["generation"] | {"batch_size": 1}}, "batch"),
        ({"generation": TEMPLATE["generation"] | {"chat_template": "3f2a"}}, "chat"),
    ],
)
@pytest.mark.parametrize("cut", [0, 1, 30])
def test_another_run_is_refused_by_field_and_its_file_left_as_it_was(tmp_path, changes, named, cut):
    path = tmp_path / "r.jsonl"
    write(path, IDS[:2])
    path.write_bytes(path.read_bytes()[: -cut or None])
    before = path.read_bytes()
    with pytest.raises(InputError, match="another run") as caught:
        write(path, IDS[:3], **changes)
    assert set(caught.value.value) == {named}
    assert path.read_bytes() == before


def test_a_failed_item_is_asked_again_and_its_later_row_counts(tmp_path):
    path = tmp_path / "r.jsonl"
    with RunWriter(path, TEMPLATE) as writer:
        writer.append(id="t-000", prompt="", raw_response=None, timestamp="", error="429")
        writer.append(id="t-001", prompt="", raw_response="", timestamp="")
    with RunWriter(path, TEMPLATE) as writer:
        # An empty answer is an answer.
        assert writer.answered == {"t-001"}
        writer.append(id="t-000", prompt="", raw_response="Paris", timestamp="")
    run = read_run(path)
    assert {id_: row.raw_response for id_, row in run.rows.items()} == {"t-000": "Paris", "t-001": ""}
    assert run.n_duplicates == 1


def test_two_writers_at_once_are_refused(tmp_path):
    path = tmp_path / "r.jsonl"
    with RunWriter(path, TEMPLATE) as writer:
        with pytest.raises(InputError, match="another process"):
            RunWriter(path, TEMPLATE)
        writer.append(id="t-000", prompt="", raw_response="x", timestamp="")
    assert list(read_run(path).rows) == ["t-000"]


@pytest.mark.parametrize("bad", [{"environment": {"x": object()}}, {"generation": {"t": float("nan")}}])
def test_what_cannot_be_written_stops_the_run_before_the_first_answer(tmp_path, bad):
    with pytest.raises((TypeError, ValueError)):
        RunWriter(tmp_path / "r.jsonl", TEMPLATE | bad)
    assert not list(tmp_path.iterdir())


def test_half_a_surrogate_pair_is_kept_and_stops_no_run(tmp_path):
    path = tmp_path / "r.jsonl"
    with RunWriter(path, TEMPLATE) as writer:
        writer.append(id="t-000", prompt="", raw_response="Bakı \ud83d", timestamp="")
    assert json.loads(path.read_text(encoding="utf-8"))["raw_response"] == "Bakı \ud83d"
    assert read_run(path).rows["t-000"].raw_response == "Bakı \ufffd"


def test_a_row_that_cannot_be_written_stops_the_run(tmp_path):
    # A limit on the size of a file fails a write as a full disk does; it holds for the child alone.
    path = tmp_path / "r.jsonl"
    write(path, IDS[:1])
    code = (
        "import json, resource, sys\nfrom pathlib import Path\nfrom alifba.run_writer import RunWriter\n"
        "size = Path(sys.argv[1]).stat().st_size\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size + 700, size + 700))\n"
        "with RunWriter(Path(sys.argv[1]), json.loads(sys.argv[2])) as writer:\n"
        "    for i in range(1, 9):\n"
        "        writer.append(id=f't-{i:03}', prompt='', raw_response='x' * 100, timestamp='')\n"
        "print('all written')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path, json.dumps(TEMPLATE)], capture_output=True, text=True)
    assert done.returncode != 0
    assert "File too large" in done.stderr
    assert "all written" not in done.stdout
    write(path, IDS[:9])
    assert set(read_run(path).rows) == set(IDS[:9])
    assert read_run(path).n_duplicates == 0


def ask_slowly(path, told):
    with RunWriter(path, TEMPLATE) as writer:
        for id_ in IDS:
            if id_ not in writer.answered:
                writer.append(id=id_, prompt="p" * 2000, raw_response=id_, timestamp="")
                os.write(told, f"{id_}\n".encode())
                time.sleep(0.001)


def test_killed_at_any_moment_no_row_is_lost_or_doubled(tmp_path):
    path = tmp_path / "r.jsonl"
    rng = random.Random(20)
    told: set[str] = set()
    for _ in range(6):
        reading, writing = os.pipe()
        child = multiprocessing.get_context("fork").Process(target=ask_slowly, args=(path, writing))
        child.start()
        os.close(writing)
        time.sleep(rng.uniform(0.005, 0.03))
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        with os.fdopen(reading) as stream:
            told |= set(stream.read().split())
        whole_lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        assert told <= {json.loads(line)["id"] for line in whole_lines}
    write(path, IDS)
    assert sorted(json.loads(line)["id"] for line in path.read_text().splitlines()) == IDS


@pytest.mark.parametrize("content", [b"my notes", b'{"id": "a"}\r{"id": "b"}\r', b"[" * 200_000])
def test_a_file_that_is_no_run_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError):
        RunWriter(path, TEMPLATE)
    assert path.read_bytes() == content
