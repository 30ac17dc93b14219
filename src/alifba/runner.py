"""Perform a plan of runs: each in a process of its own, two at a time here, or spread over a Dask cluster.

A run resumes by its own raw file, so a task that died is simply performed again, by whoever is free.
"""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from alifba.errors import InputError
from alifba.paths import repo_root

_TOLD_LINES = 12
_PR_SET_PDEATHSIG = 1
_LOST_WORKERS = 3
"""How often a task may lose its worker before it counts as failed: it may be the task that kills them."""


@dataclass(frozen=True)
class Task:
    """One run to perform: `label` for people, `arguments` for ``alifba run`` or another `command`."""

    label: str
    arguments: tuple[str, ...]
    command: str = "run"


@dataclass(frozen=True)
class Outcome:
    """How a task ended: seconds it took, and the last lines that it printed where it failed ("" where it did not)."""

    task: Task
    seconds: float
    error: str = ""


def perform(task: Task) -> Outcome:
    """Perform one task in a new process. Ends with that process: a killed caller leaves nobody writing."""
    begun = time.monotonic()
    command = [sys.executable, "-m", "alifba.cli", task.command, *task.arguments]
    done = subprocess.run(
        command,
        cwd=repo_root(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=_die_with_parent,
        check=False,
    )
    seconds = time.monotonic() - begun
    if done.returncode == 0:
        return Outcome(task, seconds)
    lines = done.stderr.decode("utf-8", "replace").strip().split("\n")
    told = "\n".join(lines[-_TOLD_LINES:]) or "nothing was printed"
    if done.returncode < 0:
        told += f"\nkilled by signal {-done.returncode} (9: most likely out of memory)"
    return Outcome(task, seconds, told)


def _die_with_parent() -> None:
    """Ask Linux to end this process when its parent dies; elsewhere an orphan goes on until its run is complete."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def perform_here(tasks: Sequence[Task], jobs: int) -> Iterator[Outcome]:
    """Perform `tasks`, at most `jobs` at a time, and yield each outcome as it comes. A failed one stops no other."""
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        # A thread that outlived its task would not be the parent that the task dies with, so each waits for its own.
        for future in as_completed([pool.submit(perform, task) for task in tasks]):
            yield future.result()


def perform_on_cluster(tasks: Sequence[Task], scheduler: str, resources: dict[str, float]) -> Iterator[Outcome]:
    """Perform `tasks` on the Dask cluster at `scheduler`; each asks for `resources` (``{"GPU": 1}``).

    Workers share this checkout and its results folder. A worker that is lost gives its task to another, which goes
    on where the raw file ends.

    Raises:
        InputError: Dask is not installed, or nothing answers at `scheduler`.
    """
    try:
        from distributed import Client
        from distributed import as_completed as completed
    except ImportError:
        raise InputError("dask.distributed is not installed", next_step="pip install -e '.[cluster]'") from None
    try:
        client = Client(scheduler, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as fault:
        raise InputError(
            f"no Dask scheduler answers ({fault})", value=scheduler, next_step="start one: dask scheduler"
        ) from None
    with client:
        futures: dict[Any, Task] = {
            client.submit(perform, task, resources=resources or None, retries=_LOST_WORKERS, pure=False): task
            for task in tasks
        }
        for future in completed(futures):  # type: ignore[no-untyped-call]
            if future.status == "finished":
                yield future.result()
            else:
                yield Outcome(futures[future], float("nan"), f"lost on the cluster: {future.exception()}")
