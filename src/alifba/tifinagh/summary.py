"""ANALYSE, per run: cells, the TifinaghBench score, the script score, their strict twins; None while undecided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from alifba.tifinagh.records import (
    DIALECTS,
    MEANING_TASKS,
    SCRIPT_TASKS,
    TASKS,
    Answerer,
    Cell,
    Dialect,
    ItemRecord,
    Overall,
    RunRecord,
    Summary,
    Task,
)


def cell_of(dialect: Dialect, task: Task, items: Sequence[ItemRecord]) -> Cell:
    """One cell from its items; a score exists only if nothing is awaited and something was asked."""
    n, n_error = len(items), sum(item.scored_by == "error" for item in items)
    n_awaiting = sum(item.awaiting is not None for item in items)
    scored = [item for item in items if item.score is not None]
    n_correct, n_partial = (sum(item.score == worth for item in scored) for worth in (1.0, 0.5))
    rates = [item.cer for item in scored if item.cer is not None]
    n_strict = None if task == "tif-to-en" else sum(item.strict is True for item in items)
    assert n == len(scored) + n_error + n_awaiting
    whole = n > 0 and not n_awaiting
    score = (n_correct + 0.5 * n_partial) / n if whole else None
    return Cell(
        dialect=dialect,
        task=task,
        n=n,
        n_correct=n_correct,
        n_partial=n_partial,
        n_wrong=len(scored) - n_correct - n_partial,
        n_empty=sum(item.scored_by == "empty" for item in items),
        n_error=n_error,
        n_awaiting=n_awaiting,
        n_strict=n_strict,
        score=score,
        score_strict=score if n_strict is None or score is None else n_strict / n,
        accuracy=_mean([item.score for item in scored if item.score is not None]),
        cer=_mean(rates),
        n_cer=len(rates),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def overall_of(items: Sequence[ItemRecord]) -> Overall:
    """All questions pooled."""
    scored = [item for item in items if item.score is not None]
    strict = [item.score if item.strict is None else float(item.strict) for item in scored]
    return Overall(
        n=len(items),
        n_scored=len(scored),
        n_error=sum(item.scored_by == "error" for item in items),
        n_awaiting_model=sum(item.awaiting == "model" for item in items),
        n_awaiting_judge=sum(item.awaiting == "judge" for item in items),
        accuracy=_mean([item.score for item in scored if item.score is not None]),
        accuracy_strict=_mean([value for value in strict if value is not None]),
    )


def summarise(run: RunRecord, items: Sequence[ItemRecord]) -> Summary:
    """``summary.json`` of a run."""
    groups: dict[tuple[str, str], list[ItemRecord]] = {}
    for item in items:
        groups.setdefault((item.dialect, item.task), []).append(item)
    covered = [(d, t) for d in DIALECTS for t in TASKS if d in run.setup.dialects and t in run.setup.tasks]
    cells = [cell_of(dialect, task, groups.get((dialect, task), [])) for dialect, task in covered]
    meaning, script = ([cell for cell in cells if cell.task in tasks] for tasks in (MEANING_TASKS, SCRIPT_TASKS))
    no_meaning, no_script = (_missing(tasks, groups, run.judge) for tasks in (MEANING_TASKS, SCRIPT_TASKS))
    why = {"tifinaghbench": no_meaning, "tifinaghbench_strict": no_meaning}
    why |= {"script_score": no_script, "script_score_strict": no_script}
    return Summary(
        answerer=run.answerer,
        setup=run.setup,
        judge=named(run.judge),
        label="; ".join(dict.fromkeys(record.label for record in run.dictionaries if record.label)),
        comparable=all(record.comparable for record in run.dictionaries),
        tifinaghbench=None if no_meaning else _points([cell.score for cell in meaning]),
        tifinaghbench_strict=None if no_meaning else _points([cell.score_strict for cell in meaning]),
        script_score=None if no_script else _points([cell.score for cell in script]),
        script_score_strict=None if no_script else _points([cell.score_strict for cell in script]),
        why_null={name: reasons for name, reasons in why.items() if reasons},
        overall=overall_of(items),
        cells=cells,
    )


def _points(shares: Sequence[float | None]) -> float:
    """The mean of cells of equal weight, in points of 100. Every cell has a score where nothing is missing."""
    known = [share for share in shares if share is not None]
    assert len(known) == len(shares) > 0
    return 100 * sum(known) / len(known)


def named(judge: Answerer | None) -> str | None:
    """Who judged, as two runs are compared by it."""
    return None if judge is None else f"{judge.name}@{judge.revision}"


def _missing(
    tasks: Iterable[Task], groups: Mapping[tuple[str, str], Sequence[ItemRecord]], judge: Answerer | None
) -> list[str]:
    """Why there is no score over `tasks`, in words; empty if there is one."""
    reasons = []
    for task in tasks:
        for dialect in DIALECTS:
            items = groups.get((dialect, task), ())
            if not items:
                reasons.append(f"{dialect} {task}: no question of the run")
            for whom, waited_for in (
                ("model", "the model"),
                ("judge", "the judge" if judge else "a judge, and there is none"),
            ):
                if n := sum(item.awaiting == whom for item in items):
                    reasons.append(f"{dialect} {task}: {n} of {len(items)} questions wait for {waited_for}")
    return reasons
