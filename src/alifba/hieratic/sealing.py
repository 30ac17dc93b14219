"""The seal: does any file that git could commit, or any result, hold what belongs in the inbox?

Three ways are looked at. The inbox must be ignored and none of it committed. No public record of a sealed item may
hold a text. And no file may hold a piece of a text of the inbox, whole or in part, plain, escaped or packed. What is
found is told by place, never by content.
"""

from __future__ import annotations

import binascii
import bz2
import gzip
import io
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from alifba.hieratic.prompts import prompt_text
from alifba.hieratic.records import PROTOCOL, RUNGS, Item
from alifba.hieratic.repository import differing_in_index, is_ignored, listed
from alifba.hieratic.runs import read_run_file
from alifba.hieratic.traces import Trace, Traces
from alifba.text.resources import load_toml

INBOX = "inbox"
COMMONPLACES = Path("data/hieratic/commonplaces.txt")
"""Phrases that a person has read and judged to give nothing away, one a line; may be absent."""
_LIMITS: dict[str, dict[str, int]] = load_toml("seal.toml", package="alifba.hieratic")
_UNNAMED = "a file that is not named here"
_DEPTH = 3
"""How often what is packed may be packed again."""
_OPENERS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ": lzma.decompress,
}
_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/_-]{4}){9,}")


