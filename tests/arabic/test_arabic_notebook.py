"""The notebook and the commands, on the invented project and as shipped."""

from __future__ import annotations

import pandas as pd
import pytest
from arabic_kit import TOOL, agree, give, item_row, log_attempts, make_project, six_sections
from test_publishing import SHIPPED, WANTED, results
from typer.testing import CliRunner

from alifba.arabic.commands import app
from alifba.arabic.profiles import draw_profiles
from alifba.arabic.tables import profile_table
from alifba.notebooks import execute
from alifba.paths import repo_root
from alifba.report.drawing import save, style
from alifba.report.tidy import load_table

NOTEBOOK = repo_root() / "notebooks" / "arabic" / "20_scores.ipynb"


def test_the_notebook_runs_on_a_project_with_scores(tmp_path):
    project = six_sections(tmp_path)
    for prefix, points in WANTED.items():
        agree(project, f"{prefix}-01", [points] * 3)
    out = tmp_path / "out"
    execute(NOTEBOOK, {"project": str(project.path), "out": str(out)}, tmp_path / "copy.ipynb")
    profiles = load_table(out / "tables" / "profiles.csv")
    assert profiles["score"].tolist() == [80, 60, 70, 50, 90, 40]
    # Both scorers gave the same points to every criterion.
    assert load_table(out / "tables" / "agreement.csv")["alpha"].dropna().eq(1).all()
    assert (out / "figures" / "profiles.pdf").stat().st_size > 1000


def test_the_figure_shows_what_is_earned_and_says_what_is_not(tmp_path):
    import numpy as np

    project = make_project(tmp_path, [item_row("MSA-01"), item_row("MSA-02"), item_row("GLF-01")])
    agree(project, "MSA-01", [[2, 2]] * 3)
    agree(project, "MSA-02", [[4, 4]] * 3)
    table = profile_table(results(project), np.random.default_rng(0))
    with style():
        figure = draw_profiles(table, {"zarqa": "Zarqa (invented)"})
    axes = figure.axes[0]
    dots = axes.lines[0].get_xdata()
    assert dots[0] == 60
    assert np.isnan(dots[1:]).all()
    assert [text.get_text() for text in axes.texts] == ["no score yet"] * 5
    assert all(path.stat().st_size for path in save(figure, tmp_path, "profiles"))
    with pytest.raises(ValueError, match="nothing to draw"):
        draw_profiles(table.assign(score=float("nan")), {})


def said(*arguments):
    done = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_the_command_says_who_is_missing_in_both_languages(tmp_path):
    project = make_project(tmp_path, [item_row("GLF-01")])
    log_attempts(project, "GLF-01")
    give(project, "demo-noura", "GLF-01", 3, [4, 4])
    english = said("missing", "zarqa", "--project", project.path).splitlines()
    assert "zarqa: Gulf: second scorer for GLF-01 attempt 3" in english
    arabic = said("missing", "--project", project.path, "--language", "ar").splitlines()
    assert len(arabic) == len(english)
    assert "zarqa: الخليجية: المقيّم الثاني للمحاولة ٣ من \u2066GLF-01\u2069" in arabic


def test_publish_and_run_by_command(tmp_path):
    assert "0 of 9 tools have a test-set score" in said("publish", "--project", SHIPPED, "--out", tmp_path / "out")
    assert len(pd.read_csv(tmp_path / "out" / "scores.csv")) == 9
    fake = {"slug": "zarqa", "name": "invented/zarqa", "label": "Zarqa", "backend": "fake"}
    project = make_project(tmp_path, [item_row()], tools=[TOOL | {"model": fake}])
    assert "3 attempts logged" in said("run", "zarqa", "--run", "zarqa-api-1", "--project", project.path)
