"""``python -m alifba.hieratic.pilot.example [RESULTS]``: the shipped example, fake models on the pilot set.

They check the pipeline and say nothing about any model. Run files that are there already are not asked again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from alifba.backends.base import Generation, Prompt
from alifba.hieratic.fake_vision import FakeVision
from alifba.hieratic.items import load_items
from alifba.hieratic.pilot.told import Told, told_models
from alifba.hieratic.planning import plan
from alifba.hieratic.records import RUNGS, ModelInfo
from alifba.hieratic.running import Ask, Places, RunReport, run
from alifba.paths import repo_root

_SAMPLES = 2
_RUN_ID = "20261130T120000Z-{key}-0000"


def write_example(results: Path) -> list[RunReport]:
    """Run the fake that sees nothing and the told ones on the pilot set, into ``runs/`` and ``inbox/`` of `results`.

    The told ones are asked nothing that is sealed but identify: nobody can tell them an answer that is not stored.
    """
    blind = ModelInfo(key="fake-blind", label="fake, sees nothing", provider="fake", id="fake-blind")
    sees_nothing = FakeVision(blind.key)
    reports = [_ask(lambda prompts, limit, answered: sees_nothing.generate(prompts, limit, answered), blind, results)]
    for told in told_models():
        info = ModelInfo(key=told.key, label=told.label, provider="fake", id=told.key)
        reports.append(_ask(told, info, results))
    return reports


def _ask(model: Ask | Told, info: ModelInfo, results: Path) -> RunReport:
    items = load_items()
    jobs = plan(items, model.rungs if isinstance(model, Told) else RUNGS, samples=_SAMPLES)
    if not isinstance(model, Told):
        return run(model, info, jobs, items, Places.below(results), _RUN_ID.format(key=info.key))
    told, open_jobs = model, [job for job in jobs if not job.item.is_sealed(job.rung)]

    def answer(prompts: Sequence[Prompt], limit: int, answered: frozenset[int]) -> Iterator[Generation]:
        return told.answer(open_jobs, prompts, answered)

    return run(answer, info, open_jobs, items, Places.below(results), _RUN_ID.format(key=info.key))


def main(arguments: list[str]) -> None:
    """Make the example and say what was asked."""
    for report in write_example(Path(arguments[0]) if arguments else repo_root() / "results" / "hieratic"):
        print(f"{report.run_id}: {report.n_answered} answered, {report.n_before} before, {report.n_failed} failed")


if __name__ == "__main__":
    main(sys.argv[1:])
