"""What is planned, what it needs, and how a plan ends where some of its runs fail."""

from __future__ import annotations

import sys

import pytest

from alifba.azeval.running import open_backend, plan, run_model
from alifba.backends import api_unsupported
from alifba.backends.base import UnsupportedSetting
from alifba.cli import main
from alifba.config import load_study
from alifba.items import read_items
from samples import item_row, write_rows, write_study

FAKE = {"slug": "f", "name": "org/fake", "label": "f", "backend": "fake"}
API = {"slug": "a", "name": "org/api", "label": "a", "backend": "api", "api": {"provider": "openai", "model": "m-1"}}
LOCAL = {"slug": "t", "name": "org/local", "label": "t", "source": {"hub": "no/such-folder"}}


@pytest.fixture
def alifba(monkeypatch, capsys):
    """Call the program; gives exit status, standard output and standard error."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["alifba", *map(str, words)])
        monkeypatch.setenv("COLUMNS", "200")
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0), *capsys.readouterr()
        return 0, *capsys.readouterr()

    return call


def given(folder, *models):
    """Options of a study of `models` in Azerbaijani."""
    write_rows(folder / "d.jsonl", [item_row(i) for i in range(6)])
    study = write_study(folder, models=list(models), languages=["az"], dataset=str(folder / "d.jsonl"))
    return ["--study", study, "--runs", folder / "raw"]


def test_a_plan_tells_complete_unsupported_and_to_run(alifba, tmp_path):
    options = given(tmp_path, FAKE, API, FAKE | {"slug": "g", "name": "org/other"})
    study = load_study(tmp_path / "study.yaml")
    items = read_items(study.dataset_path())
    run_model(open_backend(study.model("f")), study.model("f"), items, "az", "default", tmp_path / "raw")
    asked = next(run for run in plan(study, items, tmp_path / "raw") if run.model.slug == "a")
    api_unsupported.record(asked.path, asked.model.api, UnsupportedSetting("seed", "no"))
    code, table, _ = alifba("plan", *options)
    assert code == 0
    states = {}
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.split("│")[1:-1]]
        if len(cells) == 7:
            states[cells[0]] = (cells[3], cells[5])
    assert states == {"f": ("6", "complete"), "a": ("0", "unsupported"), "g": ("0", "to run")}


@pytest.mark.parametrize(
    ("models", "named"),
    [
        ((FAKE,), ""),
        ((API,), "api\n"),
        ((LOCAL, FAKE), "local\n"),
        ((LOCAL, API, API | {"slug": "b", "name": "org/b"}), "api\nlocal\n"),
    ],
)
def test_the_extras_that_a_study_needs_are_named(alifba, tmp_path, models, named):
    assert alifba("extras", *given(tmp_path, *models)[:2]) == (0, named, "")


def test_failed_runs_stop_no_other_and_end_in_a_table(alifba, tmp_path):
    broken = FAKE | {"slug": "c", "name": "org/command", "backend": "command", "command": {"argv": ["no-such-program"]}}
    code, _, said = alifba("runs", *given(tmp_path, broken, FAKE), "--out", tmp_path / "out")
    assert code == 1
    assert (tmp_path / "raw" / "org__fake__az.jsonl").read_text(encoding="utf-8").count("\n") == 6
    assert "f az default: done" in said
    assert "1 of 2 runs failed" in said
    assert said.index("f az default: done") < said.index("1 of 2 runs failed")
    table = said[said.index("1 of 2 runs failed") :]
    assert "c az default" in table
    assert "no-such-program" in table
    assert said.endswith("error: 1 of 2 runs failed\n  next: mend the cause and make runs again\n")
