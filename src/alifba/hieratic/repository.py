"""What git knows: which files are committed or would be, and whether a path is ignored."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from alifba.errors import InputError


def _git(folder: Path, *words: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", str(folder), *words], input=stdin, capture_output=True, check=False)
    except FileNotFoundError:
        raise InputError("git is not installed", next_step="install git: what it commits cannot be checked") from None


def _existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


def top(folder: Path) -> Path | None:
    """The root of the checkout that `folder` lies in; None where it lies in none."""
    done = _git(_existing(folder.absolute()), "rev-parse", "--show-toplevel")
    return Path(done.stdout.decode().rstrip("\n")) if done.returncode == 0 else None


def is_ignored(path: Path) -> bool:
    """Whether git would not commit `path`: it ignores it, or the path lies in no checkout."""
    folder = _existing(path.absolute().parent)
    if top(folder) is None:
        return True
    return _git(folder, "check-ignore", "--quiet", str(path.absolute())).returncode == 0


def listed(root: Path, *which: str) -> list[str]:
    """Paths from `root` that ``git ls-files`` lists; in which way, `which` says.

    Raises:
        InputError: `root` is no checkout.
    """
    done = _git(root, "ls-files", "-z", *which)
    if done.returncode:
        raise InputError("no git checkout", file=root, value=done.stderr.decode("utf-8", "replace").strip())
    return sorted({name.decode("utf-8", "surrogateescape") for name in done.stdout.split(b"\0") if name})


def differing_in_index(root: Path) -> Iterator[tuple[str, bytes]]:
    """(path, content in the index) of each file whose copy in the folder is another one, or gone."""
    changed = _git(root, "diff", "--name-only", "-z", "--no-renames", "--relative")
    for raw in changed.stdout.split(b"\0"):
        if raw:
            name = raw.decode("utf-8", "surrogateescape")
            yield name, _git(root, "show", f":./{name}").stdout
