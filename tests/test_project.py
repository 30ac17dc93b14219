"""What holds for the repository as a whole: its parts do not drift apart, and it names no machine and no key."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.main import get_command

import alifba
from alifba.cli import app
from alifba.paths import repo_root

ROOT = repo_root()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "Makefile", *sorted(ROOT.glob("make/*.mk"))])
HANDBOOKS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / ".ci" / "run"]


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_conda_and_pip_install_the_same():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    plain = [entry for entry in environment["dependencies"] if isinstance(entry, str)]
    (by_pip,) = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    assert f"python{PROJECT['requires-python']}" in plain
    assert sorted(by_pip) == sorted([*PROJECT["dependencies"], "--editable ."])


def test_the_paper_needs_no_torch():
    assert not {Requirement(line).name for line in PROJECT["dependencies"]} & {"torch", "transformers", "bitsandbytes"}


def locked() -> dict[str, list[Requirement]]:
    pins: dict[str, list[Requirement]] = {}
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            pin = Requirement(line)
            pins.setdefault(canonicalize_name(pin.name), []).append(pin)
    return pins


def declared() -> list[str]:
    extras = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    return [line for line in [*PROJECT["dependencies"], *extras] if not line.startswith("alifba")]


@pytest.mark.parametrize("line", declared())
def test_the_lock_file_holds_every_dependency_within_its_bounds(line):
    wanted = Requirement(line)
    pins = locked().get(canonicalize_name(wanted.name), [])
    assert pins, "make lock"
    for pin in pins:
        (version,) = pin.specifier
        assert version.operator == "=="
        assert wanted.specifier.contains(version.version, prereleases=True)


def test_the_version_is_said_once():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert alifba.__version__ == PROJECT["version"] == str(citation["version"])


def test_a_floor_imports_only_from_floors_below():
    program = shutil.which("lint-imports", path=Path(sys.prefix) / "bin")
    done = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "Contracts: 1 kept, 0 broken." in done.stdout


@pytest.mark.parametrize("path", HANDBOOKS, ids=lambda path: path.name)
def test_every_command_that_is_told_exists(path):
    text = path.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    assert set(re.findall(r"^\s*make ([a-z-]+)|`make ([a-z-]+)", text, re.MULTILINE)), "none is told"
    assert {a or b for a, b in re.findall(r"^\s*make ([a-z-]+)|`make ([a-z-]+)", text, re.MULTILINE)} <= targets
    steps = set(get_command(app).commands)
    assert set(re.findall(r"(?:^|[`/])alifba ([a-z-]+)", text, re.MULTILINE)) <= steps


def test_modules_stay_short():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "src").rglob("*.py")}
    assert {path.name: n for path, n in lengths.items() if n > 400} == {}


def test_every_data_file_is_installed_with_its_package():
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    assert patterns["package-data"] == {"*": ["data/*", "data/*/*"]}
    for path in tracked("src"):
        if path.suffix != ".py":
            data = path.parent if path.parent.name == "data" else path.parent.parent
            assert data.name == "data", path
            assert (data.parent / "__init__.py").is_file(), path


def test_notebooks_with_outputs_stay_out_of_git():
    assert {path.relative_to(ROOT).parts[0] for path in tracked("*.ipynb")} == {"notebooks"}


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {hit.group()[:60]}" for hit in pattern.finditer(text)]
    return found


def test_no_file_names_somebody_s_folder():
    # Folders of users, and the folder that this very checkout lies in.
    assert lines_with(re.compile(rf"(?<![\w.])/(?:home|Users|root)/[\w.-]+|{re.escape(str(ROOT.resolve()))}\b")) == []


def test_no_file_holds_a_key():
    shapes = r"\bsk-[\w-]{20,}|\bhf_\w{20,}|\bgh[pousr]_\w{20,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY"
    assert lines_with(re.compile(shapes)) == []


def test_no_file_names_a_package_index():
    assert lines_with(re.compile(r"index[-]url|find[-]links|trusted[-]host|https?://[^\s)\"']+/simple\b")) == []


def test_every_committed_table_says_whether_a_person_verified_the_items():
    tables = [path for path in tracked("results/*/tables/*.csv") if path.parent.name == "tables"]
    assert tables
    for path in tables:
        header = path.read_text(encoding="utf-8").split("\n", 1)[0]
        assert header.endswith(",items_status"), path
