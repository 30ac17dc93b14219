"""Dictionaries: a file of theirs, a small mapping file of ours, and entries that can be asked.

A mapping file says, in YAML, where a dialect's dictionary is and what its columns are called:

    dialect: kabyle
    name: A Kabyle dictionary
    file: kabyle.tsv                  # beside the mapping file; .json .jsonl .csv .tsv .db .sqlite .sqlite3
    columns: { id: nr, tifinagh: tif, latin: lat, english: en, french: fr }
    sense_separator: ";"              # "|", ";", "any" of the two, or "none"
    source: Who made it, where it is found
    licence: CC-BY-4.0
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from alifba.config import Strict, Text
from alifba.errors import InputError, closest
from alifba.jsonl import Notices
from alifba.paths import resolve
from alifba.text.tifinagh import fold_latin, fold_tifinagh, is_tifinagh, normalise_english
from alifba.tifinagh.dictionary_files import read_rows
from alifba.tifinagh.records import Dialect, DictionaryRecord
from alifba.tifinagh.study import read_yaml

_SEPARATORS = {"|": r"\|", ";": ";", "any": "[|;]"}
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)
HTML, NFC = "HTML taken out", "text brought to NFC"


class Columns(Strict):
    """What the columns are called. The last three are kept and never shown to a model or a judge."""

    id: Text
    tifinagh: Text
    latin: Text | None = None
    english: Text | None = None
    french: Text | None = None
    arabic: Text | None = None
    examples: Text | None = None


class Mapping(Strict):
    """One dialect's dictionary file and how it is read."""

    dialect: Dialect
    name: Text
    file: Text
    table: Text | None = None
    """The table of an SQLite file."""
    columns: Columns
    sense_separator: Literal["|", ";", "any", "none"] = "any"
    source: Text
    licence: Text
    redistributable: bool = False
    comparable: bool = True
    label: str = ""


