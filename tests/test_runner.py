"""Plans performed here and on a Dask cluster, with fake models: a lost worker and a failing run lose nothing."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest
import yaml

from alifba.paths import repo_root
from alifba.runner import Outcome, Task, perform, perform_here, perform_on_cluster

N_ITEMS = 60


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Eight declared fake runs (four models, two languages) of some pilot items, slow enough to be killed."""
    lines = (repo_root() / "data/azeval/pilot.jsonl").read_text(encoding="utf-8").split("\n")[:N_ITEMS]
    (tmp_path / "items.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    models = [
        {"slug": f"fake{n}", "name": f"fake/model-{n}", "label": f"Fake {n}", "backend": "fake", "pace": 0.02}
        for n in range(4)
    ]
    content = {"name": "fake", "title": "Fake", "dataset": str(tmp_path / "items.jsonl"), "models": models}
    path = tmp_path / "fake.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def tasks(study: Path, folder: Path) -> list[Task]:
    where = ("--study", str(study), "--runs", str(folder), "--out", str(folder / "out"))
    folder.mkdir(exist_ok=True)
    return [
        Task(f"fake{n} {language}", ("--model", f"fake{n}", "--language", language, *where))
        for n in range(4)
        for language in ("az", "en")
    ]


def answers(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """(id, answer) of every row, in id order, by file: twice the same id would show."""
    rows = {
        path.name: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in sorted(folder.glob("*.jsonl"))
    }
    return {name: sorted((row["id"], row["raw_response"]) for row in file) for name, file in rows.items()}


def serial(study: Path, folder: Path) -> dict[str, list[tuple[str, str]]]:
    """The same plan by the library, in this process: what every way of performing it must equal."""
    from alifba.azeval.running import open_backend, run_model
    from alifba.config import load_study
    from alifba.items import read_items

    spec = load_study(study)
    items = read_items(spec.dataset_path())
    for model in spec.models:
        quick = model.model_copy(update={"pace": 0.0})
        for language in spec.languages:
            run_model(open_backend(quick), quick, items, language, "default", folder)
    return answers(folder)


def test_a_plan_performed_two_at_a_time_equals_the_serial_one(study: Path, tmp_path: Path) -> None:
    outcomes = list(perform_here(tasks(study, tmp_path / "here")[:4], jobs=2))
    assert [outcome.error for outcome in outcomes] == [""] * 4
    expected = serial(study, tmp_path / "serial")
    assert answers(tmp_path / "here") == {name: expected[name] for name in answers(tmp_path / "here")}


def test_a_failed_run_is_told_and_stops_no_other(study: Path, tmp_path: Path) -> None:
    good = tasks(study, tmp_path / "mixed")[0]
    bad = Task("no such model", ("--model", "nobody", *good.arguments[2:]))
    outcomes = {outcome.task.label: outcome for outcome in perform_here([bad, good], jobs=1)}
    assert "no such model in the study" in outcomes["no such model"].error
    assert outcomes[good.label].error == ""


def test_a_killed_run_says_so_and_is_completed_by_the_next(study: Path, tmp_path: Path) -> None:
    task = tasks(study, tmp_path / "killed")[0]
    found: list[Outcome] = []
    thread = threading.Thread(target=lambda: found.append(perform(task)))
    thread.start()
    raw = tmp_path / "killed" / "fake__model-0__az.jsonl"
    _wait_for_rows(raw, 5)
    _kill_writers_of(str(tmp_path / "killed"))
    thread.join(timeout=60)
    assert found[0].error
    assert 0 < len(answers(tmp_path / "killed")[raw.name]) < N_ITEMS
    assert perform(task).error == ""
    assert answers(tmp_path / "killed")[raw.name] == serial(study, tmp_path / "serial")[raw.name]


def test_a_lost_dask_worker_is_replaced_and_the_result_equals_the_serial_one(study: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    folder = tmp_path / "cluster"
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        victim = next(iter(cluster.workers.values())).process.pid
        killer = threading.Thread(target=lambda: (_wait_for_rows(folder, 20), os.kill(victim, signal.SIGKILL)))
        planned = tasks(study, folder)
        killer.start()
        outcomes = list(perform_on_cluster(planned, cluster.scheduler_address, {}))
        killer.join(timeout=60)
    assert len(outcomes) == len(planned)
    assert [outcome.error for outcome in outcomes] == [""] * 8
    assert answers(folder) == serial(study, tmp_path / "serial")


def _wait_for_rows(place: Path, n: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        files = [place] if place.is_file() else place.glob("*.jsonl") if place.is_dir() else []
        if sum(file.read_bytes().count(b"\n") for file in files) >= n:
            return
        time.sleep(0.02)
    raise AssertionError("the run wrote nothing")


def _kill_writers_of(mark: str) -> None:
    """SIGKILL every ``alifba run`` whose command line names `mark`; its kernel must notice by itself."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                words = (entry / "cmdline").read_bytes().decode("utf-8", "replace")
            except OSError:
                continue
            if mark in words and "alifba.cli" in words:
                os.kill(int(entry.name), signal.SIGKILL)
