"""Side by side, in one run: our exact tests and bootstrap intervals against scipy's resampling on the same data.

Run alone with ``python benchmarks/bench_stats.py``; `measure` gives the rows to whoever writes a report.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypedDict

import numpy as np
import scipy.stats

from alifba.stats import exact_binary_family, exact_signflip_family, mean_intervals

TESTS, ITEMS, RESAMPLES = 500, 1_000, 10_000
PACKAGES = ("numpy", "scipy", "alifba")
# scipy needs about a second a test: run on this many and scaled linearly to the family.
SCIPY_TESTS, SCIPY_INTERVALS, INTERVALS = 5, 20, 100


class Row(TypedDict):
    """One comparison: seconds for the whole task, ours and theirs, and theirs / ours."""

    what: str
    ours_s: float
    theirs_s: float
    ratio: float
    note: str


def measure(seed: int = 0) -> list[Row]:
    """Every comparison of this file; about 15 s on one core."""
    rng = np.random.default_rng(seed)
    base, tuned = (rng.random((2, TESTS, ITEMS)) < np.array([0.30, 0.27])[:, None, None]).astype(np.int8)
    en_loss = (rng.random((TESTS, ITEMS)) < 0.1).astype(np.int8) - (rng.random((TESTS, ITEMS)) < 0.1)
    loss = base - tuned
    excess = loss - en_loss
    return [
        _tests("exact p, 0/1 scores", lambda: exact_binary_family(base, tuned), loss, rng),
        _tests("exact p, excess damage (-2..2)", lambda: exact_signflip_family(excess), excess, rng),
        _intervals("interval of an accuracy", base[:INTERVALS], rng),
        _intervals("interval of an excess damage", excess[:INTERVALS], rng),
    ]


def _tests(what: str, ours: Callable[[], object], differences: np.ndarray, rng: np.random.Generator) -> Row:
    def theirs() -> None:
        for row in differences[:SCIPY_TESTS]:
            scipy.stats.permutation_test(
                (row,),
                np.sum,
                permutation_type="samples",
                n_resamples=RESAMPLES,
                vectorized=True,
                random_state=rng,
            )

    scale = TESTS / SCIPY_TESTS
    note = (
        f"family of {TESTS}, {ITEMS} items; scipy.stats.permutation_test with {RESAMPLES:,} resamples "
        f"timed on {SCIPY_TESTS} tests, times {scale:g}"
    )
    return _row(what, _seconds(ours, repeats=5), _seconds(theirs) * scale, note)


def _intervals(what: str, values: np.ndarray, rng: np.random.Generator) -> Row:
    def ours() -> None:
        mean_intervals(values, rng, resamples=RESAMPLES)

    def theirs() -> None:
        for row in values[:SCIPY_INTERVALS]:
            scipy.stats.bootstrap(
                (row,), np.mean, n_resamples=RESAMPLES, method="percentile", vectorized=True, random_state=rng
            )

    scale = INTERVALS / SCIPY_INTERVALS
    note = (
        f"{INTERVALS} intervals, {ITEMS} items, {RESAMPLES:,} resamples; scipy.stats.bootstrap (percentile) "
        f"timed on {SCIPY_INTERVALS} intervals, times {scale:g}"
    )
    return _row(what, _seconds(ours, repeats=3), _seconds(theirs) * scale, note)


def _seconds(call: Callable[[], object], repeats: int = 1) -> float:
    """Wall-clock seconds of the fastest of `repeats` calls."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def _row(what: str, ours_s: float, theirs_s: float, note: str) -> Row:
    return Row(what=what, ours_s=ours_s, theirs_s=theirs_s, ratio=theirs_s / ours_s, note=note)


def main() -> None:
    """Print the rows."""
    for row in measure():
        print(f"{row['what']}: {row['ours_s']:.4f} s v {row['theirs_s']:.2f} s, {row['ratio']:.0f} x. {row['note']}")


if __name__ == "__main__":
    main()