@dataclass(frozen=True, order=True)
class Finding:
    """A place that breaks the seal."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}" if self.line else f"{self.path}: {self.what}"


@dataclass(frozen=True)
class Private:
    """What must not be found: (origin, whole text) and (origin, reading), and the ids of sealed items."""

    texts: list[tuple[str, str]]
    readings: list[tuple[str, str]]
    sealed: frozenset[str]

    def is_sealed(self, id_: str) -> bool:
        return id_ in self.sealed or id_.partition("-")[0] in PROTOCOL["sealed_sources"]


def read_private(inboxes: Iterable[Path], sealed: Iterable[str], key_readings: Iterable[str] = ()) -> Private:
    """The texts of every run file in the inboxes; of any other file there (a key, notes) every line."""
    texts: list[tuple[str, str]] = []
    readings = [("the key", reading) for reading in key_readings]
    ids = set(sealed)
    for path in (file for inbox in inboxes for file in sorted(inbox.rglob("*")) if file.is_file()):
        if path.suffix != ".jsonl":
            readings += [(path.name, line) for line in path.read_text("utf-8", "replace").splitlines()]
            continue
        for number, record in read_run_file(path).lines if path.stat().st_size else ():
            origin = f"{path.name}:{number}"
            ids.add(record.item_id)
            texts.append((origin, record.response or ""))
            if record.rung != "identify":
                readings.append((origin, record.parsed or ""))
    return Private(texts, readings, frozenset(ids))


def check(root: Path, private: Private, inboxes: Iterable[Path]) -> list[Finding]:
    """Everything that breaks the seal in the checkout `root`: in files that are committed, staged, or neither but not
    ignored, and in every file below ``results/`` but those of an inbox, ignored or not. `inboxes` must be ignored."""
    names = listed(root, "--cached", "--others", "--exclude-standard")
    found = [Finding(name, 0, "a file of an inbox could be committed") for name in names if _in_inbox(name)]
    for inbox in {path for path in inboxes if not is_ignored(path / "probe.jsonl")}:
        found.append(Finding(_name(inbox, root), 0, "git does not ignore the inbox"))
    texts = _all_texts(root, names)
    strict, wide, excused = _traces(private, "response"), _traces(private, "file"), _commonplaces(root)
    for name, text in texts.items():
        for line, record in _records(text):
            if what := _fault(record, private):
                found.append(Finding(name, line, what))
            elif response := record.get("response"):
                pieces = strict.find(str(response))
                found += [Finding(name, line, _told(piece)) for piece in pieces]
                # What models say of open items too is no secret.
                excused += [] if pieces else [str(response)]
    for text in excused:
        wide.excuse(text)
    for name, text in texts.items():
        if name != COMMONPLACES.as_posix():
            found += [Finding(name, piece.line, _told(piece)) for piece in wide.find(text)]
            found += [Finding(_UNNAMED, 0, f"the name of a file holds {_told(piece)}") for piece in wide.find(name)]
    return sorted(set(found))


def _told(piece: Trace) -> str:
    return f"{piece.n_words} words in a row of a private text ({piece.origin})"


def _all_texts(root: Path, names: list[str]) -> dict[str, str]:
    """Text by name to show, of everything that has to be looked at."""
    below = [path for path in sorted((root / "results").rglob("*")) if path.is_file()]
    paths = dict([*((name, root / name) for name in names), *((_name(path, root), path) for path in below)])
    texts: dict[str, str] = {}
    for name, path in paths.items():
        if path.is_file() and not path.is_symlink() and not _in_inbox(name):
            texts |= {name + part: text for part, text in _decoded(path.read_bytes())}
    for name, data in differing_in_index(root):
        for part, text in _decoded(data) if not _in_inbox(name) else ():
            texts[f"{name}{part} (as staged)"] = text
    return texts


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _in_inbox(name: str) -> bool:
    return INBOX in PurePosixPath(name).parts[:-1]


def _traces(private: Private, where: str) -> Traces:
    limits, traces = _LIMITS[where], Traces()
    for origin, text in private.texts:
        traces.add(origin, text, limits["text_words"], whole=limits["whole_words"])
    for origin, reading in private.readings:
        traces.add(origin, reading, limits["reading_words"], letters=limits["reading_letters"], whole=1)
    for rung in RUNGS:
        for gardiner in ((), None):
            traces.excuse(prompt_text(Item(id="", split="", rungs=(), image="", gardiner=gardiner), rung))
    return traces


def _commonplaces(root: Path) -> list[str]:
    path = root / COMMONPLACES
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def _decoded(data: bytes, depth: int = _DEPTH) -> Iterator[tuple[str, str]]:
    """(which part, text): the file as it is, and everything that is packed in it, `depth` times over."""
    for part, inner in _unpacked(data) if depth else ():
        for below, text in _decoded(inner, depth - 1):
            yield part + below, text
    yield "", data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", "replace")
    if b"\0" in data:
        # UTF-16 or UTF-32 that does not say so, or a binary file that holds such a text.
        yield " (without zero bytes)", data.replace(b"\0", b"").decode("utf-8", "replace")


def _unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    """(which part, content) of each member of a packed file, as far as it is whole, and of what is in Base64."""
    try:
        for begins, opened in _OPENERS.items():
            if data.startswith(begins):
                yield " (unpacked)", opened(data)
        if data.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                for member in packed.namelist():
                    yield f" ({member})", packed.read(member)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError, NotImplementedError):
        pass
    # Whole groups of four only, and all in one: a long one is often broken into lines.
    if found := _BASE64.findall(data):
        yield " (Base64)", binascii.a2b_base64(b"".join(found).replace(b"-", b"+").replace(b"_", b"/"))


def _records(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, object) of everything in JSON, a whole text or a line of it, that looks like a run record."""
    if '"itemId"' not in text:
        return
    try:
        yield from ((0, row) for row in _inside(json.loads(text)))
        return
    except (ValueError, RecursionError):
        pass
    for number, line in enumerate(text.split("\n"), 1):
        if '"itemId"' in line:
            try:
                yield from ((number, row) for row in _inside(json.loads(line)))
            except (ValueError, RecursionError):
                continue


def _inside(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "itemId" in value and ("rung" in value or "response" in value):
            yield value
        for part in value.values():
            yield from _inside(part)
    elif isinstance(value, list):
        for part in value:
            yield from _inside(part)


def _fault(record: dict[str, Any], private: Private) -> str | None:
    if record.get("privateCopy"):
        return "a private copy outside the inbox"
    if not private.is_sealed(str(record["itemId"])):
        return None
    if record.get("response"):
        return "a public record of a sealed item holds a response"
    if record.get("rung") != "identify" and record.get("parsed"):
        return "a public record of a sealed rung holds an answer line"
    return None
