"""Compare a regenerated study with the committed one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from alifba.errors import InputError
from alifba.paths import StudyPaths

_COMPARED = ("*.csv", "*.json", "*.png", "*.pdf", "*.svg")


def _files(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for kind in _COMPARED for path in folder.rglob(kind)}


def differences(fresh: StudyPaths, committed: StudyPaths) -> list[str]:
    """One line for every table, fact file and figure that is missing on one side or differs by a byte.

    Raises:
        InputError: one of the two studies is not there at all.
    """
    for study, step in ((fresh, "make it first: make paper OUT=..."), (committed, "check STUDY=, or commit results")):
        if not study.results.is_dir():
            raise InputError("no such folder, so nothing to compare", file=study.results, next_step=step)
    return [
        *_folder_differences(fresh.tables, committed.tables, "tables"),
        *_folder_differences(fresh.figures, committed.figures, "figures"),
        *_file_difference(fresh.facts, committed.facts, "facts.json"),
    ]


def _folder_differences(fresh: Path, committed: Path, name: str) -> Iterator[str]:
    made, kept = _files(fresh), _files(committed)
    for path in sorted(made.keys() | kept.keys()):
        if path not in kept:
            yield f"{name}/{path}: regenerated, not committed"
        elif path not in made:
            yield f"{name}/{path}: committed, not regenerated"
        else:
            yield from _file_difference(made[path], kept[path], f"{name}/{path}")


def _file_difference(fresh: Path, committed: Path, name: str) -> Iterator[str]:
    if not fresh.is_file() or not committed.is_file():
        yield f"{name}: missing in {'the regenerated study' if not fresh.is_file() else 'git'}"
        return
    new, old = fresh.read_bytes(), committed.read_bytes()
    if new == old:
        return
    if committed.suffix not in (".csv", ".json"):
        yield f"{name}: other bytes ({len(old)} committed, {len(new)} regenerated)"
        return
    was_lines, now_lines = (data.decode(errors="backslashreplace").split("\n") for data in (old, new))
    pairs = zip_longest(was_lines, now_lines, fillvalue="(end of file)")
    line, was, now = next((i, a, b) for i, (a, b) in enumerate(pairs, 1) if a != b)
    yield f"{name}:{line}: committed {was[:120]!r}, regenerated {now[:120]!r}"
