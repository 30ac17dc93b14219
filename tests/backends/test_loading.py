"""What a machine can compute with is found out first, told plainly, and part of what a run is known by."""

from __future__ import annotations

import json

import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'local'")
pytest.importorskip("transformers", reason="needs the extra 'local'")

from alifba.azeval.pairs import pair_runs  # noqa: E402
from alifba.azeval.running import run_model  # noqa: E402
from alifba.azeval.scorebook import ScoreBook, score_runs  # noqa: E402
from alifba.backends import precision  # noqa: E402
from alifba.backends.precision import Precision, probe  # noqa: E402
from alifba.backends.transformers import TransformersBackend  # noqa: E402
from alifba.config import Model, load_study  # noqa: E402
from alifba.errors import InputError  # noqa: E402
from alifba.items import read_items  # noqa: E402
from alifba.runs import read_runs  # noqa: E402
from samples import item_row, write_rows, write_study  # noqa: E402
from tiny_models import make_model  # noqa: E402

PAIR = {"target": "Kazakh", "related": True, "script": "Cyrillic", "base_family": "Qwen"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("tiny"))


def opened(folder, **changes):
    keys = {"slug": "tiny", "name": "org/tiny", "label": "Tiny", "precision": "float32", "batch_size": 8} | changes
    return TransformersBackend(Model.model_validate({"source": {"hub": str(folder)}, **keys}))


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float32"])
def test_a_cpu_computes_in_all_three(name):
    assert probe(name, "cpu") == Precision(name, getattr(torch, name))
    assert probe(name, "cpu").quantization() is None


@pytest.mark.parametrize("name", ["bfloat16", "float32"])
def test_a_device_that_cannot_compute_is_refused(name):
    # The meta device has shapes and no numbers.
    with pytest.raises(InputError, match=f"cannot compute in {name} on meta"):
        probe(name, "meta")


def test_what_the_device_can_do_is_told(monkeypatch):
    why = {torch.bfloat16: "this card has no bfloat16"}
    monkeypatch.setattr(precision, "_why_not", lambda dtype, where: why.get(dtype))
    with pytest.raises(InputError, match="no bfloat16") as caught:
        probe("bfloat16", "cpu")
    assert "float16, float32" in str(caught.value)


def test_nf4_says_what_else_it_rests_on(monkeypatch):
    pytest.importorskip("bitsandbytes")
    assert probe("nf4", "cpu") == Precision("nf4-double-bfloat16", torch.bfloat16, True)
    kept = probe("nf4", "cpu").quantization()
    assert (kept.bnb_4bit_quant_type, kept.bnb_4bit_use_double_quant) == ("nf4", True)
    monkeypatch.setattr(precision, "_why_not", lambda dtype, where: "no" if dtype is torch.bfloat16 else None)
    assert probe("nf4", "cpu").label == "nf4-double-float16"


def test_nf4_goes_without_double_quantisation_where_it_does_not_work(monkeypatch):
    pytest.importorskip("bitsandbytes")
    tried = precision._nf4_fault
    monkeypatch.setattr(precision, "_nf4_fault", lambda *given: "no kernel" if given[-1] else tried(*given))
    assert probe("nf4", "cpu") == Precision("nf4-bfloat16", torch.bfloat16, False)


def test_wrong_nf4_kernels_are_found_out(monkeypatch):
    bitsandbytes = pytest.importorskip("bitsandbytes")

    class Wrong(bitsandbytes.nn.Linear4bit):
        def forward(self, x):
            return -super().forward(x)

    monkeypatch.setattr(bitsandbytes.nn, "Linear4bit", Wrong)
    with pytest.raises(InputError, match="cannot do nf4 on cpu") as caught:
        probe("nf4", "cpu")
    # Every weight is off by twice its size; the mean size of a standard normal number is 0.798.
    assert "off by 1.59" in str(caught.value) or "off by 1.60" in str(caught.value)


def test_a_library_that_cannot_be_loaded_is_told(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "bitsandbytes", None)
    with pytest.raises(InputError, match="bitsandbytes, which nf4 needs, cannot be loaded"):
        probe("nf4", "cpu")


