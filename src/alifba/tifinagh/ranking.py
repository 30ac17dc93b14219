"""Which runs may be ranked together, and where each stands: intervals, ties and tiers; the others with what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from alifba.errors import InputError, closest
from alifba.paths import shown
from alifba.stats.ranking import Score, cell_moments, equal_weight_score, tiers
from alifba.tifinagh.records import (
    DIALECTS,
    MEANING_TASKS,
    SCRIPT_TASKS,
    SUMMARY_FILE,
    TASKS,
    Cell,
    RunRecord,
    Summary,
    Task,
    read_run_record,
    read_summary,
    run_folders,
)

Headline = Literal["tifinaghbench", "script_score"]
HEADLINES: Mapping[Headline, tuple[Task, ...]] = MappingProxyType(
    {"tifinaghbench": MEANING_TASKS, "script_score": SCRIPT_TASKS}
)
"""The two scores that are ranked, with the tasks that each is the mean of."""

State = Literal["no_judge", "awaiting_judge", "awaiting_model", "not_covered", "too_few"]
# Between the summary's own score and the one from its counts: only the order of summation may differ.
_TOLERANCE = 1e-6


class Run(NamedTuple):
    """A run's folder with its ``run.json`` and ``summary.json``."""

    folder: Path
    record: RunRecord
    summary: Summary

    @property
    def slug(self) -> str:
        return self.summary.answerer.slug

    @property
    def label(self) -> str:
        return self.summary.answerer.label


class Difference(NamedTuple):
    """One thing in which a run's setup is not the one of the leaderboard. `field` is of `Setup`, or ``judge``."""

    field: str
    expected: Any
    found: Any


class Missing(NamedTuple):
    """One reason why a run has no score: `n` questions, or the cells (dialect, task) concerned."""

    state: State
    n: int
    cells: tuple[tuple[str, str], ...] = ()


class Placed(NamedTuple):
    """A ranked run. `strict` is the score without folding, in points, which has no interval."""

    run: Run
    score: Score
    strict: float | None
    tier: int
    rank: int


class Board(NamedTuple):
    """A leaderboard of one score: every run is in exactly one of the three lists."""

    headline: Headline
    reference: Run
    """A run with the setup that the ranked ones share."""
    placed: list[Placed]
    """Best first."""
    unplaced: list[tuple[Run, list[Missing]]]
    """Same setup, but no score, or no interval, yet."""
    apart: list[tuple[Run, list[Difference]]]
    """Another setup: never ranked."""


def read_runs(folder: Path) -> list[Run]:
    """Every run below `folder` that has been scored, sorted by the name of its folder.

    Raises InputError if there is none, if one was not scored, and if two call themselves by the same slug.
    """
    runs = [Run(path, read_run_record(path), read_summary(path)) for path in run_folders(folder)]
    if not runs:
        raise InputError("no runs here", file=shown(folder), next_step="make a run first: alifba tifinagh run")
    slug, n = Counter(run.slug for run in runs).most_common(1)[0]
    if n > 1:
        raise InputError(f"{n} runs have the same slug", file=shown(folder), value=slug, next_step="rename one")
    return runs


def cells_of(summary: Summary, headline: Headline) -> list[Cell]:
    """The cells that `headline` is the mean of, by dialect and then by task; only those that the run covers."""
    found = (summary.cell(dialect, task) for dialect in DIALECTS for task in HEADLINES[headline])
    return [cell for cell in found if cell is not None]


def score_of(run: Run, headline: Headline) -> Score | None:
    """The score with its standard error, from the counts of the cells; None where the summary has none.

    A question that failed after all retries counts as 0, as in the summary.
    Raises InputError if the counts do not give the score that the summary states.
    """
    stated: float | None = getattr(run.summary, headline)
    if stated is None:
        return None
    cells = cells_of(run.summary, headline)
    columns = ([cell.n for cell in cells], [cell.n_correct for cell in cells], [cell.n_partial for cell in cells])
    score = equal_weight_score(cell_moments(*columns))
    if not abs(score.value - stated) <= _TOLERANCE:
        raise InputError(
            f"{headline} is {stated}, but its cells give {score.value:.6f}",
            file=shown(run.folder / SUMMARY_FILE),
            likely="the file was edited by hand, or written by another version",
            next_step="score the run again",
        )
    return score


