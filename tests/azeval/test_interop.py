"""Exports and imports of other harnesses. The log shapes below are those that lm-evaluation-harness 0.4.13 and
inspect_ai 0.3.285 wrote for our exported tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from alifba.azeval.interop import export_hugging_face, export_inspect, export_lm_eval, import_inspect, import_lm_eval
from alifba.azeval.prompts import item_prompt
from alifba.errors import InputError
from alifba.items import ItemSet, read_items
from alifba.paths import repo_root
from alifba.runs import read_run


@pytest.fixture(scope="module")
def items() -> ItemSet:
    return read_items(repo_root() / "data/azeval/pilot.jsonl")


def lm_eval_log(path: Path, answers: dict[str, str]) -> Path:
    samples = [
        {"doc_id": n, "doc": {"id": id_, "prompt": "Sual: x\nCavab:"}, "resps": [[text]], "filtered_resps": [text]}
        for n, (id_, text) in enumerate(answers.items())
    ]
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    return path


@pytest.mark.parametrize("style", ["default", "choice"])
def test_lm_eval_gets_the_prompts_that_alifba_sends(items: ItemSet, tmp_path: Path, style: str) -> None:
    task = yaml.safe_load(export_lm_eval(items, "az", style, tmp_path, ["\n\n"]).read_text(encoding="utf-8"))
    rows = [
        json.loads(line) for line in (tmp_path / task["dataset_kwargs"]["data_files"]["test"]).open(encoding="utf-8")
    ]
    assert [row["id"] for row in rows] == [item.id for item in items]
    assert rows[7]["prompt"] == item_prompt(items.items[7], items, "az", style)
    assert task["generation_kwargs"]["until"] == ["\n\n"]
    assert task["generation_kwargs"]["do_sample"] is False


def test_the_inspect_task_is_a_program_that_names_its_items(items: ItemSet, tmp_path: Path) -> None:
    path = export_inspect(items, "en", "default", tmp_path)
    program = path.read_text(encoding="utf-8")
    compile(program, str(path), "exec")
    assert "@" not in program.replace("@task", "")
    assert (tmp_path / "alifba_azeval_en.jsonl").is_file()


def test_lm_eval_samples_come_back_word_for_word(tmp_path: Path) -> None:
    log = lm_eval_log(tmp_path / "samples_x.jsonl", {"pl-0001": " NA\n\nSual", "pl-0002": ""})
    run = read_run(import_lm_eval(log, "Org/Model", "az", "default", tmp_path / "runs"))
    assert run.key == ("Org/Model", "az", "default")
    assert [run.rows[id_].raw_response for id_ in ("pl-0001", "pl-0002")] == [" NA\n\nSual", ""]
    assert run.signature.precision == "unknown"


def test_inspect_samples_come_back_and_a_failed_one_is_no_answer(tmp_path: Path) -> None:
    fine = {"id": "a", "input": "Sual", "output": {"choices": [{"stop_reason": "stop"}], "completion": "Bakı"}}
    failed = {"id": "b", "input": [{"role": "user", "content": "Sual"}], "output": {"choices": [], "completion": ""}}
    log = tmp_path / "log.json"
    log.write_text(json.dumps({"samples": [fine, failed]}), encoding="utf-8")
    run = read_run(import_inspect(log, "Org/Model", "az", "default", tmp_path / "runs"))
    assert run.rows["a"].raw_response == "Bakı"
    assert run.rows["b"].raw_response is None
    assert run.rows["b"].prompt == "Sual"


def test_an_import_never_overwrites_a_run(tmp_path: Path) -> None:
    log = lm_eval_log(tmp_path / "samples_x.jsonl", {"a": "x"})
    import_lm_eval(log, "Org/Model", "az", "default", tmp_path / "runs")
    with pytest.raises(InputError, match="exists already"):
        import_lm_eval(log, "Org/Model", "az", "default", tmp_path / "runs")


@pytest.mark.parametrize("content", ["{}", '{"doc": {"id": "a"}, "resps": []}', '{"doc": 1, "resps": [["x"]]}'])
def test_another_file_is_refused_with_its_line(tmp_path: Path, content: str) -> None:
    log = tmp_path / "samples_x.jsonl"
    log.write_text(content + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"samples_x\.jsonl:1: not a sample"):
        import_lm_eval(log, "Org/Model", "az", "default", tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("content", [b"PK\x03\x04", b"{}", b'{"samples": [1]}', b"\xff"])
def test_a_log_that_is_no_json_log_says_how_to_convert_it(tmp_path: Path, content: bytes) -> None:
    log = tmp_path / "x.eval"
    log.write_bytes(content)
    with pytest.raises(InputError, match="inspect log convert"):
        import_inspect(log, "Org/Model", "az", "default", tmp_path / "runs")


def test_the_dataset_folder_says_that_items_are_not_verified(items: ItemSet, tmp_path: Path) -> None:
    card = export_hugging_face(items, "pilot", tmp_path).read_text(encoding="utf-8")
    front = yaml.safe_load(card.split("---")[1])
    assert front["language"] == ["az", "en"]
    assert "not verified by a person" in card
    assert read_items(tmp_path / "data/test.jsonl").by_id.keys() == items.by_id.keys()


def test_croissant_metadata_is_valid_and_reads_every_item(items: ItemSet, tmp_path: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    export_hugging_face(items, "pilot", tmp_path)
    dataset = mlcroissant.Dataset(tmp_path / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors
    assert sum(1 for _ in dataset.records("items")) == len(items)
