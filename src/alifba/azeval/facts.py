"""The numbers of an azeval study that a paper may print, read from its tables. No number is computed twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from alifba.azeval import pair_facts
from alifba.azeval.adaptation.facts import of_adaptation
from alifba.azeval.finding import Finding, label_of, slug_of
from alifba.config import Study
from alifba.errors import InputError


def findings(study: Study, results: Path) -> Iterator[Finding]:
    """Every finding of the study's tables below `results`, in the primary prompt style where a table has several."""

    def table(name: str) -> pd.DataFrame:
        path = results / "tables" / f"{name}.csv"
        if not path.is_file():
            raise InputError("no such table", file=path, next_step="make tables")
        return pd.read_csv(path, keep_default_na=False, na_values=[""])

    def primary(name: str) -> pd.DataFrame:
        whole = table(name)
        return whole[whole["prompt_style"] == study.primary_style]

    yield from _of_study(study, table("dataset"))
    yield from _of_runs(study, table("runs"), table("baselines"))
    yield from pair_facts.of_gates(table("gates"))
    yield from pair_facts.of_compared(table("compared_pairs"))
    if study.adaptation:
        # Of forty models of one make the base alone is told by itself; what the others did stands in tables of its own.
        base = study.model(study.adaptation.base).name
        yield from _of_scores(study, primary("scores").pipe(_of_model, base))
        yield from _of_gaps(study, primary("gap").pipe(_of_model, base))
        yield from of_adaptation(study, table)
        return
    yield from _of_scores(study, primary("scores"))
    yield from _of_gaps(study, primary("gap"))
    yield from _of_composition(study, primary("composition"))
    yield from _of_recovery(study, primary("recovery"))
    yield from _of_formats(study, table("formats"))
    yield from _of_confusion(study, primary("confusion"))
    yield from pair_facts.of_pairs(table("pairs"), table("losses"), table("pairwise"))
    yield from pair_facts.of_tokenisers(table("tokenisers"))
    yield from pair_facts.of_between(study, table("between_pairs"), table("compared_pairs"))


def _of_model(table: pd.DataFrame, model: str) -> pd.DataFrame:
    return table[table["model"] == model]


def _rows(table: pd.DataFrame) -> list[Any]:
    """The rows of `table` with its columns as attributes."""
    return list(table.itertuples(index=False))


def _of_study(study: Study, dataset: pd.DataFrame) -> Iterator[Finding]:
    source = ("tables/dataset.csv",)
    yield Finding("study.title", study.title, "text", 0, ())
    yield Finding("bootstrap.resamples", study.bootstrap.resamples, "count", 0, ())
    yield Finding("interval.level", study.bootstrap.level, "percent", 0, ())
    counts = {(str(row.field), str(row.value)): row.n for row in _rows(dataset)}
    for name, value in (
        ("items.n", "all"),
        ("items.n_verified", "verified by a person"),
        ("items.control.n", "control"),
        ("items.answers.n", "distinct answers"),
        ("items.templates.n", "templates"),
    ):
        yield Finding(name, int(counts["items", value]), "count", 0, source)
    status = str(dataset["items_status"].iloc[0])
    notice = (
        status[0].upper() + status[1:] + "."
        if counts["items", "verified by a person"] < counts["items", "all"]
        else None
    )
    yield Finding("items.notice", notice, "text", 0, source)
    yield Finding("items.words.mean", counts["words", "mean answer length"], "number", 2, source)
    for (field, category), n in counts.items():
        if field == "category":
            yield Finding(f"items.category.{category}.n", int(n), "count", 0, source)


def _of_runs(study: Study, runs: pd.DataFrame, baselines: pd.DataFrame) -> Iterator[Finding]:
    source = ("tables/runs.csv",)
    yield Finding("runs.n", len(runs), "count", 0, source)
    yield Finding("models.n", runs["model"].nunique(), "count", 0, source)
    yield Finding("rows.stray", int(runs["n_stray"].sum()), "count", 0, source)
    yield Finding("rows.duplicate", int(runs["n_duplicates"].sum()), "count", 0, source)
    yield Finding("answers.unscored", int(runs["n_unscored"].sum()), "count", 0, source)
    yield Finding("answers.unfinished_thought", int(runs["n_no_answer"].sum()), "count", 0, source)
    for model in runs["model"].unique():
        yield Finding(f"model.{slug_of(model, study)}.label", label_of(model, study), "text", 0, source)
    for row in _rows(baselines):
        yield Finding(f"majority.{row.language}", row.exact_match, "percent", 1, ("tables/baselines.csv",))


def _of_scores(study: Study, scores: pd.DataFrame) -> Iterator[Finding]:
    for row in _rows(scores[scores["chain"] == "strict"]):
        name = f"f1.{slug_of(row.model, study)}.{row.language}"
        yield Finding(name, row.token_f1, "percent", 1, ("tables/scores.csv",))


