"""Where things lie, and how a file is written: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from alifba.errors import InputError


def repo_root(start: Path | None = None) -> Path:
    """The folder that holds ``studies/`` and ``pyproject.toml``, looked for upwards from `start`.

    `start` is the working directory, then this file's own checkout (an editable install). The environment
    variable ``ALIFBA_ROOT`` goes before both.
    """
    if named := os.environ.get("ALIFBA_ROOT"):
        return Path(named)
    for origin in (start or Path.cwd(), Path(__file__)):
        for folder in (origin.resolve(), *origin.resolve().parents):
            if (folder / "studies").is_dir() and (folder / "pyproject.toml").is_file():
                return folder
    raise InputError(
        "no alifba checkout found here or above",
        value=str(Path.cwd()),
        next_step="run inside the cloned repository, or set ALIFBA_ROOT to it",
    )


def shown(path: Path | str) -> str:
    """`path` relative to the repository where it lies inside, for anything that is written or printed."""
    try:
        return Path(path).resolve().relative_to(repo_root()).as_posix()
    except (ValueError, InputError):
        return Path(path).as_posix()


def resolve(path: str | Path) -> Path:
    """`path` as given if it exists from the working directory, else from the repository root.

    A notebook runs in its own folder in JupyterLab and in the root under papermill; both find the same files.
    """
    given = Path(path)
    return given if given.exists() or given.is_absolute() else repo_root() / given


@dataclass(frozen=True)
class StudyPaths:
    """The folders that one study writes to. With `out`, everything lies below it and nothing of ours is touched."""

    results: Path
    figures: Path

    @classmethod
    def of(cls, name: str, out: str | Path = "") -> StudyPaths:
        if out:
            return cls(results=Path(out), figures=Path(out) / "figures")
        root = repo_root()
        return cls(results=root / "results" / name, figures=root / "figures" / name)

    @property
    def tables(self) -> Path:
        return self.results / "tables"

    @property
    def item_scores(self) -> Path:
        return self.tables / "items"

    @property
    def facts(self) -> Path:
        return self.results / "facts.json"

    @property
    def notebooks(self) -> Path:
        return self.results / "notebooks"


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write `content` to `path` by way of a temporary file beside it: readers see the old file or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InputError("not a folder", file=path.parent, next_step="give another, or move that file away") from None
    data = content.encode("utf-8") if isinstance(content, str) else content
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