def setup_of(summary: Summary) -> dict[str, Any]:
    """Everything that two runs must share to be ranked together: the setup, a dictionary a dialect, and the judge."""
    setup = summary.setup.model_dump()
    setup |= {f"dictionaries.{dialect}": sha for dialect, sha in setup.pop("dictionaries").items()}
    dialects = [dialect for dialect in DIALECTS if dialect in setup["dialects"]]
    tasks = [task for task in TASKS if task in setup["tasks"]]
    return setup | {"dialects": dialects, "tasks": tasks, "judge": summary.judge}


def differences(reference: Summary, other: Summary) -> list[Difference]:
    """In what the setup of `other` is not the one of `reference`; none where they may be ranked together."""
    expected, found = setup_of(reference), setup_of(other)
    names = list(dict.fromkeys([*expected, *found]))
    pairs = (Difference(name, expected.get(name), found.get(name)) for name in names)
    return [pair for pair in pairs if pair.expected != pair.found]


def choose_reference(runs: Sequence[Run], slug: str = "") -> Run:
    """The run whose setup the leaderboard ranks: the one called `slug`, else one of the most common setup.

    Where two setups are equally common, the one with more finished scores, then with more words, then the first.
    Raises InputError for a slug that no run has.
    """
    if slug:
        by_slug = {run.slug: run for run in runs}
        if slug not in by_slug:
            raise InputError("no run of this slug", value=slug, likely=closest(slug, by_slug))
        return by_slug[slug]

    def weight(run: Run) -> tuple[int, int, int]:
        alike = [other for other in runs if not differences(run.summary, other.summary)]
        finished = sum(other.summary.tifinaghbench is not None for other in alike)
        return len(alike), finished, sum(run.record.sampled.values())

    return max(runs, key=weight)


def missing(run: Run, headline: Headline) -> list[Missing]:
    """Why a run has no score, or no interval; none where it has both."""
    tasks, summary = HEADLINES[headline], run.summary
    cells = cells_of(summary, headline)
    have = {(cell.dialect, cell.task) for cell in cells if cell.n}
    lacking = tuple((dialect, task) for dialect in DIALECTS for task in tasks if (dialect, task) not in have)
    small = tuple((cell.dialect, cell.task) for cell in cells if cell.n == 1)
    judge = summary.overall.n_awaiting_judge if "tif-to-en" in tasks else 0
    model = sum(cell.n_awaiting for cell in cells) - judge
    reasons = [
        Missing("not_covered", len(lacking), lacking),
        Missing("awaiting_model", model),
        Missing("awaiting_judge" if summary.judge else "no_judge", judge),
        Missing("too_few", len(small), small),
    ]
    return [reason for reason in reasons if reason.n]


def board(runs: Sequence[Run], headline: Headline, reference: str = "") -> Board:
    """Rank `runs` by `headline`. Equal scores stand in the order of their labels, and are a tie."""
    base = choose_reference(runs, reference)
    apart = [(run, found) for run in runs if (found := differences(base.summary, run.summary))]
    alike = sorted((run for run in runs if not differences(base.summary, run.summary)), key=lambda run: run.label)
    scored = [(run, score) for run in alike if (score := score_of(run, headline)) and not missing(run, headline)]
    ranked = {run.slug for run, _ in scored}
    placed = tiers([score for _, score in scored])
    strict: list[float | None] = [getattr(run.summary, f"{headline}_strict") for run, _ in scored]
    return Board(
        headline,
        base,
        [
            Placed(run=scored[at][0], score=scored[at][1], strict=strict[at], tier=int(tier), rank=int(rank))
            for at, tier, rank in zip(placed.order, placed.tier[placed.order], placed.rank[placed.order], strict=True)
        ],
        [(run, missing(run, headline)) for run in alike if run.slug not in ranked],
        apart,
    )
