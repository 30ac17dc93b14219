"""Raw model outputs: one JSONL file per run, append-only, read strictly, resumed exactly."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from alifba.config import Style, Text
from alifba.errors import InputError
from alifba.jsonl import Notices, iter_objects, read_bytes, validated
from alifba.paths import write_atomic
from alifba.signature import UNKNOWN, Signature


class Row(BaseModel):
    """One answer as it came. Fields below `timestamp` are ours; files of the published study lack them.

    ``raw_response`` is None only together with ``error``: the item failed, it was not answered with nothing.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    id: Text
    model: Text
    language: Text
    prompt_style: Style
    prompt: str
    raw_response: str | None
    generation: dict[str, Any] = Field(default_factory=dict)
    environment: dict[str, Any] = Field(default_factory=dict)
    timestamp: str = ""
    revision: str = UNKNOWN
    precision: str = UNKNOWN
    device: str = UNKNOWN
    template: str = UNKNOWN
    dataset_sha256: str = UNKNOWN
    code_version: str = UNKNOWN
    stop_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    served_model: str | None = None
    error: str | None = None
    nll: float | None = None
    """Of a likelihood run: nats of the answer that the model was shown, which is then `raw_response`."""
    n_chars: int | None = None

    @cached_property
    def signature(self) -> Signature:
        made = self.generation
        return Signature(
            bench="azeval",
            data=self.dataset_sha256[:12],
            lang=self.language,
            style=self.prompt_style,
            model=self.model,
            revision=self.revision,
            precision=self.precision,
            device=self.device,
            template=self.template,
            chat=str(made.get("chat_template", UNKNOWN)),
            decoding=_decoding(made),
            batch=str(made.get("batch_size", UNKNOWN)),
            code=self.code_version,
        )


def _decoding(made: dict[str, Any]) -> str:
    if not made:
        return UNKNOWN
    if forced := made.get("forced"):
        return f"forced,{forced}"
    how = f"sample,t={made.get('temperature')}" if made.get("do_sample") else "greedy"
    more = "".join(f",{name}={made[name]}" for name in ("stop", "shared_prefix") if made.get(name))
    return f"{how},max={made.get('max_new_tokens')},seed={made.get('seed')}{more}"


@dataclass(frozen=True)
class Run:
    """All rows of one run, by item id; of a repeated id the last row counts that answers, or the last if none does."""

    path: Path
    rows: dict[str, Row]
    sha256: str
    notices: Notices
    n_duplicates: int

    @cached_property
    def signature(self) -> Signature:
        return next(iter(self.rows.values())).signature

    @property
    def key(self) -> tuple[str, str, str]:
        """(model, language, prompt style)."""
        first = next(iter(self.rows.values()))
        return first.model, first.language, first.prompt_style

    def stray_ids(self, known: Iterable[str]) -> list[str]:
        """Ids of this run that the dataset no longer holds."""
        held = set(known)
        return [id_ for id_ in self.rows if id_ not in held]


def read_run(path: Path) -> Run:
    """Read one raw output file.

    Raises:
        InputError: the file is missing or empty, a line before the last is torn, a field is missing or of the
            wrong type, or the rows do not all belong to one run; the message names file and line.
    """
    data = read_bytes(path)
    notices = Notices(path)
    rows: dict[str, Row] = {}
    repeated = 0
    signature: Signature | None = None
    served: str | None = None
    for line, raw in iter_objects(path, data, notices, torn_end=True):
        row = validated(Row, raw, path, line)
        if row.raw_response is None and not row.error:
            raise InputError(
                "'raw_response' is null and no 'error' says why",
                file=path,
                line=line,
                likely="a failed request kept as an answer",
                next_step="delete the row and resume the run",
            )
        signature = signature or row.signature
        if row.signature != signature:
            raise _two_runs(path, line, signature, row.signature)
        served = served or row.served_model
        if row.served_model not in (None, served):
            notices.note("answered by another model than the first rows", line)
        if earlier := rows.get(row.id):
            repeated += 1
            if row.raw_response is None and earlier.raw_response is not None:
                notices.note("failed after it was answered, the answer counts", line)
                continue
            notices.note("duplicated id, the last row counts", line)
        rows[row.id] = row
    if not rows:
        raise InputError("no complete row", file=path, next_step="delete the file and run again")
    return Run(path, rows, hashlib.sha256(data).hexdigest(), notices, repeated)


def _two_runs(path: Path, line: int, first: Signature, other: Signature) -> InputError:
    names = first.differs_in(other)
    return InputError(
        f"this row belongs to another run: it differs in {', '.join(names)}",
        file=path,
        line=line,
        value={name: (getattr(first, name), getattr(other, name)) for name in names},
        likely="two runs appended to one file",
        next_step="split the file, one run a file",
    )


def read_runs(folder: Path) -> list[Run]:
    """Read every ``*.jsonl`` of `folder`, sorted by (model, language, style).

    Raises:
        InputError: the folder is missing or holds no run, or two files hold the same run or models whose names
            would be one file name.
    """
    by_name: dict[str, Run] = {}
    for run in map(read_run, run_files(folder)):
        other = by_name.setdefault(run_file_name(*run.key), run)
        if other is not run:
            raise InputError(
                "two files hold the same run",
                file=run.path,
                value=(" ".join(other.key), " ".join(run.key)),
                likely=f"a copy of {other.path}, or a model whose name differs in one mark",
                next_step="keep one of them in this folder",
            )
    return sorted(by_name.values(), key=lambda run: run.key)


def run_files(folder: Path) -> list[Path]:
    """The raw output files of `folder`, by name."""
    if not folder.is_dir():
        raise InputError(
            "no such folder of raw outputs",
            file=folder,
            next_step="check RUNS= or the study's 'runs', or make them: make runs",
        )
    files = sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")])
    if not files:
        raise InputError("no *.jsonl in this folder", file=folder, next_step="make them: make runs")
    return files


# File systems take names of up to 255 bytes; language, style and suffix need their part.
_LONGEST_NAME = 200


def run_file_name(model: str, language: str, style: str) -> str:
    """``Org__Model__lang[__style].jsonl``."""
    safe = "".join(c if c.isalnum() or c in "._-" else "_" for c in model.replace("/", "__"))
    if len(safe.encode()) > _LONGEST_NAME:
        safe = f"{safe[: _LONGEST_NAME // 4]}_{hashlib.sha256(model.encode()).hexdigest()[:12]}"
    return f"{safe}__{language}{'' if style == 'default' else f'__{style}'}.jsonl"


def written(path: Path) -> Path | None:
    """Where the run of the raw file `path` lies: there, or packed beside it; None if it was not begun."""
    return next((file for file in (path, path.with_name(path.name + ".gz")) if file.exists()), None)


def pack(path: Path) -> Path:
    """Replace a raw file by its compressed form, ``<name>.jsonl.gz``; the same rows give the same bytes."""
    packed = path.with_name(path.name + ".gz")
    write_atomic(packed, gzip.compress(path.read_bytes(), compresslevel=9, mtime=0))
    path.unlink()
    return packed


def unpack(path: Path) -> None:
    """Bring a packed raw file back to its plain form, so that rows can be appended; nothing where it is plain already.

    Raises:
        InputError: the packed file is damaged; it is left as it is.
    """
    packed = path.with_name(path.name + ".gz")
    if packed.exists() and not path.exists():
        write_atomic(path, read_bytes(packed))
        packed.unlink()


def row_line(row: dict[str, Any]) -> str:
    """A raw row as it is written: one line, UTF-8, newline at its end."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
