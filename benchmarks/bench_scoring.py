"""How long it takes to score 40 runs of 1,000 items under four chains, from raw rows in memory to per-item scores."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from alifba.azeval.scoring import score_run
from alifba.items import Item, ItemSet, read_items
from alifba.jsonl import Notices
from alifba.paths import repo_root
from alifba.runs import Row, Run

RUNS, ITEMS = 40, 1000
PACKAGES = ("numpy", "pandas", "alifba")


def synthetic_run(items: ItemSet, number: int, rng: np.random.Generator) -> Run:
    """A run whose answers are a mix of right ones, right ones with a suffix or label, and other items' answers."""
    language = "az" if number % 2 else "en"
    others = rng.permutation(len(items))
    rows = {}
    for place, item in enumerate(items):
        rows[item.id] = Row(
            id=item.id,
            model=f"bench/model-{number // 2}",
            language=language,
            prompt_style="default",
            prompt="",
            raw_response=_answer(item, items.items[others[place]], language, int(rng.integers(5))),
        )
    return Run(Path(f"bench-{number}.jsonl"), rows, "", Notices(Path("bench")), 0)


def _answer(item: Item, other: Item, language: str, kind: int) -> str:
    right, wrong = (item.answer, other.answer) if language == "az" else (item.answer_en, other.answer_en)
    return (
        f" {right}\n\nSual: {other.question_az}",
        f"Cavab: **{right}dır**.",
        f" {wrong}",
        f"The answer is {wrong}, as everybody who has been to school in the last hundred years will know. {right}",
        f"{wrong} {right} və {wrong}",
    )[kind]


def measure() -> list[dict[str, object]]:
    """One row: seconds for all runs on one core."""
    whole = read_items(repo_root() / "data/azeval/pilot.jsonl")
    items = ItemSet(whole.path, whole.items[:ITEMS], whole.sha256, whole.notices)
    rng = np.random.default_rng(0)
    runs = [synthetic_run(items, number, rng) for number in range(RUNS)]
    start = time.perf_counter()
    for run in runs:
        score_run(run, items)
    seconds = time.perf_counter() - start
    what = f"score {RUNS} runs x {ITEMS} items x 4 chains, one process, cold caches"
    return [{"what": what, "ours_s": seconds, "theirs_s": None, "ratio": None, "note": "target: under 5 s"}]


if __name__ == "__main__":
    sys.stdout.write(f"{measure()}\n")