@dataclass(frozen=True)
class Entry:
    """A word. `senses` are the parts of `english`; both are empty where there is no English.

    `hidden` holds French, Arabic and examples: nothing that builds a prompt reads it.
    """

    id: str
    tifinagh: str
    latin: str | None
    english: str | None
    senses: tuple[str, ...]
    hidden: dict[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Dictionary:
    """The entries of one dialect, in the order of the file, and the record of where they came from."""

    record: DictionaryRecord
    entries: tuple[Entry, ...]


def load_dictionary(path: str | Path) -> Dictionary:
    """Read the dictionary that the mapping file `path` describes.

    Raises:
        InputError: no such file or column, a file that cannot be read, or an id that stands twice.
    """
    path = resolve(path)
    mapping = read_yaml(path, Mapping)
    file = path.parent / mapping.file
    reader = _Reader(mapping, file)
    entries = tuple(reader.entries())
    if not entries:
        raise InputError("no row is an entry", file=file, value=dict(reader.left_out), next_step="check the columns")
    record = DictionaryRecord(
        **{name: getattr(mapping, name) for name in ("dialect", "name", "source", "licence", "label")},
        redistributable=mapping.redistributable,
        comparable=mapping.comparable,
        sha256=_sha(entries),
        n_rows=reader.n_rows,
        n_entries=len(entries),
        left_out=dict(sorted(reader.left_out.items())),
        no_english=sum(entry.english is None for entry in entries),
        no_latin=sum(entry.latin is None for entry in entries),
        repaired={what: n for what, n in sorted(reader.repaired.items()) if n},
    )
    return Dictionary(record, entries)


def load_dictionaries(paths: Iterable[str | Path]) -> dict[Dialect, Dictionary]:
    """Every dictionary by dialect. Raises `InputError` if two are of one dialect, or one cannot be read."""
    found: dict[Dialect, Dictionary] = {}
    for path in paths:
        dictionary = load_dictionary(path)
        if dictionary.record.dialect in found:
            raise InputError("a second dictionary of the same dialect", file=path, value=dictionary.record.dialect)
        found[dictionary.record.dialect] = dictionary
    return found


class _Reader:
    def __init__(self, mapping: Mapping, file: Path) -> None:
        self._mapping, self._file = mapping, file
        self._columns = {name: column for name, column in mapping.columns.model_dump().items() if column}
        self._notices = Notices(file)
        self.n_rows = 0
        self.left_out: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()

    def entries(self) -> Iterable[Entry]:
        seen: set[str] = set()
        for line, row in read_rows(self._file, self._notices, self._mapping.table):
            if not self.n_rows:
                self._check_columns(row, line)
            self.n_rows += 1
            fields = {name: self._clean(row.get(column)) for name, column in self._columns.items()}
            if reason := _not_askable(fields):
                self.left_out[reason] += 1
                continue
            if fields["id"] in seen:
                raise InputError(
                    "this id stands twice",
                    file=self._file,
                    line=line,
                    value=fields["id"],
                    next_step="map another column",
                )
            seen.add(fields["id"])
            yield self._entry(fields, row.get(self._columns.get("english", "")))
        self.repaired.update(self._notices.counts)

    def _entry(self, fields: dict[str, str], english: Any) -> Entry:
        whole = fields.get("english", "")
        parts = [self._clean(part) for part in english] if isinstance(english, list) else self._split(whole)
        senses = tuple(dict.fromkeys(part for part in parts if normalise_english(part)))
        latin = fields.get("latin", "")
        return Entry(
            id=fields["id"],
            tifinagh=fields["tifinagh"],
            latin=latin if fold_latin(latin) else None,
            english=whole if senses else None,
            senses=senses,
            hidden={name: fields[name] for name in ("french", "arabic", "examples") if fields.get(name)},
        )

    def _split(self, english: str) -> list[str]:
        separator = _SEPARATORS.get(self._mapping.sense_separator)
        return [part.strip() for part in re.split(separator, english)] if separator else [english]

    def _check_columns(self, row: dict[str, Any], line: int) -> None:
        # A table has the same columns in every row, a JSON object only those that it needs: there a misspelt one would
        # look like a dictionary without English or Latin.
        is_table = self._file.suffix.lower() not in (".json", ".jsonl")
        for name, column in self._columns.items():
            if column not in row and (is_table or name in ("id", "tifinagh")):
                raise InputError(
                    f"no column {column!r}", file=self._file, line=line, likely=closest(column, row),
                    next_step="columns: " + ", ".join(row),
                )  # fmt: skip

    def _clean(self, value: Any) -> str:
        """One field as text: no HTML, NFC, trimmed; "" for null. The text "None" or "NA" is a word like any other."""
        if isinstance(value, list):
            return "; ".join(filter(None, map(self._clean, value)))
        text = "" if value is None else str(value)
        bare = html.unescape(_TAG.sub(" ", text))
        composed = unicodedata.normalize("NFC", bare)
        self.repaired[HTML] += bare != text
        self.repaired[NFC] += composed != bare
        return " ".join(composed.split())


def _not_askable(fields: dict[str, str]) -> str | None:
    """Why a row is no entry."""
    if not fields["id"]:
        return "no id"
    if not fields["tifinagh"]:
        return "no Tifinagh"
    if not is_tifinagh(fields["tifinagh"]):
        return "signs outside U+2D30 to U+2D7F"
    # Nothing that is left empty by folding may be compared: it would match an empty answer.
    return None if fold_tifinagh(fields["tifinagh"]) else "nothing left after folding"


def _sha(entries: Iterable[Entry]) -> str:
    """The sha256 of everything that can be shown or accepted, in the order of ids."""
    digest = hashlib.sha256()
    for entry in sorted(entries, key=lambda entry: entry.id):
        shown = [entry.id, entry.tifinagh, entry.latin, entry.english, entry.senses]
        digest.update((json.dumps(shown, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
