"""Packed runs: the same rows in fewer bytes, read by everything, never made of a run that is not complete."""

from __future__ import annotations

import contextlib
import gzip
import json
import subprocess
import sys

import pytest

from alifba.azeval.running import open_backend, plan, run_model
from alifba.cli import main
from alifba.config import load_study
from alifba.errors import InputError
from alifba.items import read_items
from alifba.run_writer import RunWriter
from alifba.runs import pack, read_run, read_runs, written
from samples import answer_row, item_row, write_rows, write_study

N = 6
FAKES = [{"slug": slug, "name": f"org/{slug}", "label": slug, "backend": "fake"} for slug in ("one", "two")]


@pytest.fixture
def raw(tmp_path):
    return write_rows(tmp_path / "raw" / "org__one__az.jsonl", [answer_row(i, f"cavab {i} ə") for i in range(40)])


def test_a_packed_run_is_the_same_run(raw):
    before, size = read_run(raw), raw.stat().st_size
    packed = pack(raw)
    after = read_run(packed)
    assert packed.name == "org__one__az.jsonl.gz"
    assert not raw.exists()
    assert (after.rows, after.sha256, after.key) == (before.rows, before.sha256, before.key)
    assert packed.stat().st_size < size / 5
    assert read_runs(raw.parent)[0].rows == before.rows


def test_gzip_itself_gives_the_raw_bytes_back(raw):
    data = raw.read_bytes()
    assert subprocess.run(["gzip", "-dc", pack(raw)], capture_output=True, check=True).stdout == data


def test_packing_twice_gives_the_same_bytes(raw):
    data = raw.read_bytes()
    first = pack(raw).read_bytes()
    raw.write_bytes(data)
    assert pack(raw).read_bytes() == first


def test_a_run_is_found_where_it_lies(raw):
    assert written(raw) == raw
    packed = pack(raw)
    assert written(raw) == packed
    packed.unlink()
    assert written(raw) is None


@pytest.mark.parametrize(
    "spoil", [lambda data: data[:-9], lambda data: b"{}" + data, lambda data: data[:40] + b"?" * 9]
)
def test_a_damaged_file_is_told_by_name(raw, spoil):
    packed = pack(raw)
    packed.write_bytes(spoil(packed.read_bytes()))
    with pytest.raises(InputError, match="cannot be read") as caught:
        read_run(packed)
    assert caught.value.file == packed


def test_a_packed_and_a_plain_file_of_one_run_are_refused(raw):
    data = raw.read_bytes()
    pack(raw)
    raw.write_bytes(data)
    with pytest.raises(InputError, match="two files hold the same run"):
        read_runs(raw.parent)


@pytest.fixture
def study(tmp_path):
    """Two fake runs; that of "one" is complete."""
    write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(N)])
    study = load_study(write_study(tmp_path, models=FAKES, languages=["az"], dataset=str(tmp_path / "d.jsonl")))
    items, folder = read_items(study.dataset_path()), tmp_path / "raw"
    for model in study.models:
        run_model(open_backend(model), model, items, "az", "default", folder)
    half = folder / "org__two__az.jsonl"
    half.write_text("".join(half.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
    return study, items, folder


def alifba(monkeypatch, capsys, folder, command):
    """What a command says on the study of `folder`."""
    words = ["alifba", command, "--study", str(folder / "study.yaml"), "--runs", str(folder / "raw")]
    monkeypatch.setattr(sys, "argv", words)
    monkeypatch.setenv("COLUMNS", "200")
    with contextlib.suppress(SystemExit):
        main()
    return "".join(capsys.readouterr())


def test_only_complete_runs_are_packed_and_the_plan_sees_them(study, tmp_path, monkeypatch, capsys):
    spec, items, folder = study
    before = {run.model.slug: run.n_answered for run in plan(spec, items, folder)}
    assert before == {"one": N, "two": 2}
    assert alifba(monkeypatch, capsys, tmp_path, "pack").split() == ["packed", "org__one__az.jsonl.gz"]
    assert sorted(path.name for path in folder.iterdir()) == ["org__one__az.jsonl.gz", "org__two__az.jsonl"]
    assert {run.model.slug: run.n_answered for run in plan(spec, items, folder)} == before
    told = alifba(monkeypatch, capsys, tmp_path, "plan")
    assert [("complete" in line, "to run" in line) for line in told.splitlines() if "org__" in line] == [
        (True, False),
        (False, True),
    ]
    assert alifba(monkeypatch, capsys, tmp_path, "pack") == "", "nothing is left to be packed"


def test_a_packed_run_is_resumed_and_not_begun_anew(study):
    """The dataset grew after the run was packed: what was answered is kept, in one file."""
    spec, items, folder = study
    model = spec.model("two")
    packed = pack(folder / "org__two__az.jsonl")
    answered = [json.loads(line)["id"] for line in gzip.decompress(packed.read_bytes()).splitlines()]
    report = run_model(open_backend(model), model, items, "az", "default", folder)
    assert (report.n_before, report.n_answered) == (2, N - 2)
    assert len(read_runs(folder)) == 2
    rows = [json.loads(line)["id"] for line in report.path.read_text(encoding="utf-8").splitlines()]
    assert rows[:2] == answered
    assert not packed.exists()


def test_a_damaged_packed_run_is_not_resumed_over(raw):
    packed = pack(raw)
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(InputError, match="cannot be read"):
        RunWriter(raw, answer_row())
    assert packed.exists()
    assert not raw.exists()
