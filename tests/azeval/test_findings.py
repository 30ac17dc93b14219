"""Findings: what a paper may print, read from the tables; and the words for a gap."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import pytest

from alifba.azeval.facts import findings, label_of, slug_of, verdict
from alifba.azeval.scorebook import score_runs
from alifba.config import Study, load_study
from alifba.items import read_items
from alifba.report.facts import FactBook
from alifba.runs import read_runs
from samples import CAPITALS, analyse, item_row, write_answers, write_rows, write_study

MODEL = {"slug": "first", "name": "org/one", "label": "One 1B"}


@pytest.fixture
def study(tmp_path):
    return load_study(write_study(tmp_path, models=[MODEL], bootstrap={"resamples": 200}))


def facts_of(folder: Path, study: Study, answers: dict[tuple[str, str], list[str]]) -> dict[str, object]:
    """Name to value of every fact of a small study, by way of the analysis notebooks."""
    items = read_items(write_rows(folder / "d.jsonl", [item_row(i) for i in range(6)]))
    for (model, language), given in answers.items():
        write_answers(folder / "raw", model, language, given)
    score_runs(read_runs(folder / "raw"), items, folder / "out" / "tables" / "items")
    analyse(folder / "study.yaml", folder / "d.jsonl", folder / "raw", folder / "out")
    facts = FactBook(folder / "out")
    for name, value, unit, digits, inputs, signed in findings(study, folder / "out"):
        facts.add(name, value, unit, digits, "tests", inputs, signed=signed)
    return {name: fact.value for name, fact in facts.facts.items()}


def test_facts_say_what_the_tables_say(tmp_path, study):
    az = ["Paris", "Roma", "x", "x", "x", "x"]
    en = [capital[3] for capital in CAPITALS[:5]]
    facts = facts_of(tmp_path, study, {("org/one", "az"): az, ("org/one", "en"): en})
    assert facts["items.n"] == 6
    assert facts["answers.unscored"] == 1
    assert facts["gap.first.strict.az"] == pytest.approx(2 / 5)
    assert facts["gap.first.strict.gap"] == pytest.approx(3 / 5)
    assert facts["gap.largest.model"] == "One 1B"
    assert facts["items.notice"] == "Pilot items, not verified by a person."


@pytest.mark.parametrize("languages", [["az"], ["en"]])
def test_without_a_pairing_what_rests_on_it_is_undefined(tmp_path, study, languages):
    facts = facts_of(tmp_path, study, {("org/one", language): ["Paris"] for language in languages})
    assert facts["gap.tests.n"] == 0
    assert facts["gap.largest.gap"] is None


def test_models_whose_names_look_like_nothing_keep_them(tmp_path, study):
    answers = {(model, language): ["Paris"] for model in ("nan", "None") for language in ("az", "en")}
    facts = facts_of(tmp_path, study, answers)
    assert {facts["model.nan.label"], facts["model.none.label"]} == {"nan", "None"}


def test_a_model_that_is_not_declared_is_named_by_the_last_part_of_its_name(study):
    assert (slug_of("org/one", study), label_of("org/one", study)) == ("first", "One 1B")
    assert (slug_of("Org/Big_Model-7B v2", study), label_of("Org/Big_Model-7B v2", study)) == (
        "big-model-7b-v2",
        "Big_Model-7B v2",
    )


@pytest.mark.parametrize(
    ("low", "high", "p", "said"),
    [
        (0.02, 0.1, 0.01, "is clear: Azerbaijani is behind"),
        (-0.1, -0.02, 0.01, "is clear and the other way round: English is behind"),
        (0.02, 0.1, 0.2, "is not told apart from zero"),
        (-0.01, 0.1, 0.01, "is not told apart from zero"),
        (0.0, 0.1, 0.01, "is not told apart from zero"),
        (math.nan, 0.1, 0.01, "cannot be told"),
        (0.02, 0.1, math.nan, "cannot be told"),
    ],
)
def test_a_gap_is_clear_only_by_interval_and_corrected_p(low, high, p, said):
    assert verdict(SimpleNamespace(az=0.1, en=0.2, ci_low=low, ci_high=high, p_holm=p), 0.95) == said


def test_of_a_model_that_is_never_right_no_gap_is_told():
    row = SimpleNamespace(az=0.0, en=0.0, ci_low=0.0, ci_high=0.0, p_holm=1.0)
    assert verdict(row, 0.95).startswith("cannot be told")
