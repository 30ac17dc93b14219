"""What a preview shows is what a run sends, and it needs neither weights nor torch."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from alifba.azeval.preview import preview
from alifba.azeval.prompts import item_prompt
from alifba.config import load_study
from alifba.errors import InputError
from alifba.items import read_items
from alifba.paths import repo_root
from samples import item_row, write_rows, write_study

API = {"provider": "openai", "model": "m-1", "price": {"input": 1.0, "output": 2.0}}


@pytest.fixture
def items(tmp_path):
    return read_items(write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(6)]))


def study_of(tmp_path, model, **keys):
    entry = {"slug": "tiny", "name": "org/tiny", "label": "Tiny"} | model
    return load_study(write_study(tmp_path, models=[entry], dataset=str(tmp_path / "d.jsonl"), **keys))


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("transformers", reason="needs the extra 'local'")
    from tiny_models import make_tokenizer

    make_tokenizer().save_pretrained(tmp_path / "tiny")
    (tmp_path / "tiny" / "config.json").write_text('{"model_type": "llama"}')
    return tmp_path / "tiny"


@pytest.mark.parametrize("chat", [True, False])
def test_it_shows_text_ids_and_bos_of_every_prompt(tmp_path, items, folder, chat):
    study = study_of(tmp_path, {"source": {"hub": str(folder)}, "chat_template": chat})
    shown = preview(study, study.models[0], items, "az", "default")
    assert [one.item for one in shown.sent] == list(items.by_id)
    for one, item in zip(shown.sent, items, strict=True):
        prompt = item_prompt(item, items, "az", "default")
        assert one.text == (f"<bos><user>{prompt}<model>" if chat else prompt)
        # A token a letter, and those of the template or the BOS.
        assert len(one.ids) == len(prompt) + (3 if chat else 1)
    longest = max(len(one.ids) for one in shown.sent)
    assert any(note.startswith(f"longest prompt: {longest} tokens") for note in shown.notes)
    assert f"in all: {sum(len(one.ids) for one in shown.sent):,} prompt tokens" in shown.notes
    assert "BOS tokens at the start: 1 in 6 prompts" in shown.notes


def test_a_model_behind_an_api_gets_an_estimate(tmp_path, items):
    study = study_of(tmp_path, {"backend": "api", "api": API})
    shown = preview(study, study.models[0], items, "en", "default")
    assert all(one.ids is None for one in shown.sent)
    characters = sum(len(one.text) for one in shown.sent)
    assert any(f"6 items, {characters:,} characters" in note and "US dollars" in note for note in shown.notes)


def test_a_declared_stop_is_shown(tmp_path, items):
    declared = {"decoding": {"stop_at_next_question": True}, "styles": ["default", "choice"]}
    study = study_of(tmp_path, {"backend": "fake"}, **declared)
    notes = {style: preview(study, study.models[0], items, "az", style).notes for style in study.styles}
    assert r"a reply ends at '\n\nSual:'" in notes["default"]
    assert "at most 32 new tokens a reply" in notes["default"]
    assert "at most 4 new tokens a reply" in notes["choice"]


@pytest.mark.parametrize(("language", "style"), [("tr", "default"), ("az", "zeroshot")])
def test_what_the_study_does_not_declare_is_refused(tmp_path, items, language, style):
    study = study_of(tmp_path, {"backend": "fake"})
    with pytest.raises(InputError, match="declares no such"):
        preview(study, study.models[0], items, language, style)


def without_torch(*arguments):
    code = "import sys; sys.modules['torch'] = None; from alifba.cli import app; app(sys.argv[1:])"
    command = [sys.executable, "-c", code, "preview", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=repo_root(), env=os.environ | {"COLUMNS": "200"})


def test_the_command_needs_no_torch(tmp_path, items, folder):
    study_of(tmp_path, {"source": {"hub": str(folder)}})
    done = without_torch("--study", tmp_path / "study.yaml", "--model", "tiny", "--language", "az", "--items", "1")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "--- t-000"
    assert lines[-1].endswith("prompt tokens")
    assert sum(line.startswith("--- t-") for line in lines) == 1


def test_a_tokenizer_that_only_torch_reads_is_left_out_and_said(tmp_path, items):
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    study_of(tmp_path, {"source": {"gguf": str(tmp_path / "m.gguf")}})
    done = without_torch("--study", tmp_path / "study.yaml", "--model", "tiny", "--language", "az", "--items", "1")
    assert done.returncode == 0, done.stderr
    assert "no token ids" in done.stdout
    assert item_prompt(items.items[0], items, "az", "default") in done.stdout