def test_nf4_runs_on_this_machine_and_its_weights_are_four_bits(folder):
    bitsandbytes = pytest.importorskip("bitsandbytes")
    backend = opened(folder, precision="nf4")
    assert backend.description.precision == "nf4-double-bfloat16"
    layers = [m for m in backend._decoder._sharing._model.modules() if isinstance(m, bitsandbytes.nn.Linear4bit)]
    assert len(layers) == 3 * 7
    assert {layer.weight.dtype for layer in layers} == {torch.uint8}
    assert all(reply.text is not None for reply in backend.generate(["a?", "bc?"], 4))


def test_layers_that_four_bits_do_not_fit_are_told(tmp_path):
    bitsandbytes = pytest.importorskip("bitsandbytes")
    if not bitsandbytes.functional.has_avx512bf16():
        pytest.skip("only kernels that pack weights ask for blocks of 64 and 32")
    with pytest.raises(InputError, match="the model cannot be run in nf4-double-bfloat16 on cpu"):
        opened(make_model(tmp_path, hidden_size=32), precision="nf4")


def test_halves_in_nf4_and_bfloat16_are_no_pair(folder, tmp_path):
    pytest.importorskip("bitsandbytes")
    names = {"org/base": "bfloat16", "org/tuned": "nf4"}
    study = load_study(write_study(tmp_path, pairs=[{"name": "P", "base": "org/base", "tuned": "org/tuned", **PAIR}]))
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(3)]))
    for name, declared in names.items():
        backend = opened(folder, precision=declared)
        model = Model(slug="tiny", name=name, label=name, precision=declared)
        for language in ("az", "en"):
            run_model(backend, model, items, language, "default", tmp_path / "raw")
    runs = read_runs(tmp_path / "raw")
    score_runs(runs, items, tmp_path / "scores")
    found = pair_runs(ScoreBook.open(items, tmp_path / "scores"), study, {}, {run.key: run for run in runs})
    assert [entry.reason for entry in found] == ["the halves differ in precision (bfloat16 and nf4-double-bfloat16)"]


def test_weights_that_are_quantised_already_are_not_quantised_again(folder, tmp_path):
    pytest.importorskip("bitsandbytes")
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "gptq", "bits": 4}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="quantised already, by gptq"):
        opened(tmp_path, precision="nf4")


def test_weights_that_can_run_code_when_they_are_read_are_refused(folder, tmp_path):
    for path in folder.iterdir():
        if path.suffix != ".safetensors":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(InputError, match="cannot be loaded") as caught:
        opened(tmp_path)
    assert "safetensors" in str(caught.value)


def test_code_beside_the_weights_runs_only_where_it_is_declared(folder, tmp_path):
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    del config["architectures"]
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Model"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "own.py").write_text("raise RuntimeError('this code ran')")
    with pytest.raises(InputError, match="trust_remote_code") as caught:
        opened(tmp_path)
    assert "'trust_remote_code: true'" in str(caught.value)
    with pytest.raises(RuntimeError, match="this code ran"):
        opened(tmp_path, trust_remote_code=True)


def test_a_model_without_a_source_is_told():
    with pytest.raises(InputError, match="no 'source'"):
        TransformersBackend(Model(slug="t", name="t", label="t"))


def test_a_run_is_known_by_how_it_was_decoded(folder, tmp_path):
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(3)]))
    model, seen = Model(slug="tiny", name="org/tiny", label="t"), {}
    for stop in (True, False):
        for shared in (True, False):
            study = load_study(write_study(tmp_path, decoding={"stop_at_next_question": stop, "shared_prefix": shared}))
            backend = TransformersBackend(
                Model.model_validate({**model.model_dump(), "source": {"hub": str(folder)}, "precision": "float32"}),
                shared,
            )
            run_model(backend, model, items, "az", "default", tmp_path / f"{stop}{shared}", decoding=study.decoding)
            (run,) = read_runs(tmp_path / f"{stop}{shared}")
            seen[stop, shared] = run.signature.decoding
    assert seen[False, False] == "greedy,max=32,seed=0", "what runs without either were always known by"
    assert seen[True, False] == "greedy,max=32,seed=0,stop=\n\nSual:"
    assert seen[False, True] == "greedy,max=32,seed=0,shared_prefix=True"
    assert seen[True, True] == "greedy,max=32,seed=0,stop=\n\nSual:,shared_prefix=True"
