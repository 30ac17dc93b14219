"""The graph of make: what a change rebuilds, with a stand-in for the program; and one real paper."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pypdf import PdfReader

from alifba.paths import repo_root
from samples import CAPITALS, item_row, write_answers, write_rows, write_study

# It writes down how it was called and leaves what the step of that name leaves.
STAND_IN = """\
#!/bin/sh
echo "$*" >> calls.log
made() { for file; do mkdir -p "$(dirname "$file")" && echo x > "$file"; done; }
case "$*" in
  score*)               made out/tables/items/a.csv out/tables/items/b.csv ;;
  notebook*20_gap*)     made out/tables/gap.csv out/tables/scores.csv ;;
  notebook*25_figures*) made out/figures/gap.png out/figures/recovery.pdf ;;
  facts*)               made out/facts.json ;;
  paper*--latex*)       made out/latex/paper.tex ;;
  paper*)               made out/paper.pdf ;;
esac
"""
ALL = ["score", "notebook 20_gap", "notebook 25_figures", "facts", "paper"]


def plain_environment() -> dict[str, str]:
    """Without what a make around these tests hands down."""
    handed_down = ("MAKE", "MFLAGS", "STUDY", "DATASET", "RUNS", "OUT", "VENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(handed_down)}


class Checkout:
    """A folder that looks like a set-up checkout to make."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("Makefile", "pyproject.toml", "requirements.lock"):
            shutil.copy(repo_root() / name, root / name)
        notebooks = [path.relative_to(repo_root()).as_posix() for path in repo_root().glob("notebooks/*/*.ipynb")]
        for file in (
            "src/alifba/text/data/letters.toml",
            "src/alifba/cli.py",
            "paper/report.md",
            "paper/references.bib",
            "paper/template.typ",
            "data/d.jsonl",
            "raw/a.jsonl",
            "raw/b.jsonl",
            *notebooks,
        ):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).touch()
        (root / "studies").mkdir()
        (root / "studies" / "study.yaml").write_text("name: small\ntitle: Small\n")
        (root / ".venv" / "bin").mkdir(parents=True)
        program = root / ".venv" / "bin" / "alifba"
        program.write_text(STAND_IN)
        program.chmod(0o755)
        # Older than anything that is touched later, newer than nothing: the environment is there.
        past = time.time() - 1000
        for path in root.rglob("*"):
            os.utime(path, (past, past))
        (root / ".venv" / ".paper").touch()
        os.utime(root / ".venv" / ".paper", (past + 1, past + 1))

    def make(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        given = {"STUDY": "studies/study.yaml", "DATASET": "data/d.jsonl", "RUNS": "raw", "OUT": "out"} | variables
        command = ["make", *words, *(f"{name}={value}" for name, value in given.items())]
        return subprocess.run(command, cwd=self.root, env=plain_environment(), capture_output=True, text=True)

    def called(self) -> list[str]:
        """The steps since the last look, such as ``notebook 20_gap``."""
        log = self.root / "calls.log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    def steps(self) -> list[str]:
        names = []
        for line in self.called():
            step, first = line.split()[:2]
            names.append(f"notebook {Path(first).stem}" if step == "notebook" else step)
        return names

    def touch(self, path: str) -> None:
        # Files made within one tick of the clock must not look older than what was built from them.
        later = time.time() + 2
        (self.root / path).touch()
        os.utime(self.root / path, (later, later))

    def settle(self) -> None:
        """Put everything into the past, in its order."""
        for path in [*self.root.rglob("*"), self.root]:
            stat = path.stat()
            os.utime(path, ns=(stat.st_mtime_ns - 10**10, stat.st_mtime_ns - 10**10))


@pytest.fixture
def checkout(tmp_path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture
def built(checkout) -> Checkout:
    done = checkout.make("paper")
    assert done.returncode == 0, done.stderr
    checkout.called()
    checkout.settle()
    return checkout


def test_a_paper_takes_every_step_once_in_order(checkout):
    assert checkout.make("paper").returncode == 0
    steps = checkout.steps()
    assert [step for step in steps if step in ALL] == ALL
    assert len(steps) == len(set(steps))


def test_in_parallel_too(checkout):
    assert checkout.make("paper", "-j4").returncode == 0
    steps = checkout.steps()
    assert steps[0] == "score"
    assert steps[-1] == "paper"
    assert len(steps) == len(set(steps))


def test_with_nothing_changed_nothing_is_done(built):
    assert built.make("-q", "paper").returncode == 0
    assert built.make("paper").returncode == 0
    assert built.steps() == []


@pytest.mark.parametrize(
    ("path", "first", "left_alone"),
    [
        ("raw/a.jsonl", "score", set()),
        ("data/d.jsonl", "score", set()),
        ("studies/study.yaml", "score", set()),
        ("src/alifba/cli.py", "score", set()),
        ("src/alifba/text/data/letters.toml", "score", set()),
        ("notebooks/azeval/20_gap.ipynb", "notebook 20_gap", {"score"}),
        ("notebooks/azeval/25_figures.ipynb", "notebook 25_figures", {"score", "notebook 20_gap", "facts"}),
        ("paper/report.md", "paper", {"score", "notebook 20_gap", "notebook 25_figures", "facts"}),
        ("paper/references.bib", "paper", {"score", "notebook 20_gap", "notebook 25_figures", "facts"}),
        ("paper/template.typ", "paper", {"score", "notebook 20_gap", "notebook 25_figures", "facts"}),
    ],
)
def test_a_change_rebuilds_what_reads_it_and_nothing_else(built, path, first, left_alone):
    built.touch(path)
    assert built.make("paper").returncode == 0
    steps = built.steps()
    assert steps[0] == first
    assert [step for step in steps if step in ALL] == [step for step in ALL if step not in left_alone]


def scored(checkout) -> list[str]:
    (line,) = [line for line in checkout.called() if line.startswith("score")]
    return [word for word in line.split() if word.endswith(".jsonl") and "/d.jsonl" not in word]


def test_only_the_raw_file_that_changed_is_scored_again(built):
    built.touch("raw/b.jsonl")
    built.make("tables")
    assert scored(built) == ["raw/b.jsonl"]


def test_a_new_raw_file_alone_is_scored(built):
    (built.root / "raw" / "c.jsonl").touch()
    built.make("tables")
    assert scored(built) == ["raw/c.jsonl"]


@pytest.mark.parametrize("path", ["data/d.jsonl", "src/alifba/cli.py", "studies/study.yaml"])
def test_what_every_score_rests_on_scores_all_again(built, path):
    built.touch(path)
    built.touch("raw/b.jsonl")
    built.make("tables")
    assert scored(built) == []


def test_a_raw_file_that_is_gone_scores_all_again(built):
    (built.root / "raw" / "b.jsonl").unlink()
    built.make("tables")
    assert scored(built) == []


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("out/tables/items/a.csv", "score"),
        ("out/tables/gap.csv", "notebook 20_gap"),
        ("out/tables/scores.csv", "notebook 20_gap"),
        ("out/figures/gap.png", "notebook 25_figures"),
        ("out/figures/recovery.pdf", "notebook 25_figures"),
        ("out/facts.json", "facts"),
        ("out/paper.pdf", "paper"),
    ],
)
def test_what_was_deleted_is_made_again(built, path, first):
    (built.root / path).unlink()
    assert built.make("paper").returncode == 0
    assert built.steps()[0] == first
    assert (built.root / path).exists()


