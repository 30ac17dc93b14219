"""Files are written whole or not at all, and everything of a study lies where it is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from alifba import paths
from alifba.errors import InputError
from alifba.paths import StudyPaths, repo_root, resolve, shown, write_atomic


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_text_is_written_as_utf8_and_folders_are_made(tmp_path):
    target = tmp_path / "new" / "folder" / "ə.txt"
    write_atomic(target, "şəkər\n")
    assert target.read_bytes() == "şəkər\n".encode()
    assert leftovers(target.parent) == ["ə.txt"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, step):
    target = tmp_path / "table.csv"
    target.write_text("old")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((os, "fsync", full) if step == "fsync" else (Path, "replace", full)))
    with pytest.raises(OSError, match="No space"):
        write_atomic(target, "new")
    assert target.read_text() == "old"
    assert leftovers(tmp_path) == ["table.csv"]


def test_a_full_disk_leaves_the_old_file(tmp_path):
    # A limit on the size of a file fails a write as a full disk does; it holds for the child alone.
    (tmp_path / "table.csv").write_text("old")
    code = (
        "import resource, sys; from pathlib import Path; from alifba.paths import write_atomic\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "write_atomic(Path(sys.argv[1]), 'x' * 5000)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "table.csv"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "File too large" in done.stderr
    assert (tmp_path / "table.csv").read_text() == "old"
    assert leftovers(tmp_path) == ["table.csv"]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_follow_the_umask_and_it_is_left_as_it_was(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write_atomic(tmp_path / "a", b"")
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == mode


def test_a_file_in_the_place_of_a_folder_is_told(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InputError, match="not a folder"):
        write_atomic(tmp_path / "out" / "tables" / "gap.csv", "x")


def test_the_checkout_is_found_from_a_folder_inside_it_and_by_name(tmp_path, monkeypatch):
    checkout = tmp_path / "checkout"
    (checkout / "studies" / "deep").mkdir(parents=True)
    (checkout / "pyproject.toml").touch()
    assert repo_root(checkout / "studies" / "deep") == checkout.resolve()
    monkeypatch.setenv("ALIFBA_ROOT", str(tmp_path))
    assert repo_root(checkout) == tmp_path


def test_without_a_checkout_the_next_step_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "__file__", str(tmp_path / "site-packages" / "paths.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="ALIFBA_ROOT"):
        repo_root()


def test_a_path_is_found_from_here_and_from_the_root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert resolve("studies/pilot.yaml") == repo_root() / "studies" / "pilot.yaml"
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "pilot.yaml").touch()
    assert resolve("studies/pilot.yaml") == Path("studies/pilot.yaml")
    assert resolve(tmp_path / "none") == tmp_path / "none"


def test_printed_paths_do_not_name_the_checkout(tmp_path):
    assert shown(repo_root() / "studies" / "pilot.yaml") == "studies/pilot.yaml"
    assert shown(tmp_path / "x") == (tmp_path / "x").as_posix()


def test_with_out_nothing_of_ours_is_touched(tmp_path):
    given, ours = StudyPaths.of("pilot", tmp_path), StudyPaths.of("pilot")
    for part in ("results", "figures", "tables", "item_scores", "facts", "notebooks"):
        assert getattr(given, part).is_relative_to(tmp_path)
        assert getattr(ours, part).is_relative_to(repo_root())
