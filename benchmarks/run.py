"""Measure everything side by side in one run and write RESULTS.md with the machine and the versions."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import bench_annotate
import bench_api
import bench_scoring
import bench_stats

from alifba.paths import write_atomic

_PACKAGES = ("numpy", "scipy", "pandas", "alifba")


def _cell(value: Any, form: str) -> str:
    return "-" if value is None else format(value, form)


def table(rows: list[Any]) -> str:
    """Rows as a Markdown table."""
    lines = ["| what | alifba, s | other, s | ratio | note |", "|---|--:|--:|--:|---|"]
    for row in rows:
        cells = [row["what"], _cell(row["ours_s"], ".3g"), _cell(row["theirs_s"], ".3g")]
        lines.append("| " + " | ".join([*cells, _cell(row["ratio"], ",.0f"), row["note"]]) + " |")
    return "\n".join(lines)


def _processor() -> str:
    found = [line for line in Path("/proc/cpuinfo").read_text().split("\n") if line.startswith("model name")]
    return found[0].split(":", 1)[1].strip() if found else platform.processor()


def main() -> None:
    """Write benchmarks/RESULTS.md."""
    load = os.getloadavg()[0]
    rows = [
        *bench_scoring.measure(),
        *bench_stats.measure(),
        *bench_api.measure(),
        *bench_annotate.measure(),
    ]
    versions = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    text = f"""# Measurements

`make bench`, {date.today():%Y-%m-%d}; {_processor()}, {os.cpu_count()} cores, load {load:.1f} at the start;
Python {platform.python_version()}, {versions}.
Both sides of a row were measured in the same run. A ratio says how many times faster alifba is.

{table(rows)}
"""
    write_atomic(Path(__file__).parent / "RESULTS.md", text)
    print(text)


if __name__ == "__main__":
    main()