def test_a_step_that_fails_is_not_done(checkout):
    program = checkout.root / ".venv" / "bin" / "alifba"
    program.write_text(STAND_IN.replace("case ", 'case "$*" in notebook*20_gap*) exit 3 ;; esac\ncase ', 1))
    assert checkout.make("paper").returncode != 0
    checkout.called()
    program.write_text(STAND_IN)
    checkout.make("paper")
    assert [step for step in checkout.steps() if step in ALL] == ALL[1:]


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"STUDY": "studies/none.yaml"}, "no such study file: studies/none.yaml. Those that ship: studies/study.yaml"),
        ({"DATASET": "data/none.jsonl"}, "no such file or folder: data/none.jsonl"),
        ({"RUNS": "none"}, "no such file or folder: none"),
        ({"OUT": "my results"}, "space in a path: my results"),
        ({"RUNS": "my runs"}, "space in a path: my runs"),
        ({"DATASET": "my items.jsonl"}, "space in a path: my items.jsonl"),
        ({"STUDY": "my study.yaml"}, "space in a path: my study.yaml"),
    ],
)
@pytest.mark.parametrize("goal", ["paper", "tables"])
def test_a_wrong_path_is_refused_with_a_message_and_nothing_is_begun(checkout, variables, message, goal):
    done = checkout.make(goal, **variables)
    assert done.returncode != 0
    assert message in done.stderr
    assert checkout.steps() == []


def test_help_is_the_default_and_names_every_target(checkout):
    done = checkout.make()
    for target in ("setup", "runs", "tables", "figures", "paper", "verify", "test", "lint", "bench", "clean", "latex"):
        assert f"\n  {target} " in done.stdout


