"""The page of measurements: what could not be measured now stays as it was, with its day."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

from alifba.paths import repo_root

ROWS = [{"what": "a thing", "ours_s": 2.0, "theirs_s": 1.8, "ratio": 0.9, "note": "n"}]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """benchmarks/run.py, with two benchmarks of its own: one that runs and one that lacks a package."""
    spec = importlib.util.spec_from_file_location("bench_run", repo_root() / "benchmarks" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "bench_here.py").write_text(f"PACKAGES = ('alifba',)\ndef measure():\n    return {ROWS}\n")
    (tmp_path / "bench_gone.py").write_text("import no_such_package\n")
    monkeypatch.setattr(module, "_HERE", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield module
    for name in ("bench_here", "bench_gone"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("value", "shown"), [(0.9, "0.90"), (1.0, "1.00"), (9.99, "9.99"), (10.0, "10"), (19269.3, "19,269"), (None, "-")]
)
def test_a_ratio_below_ten_has_two_decimals(run, value, shown):
    assert run.ratio(value) == shown


def test_one_that_cannot_run_says_why_and_the_others_are_measured(run, tmp_path):
    run.main([])
    page = (tmp_path / "RESULTS.md").read_text()
    assert "| a thing | 2 | 1.8 | 0.90 | n |" in page
    assert "| gone | - | - | - | not measured on " in page
    assert "no_such_package is not installed" in page


def test_one_that_cannot_run_now_keeps_what_it_was_measured_as(run, tmp_path):
    kept = {"date": "2001-02-03", "machine": "another", "versions": "alifba 0", "rows": ROWS}
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "gone.json").write_text(json.dumps(kept))
    run.main(["gone"])
    assert "## gone\n\n2001-02-03; another; alifba 0.\n" in (tmp_path / "RESULTS.md").read_text()
    assert json.loads((tmp_path / "results" / "gone.json").read_text()) == kept
    assert not (tmp_path / "results" / "here.json").exists(), "only what is named is measured"


def test_an_unknown_name_is_refused(run):
    with pytest.raises(SystemExit, match=r"no such benchmark: stat\. There are: gone, here"):
        run.main(["stat"])


def test_the_committed_page_is_what_the_kept_rows_give(run, monkeypatch):
    monkeypatch.setattr(run, "_HERE", repo_root() / "benchmarks")
    assert run.results({}) == (repo_root() / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
