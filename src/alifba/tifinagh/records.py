"""The three files of a run: ``run.json``, ``items.jsonl`` and ``summary.json``, as strict schemas.

A run is a folder, ``results/<study>/runs/<model slug>/``. Beside these it holds the evidence that they are computed
from: ``replies.jsonl`` (every reply of the model, word for word) and ``verdicts.jsonl`` (every reply of the judge).
Source: TifinaghBench, methodology.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from alifba.errors import InputError
from alifba.jsonl import Notices, iter_objects, read_bytes, validated
from alifba.paths import write_atomic

Dialect = Literal["ircam", "tarifit", "kabyle"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)
Task = Literal["tif-to-en", "en-to-tif", "transliterate"]
TASKS: tuple[Task, ...] = get_args(Task)
MEANING_TASKS: tuple[Task, ...] = ("tif-to-en", "en-to-tif")
SCRIPT_TASKS: tuple[Task, ...] = ("transliterate",)
Direction = Literal["tif-to-lat", "lat-to-tif"]
"""Only transliteration has one."""
ScoredBy = Literal["empty", "exact-sense", "judge", "exact", "error"]


def _whole_or_half(score: float) -> float:
    if score not in (0, 0.5, 1):
        raise ValueError("a score is 0, 0.5 or 1")
    return score


Score = Annotated[float, AfterValidator(_whole_or_half)]

RUN_FILE, ITEMS_FILE, SUMMARY_FILE = "run.json", "items.jsonl", "summary.json"
REPLIES_FILE, VERDICTS_FILE = "replies.jsonl", "verdicts.jsonl"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Answerer(_Strict):
    """What answers or judges, and everything about it that can change a reply."""

    slug: str
    """Short name, such as ``gemma``; the folder of the run has it."""
    name: str
    """The model's name, such as ``google/gemma-3-270m``."""
    label: str
    """What tables and figures call it."""
    harness: str
    """How it is asked: ``transformers``, ``api``, ``command``, ``fake``, or the adapter of a command-line agent
    (``codex``, ``claude``, ``gemini``, ``generic``)."""
    revision: str
    precision: str
    device: str
    chat_template: str
    decoding: dict[str, Any] = Field(default_factory=dict)
    """What differs from greedy decoding with seed 0."""
    environment: dict[str, Any] = Field(default_factory=dict)
    """Versions of what ran; never compared."""


class Setup(_Strict):
    """What two runs must share for their scores to be compared, besides the judge.

    Two runs whose setups differ in any field are listed apart, with what differs, and never ranked together.
    """

    sampling: str
    """Name of the sampling recipe: ``alifba-1``."""
    seed: int
    sample: int | None
    """Entries drawn per dialect; None: all of them."""
    batch_size: int
    """Questions in one request, at most."""
    retries: int
    """How often a question without a valid answer is asked again, at most."""
    dialects: list[Dialect]
    tasks: list[Task]
    dictionaries: dict[str, str]
    """Dialect to the sha256 of its entries as read."""
    prompts: str
    """The first 12 hex digits of the sha256 of all prompt wordings."""
    max_new_tokens: int
    """The longest reply, in tokens."""


class DictionaryRecord(_Strict):
    """One dialect's dictionary: where it came from, and what was left out of it."""

    dialect: Dialect
    name: str
    source: str
    """Who made it, and where it is found."""
    licence: str
    """An SPDX name, or the terms in words."""
    redistributable: bool
    comparable: bool
    """False for a smoke dictionary: its scores say that the machinery works and nothing about a model."""
    label: str
    """What must stand beside every score on it; "" where nothing must. The shipped one says
    ``smoke: not comparable``."""
    sha256: str
    n_rows: int
    """Rows in the file."""
    n_entries: int
    """Entries that can be asked; ``n_rows == n_entries + sum(left_out.values())``."""
    left_out: dict[str, int]
    """Why a row is no entry -> how many."""
    no_english: int
    """Entries without English: they cannot be asked in the meaning tasks."""
    no_latin: int
    """Entries without a Latin form: they cannot be transliterated."""
    repaired: dict[str, int]
    """What was repaired on reading (HTML taken out, text brought to NFC) -> how many fields."""


class RunRecord(_Strict):
    """``run.json``: the settings of a run, written before the first question is asked."""

    benchmark: Literal["tifinagh"] = "tifinagh"
    format: Literal[1] = 1
    study: str
    answerer: Answerer
    setup: Setup
    dictionaries: list[DictionaryRecord]
    sampled: dict[str, int]
    """Dialect -> entries drawn."""
    skipped: dict[str, dict[str, int]]
    """Dialect -> task -> drawn entries that cannot be asked in it; they are not replaced."""
    n_questions: int
    judge: Answerer | None = None
    """Who judges; None until someone does."""
    versions: dict[str, str]
    """alifba, python, and the packages that decide a number."""


