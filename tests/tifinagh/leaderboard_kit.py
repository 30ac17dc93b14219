"""Runs of models that do not exist, for the leaderboard: counts in, the three files of a run out."""

from __future__ import annotations

import itertools
from functools import cache

from alifba.tifinagh.records import (
    DIALECTS,
    RUN_FILE,
    SUMMARY_FILE,
    TASKS,
    Answerer,
    DictionaryRecord,
    ItemRecord,
    RunRecord,
    Setup,
    write_item_records,
    write_record,
)
from alifba.tifinagh.summary import summarise

LABEL = "fictional: made for a test"
MEANING = tuple(itertools.product(DIALECTS, ("tif-to-en", "en-to-tif")))
SCRIPT = tuple((dialect, "transliterate") for dialect in DIALECTS)
# The cells of the specification's worked example: (right, partly right) of 250 questions a cell, dialect by dialect.
LOWER = dict(zip(MEANING, [(100, 50), (40, 0), (60, 30), (20, 0), (80, 40), (30, 0)], strict=True))
HIGHER = dict(zip(MEANING, [(110, 50), (45, 0), (66, 30), (25, 0), (90, 40), (33, 0)], strict=True))
LETTERS = dict(zip(SCRIPT, [(200, 0), (190, 0), (240, 0)], strict=True))


def answerer(slug: str) -> Answerer:
    return Answerer(
        slug=slug, name=f"fictional/{slug}", label=f"Fictional {slug}", harness="fake", revision="1", precision="none",
        device="cpu", chat_template="none",
    )  # fmt: skip


def dictionary(dialect: str, label: str) -> DictionaryRecord:
    return DictionaryRecord(
        dialect=dialect, name=f"Fictional {dialect} words", source="a test", licence="CC0-1.0", redistributable=True,
        comparable=False, label=label, sha256=dialect * 8, n_rows=13000, n_entries=13000, left_out={}, no_english=0,
        no_latin=0, repaired={},
    )  # fmt: skip


@cache
def items_of(dialect: str, task: str, n: int, right: int, partly: int, waits_for: str | None) -> list[ItemRecord]:
    """`n` questions: the first ones right, then those partly right, the others wrong, or waiting for `waits_for`."""
    exact, rows = task != "tif-to-en", []
    for at in range(n):
        score = 1.0 if at < right else 0.5 if at < right + partly else 0.0
        waiting = waits_for if score < 1 else None
        rows.append(
            ItemRecord(
                dialect=dialect, task=task, direction="tif-to-lat" if task == "transliterate" else None,
                entry_id=f"{at:05}", input="ⴰⵎⴰⵏ", accepted=["aman"], answer=None if waiting == "model" else "aman",
                scored_by=None if waiting else "exact" if exact else "judge", awaiting=waiting,
                score=None if waiting else score, strict=score == 1 and at % 4 != 0 if exact else None,
                cer=(0.0 if score == 1 else 0.25 + at % 4 / 4) if exact and not waiting else None,
                matched_entry_id=None, note=None, tries=1,
            )
        )  # fmt: skip
    return rows


def write_run(runs, slug, counts, *, n=250, judge="1", waiting=None, label=LABEL, **setup):
    """A run folder below `runs`: `counts` (right, partly right) by cell; `waiting` (dialect, task) -> "model", "judge".

    `judge` is the revision of the fictional judge, None for none; `setup` replaces fields of the setup. Returns the
    folder. Questions that do not wait are judged, as if the judge had come so far.
    """
    waiting = waiting or {}
    asked = Setup(**{
        "sampling": "alifba-1", "seed": 1, "sample": n, "batch_size": 100, "retries": 2, "dialects": list(DIALECTS),
        "tasks": list(TASKS), "dictionaries": {dialect: dialect * 8 for dialect in DIALECTS}, "prompts": "0123456789ab",
        "max_new_tokens": 4096,
    } | setup)  # fmt: skip
    groups = (items_of(*cell, n, *counts[cell], waiting.get(cell)) for cell in itertools.product(DIALECTS, TASKS)
              if cell in counts)  # fmt: skip
    items = list(itertools.chain.from_iterable(groups))
    record = RunRecord(
        study="fictional", answerer=answerer(slug), setup=asked,
        dictionaries=[dictionary(dialect, label) for dialect in asked.dialects],
        sampled=dict.fromkeys(asked.dialects, n), skipped={}, n_questions=len(items), versions={},
        judge=None if judge is None else answerer("judge").model_copy(update={"revision": judge}),
    )  # fmt: skip
    folder = runs / slug
    write_record(folder / RUN_FILE, record)
    write_record(folder / SUMMARY_FILE, summarise(record, items))
    write_item_records(folder, items)
    return folder


def scaled(counts, factor):
    return {cell: (round(right * factor), round(partly * factor)) for cell, (right, partly) in counts.items()}


def write_season(runs):
    """Nine fictional runs: three tiers, a tie, runs that wait, and other setups."""
    write_run(runs, "alpha", scaled(HIGHER, 1.6) | scaled(LETTERS, 1.03))
    write_run(runs, "beta", HIGHER | LETTERS)
    write_run(runs, "gamma", LOWER | scaled(LETTERS, 0.98))
    write_run(runs, "delta", scaled(LOWER, 0.4) | scaled(LETTERS, 0.4))
    write_run(runs, "epsilon", LOWER | LETTERS, waiting={(dialect, "tif-to-en"): "judge" for dialect in DIALECTS})
    write_run(runs, "zeta", LOWER | LETTERS, waiting={("kabyle", "transliterate"): "model"})
    write_run(runs, "eta", LOWER | LETTERS, judge="2")
    write_run(runs, "theta", LOWER | LETTERS, seed=7, batch_size=50)
    write_run(runs, "iota", {cell: pair for cell, pair in (LOWER | LETTERS).items() if cell[0] != "kabyle"},
              dialects=["ircam", "tarifit"], dictionaries={"ircam": "ircam" * 8, "tarifit": "tarifit" * 8})  # fmt: skip
    return runs
