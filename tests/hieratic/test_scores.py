"""Tables of scores, the commands, and the notebooks 10_run and 20_scores as they open in JupyterLab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from typer.testing import CliRunner
from vision_kit import SECRET, checkout, few_items, record_row, write_run

from alifba.errors import InputError
from alifba.hieratic.commands import app
from alifba.hieratic.rescoring import rung_table, score_table
from alifba.hieratic.runs import read_run_files
from alifba.hieratic.scorebook import score_inbox
from alifba.paths import repo_root

NOTEBOOKS = repo_root() / "notebooks" / "hieratic"
FAILED = {"response": None, "parsed": None, "score": None, "error": "HTTP 500"}


@pytest.fixture
def runs(tmp_path):
    """Two documents asked three times: by hand (1, 0.5, failed) and (0, 0, refused)."""
    rows = [
        record_row(),
        record_row(sample=1, response="SCRIPT: Demotic"),
        record_row(sample=2, **FAILED),
        *(record_row(itemId="met-002", sample=n, response="SCRIPT: Latin") for n in range(2)),
        record_row(itemId="met-002", sample=2, response="", refusal=True),
        record_row(itemId="gone"),
        record_row(itemId="hb-001", response="", withheld=True, parsed="Coptic"),
    ]
    write_run(tmp_path / "runs/r.jsonl", *rows)
    return read_run_files(tmp_path / "runs")


def test_samples_are_averaged_within_an_item_and_items_within_a_rung(tmp_path, runs):
    items = few_items(tmp_path / "data")
    scores = score_table(runs, items)
    assert len(scores) == 7
    (row,) = rung_table(scores, items).to_dict("records")
    # By hand: wm-001 (1 + 0.5) / 2, met-002 0, hb-001 0.
    assert row["score"] == pytest.approx(0.75 / 3)
    assert (row["items"], row["n_items"], row["coverage"], row["samples"]) == (3, 3, 1.0, 6)
    assert (row["refusals"], row["failed"], row["unscored"]) == (1, 1, 0)


def test_a_rung_that_nothing_scores_has_no_average(tmp_path):
    items = few_items(tmp_path / "data")
    write_run(tmp_path / "runs/r.jsonl", record_row(**FAILED))
    (row,) = rung_table(score_table(read_run_files(tmp_path / "runs"), items), items).to_dict("records")
    assert row["score"] != row["score"]
    assert (row["items"], row["coverage"], row["failed"]) == (0, 0, 1)
    assert len(rung_table(score_table([], items), items)) == 0


def test_a_key_scores_the_inbox_and_the_scores_stay_there(tmp_path):
    items = few_items(tmp_path / "data")
    sealed = {"itemId": "hb-001", "rung": "translate", "score": None}
    rows = [
        record_row(**sealed, response=f"TRANSLATION: {SECRET}"),
        record_row(**sealed, sample=1, response="no line"),
        record_row(itemId="hb-001", privateCopy=True),
    ]
    write_run(tmp_path / "inbox/r.jsonl", *rows)
    key = tmp_path / "key.json"
    key.write_text(json.dumps({"hb-001": {"translation": [SECRET]}}))
    (row,) = score_inbox(items, tmp_path, key).to_dict("records")
    assert (row["rung"], row["score"], row["items"], row["n_items"], row["samples"]) == ("translate", 0.5, 1, 1, 2)
    assert sorted(path.name for path in tmp_path.rglob("*.csv")) == ["rungs.csv"]
    assert SECRET not in (tmp_path / "inbox/rungs.csv").read_text()
    with pytest.raises(InputError, match="nothing in the inbox"):
        score_inbox(items, tmp_path / "none", key)


def told(*words: Any) -> tuple[int, str]:
    """Exit code and words of a command; a fault of the user ends it."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit | InputError):
        raise done.exception
    return done.exit_code, done.output + str(done.exception or "")


def test_the_commands_of_a_checkout(tmp_path, monkeypatch):
    root = checkout(tmp_path / "checkout")
    monkeypatch.setenv("ALIFBA_ROOT", str(root))
    monkeypatch.chdir(root)
    assert told("validate") == (0, "2 items, 1 records in 1 run files: no fault\n")
    code, words = told("run", "--models", "fake:f-1", "--samples", 2)
    assert (code, "10 calls, 0 answered before, 10 now" in words) == (0, True)
    assert told("run", "--models", "fake:f-1", "--samples", 2, "--resume")[1].count("10 answered before, 0 now") == 1
    assert told("check") == (0, "the seal holds; compared with 9 private texts\n")
    assert "100.0%" in told("score")[1]
    assert (root / "results/hieratic/tables/scores.csv").is_file()
    run = root / "results/hieratic/runs/r.jsonl"
    assert told("rescore", run)[0] == 0
    run.write_text(run.read_text().replace('"score": 1', '"score": 0.5'))
    code, words = told("rescore", run)
    assert (code, "wm-001 identify 0: score differs: recorded 0.5, recomputed 1.0" in words) == (1, True)
    run.write_text(run.read_text().replace("wm-001", "pilot-sealed"))
    code, words = told("check")
    assert (code, "the seal is broken in 1 files" in words) == (1, True)
    code, words = told("validate")
    assert (code, "the public record of a sealed item holds a response" in words) == (1, True)


def open_notebook(name: str, **parameters: str) -> dict[str, Any]:
    """The code cells in one process, with parameters in the place of the notebook's own."""
    scope: dict[str, Any] = {"display": lambda *shown: None}
    for cell in nbformat.read(NOTEBOOKS / name, as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, scope)
            if "parameters" in cell.metadata.get("tags", []):
                assert parameters.keys() <= scope.keys()
                scope |= parameters
    return scope


def test_the_notebooks_run_and_score(tmp_path):
    few_items(tmp_path / "data")
    given = {"data": str(tmp_path / "data")}
    scope = open_notebook("10_run.ipynb", **given, results=str(tmp_path / "r"), samples="2")
    assert [(report.n_answered, report.n_failed) for report in scope["reports"]] == [(16, 0)]
    scope = open_notebook("20_scores.ipynb", **given, runs=str(tmp_path / "r/runs"), out=str(tmp_path / "out"))
    assert len(scope["scores"]) == 4 * 2 + 2
    rungs = pd.read_csv(tmp_path / "out/tables/rungs.csv")
    assert list(rungs["rung"]) == ["identify", "signs"]
    assert list(rungs["coverage"]) == [1, 1]
    assert not list(Path(tmp_path / "out").rglob("*inbox*"))