class ItemRecord(_Strict):
    """A line of ``items.jsonl``: one question with its answer and its score.

    Lines are ordered by dialect, task, direction and seeded rank, however the replies came in.
    """

    dialect: Dialect
    task: Task
    direction: Direction | None
    entry_id: str
    input: str
    """What the model saw."""
    accepted: list[str]
    """What counts as right: English senses for tif-to-en, else spellings of the dictionary. Never empty."""
    answer: str | None
    """The model's answer; None: not asked yet, or failed after all retries."""
    scored_by: ScoredBy | None
    """None: not scored; see `awaiting`. An empty answer is ``empty`` in every task."""
    awaiting: Literal["model", "judge"] | None
    """Whom the question still waits for; None once it is scored (or has failed)."""
    score: Score | None
    """1 right, 0.5 partly, 0 wrong; None if awaiting, and if the question failed (``scored_by`` is ``error``)."""
    strict: bool | None
    """Whether the answer is the dictionary's own spelling, before any folding; None in tif-to-en, whose strict score
    is its score, and where there is no score."""
    cer: float | None
    """Code-point edits to the nearest accepted answer over that answer's length; 0 or more, may exceed 1. None in
    tif-to-en and where there is no score."""
    matched_entry_id: str | None
    """The entry that the answer matched, of several the first by id with the nearest spelling; None if none did, and
    where a judge decided."""
    note: str | None
    """What the judge wrote, or why the question failed."""
    tries: int
    """How many requests held the question."""


class Cell(_Strict):
    """One dialect in one task. ``n == n_correct + n_partial + n_wrong + n_error + n_awaiting``."""

    dialect: Dialect
    task: Task
    n: int
    """Questions of the cell, asked or not."""
    n_correct: int
    n_partial: int
    n_wrong: int
    """Scored 0, empty answers included."""
    n_empty: int
    """Of `n_wrong`, those that were empty."""
    n_error: int
    """Failed after all retries: they count as 0 in `score`, and are left out of `accuracy` and `cer`."""
    n_awaiting: int
    """Not answered, or not judged, yet."""
    n_strict: int | None
    """Right in the dictionary's own spelling; None in tif-to-en."""
    score: float | None
    """``(n_correct + 0.5 n_partial) / n``, in [0, 1]; None while anything is awaited, or where n is 0."""
    score_strict: float | None
    """The same without folding; in tif-to-en equal to `score`."""
    accuracy: float | None
    """Mean score of what is scored, errors left out; None if nothing is."""
    cer: float | None
    """Mean of the items' `cer`; None in tif-to-en."""
    n_cer: int


class Overall(_Strict):
    """All scored questions pooled, errors left out."""

    n: int
    n_scored: int
    n_error: int
    n_awaiting_model: int
    n_awaiting_judge: int
    accuracy: float | None
    """Mean score of the scored questions; None if there are none."""
    accuracy_strict: float | None


class Summary(_Strict):
    """``summary.json``. Scores are points in [0, 100], and None unless all three dialects and the tasks concerned are
    complete and judged."""

    benchmark: Literal["tifinagh"] = "tifinagh"
    format: Literal[1] = 1
    answerer: Answerer
    setup: Setup
    """As in ``run.json``."""
    judge: str | None
    """Name and revision of the judge, ``name@revision``; None where nobody judges."""
    label: str
    """What must stand beside every score; "" for comparable dictionaries."""
    comparable: bool
    """Whether every dictionary is."""
    tifinaghbench: float | None
    tifinaghbench_strict: float | None
    script_score: float | None
    script_score_strict: float | None
    why_null: dict[str, list[str]]
    """Score name -> the reasons why it is None, in words. A score that is a number has no key."""
    overall: Overall
    cells: list[Cell]
    """In the order of `DIALECTS`, then of `TASKS`; only those that the run covers."""

    def cell(self, dialect: Dialect, task: Task) -> Cell | None:
        """The cell of a dialect and task; None where the run does not cover it."""
        return next((cell for cell in self.cells if (cell.dialect, cell.task) == (dialect, task)), None)


def read_run_record(folder: Path) -> RunRecord:
    """``run.json`` of a run. Raises `InputError` if it is missing or broken."""
    return validated(RunRecord, _object(folder / RUN_FILE), folder / RUN_FILE, 0)


def read_summary(folder: Path) -> Summary:
    """``summary.json`` of a run. Raises `InputError` if it is missing or broken."""
    return validated(Summary, _object(folder / SUMMARY_FILE), folder / SUMMARY_FILE, 0)


def read_item_records(folder: Path) -> Iterator[ItemRecord]:
    """The lines of ``items.jsonl`` of a run. Raises `InputError` if it is missing or broken."""
    path = folder / ITEMS_FILE
    for line, row in iter_objects(path, read_bytes(path), Notices(path)):
        yield validated(ItemRecord, row, path, line)


def run_folders(runs: Path) -> list[Path]:
    """The folders below `runs` that hold a run, sorted by name."""
    return sorted(path.parent for path in runs.glob(f"*/{RUN_FILE}"))


def write_record(path: Path, record: BaseModel) -> None:
    """Write ``run.json`` or ``summary.json``, whole or not at all."""
    content = json.dumps(record.model_dump(mode="json"), ensure_ascii=False, indent=1)
    write_atomic(path, content + "\n")


def write_item_records(folder: Path, items: Iterable[ItemRecord]) -> None:
    """Write ``items.jsonl``, whole or not at all."""
    write_atomic(folder / ITEMS_FILE, "".join(item.model_dump_json() + "\n" for item in items))


def _object(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_bytes(path))
    except ValueError as fault:
        raise InputError(f"not JSON ({fault})", file=path, next_step="make it again") from None
    if not isinstance(content, dict):
        raise InputError("a JSON object is needed", file=path)
    return content
