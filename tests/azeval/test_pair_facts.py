"""Findings on gates and pairs: names and values follow from the tables."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from alifba.azeval import pair_facts
from alifba.azeval.between import between_table, compared_table, published
from alifba.azeval.finding import Finding, slug
from alifba.azeval.pairs import losses_table, pairs_table
from alifba.config import Study, load_study
from alifba.paths import repo_root
from alifba.report.numbers import format_value


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study(repo_root() / "studies" / "pilot.yaml")


def by_name(findings) -> dict[str, Finding]:
    found = list(findings)
    named = {finding.name: finding for finding in found}
    assert len(named) == len(found)
    return named


def text(finding: Finding) -> str:
    return format_value(finding.value, finding.unit, finding.digits, signed=finding.signed)


def test_the_published_accounts_read_as_printed(study):
    figures = published(study.published_pairs)
    found = by_name(pair_facts.of_between(study, between_table(figures, study), compared_table(figures)))
    script = "between.published.default-preferred.target-script-is-cyrillic"
    assert [text(found[f"{script}.{part}"]) for part in ("p_mean", "p_rank", "smallest_p", "one_assignment")] == [
        "=\u00a00.0714", "=\u00a00.0952", "=\u00a00.0079", "=\u00a00.0040"
    ]  # fmt: skip
    assert (found[f"{script}.right"].value, found["between.published.default-preferred.n"].value) == (8, 10)
    assert found["between.published.oneshot-preferred.target-script-is-cyrillic.right"].value == 9
    assert (found["between.study.n"].value, found["between.published.n"].value, found["between.n"].value) == (0, 8, 8)
    # "Every damaged pair does (84.9 %, 18.9 %, 13.8 %, 7.7 %); no undamaged pair does (0.0 % to 0.5 %)": the shares are
    # those of the one-example rule; of the others, the table that we have prints up to 0.2 %.
    marker = "between.published.oneshot-preferred.cyrillic"
    assert [text(found[f"{marker}.{end}"]) for end in ("least_damaged", "most_unharmed")] == ["7.7%", "0.2%"]


def test_a_published_pair_reads_as_printed(study):
    found = by_name(pair_facts.of_compared(compared_table(published(study.published_pairs))))
    assert text(found["published.kazakh-1.default.excess"]) == "+9.8"
    assert text(found["published.kazakh-1.default.cyrillic"]) == "85.9%"
    assert text(found["published.turkish-1.default.excess"]) == "\u221216.0"
    assert text(found["published.latin-5.default.verdict"]) == "not damaged"
    assert text(found["published.russian-2.oneshot.verdict"]) == "damaged"
    assert text(found["published.latin-5.default.cyrillic"]) == "not available"
    assert (found["pairs.drawn.n"].value, found["pairs.drawn.source"].value) == (10, "the published figures")


def test_a_study_without_pairs_has_the_facts_that_conditions_ask_for(study):
    empty = pd.DataFrame(columns=["family"])
    found = by_name(pair_facts.of_pairs(pairs_table([], study), losses_table([], study), empty))
    found |= by_name(pair_facts.of_compared(compared_table([])))
    found |= by_name(pair_facts.of_between(study, between_table([], study), compared_table([])))
    found |= by_name(pair_facts.of_tokenisers(pd.DataFrame({"identical": []})))
    for name in ("pairs.declared.n", "pairs.excluded.n", "pairs.drawn.n", "between.n", "tokenisers.compared.n"):
        assert found[name].value == 0, name
    assert text(found["pairs.drawn.source"]) == "not available"


def own_pairs() -> pd.DataFrame:
    """One pair damaged in its preferred style, once more in another, and one that was never run."""
    row = {
        "pair": "Kazakh 1", "style": "default", "chain": "strict", "valid": 1, "damaged": 1.0, "family": "confirmatory",
        "az_loss": 0.1, "en_loss": 0.0, "excess": 0.1, "ci_low": 0.05, "ci_high": 0.15, "cyrillic_share": 0.9,
        "az_base": 0.3, "az_tuned": 0.2, "en_base": 0.4, "en_tuned": 0.4, "p": 0.001, "p_holm": 0.004, "reason": np.nan,
    }  # fmt: skip
    other = row | {"style": "oneshot", "family": "other style", "damaged": 0.0}
    never = dict.fromkeys(row) | {
        "pair": "Hungarian",
        "chain": "strict",
        "valid": 0,
        "family": "none",
        "reason": "no run",
    }
    return pd.DataFrame([row, other, row | {"chain": "morph"}, never])


def test_own_pairs_are_counted_once_and_told_in_each_style():
    losses = pd.DataFrame({"family": ["confirmatory"] * 8 + ["other style"] * 8})
    found = by_name(pair_facts.of_pairs(own_pairs(), losses, pd.DataFrame({"p": [0.5] * 24})))
    counts = {name: finding.value for name, finding in found.items() if name.endswith(".n")}
    assert counts == {
        "pairs.declared.n": 2, "pairs.valid.n": 1, "pairs.excluded.n": 1, "pairs.damaged.n": 1, "pairs.tests.n": 8,
        "sweep.tests.n": 24,
    }  # fmt: skip
    assert text(found["pair.kazakh-1.default.excess"]) == "+10.0"
    assert text(found["pair.kazakh-1.default.verdict"]) == "damaged"
    assert text(found["pair.kazakh-1.oneshot.verdict"]) == "not damaged"
    assert not any(name.startswith("pair.hungarian") for name in found), "there is no style to tell of"


def test_gates_are_told_by_run_and_by_the_worst_figure():
    gates = pd.DataFrame(
        [("m", "az", "default", "coverage", 0.9, 1.0, 1), ("m", "az", "default", "empty", 0.2, 0.3, 0),
         ("m", "en", "default", "coverage", 0.9, 0.95, 1), ("m", "en", "default", "empty", 0.2, np.nan, 1)],
        columns=["model", "language", "prompt_style", "gate", "threshold", "share", "passed"],
    )  # fmt: skip
    found = by_name(pair_facts.of_gates(gates))
    assert (found["gates.runs.n"].value, found["gates.failed.n"].value) == (2, 1)
    assert (text(found["gates.coverage.worst"]), text(found["gates.empty.worst"])) == ("95.0%", "30.0%")
    assert text(found["gates.coverage.threshold"]) == "90%"
    assert math.isnan(found["gates.extraction.worst"].value)


@pytest.mark.parametrize(
    ("words", "named"), [("Kazakh 1", "kazakh-1"), ("default preferred", "default-preferred"), ("A/B (c)", "a-b-c")]
)
def test_names_of_facts_are_small_and_hyphenated(words, named):
    assert slug(words) == named
