"""A run of the size of the published set with the fake model, its re-scoring, one answer line, chrF, and the seal."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import sacrebleu

from alifba.hieratic.fake_vision import FakeVision
from alifba.hieratic.items import ItemFolder, load_items
from alifba.hieratic.parsing import parse
from alifba.hieratic.planning import plan
from alifba.hieratic.records import RUNGS, ModelInfo
from alifba.hieratic.rescoring import rescore
from alifba.hieratic.running import Places, run
from alifba.hieratic.runs import read_run_files
from alifba.hieratic.scoring import chrf
from alifba.hieratic.seal_check import findings
from alifba.paths import repo_root

PACKAGES = ("rapidfuzz", "sacrebleu")
ITEMS, SAMPLES, PAIRS = 268, 3, 1_000
LONG = ("The signs are read from right to left, and the reed of each is thick.\n" * 150)[
    :9_975
] + "\n**SCRIPT:** Hieratic"


def make_items(folder: Path) -> ItemFolder:
    """So many items as the published set has, each asked on all rungs; images are those of the pilot set."""
    pilot = load_items()
    images = [entry.read_image().data for entry in pilot.values()]
    for number in range(ITEMS):
        row = {
            "id": f"wm-{number:03}",
            "split": "public",
            "rungs": RUNGS,
            "image": f"{number}.png",
            "script": "hieratic",
        }
        (folder / f"wm-{number:03}.json").write_text(json.dumps(row | {"gardiner": ["G17"]}), encoding="utf-8")
        (folder / f"{number}.png").write_bytes(images[number % len(images)])
    return load_items(folder)


def seconds(step: Callable[[], object]) -> float:
    """Seconds that `step` takes."""
    began = time.perf_counter()
    step()
    return time.perf_counter() - began


def _row(what: str, ours: float, note: str, theirs: float | None = None) -> dict[str, object]:
    return {"what": what, "ours_s": ours, "theirs_s": theirs, "ratio": theirs / ours if theirs else None, "note": note}


def _chrf() -> tuple[float, float]:
    """Seconds for the same pairs of sentences: ours, sacrebleu's."""
    pairs = [
        (f"the king gave {n} offerings of bread", f"bread was offered {n} times by the king") for n in range(PAIRS)
    ]
    theirs = sacrebleu.CHRF(lowercase=True)
    return (
        seconds(lambda: [chrf(said, right) for said, right in pairs]),
        seconds(lambda: [theirs.sentence_score(said, [right]) for said, right in pairs]),
    )


def measure() -> list[dict[str, object]]:
    """One row a thing measured."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "items").mkdir()
        items = make_items(folder / "items")
        jobs, places = plan(items, samples=SAMPLES), Places.below(folder)
        asking = seconds(lambda: run(FakeVision("bench").generate, ModelInfo(key="bench"), jobs, items, places))
        (file,) = read_run_files(places.runs)
        rescoring = seconds(lambda: rescore(file, items))
        size = f"{ITEMS} items x {len(RUNGS)} rungs x {SAMPLES} samples"
        places.runs.rename(places.inbox)
        sealing = seconds(lambda: findings(repo_root(), Path("studies/hieratic.yaml"), more_inboxes=[places.inbox]))
    lines = min(seconds(lambda: parse(LONG, "identify")) for _ in range(200))
    ours, theirs = _chrf()
    return [
        _row(f"run {size} with the fake model", asking, f"{len(jobs):,} calls; target: under 20 s"),
        _row(f"re-score {len(jobs):,} records", rescoring, "parsed, score and detail compared"),
        _row("find the answer line of 10 kB", lines, "best of 200; target: under 1 ms"),
        _row(f"chrF of {PAIRS:,} pairs of sentences", ours, "other: sacrebleu, the same values", theirs),
        _row(f"compare this checkout with {len(jobs):,} private texts", sealing, "the pre-commit hook's work"),
    ]


if __name__ == "__main__":
    sys.stdout.write(f"{json.dumps(measure(), indent=1)}\n")
