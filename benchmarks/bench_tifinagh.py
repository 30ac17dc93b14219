"""TifinaghBench at full size: a dictionary of 13,000 entries, every task, a fake model, on one core.

Run: from the questions to the last reply on disk. Scoring: from the files of the run to items.jsonl and summary.json.
Memory: the most that the whole process held, its imports included.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from alifba.backends.base import Description, Generation
from alifba.config import Model
from alifba.tifinagh.dictionaries import load_dictionaries
from alifba.tifinagh.harness import Harness
from alifba.tifinagh.records import DIALECTS, Answerer
from alifba.tifinagh.running import run_contestant
from alifba.tifinagh.scorebook import score_run
from alifba.tifinagh.study import TifinaghStudy

ENTRIES = 13_000
PACKAGES = ("rapidfuzz", "alifba")
_LETTERS = "ⴰⴱⴳⴷⴼⴽⵀⵉⵊⵍⵎⵏⵓⵔⵙⵛⵜⵡⵢⵣ"
_LINE = re.compile(r'^\{"id":.*\}$', re.MULTILINE)


class _Echo:
    """Answers every item with its input, so that some transliterations are near and no answer needs a judge's word."""

    description = Description("echo-1", "none", "none", "none", 1)

    def generate(
        self,
        prompts: Sequence[str],
        max_new_tokens: int,
        answered: frozenset[int] = frozenset(),
        stop: str | None = None,
    ) -> Iterator[Generation]:
        for place, prompt in enumerate(prompts):
            if place not in answered:
                items = [json.loads(line) for line in _LINE.findall(prompt)]
                rows = [{"id": item["id"], "answer": item["input"]} for item in items]
                yield Generation(place, json.dumps({"answers": rows}, ensure_ascii=False), "end")


def _word(number: int) -> str:
    signs = ""
    for _ in range(6):
        number, place = divmod(number, len(_LETTERS))
        signs += _LETTERS[place]
    return signs


def _study(folder: Path, entries: int) -> TifinaghStudy:
    paths = []
    for place, dialect in enumerate(DIALECTS):
        rows = [
            f"{dialect}-{n:06}\t{_word(n * 7 + place)}\tw{n}\tmeaning {n // 2}; another {n}"
            for n in range(place, entries, len(DIALECTS))
        ]
        (folder / f"{dialect}.tsv").write_text("id\ttifinagh\tlatin\tenglish\n" + "\n".join(rows) + "\n", "utf-8")
        mapping = {
            "dialect": dialect,
            "name": "bench",
            "file": f"{dialect}.tsv",
            "source": "bench",
            "licence": "CC0-1.0",
        }
        mapping["columns"] = {name: name for name in ("id", "tifinagh", "latin", "english")}
        path = folder / f"{dialect}.yaml"
        path.write_text(yaml.safe_dump(mapping), "utf-8")
        paths.append(str(path))
    return TifinaghStudy(name="bench", title="Bench", dictionaries=paths, runs=str(folder / "runs"), sample="all")


def measure(entries: int = ENTRIES) -> list[dict[str, object]]:
    """Three rows: seconds of the run, seconds of the scoring, megabytes."""
    with tempfile.TemporaryDirectory() as temporary:
        study = _study(Path(temporary), entries)
        fields = {
            name: getattr(_Echo.description, name) for name in ("revision", "precision", "device", "chat_template")
        }
        answerer = Answerer(slug="echo", name="bench/echo", label="Echo", harness="fake", **fields)
        harness = Harness(_Echo(), lambda text: text, answerer, 1)
        model = Model(slug="echo", name="bench/echo", label="Echo", backend="fake")
        start, cpu = time.perf_counter(), time.process_time()
        report = run_contestant(study, model, harness=harness)
        run_s, run_cpu = time.perf_counter() - start, time.process_time() - cpu
        assert report.n_answered == report.n_questions == 3 * entries
        dictionaries = load_dictionaries(study.dictionaries)
        start, cpu = time.perf_counter(), time.process_time()
        score_run(report.folder, dictionaries)
        score_s, score_cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    what = f"tifinagh, {entries:,} entries, {3 * entries:,} questions"
    return [
        _row(f"{what}: run with a fake model", run_s, f"target: under 60 s; {run_cpu:.1f} s of processor time"),
        _row(f"{what}: scoring", score_s, f"target: under 5 s; {score_cpu:.1f} s of processor time"),
        _row(f"{what}: memory", None, f"{peak:.0f} MB at most; target: under 500 MB"),
    ]


def _row(what: str, seconds: float | None, note: str) -> dict[str, object]:
    return {"what": what, "ours_s": seconds, "theirs_s": None, "ratio": None, "note": note}


if __name__ == "__main__":
    for row in measure(int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES):
        sys.stdout.write(f"{row}\n")
