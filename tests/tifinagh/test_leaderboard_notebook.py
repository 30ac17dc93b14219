"""The leaderboard notebook on fictional runs: everything it promises is written below `out`, and nothing elsewhere."""

from __future__ import annotations

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
from leaderboard_kit import LETTERS, LOWER, write_run, write_season

from alifba.paths import repo_root
from alifba.tifinagh.records import DIALECTS

NOTEBOOK = repo_root() / "notebooks" / "tifinagh" / "30_leaderboard.ipynb"


def run(runs, out):
    scope = {}
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, scope)
            if "parameters" in cell.metadata.get("tags", []):
                scope |= {"runs": str(runs), "out": str(out)}
    plt.close("all")
    return {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}


def test_a_season_gives_tables_figures_and_both_pages(tmp_path, capsys):
    written = run(write_season(tmp_path / "runs"), tmp_path / "out")
    names = ("standings", "cells", "sample_sizes", "power", "near_misses", "strict")
    tables = {f"leaderboard/{name}.csv" for name in names}
    pages = {f"leaderboard/leaderboard.{code}.html" for code in ("en", "fr")}
    drawn = ("cells", "tiers", "strict", "near_misses")
    assert written == tables | pages | {f"figures/{name}.{kind}" for name in drawn for kind in ("png", "pdf")}
    for name in tables:
        table = pd.read_csv(tmp_path / "out" / name)
        assert set(table["items_status"]) == {"fictional: made for a test"}


def test_runs_that_nobody_judges_are_no_error(tmp_path, capsys):
    waiting = {(dialect, "tif-to-en"): "judge" for dialect in DIALECTS}
    write_run(tmp_path / "runs", "alone", LOWER | LETTERS, judge=None, waiting=waiting)
    assert len(run(tmp_path / "runs", tmp_path / "out")) == 16
    table = pd.read_csv(tmp_path / "out" / "leaderboard" / "standings.csv")
    by_score = table.set_index("score")
    assert pd.isna(by_score.loc["tifinaghbench", "value"])
    assert by_score.loc["tifinaghbench", "why"] == "no_judge: 510"
    assert by_score.loc["script_score", "value"] == 84
