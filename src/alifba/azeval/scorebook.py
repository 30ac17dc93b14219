"""Per-item scores on disk, one file per run, and the book that aligns them on item ids for every analysis."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import alifba
from alifba.azeval.scoring import UNSCORED, score_run
from alifba.errors import InputError
from alifba.items import ItemSet
from alifba.paths import write_atomic
from alifba.runs import Run, run_file_name
from alifba.signature import Signature
from alifba.text.chains import Chain


@dataclass(frozen=True)
class RunRecord:
    """What is told about a run beside its scores. Counts are of items (`n_rows`, `n_stray`, `n_duplicates`: rows)."""

    model: str
    language: str
    prompt_style: str
    n_items: int
    n_scored: int
    n_unscored: int
    n_no_answer: int
    n_rows: int
    n_stray: int
    n_duplicates: int
    raw_sha256: str
    dataset_sha256: str
    signature: str


@dataclass(frozen=True)
class ScoredRun:
    """One run's record and per-item frame (index: item id, in dataset order)."""

    record: RunRecord
    scores: pd.DataFrame

    @property
    def key(self) -> tuple[str, str, str]:
        return self.record.model, self.record.language, self.record.prompt_style

    def exact_match(self, chain: Chain) -> pd.Series[float]:
        """0/1 per item, NaN where unscored."""
        return self.scores[f"em_{chain}"]

    def token_f1(self, chain: Chain) -> pd.Series[float]:
        """Share in [0, 1] per item, NaN where unscored."""
        return self.scores[f"f1_num_{chain}"] / self.scores[f"f1_den_{chain}"]


def scored(run: Run, items: ItemSet) -> ScoredRun:
    """Score `run` on `items` and note its counts."""
    scores = score_run(run, items).set_index("id")
    unscored = int(scores["status"].isin(UNSCORED).sum())
    model, language, style = run.key
    record = RunRecord(
        model=model,
        language=language,
        prompt_style=style,
        n_items=len(items),
        n_scored=len(items) - unscored,
        n_unscored=unscored,
        n_no_answer=int((scores["status"] == "no_answer").sum()),
        n_rows=len(run.rows),
        n_stray=len(run.stray_ids(items.by_id)),
        n_duplicates=run.n_duplicates,
        raw_sha256=run.sha256,
        dataset_sha256=items.sha256,
        signature=str(_analysed(run.signature, items)),
    )
    return ScoredRun(record, scores)


def _analysed(signature: Signature, items: ItemSet) -> Signature:
    """The run's signature, with the dataset and code that scored it beside those that it was run with."""
    scored_with = Signature(**asdict(signature) | {"data": items.sha256[:12], "code": alifba.__version__})
    return signature.joined(scored_with)


def _stem(model: str, language: str, style: str) -> str:
    return run_file_name(model, language, style).removesuffix(".jsonl")


def write_scores(run: ScoredRun, folder: Path) -> Path:
    """Write ``<run>.csv`` (scores) and ``<run>.json`` (record) into `folder`; returns the CSV's path."""
    stem = _stem(*run.key)
    write_atomic(folder / f"{stem}.csv", run.scores.to_csv(lineterminator="\n"))
    write_atomic(folder / f"{stem}.json", json.dumps(asdict(run.record), ensure_ascii=False, indent=1) + "\n")
    return folder / f"{stem}.csv"


def score_runs(runs: Iterable[Run], items: ItemSet, folder: Path) -> list[ScoredRun]:
    """Score `runs` into `folder`."""
    done = []
    for run in runs:
        result = scored(run, items)
        write_scores(result, folder)
        done.append(result)
    return done


def prune_scores(folder: Path, runs: Iterable[Run]) -> None:
    """Remove the scores of runs that are no longer there; a file that is no record of ours is left alone."""
    kept = {_stem(*run.key) for run in runs}
    for path in folder.glob("*.json"):
        if path.stem not in kept and '"raw_sha256"' in path.read_text(encoding="utf-8", errors="replace"):
            path.unlink()
            path.with_suffix(".csv").unlink(missing_ok=True)


def read_scores(folder: Path) -> list[ScoredRun]:
    """All scored runs of `folder`, sorted by (model, language, style)."""
    records = sorted(folder.glob("*.json"))
    if not records:
        raise InputError("no scored runs in this folder", file=folder, next_step="make tables")
    return sorted(map(_read_scored, records), key=lambda run: run.key)


def _read_scored(path: Path) -> ScoredRun:
    try:
        return _parsed(path)
    except (OSError, ValueError, TypeError) as fault:
        raise InputError(
            f"scores that cannot be read ({fault})",
            file=path,
            likely="another version wrote them, or they were edited",
            next_step="remove this file and make tables",
        ) from None


def _parsed(path: Path) -> ScoredRun:
    record = RunRecord(**json.loads(path.read_text(encoding="utf-8")))
    # "NA", "None" and "nan" are answers; only the empty cell of a number is missing.
    text = path.with_suffix(".csv").read_text(encoding="utf-8")
    header = text.split("\n", 1)[0].split(",")
    words = {"id": str, "status": str, "answer": str}
    scores = pd.read_csv(
        StringIO(text),
        dtype=words | dict.fromkeys(header[3:], float),
        keep_default_na=False,
        na_values={name: [""] for name in header[3:]},
    )
    return ScoredRun(record, scores.set_index("id"))


@dataclass(frozen=True)
class Pairing:
    """Azerbaijani and English runs of one model and style, on the `ids` scored in both; `n_left_out` are not."""

    az: ScoredRun
    en: ScoredRun

    @cached_property
    def ids(self) -> list[str]:
        both = self.az.exact_match("strict").notna() & self.en.exact_match("strict").notna()
        return list(both.index[both])

    def correct(self, chain: Chain, ids: list[str] | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """0/1 scores (az, en), each of shape ``(n_items,)``, on `ids` or on all that both runs scored."""
        chosen = self.ids if ids is None else ids
        az, en = (run.exact_match(chain).loc[chosen].to_numpy().astype(np.int64) for run in (self.az, self.en))
        return az, en

    @property
    def signature(self) -> str:
        return str(Signature.parse(self.az.record.signature).joined(Signature.parse(self.en.record.signature)))


@dataclass(frozen=True)
class ScoreBook:
    """Every scored run of a study with the dataset that scored them."""

    items: ItemSet
    runs: list[ScoredRun]

    @classmethod
    def open(cls, items: ItemSet, folder: Path) -> ScoreBook:
        """Read `folder`; raises `InputError` if a run was scored on another dataset or lacks a row of an item."""
        runs, ids = read_scores(folder), list(items.by_id)
        for run in runs:
            if run.record.dataset_sha256 != items.sha256 or run.scores.index.tolist() != ids:
                raise InputError(
                    "this run was scored on another dataset",
                    file=folder / f"{_stem(*run.key)}.csv",
                    likely="the dataset was rebuilt, or rows were cut off",
                    next_step="remove this file and make tables",
                )
        return cls(items, runs)

    def run(self, model: str, language: str, style: str) -> ScoredRun | None:
        return next((run for run in self.runs if run.key == (model, language, style)), None)

    def pairings(self) -> Iterator[Pairing]:
        """Models and styles for which both languages were run."""
        for az in self.runs:
            en = self.run(az.record.model, "en", az.record.prompt_style)
            if az.record.language == "az" and en is not None:
                yield Pairing(az, en)


def row_rng(seed: int, *key: str) -> np.random.Generator:
    """A generator that belongs to one table row: adding models or rows never moves another row's interval."""
    return np.random.default_rng([seed, zlib.crc32("\0".join(key).encode())])
