"""Stand-ins that are told the labels and give a set share of them: what a leaderboard should find is known before."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from alifba.backends.base import Generation, Prompt
from alifba.hieratic.pilot.fonts import PACKAGE
from alifba.hieratic.pilot.signs import signs
from alifba.hieratic.planning import Job
from alifba.hieratic.prompts import LABELS
from alifba.hieratic.records import Item
from alifba.hieratic.scoring import classify, family
from alifba.text.resources import load_toml

_WORDS = load_toml("told.toml", PACKAGE)
_SAME_AGAIN = 0.7  # how often a further sample of an item goes the way of the first
_NO_LINE = 0.15  # of the wrong answers


@dataclass(frozen=True)
class Told:
    """A stand-in: `share` of the items right on average, in [0, 1], on the rungs that it is asked."""

    key: str
    label: str
    share: float
    rungs: tuple[str, ...]

    def answer(self, jobs: Sequence[Job], prompts: Sequence[Prompt], answered: frozenset[int]) -> Iterator[Generation]:
        """A reply for every job that is not `answered`; the same every time. Samples of one item go together."""
        for index, (job, prompt) in enumerate(zip(jobs, prompts, strict=True)):
            if index not in answered:
                text = self._text(job)
                yield Generation(index, text, "end", len(prompt.text) // 4, len(text) // 4)

    def _text(self, job: Job) -> str:
        of_item = random.Random(f"{self.key} {job.item.id} {job.rung}")
        right = of_item.random() < self.share
        rng = random.Random(f"{self.key} {job.item.id} {job.rung} {job.sample}")
        if rng.random() > _SAME_AGAIN:
            right = rng.random() < self.share
        missing = not right and job.item.split != "sealed" and rng.random() < _NO_LINE
        form = "missing" if missing else "right"
        answer = _right(job.item, job.rung, rng) if right else _wrong(job.item, job.rung, rng)
        forms = _WORDS["forms"][form]
        # A private text must not share a sentence with a public one: the check of the seal would find it there.
        said = forms[0] if job.item.split == "sealed" else rng.choice(forms)
        return str(said).format(label=LABELS[job.rung], answer=answer)


def _right(item: Item, rung: str, rng: random.Random) -> str:
    if rung == "signs":
        return rng.choice(item.gardiner or ("",))
    return str(rng.choice(_WORDS["answers"][item.script]))


def _wrong(item: Item, rung: str, rng: random.Random) -> str:
    if rung == "signs":
        return rng.choice([code for code in signs() if code not in (item.gardiner or ())])
    script = family(item.script or "")
    return str(rng.choice([said for said in _WORDS["answers"]["wrong"] if family(classify(said)) != script]))


@cache
def told_models() -> tuple[Told, ...]:
    """The stand-ins of the shipped example."""
    return tuple(Told(**entry | {"rungs": tuple(entry["rungs"])}) for entry in _WORDS["models"])
