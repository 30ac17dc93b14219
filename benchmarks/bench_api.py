"""How near the API backend comes to the ideal rate of a server that answers every request after the same time.

The server is a process of its own on this machine. Needs the extra ``api``. Run alone with
``python benchmarks/bench_api.py``; `measure` gives the rows to whoever writes a report.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

from openai import AsyncOpenAI

from alifba.azeval.running import run_model
from alifba.backends.api import ApiBackend
from alifba.config import Model
from alifba.items import ItemSet, read_items
from alifba.paths import repo_root

WORKERS, REPLY_S, ITEMS, ROUNDS = 32, 0.1, 1_600, 3
PACKAGES = ("openai", "alifba")


class Row(TypedDict):
    """One comparison: seconds for the whole task, ours and theirs, and theirs / ours."""

    what: str
    ours_s: float
    theirs_s: float
    ratio: float
    note: str


def measure() -> list[Row]:
    """The rate of a whole run, rows written, beside the ideal and the bare client; half a minute on two cores."""
    items = _items()
    with _server() as url, tempfile.TemporaryDirectory() as folder:
        model = _model(url)
        runs = (Path(folder) / str(number) for number in range(ROUNDS))
        ours = _best(lambda: run_model(ApiBackend(model), model, items, "az", "default", next(runs)))
        bare = _best(lambda: asyncio.run(_bare(url, [item.question_az for item in items])))
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    ideal = len(items) * REPLY_S / WORKERS
    what = f"API run, {WORKERS} workers, replies after {REPLY_S * 1000:.0f} ms"
    rates = f"{len(items) / ours:.0f} of {len(items) / ideal:.0f} items a second"
    share = f"{ideal / ours:.0%} of the ideal rate ({rates}), {load}"
    return [
        Row(what=what, ours_s=ours, theirs_s=ideal, ratio=ideal / ours, note=f"other: the ideal; {share}"),
        Row(
            what=what, ours_s=ours, theirs_s=bare, ratio=bare / ours, note="other: the openai client alone, no retries"
        ),
    ]


def _items() -> ItemSet:
    pilot = read_items(repo_root() / "data" / "azeval" / "pilot.jsonl")
    copies = -(-ITEMS // len(pilot))
    many = [item.model_copy(update={"id": f"{item.id}-{copy}"}) for copy in range(copies) for item in pilot]
    return replace(pilot, items=tuple(many[:ITEMS]))


def _model(url: str) -> Model:
    api = {"provider": "vllm", "model": "m", "base_url": url, "workers": WORKERS}
    return Model.model_validate({"slug": "m", "name": "org/m", "label": "m", "backend": "api", "api": api})


async def _bare(url: str, prompts: list[str]) -> None:
    """The least that anybody has to do with this client: send a question, take the reply."""
    left = iter(prompts)
    async with AsyncOpenAI(api_key="none", base_url=url, max_retries=0) as client:

        async def work() -> None:
            for prompt in left:
                message = {"role": "user", "content": prompt}
                await client.chat.completions.create(
                    model="m",
                    messages=[message],
                    max_tokens=32,
                    temperature=0,  # type: ignore[list-item]
                )

        await asyncio.gather(*(work() for _ in range(WORKERS)))


@contextmanager
def _server() -> Iterator[str]:
    command = [sys.executable, str(repo_root() / "tests/backends/api_server.py"), "--delay", str(REPLY_S)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.communicate()


def _best(call: Callable[[], object]) -> float:
    """Wall-clock seconds of the fastest of the rounds."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    """Print the rows."""
    for row in measure():
        print(f"{row['what']}: {row['ours_s']:.2f} s v {row['theirs_s']:.2f} s. {row['note']}")


if __name__ == "__main__":
    main()
