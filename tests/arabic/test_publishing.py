"""What is published: null until it is earned, the same bytes twice, and nothing that could unblind a scorer."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest
from arabic_kit import SECTIONS, agree, give, item_row, log_attempts, make_project, review, six_sections

from alifba.arabic.aggregate import aggregate
from alifba.arabic.logs import read_logs
from alifba.arabic.project import load_project
from alifba.arabic.publishing import publish
from alifba.arabic.tables import agreement_table, missing_summary, missing_table, profile_table
from alifba.paths import repo_root
from alifba.stats.agreement import krippendorff_alpha

SHIPPED = repo_root() / "data" / "arabic" / "project.yaml"
WANTED = {"MSA": [4, 4], "GLF": [3, 3], "EGY": [4, 3], "LEV": [3, 2], "DIR": [5, 4], "DIA": [2, 2]}


def results(project):
    return aggregate(project, read_logs(project))


def published(project, folder):
    logs = read_logs(project)
    publish(project, aggregate(project, logs), logs, folder)
    rows = list(csv.DictReader((folder / "scores.csv").open(encoding="utf-8", newline="")))
    return json.loads((folder / "scores.json").read_text(encoding="utf-8")), rows


@pytest.fixture
def earned(tmp_path):
    """A tool with everything: the check values of the protocol in both layers."""
    project = six_sections(tmp_path)
    for prefix, points in WANTED.items():
        agree(project, f"{prefix}-01", [points] * 3)
    review(project)
    return project


def test_the_shipped_state_holds_no_number(tmp_path):
    document, rows = published(load_project(SHIPPED), tmp_path)
    kinds = {tool["kind"] for tool in document["tools"]}
    assert kinds == {"chat", "writing", "agent", "coding", "image", "video", "voice", "ocr", "game"}
    for tool in document["tools"]:
        assert tool["example"]
        assert [tool["review"]["score"], tool["test_set"]["composite"], tool["test_set"]["transcripts"]] == [None] * 3
        assert set(tool["test_set"]["sections"].values()) == set(tool["review"]["criteria"].values()) == {None}
    numbers = [name for name in rows[0] if name.startswith(("review", "section_", "composite", "run"))]
    assert {row[name] for row in rows for name in numbers} == {""}
    assert len(missing_table(results(load_project(SHIPPED)))) > len(rows)


def test_the_shipped_outputs_are_what_the_project_gives(tmp_path):
    published(load_project(SHIPPED), tmp_path)
    for path in sorted(tmp_path.rglob("*.*")):
        committed = repo_root() / "results" / "arabic" / path.relative_to(tmp_path)
        assert committed.read_bytes() == path.read_bytes(), f"run: make arabic ({committed})"


def test_the_runnable_prompts_are_untested():
    # The protocol names the six that need no sample and marks them untested.
    items = load_project(SHIPPED).items
    assert {item.key for item in items if item.prompt} == {"VC-01", "VC-02", "AG-01", "GM-02", "MSA-02", "GLF-02"}
    assert {item.status for item in items if item.prompt} == {"untested"}
    lacking = [item for item in items if item.status == "needs_sample"]
    # Five images, seven clips; every other kind of sample of the protocol once at least.
    assert sum(item.section == "ocr" for item in lacking) == 5
    assert sum(item.section == "speech" for item in lacking) == 7
    told = " ".join(" ".join(item.missing) for item in lacking)
    for sample in ("news text", "bidi mix", "vocalised poem", "invoice e-mail", "CSS direction bug"):
        assert sample in told


def test_everything_that_was_earned(earned, tmp_path):
    document, rows = published(earned, tmp_path / "out")
    tool, row = document["tools"][0], rows[0]
    # Check values of the protocol: (8, 7, 6, 9, 5) -> 72, and the six sections -> 68.5714, which is 69 half up.
    assert tool["review"]["score"] == 72
    assert (tool["test_set"]["composite"], tool["test_set"]["composite_rounded"]) == (68.5714, 69)
    assert (row["review_score"], row["composite"], row["section_gulf"]) == ("72", "68.5714", "60.0")
    assert (row["section_ocr"], row["section_maghrebi"]) == ("", "")
    assert (tool["test_set"]["first_day"], tool["test_set"]["last_day"]) == ("2026-11-01", "2026-11-03")
    assert tool["missing"] == []
    for link in tool["test_set"]["transcripts"].values():
        assert (tmp_path / "out" / link).is_file()
    assert document["licence"] == "CC-BY-4.0"


def test_twice_the_same_bytes_and_old_transcripts_go(earned, tmp_path):
    out = tmp_path / "out"
    published(earned, out)
    first = {path: path.read_bytes() for path in sorted(out.rglob("*.*"))}
    (out / "transcripts" / "gone.en.html").write_text("old", encoding="utf-8")
    published(earned, out)
    assert {path: path.read_bytes() for path in sorted(out.rglob("*.*"))} == first


def test_a_transcript_shows_points_only_once_the_attempt_has_its_score(tmp_path):
    project = make_project(tmp_path, [item_row()])
    log_attempts(project)
    give(project, "demo-noura", "MSA-01", 1, [1, 3], note="ملاحظة سرية")
    published(project, tmp_path)
    page = (tmp_path / "transcripts" / "zarqa-2026-11.en.html").read_text(encoding="utf-8")
    assert "جواب خيالي رقم 1" in page
    assert "First scorer" not in page
    assert "ملاحظة سرية" not in page
    give(project, "demo-hani", "MSA-01", 1, [2, 4], "second")
    published(project, tmp_path)
    page = (tmp_path / "transcripts" / "zarqa-2026-11.en.html").read_text(encoding="utf-8")
    assert page.count("First scorer") == 2
    assert "demo-noura" not in page


def test_what_a_tool_says_cannot_become_markup(tmp_path):
    project = make_project(tmp_path, [item_row()])
    log_attempts(project, output="<script>alert(1)</script>")
    published(project, tmp_path)
    page = (tmp_path / "transcripts" / "zarqa-2026-11.ar.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_profiles_have_intervals_over_items(tmp_path):
    project = make_project(tmp_path, [item_row(f"MSA-0{number}") for number in (1, 2, 3)])
    for number, points in enumerate(([1, 1], [3, 3], [5, 5]), 1):
        agree(project, f"MSA-0{number}", [points] * 3)
    table = profile_table(results(project), np.random.default_rng(0)).set_index("section")
    msa = table.loc["msa"]
    assert (msa["score"], msa["n_items"], msa["n_scored_items"]) == (60, 3, 3)
    # All 27 resamples of (20, 60, 100): the ends of 95 % lie at the smallest and the largest mean (1/27 each).
    assert (msa["ci_low"], msa["ci_high"]) == (20, 100)
    assert math.isnan(table.loc["egyptian", "score"])
    same = profile_table(results(project), np.random.default_rng(0)).set_index("section")
    assert same.equals(table)


def test_one_item_has_no_interval(earned):
    table = profile_table(results(earned), np.random.default_rng(0))
    assert table["ci_low"].isna().all()
    assert table["score"].tolist() == [80, 60, 70, 50, 90, 40]


def test_agreement_is_of_the_first_two_alone(tmp_path):
    project = make_project(tmp_path, [item_row("MSA-01"), item_row("GLF-01")])
    given = {("MSA-01", 1): ([5, 4], [4, 4]), ("MSA-01", 2): ([1, 2], [4, 2]), ("GLF-01", 1): ([3, 0], [3, 1])}
    log_attempts(project, "MSA-01", (1, 2))
    log_attempts(project, "MSA-01", (3,), outcome="refusal", output="", note="It declined.")
    log_attempts(project, "GLF-01", (1,))
    for (key, number), (one, other) in given.items():
        give(project, "demo-noura", key, number, one)
        give(project, "demo-hani", key, number, other, "second")
    before = agreement_table(results(project)).set_index("section")
    give(project, "demo-layth", "MSA-01", 2, [0, 5], "third")
    table = agreement_table(results(project)).set_index("section")
    assert table["alpha"].equals(before["alpha"])
    assert table["n_third"].to_dict() == {"msa": 1, "gulf": 0, "all": 1}
    # The units by hand: a criterion of an attempt each; the refusal that nobody judged is none.
    assert table.loc["msa", "alpha"] == krippendorff_alpha([[5, 4, 1, 2], [4, 4, 4, 2]], "ordinal").alpha
    assert table.loc["all", "n_codes_compared"] == 12


def test_the_summary_counts_what_each_tool_waits_for(tmp_path):
    project = six_sections(tmp_path)
    agree(project, "MSA-01", [[4, 4]] * 3)
    log_attempts(project, "GLF-01")
    give(project, "demo-noura", "GLF-01", 1, [4, 4])
    row = missing_summary(results(project)).iloc[0]
    assert (row["sections"], row["sections_scored"], row["first"], row["second"]) == (6, 1, 2, 1)
    assert row["attempt"] == 3 * (len(SECTIONS) - 2)