def _gap_findings(prefix: str, row: Any, inputs: tuple[str, ...]) -> Iterator[Finding]:
    for side in ("az", "en"):
        yield Finding(f"{prefix}.{side}", getattr(row, side), "percent", 1, inputs)
    for part in ("gap", "ci_low", "ci_high"):
        yield Finding(f"{prefix}.{part}", getattr(row, part), "points", 1, inputs, signed=True)
    yield Finding(f"{prefix}.p", row.p, "p", 3, inputs)
    yield Finding(f"{prefix}.p_holm", row.p_holm, "p", 3, inputs)


def verdict(row: Any, level: float) -> str:
    """What interval and corrected p of a row of the gap table allow one to say; gap: English minus Azerbaijani."""
    low, high, p = row.ci_low, row.ci_high, row.p_holm
    if row.az == row.en == 0:
        return "cannot be told, since no answer counts as right in either language"
    if not (low == low and high == high and p == p):
        return "cannot be told"
    if p >= 1 - level or low <= 0 <= high:
        return "is not told apart from zero"
    return "is clear: Azerbaijani is behind" if low > 0 else "is clear and the other way round: English is behind"


def _of_gaps(study: Study, gaps: pd.DataFrame) -> Iterator[Finding]:
    source = ("tables/gap.csv",)
    yield Finding("gap.tests.n", len(gaps), "count", 0, source)
    yield Finding("gap.significant.n", int((gaps["p_holm"] < 1 - study.bootstrap.level).sum()), "count", 0, source)
    for row in _rows(gaps):
        prefix = f"gap.{slug_of(row.model, study)}.{row.chain}"
        yield from _gap_findings(prefix, row, source)
        if row.chain == "strict":
            yield Finding(f"{prefix}.n", row.n, "count", 0, source)
            yield Finding(f"{prefix}.template_low", row.template_low, "points", 1, source, signed=True)
            yield Finding(f"{prefix}.template_high", row.template_high, "points", 1, source, signed=True)
            yield Finding(f"{prefix}.verdict", verdict(row, study.bootstrap.level), "text", 0, source)
    strict = _rows(gaps[gaps["chain"] == "strict"].sort_values(["gap", "model"]))
    # Undefined, not absent, where no model was run in both languages: every manuscript may name these.
    ends = (strict[0], strict[-1]) if strict else (None, None)
    for name, row in zip(("smallest", "largest"), ends, strict=True):
        yield Finding(f"gap.{name}.model", label_of(row.model, study) if row else None, "text", 0, source)
        yield Finding(f"gap.{name}.gap", row.gap if row else None, "points", 1, source, signed=True)


def _of_composition(study: Study, composition: pd.DataFrame) -> Iterator[Finding]:
    parts = composition[(composition["chain"] == "strict") & (composition["stratum"] != "all")]
    for row in _rows(parts):
        prefix = f"gap.{row.stratum}.{slug_of(row.model, study)}"
        yield Finding(f"{prefix}.n", row.n, "count", 0, ("tables/composition.csv",))
        yield from _gap_findings(prefix, row, ("tables/composition.csv",))


def _of_recovery(study: Study, recovery: pd.DataFrame) -> Iterator[Finding]:
    steps = recovery[(recovery["language"] == "az") & (recovery["chain"] != "strict")]
    for row in _rows(steps):
        name = f"recovered.{slug_of(row.model, study)}.{row.chain}"
        yield Finding(name, row.first_right, "points", 1, ("tables/recovery.csv",))
    yield Finding("recovery.not_nested", int(recovery["n_not_nested"].sum()), "count", 0, ("tables/recovery.csv",))


def _of_formats(study: Study, formats: pd.DataFrame) -> Iterator[Finding]:
    source = ("tables/formats.csv",)
    for row in _rows(formats):
        prefix = f"formats.{slug_of(row.model, study)}.{row.language}"
        yield Finding(f"{prefix}.choice", row.choice, "percent", 1, source)
        yield Finding(f"{prefix}.n_recognised", row.n_recognised, "count", 0, source)
        yield Finding(f"{prefix}.retention", row.retention, "percent", 1, source)
        yield Finding(f"{prefix}.ci_low", row.ci_low, "percent", 1, source)
        yield Finding(f"{prefix}.ci_high", row.ci_high, "percent", 1, source)
        yield Finding(f"{prefix}.p_languages", row.p_languages, "p", 3, source)


def _of_confusion(study: Study, confusion: pd.DataFrame) -> Iterator[Finding]:
    source = ("tables/confusion.csv",)
    for row in _rows(confusion):
        prefix = f"confusion.{slug_of(row.model, study)}"
        for mode in ("orthographic", "wrong_language", "both", "hole", "capability"):
            yield Finding(f"{prefix}.{mode}.n", getattr(row, mode), "count", 0, source)
        yield Finding(f"{prefix}.cyrillic", row.cyrillic_share, "percent", 1, source)
        for detector in ("flag_alphabet", "flag_lexicon", "flag_lid"):
            yield Finding(f"{prefix}.{detector}", getattr(row, detector), "percent", 1, source)
