"""Measure side by side and write RESULTS.md: every ``bench_*.py`` here, or those that are named.

A benchmark keeps its rows, with the day and the machine, in ``results/<name>.json``; RESULTS.md is drawn from these.
One that cannot run here (it wants a package that is missing) keeps what was measured before, and says so.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Mapping
from datetime import date
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from alifba.paths import write_atomic

_HERE = Path(__file__).parent
_BELOW_WHICH_DECIMALS_MATTER = 10


def names() -> list[str]:
    """Every benchmark of this folder."""
    return sorted(path.stem.removeprefix("bench_") for path in _HERE.glob("bench_*.py"))


def measure(name: str) -> str:
    """Run one benchmark and keep its rows; returns why it could not run, or nothing."""
    load = os.getloadavg()[0]
    try:
        bench = import_module(f"bench_{name}")
        rows = bench.measure()
    except ModuleNotFoundError as fault:
        return f"not measured on {date.today():%Y-%m-%d}: {fault.name} is not installed"
    keep(name, rows, load, bench.PACKAGES)
    return ""


def keep(name: str, rows: list[Any], load: float, packages: tuple[str, ...]) -> None:
    """Write rows with the conditions that they were measured under; `load` is the machine's at the start."""
    urgent = os.sched_getscheduler(0) != os.SCHED_OTHER
    machine = f"{_processor()}, {os.cpu_count()} cores, load {load:.1f} at the start"
    versions = [f"Python {platform.python_version()}", *(f"{package} {version(package)}" for package in packages)]
    content = {
        "date": date.today().isoformat(),
        "machine": machine + (" (ahead of it, at realtime priority)" if urgent else ""),
        "versions": ", ".join(versions),
        "rows": rows,
    }
    write_atomic(_HERE / "results" / f"{name}.json", json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _processor() -> str:
    found = [line for line in Path("/proc/cpuinfo").read_text().split("\n") if line.startswith("model name")]
    return found[0].split(":", 1)[1].strip() if found else platform.processor()


def _cell(value: Any, form: str) -> str:
    return "-" if value is None else format(value, form)


def ratio(value: float | None) -> str:
    """With two decimals where they tell something: 0.90 is slower, and must not be shown as 1."""
    return _cell(value, ".2f" if value is not None and value < _BELOW_WHICH_DECIMALS_MATTER else ",.0f")


def table(rows: list[Any]) -> str:
    """Rows as a Markdown table."""
    lines = ["| what | alifba, s | other, s | ratio | note |", "|---|--:|--:|--:|---|"]
    for row in rows:
        cells = [row["what"], _cell(row["ours_s"], ".3g"), _cell(row["theirs_s"], ".3g")]
        lines.append("| " + " | ".join([*cells, ratio(row["ratio"]), row["note"]]) + " |")
    return "\n".join(lines)


def section(name: str, why_not: str) -> str:
    """One benchmark: when and where, its rows, or why there are none."""
    path = _HERE / "results" / f"{name}.json"
    if not path.exists():
        empty = {"what": name, "ours_s": None, "theirs_s": None, "ratio": None, "note": why_not or "not measured"}
        return f"## {name}\n\n{table([empty])}\n"
    kept = json.loads(path.read_text(encoding="utf-8"))
    where = f"{kept['date']}; {kept['machine']}; {kept['versions']}."
    return f"## {name}\n\n{where}\n\n{table(kept['rows'])}\n"


def results(why_not: Mapping[str, str]) -> str:
    """RESULTS.md, from what is kept; `why_not` says of benchmarks why they could not run now."""
    intro = (
        "`make bench` measures and writes this page. Both sides of a row were measured in the same run. "
        "A ratio says how many times faster alifba is."
    )
    return "\n".join([f"# Measurements\n\n{intro}\n", *(section(name, why_not.get(name, "")) for name in names())])


def main(chosen: list[str]) -> None:
    """Measure the `chosen` benchmarks, all if none is named, and write benchmarks/RESULTS.md."""
    if unknown := set(chosen) - set(names()):
        sys.exit(f"no such benchmark: {', '.join(sorted(unknown))}. There are: {', '.join(names())}")
    why_not = {name: measure(name) for name in chosen or names()}
    for name, why in why_not.items():
        print(f"{name}: {why or 'measured'}")
    write_atomic(_HERE / "RESULTS.md", results(why_not))


if __name__ == "__main__":
    main(sys.argv[1:])
