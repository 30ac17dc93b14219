"""Facts: every number that a paper may print, bound to the code and the tables that made it.

``facts.json`` maps a name to value, unit, digits, text, produced_by and the hashes of the tables behind it. A text
always follows from its value, and a changed table makes its facts stale; both are found when the file is read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, StrictFloat, StrictInt, StrictStr, ValidationError

from alifba.errors import InputError
from alifba.paths import shown, write_atomic
from alifba.report.numbers import Unit, clean, format_value

FACT_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")


class Fact(BaseModel):
    """One value and the text that is printed for it. `inputs` maps a table to 16 hex digits of its SHA-256."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: StrictInt | StrictFloat | StrictStr | None
    unit: Unit
    digits: int
    signed: bool = False
    text: str
    produced_by: str
    inputs: dict[str, str]

    @property
    def available(self) -> bool:
        return self.value is not None


class FactBook:
    """Collects the facts of one study. `results` is the study's results folder, where the inputs lie.

    >>> book = FactBook(Path("results/pilot"))
    >>> book.add("items.n", 1064, "count", 0, "notebooks/azeval/20_gap.ipynb", []).text
    '1\\u202f064'
    """

    def __init__(self, results: Path) -> None:
        self.results = results
        self.facts: dict[str, Fact] = {}
        self._hashes: dict[str, str] = {}

    def add(
        self,
        name: str,
        value: object,
        unit: Unit,
        digits: int,
        produced_by: str,
        inputs: Iterable[str],
        *,
        signed: bool = False,
    ) -> Fact:
        """Add one fact. `inputs` are paths below `results`, such as ``tables/gap.csv``.

        None and NaN are kept as "not available" and counted by `unavailable`.
        Raises InputError for a name that is taken or malformed, a missing input, and a value its unit cannot hold.
        """
        if not FACT_NAME.fullmatch(name):
            raise InputError("not a fact name", value=name, next_step="use letters, digits, _ and - joined by dots")
        if name in self.facts:
            raise InputError(f"the fact {name!r} is added twice", value=value)
        if not produced_by:
            raise InputError(f"the fact {name!r} does not say what produced it")
        hashes = {path: self._hash(path) for path in sorted(set(inputs))}
        try:
            text = format_value(value, unit, digits, signed=signed)
        except InputError as error:
            raise InputError(
                f"the fact {name!r}: {error.what}", value=error.value, likely=error.likely, next_step=error.next_step
            ) from None
        fact = Fact(
            value=clean(value),
            unit=unit,
            digits=digits,
            signed=signed,
            text=text,
            produced_by=produced_by,
            inputs=hashes,
        )
        self.facts[name] = fact
        return fact

    @property
    def unavailable(self) -> list[str]:
        """Names of the facts whose value is undefined."""
        return [name for name, fact in self.facts.items() if not fact.available]

    def _hash(self, path: str) -> str:
        if path not in self._hashes:
            if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
                raise InputError("a fact's input lies outside the study's results", value=path)
            found = file_hash(self.results / path)
            if found is None:
                raise InputError("a fact's input does not exist", file=shown(self.results / path))
            self._hashes[path] = found
        return self._hashes[path]


def file_hash(path: Path) -> str | None:
    """First 16 hex digits of the file's SHA-256, or None where there is no file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else None


def stale_inputs(facts: Mapping[str, Fact], results: Path) -> dict[str, list[str]]:
    """Tables below `results` that changed or vanished since facts were made from them, with the names of the facts."""
    now: dict[str, str | None] = {}
    stale: dict[str, list[str]] = {}
    for name, fact in facts.items():
        for path, then in fact.inputs.items():
            if path not in now:
                now[path] = file_hash(results / path)
            if now[path] != then:
                stale.setdefault(path, []).append(name)
    return stale


def refuse_edited(written: Mapping[str, Fact], found: Mapping[str, Fact], path: Path) -> None:
    """Raise `InputError` if facts.json holds another value than the tables give now: it was edited, or is old."""
    for name in sorted(written.keys() | found.keys()):
        if written.get(name) != found.get(name):
            raise InputError(
                f"the fact {name!r} is not what the tables give",
                file=shown(path),
                line=fact_line(path.read_text(encoding="utf-8"), name) if name in written else None,
                value=written[name].text if name in written else "missing",
                likely="facts.json was edited by hand, or the code changed since it was made",
                next_step="make facts",
            )


def write_facts(path: Path, facts: FactBook | Mapping[str, Fact]) -> None:
    """Write facts.json: sorted by name, NFC, the same bytes for the same facts."""
    mapping = facts.facts if isinstance(facts, FactBook) else facts
    plain = {name: mapping[name].model_dump() for name in sorted(mapping)}
    write_atomic(path, json.dumps(plain, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n")


def read_facts(path: Path) -> dict[str, Fact]:
    """Read and check facts.json. Raises InputError for a missing, torn or hand-edited file, with the line."""
    if not path.is_file():
        raise InputError("no facts yet", file=shown(path), next_step="make the study's tables first: make tables")
    source = path.read_text(encoding="utf-8")
    try:
        raw = json.loads(source)
    except json.JSONDecodeError as error:
        raise InputError(
            f"not JSON: {error.msg}", file=shown(path), line=error.lineno, next_step="make tables again"
        ) from None
    if not isinstance(raw, dict):
        raise InputError("the facts are not an object of name to fact", file=shown(path), line=1)
    facts = {}
    for name, entry in raw.items():
        try:
            facts[name] = Fact.model_validate(entry)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "entry"
            raise InputError(
                f"the fact {name!r}: {field}: {first['msg']}", file=shown(path), line=fact_line(source, name)
            ) from None
        _check_text(name, facts[name], path, source)
    return facts


def _check_text(name: str, fact: Fact, path: Path, source: str) -> None:
    expected = format_value(fact.value, fact.unit, fact.digits, signed=fact.signed)
    if fact.text != expected:
        raise InputError(
            f"the text of the fact {name!r} does not follow from its value, which reads {expected!r}",
            file=shown(path),
            line=fact_line(source, name),
            value=fact.text,
            likely="the file was edited by hand",
            next_step="make tables again",
        )


def fact_line(source: str, name: str) -> int | None:
    """The line of facts.json at which `name` starts."""
    at = source.find(f"\n {json.dumps(name, ensure_ascii=False)}: {{")
    return None if at < 0 else source.count("\n", 0, at + 1) + 1