def test_clean_leaves_raw_outputs_and_tables(built):
    for folder in ("results/small/raw_outputs", "results/small/notebooks"):
        (built.root / folder).mkdir(parents=True)
        (built.root / folder / "x").touch()
    built.make("clean")
    kept = {path.relative_to(built.root).as_posix() for path in built.root.rglob("*") if path.is_file()}
    assert {"raw/a.jsonl", "results/small/raw_outputs/x", "out/tables/gap.csv", "data/d.jsonl"} <= kept
    assert not [path for path in kept if "notebooks/x" in path]
    assert not list((built.root / "out").glob(".build"))


@pytest.fixture
def studying(checkout) -> Checkout:
    """A checkout whose study needs the extras local and api, neither of them there."""
    program = checkout.root / ".venv" / "bin" / "alifba"
    program.write_text(STAND_IN.replace("case ", 'case "$*" in extras*) printf "api\\nlocal\\n" ;; esac\ncase ', 1))
    python = checkout.root / ".venv" / "bin" / "python"
    python.write_text('#!/bin/sh\necho "python $*" >> calls.log\n')
    python.chmod(0o755)
    return checkout


def test_runs_install_what_the_models_need_once(studying):
    assert studying.make("runs").returncode == 0
    first = studying.called()
    assert [line.split()[-1] for line in first if "--editable" in line] == [".[api]", ".[local]"]
    assert first[-1].split(" --study")[0] == "runs"
    assert first[-1].endswith("--jobs 2")
    assert studying.make("runs", MAX_COST="5", JOBS="1").returncode == 0
    again = studying.called()
    assert not [line for line in again if line.startswith("python")]
    assert again[-1].endswith("--jobs 1 --max-cost 5")


def test_an_estimate_installs_nothing(studying):
    assert studying.make("runs", DRY_RUN="1").returncode == 0
    (only,) = studying.called()
    assert only.startswith("runs ")
    assert only.endswith("--jobs 2 --dry-run")


def test_runs_that_fail_fail_the_target(studying):
    program = studying.root / ".venv" / "bin" / "alifba"
    program.write_text("#!/bin/sh\ncase $1 in runs) exit 1 ;; esac\n")
    assert studying.make("runs").returncode != 0
    # A study that cannot be read begins nothing.
    program.write_text('#!/bin/sh\necho "$*" >> calls.log\ncase $1 in extras) exit 1 ;; esac\n')
    assert studying.make("runs").returncode != 0
    assert [line.split()[0] for line in studying.called()] == ["extras"]


def test_the_latex_bundle_comes_from_the_same_figures_and_facts(built):
    built.make("latex")
    assert built.steps() == ["paper"]
    assert (built.root / "out" / "latex" / "paper.tex").exists()


def test_a_real_paper_of_a_small_study(tmp_path):
    write_rows(tmp_path / "d.jsonl", [item_row(i, category="mathematics" if i < 2 else "world") for i in range(6)])
    for model in ("org/one", "org/two"):
        write_answers(tmp_path / "raw", model, "az", ["Paris", "x", "Тифлис", "Moskvada", "x", "Stokholm"])
        write_answers(tmp_path / "raw", model, "en", ["x", *(capital[3] for capital in CAPITALS[1:])])
    # A copy, so that a file which is saved meanwhile begins nothing anew.
    for name in ("src", "notebooks", "paper", "studies"):
        shutil.copytree(repo_root() / name, tmp_path / name, ignore=shutil.ignore_patterns("build", "__pycache__"))
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(repo_root() / name, tmp_path / name)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(Path(sys.prefix) / "bin")
    (tmp_path / ".venv" / ".paper").touch()
    study = write_study(tmp_path, bootstrap={"resamples": 200}, acknowledged_extremes=["*"])
    variables = [f"STUDY={study.name}", "DATASET=d.jsonl", "RUNS=raw", "OUT=out"]

    def make(*words: str) -> subprocess.CompletedProcess[str]:
        command = ["make", *words, *variables]
        return subprocess.run(command, cwd=tmp_path, env=plain_environment(), capture_output=True, text=True)

    done = make("paper")
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    for name in ("tables/scores.csv", "tables/gap.csv", "facts.json", "figures/gap.png", "paper.pdf"):
        assert (out / name).stat().st_size > 0
    assert "not verified by a person" in " ".join(PdfReader(out / "paper.pdf").pages[0].extract_text().split())
    assert make("-q", "paper").returncode == 0

    before = {path.name: path.stat().st_mtime_ns for path in (out / "tables" / "items").iterdir()}
    write_answers(tmp_path / "raw", "org/one", "az", ["Paris"] * 6)
    assert make("out/.build/scores").returncode == 0
    after = {path.name: path.stat().st_mtime_ns for path in (out / "tables" / "items").iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"org__one__az.csv", "org__one__az.json"}
