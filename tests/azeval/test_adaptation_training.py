"""One training on a tiny model: what is trained and what is not, step by step as defined, the same for a seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'local'")
pytest.importorskip("transformers", reason="needs the extra 'local'")

from safetensors.torch import load_file  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast  # noqa: E402

from alifba.azeval.adaptation import training  # noqa: E402
from alifba.azeval.adaptation.texts import ArmText  # noqa: E402
from alifba.azeval.adaptation.training import train  # noqa: E402
from alifba.backends import encoding, loading  # noqa: E402
from alifba.backends.sources import Weights  # noqa: E402
from alifba.config import Model, Recipe  # noqa: E402
from tiny_models import make_model  # noqa: E402

TEXT = ArmText("Hello world. The quick brown fox. jumps over it now. Every one has a right to it all, and", "")
BLOCK = 16
"""Five blocks, and a rest of nine characters."""


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A tiny Gemma: its output layer is its embeddings, as the real one's is."""
    return make_model(tmp_path_factory.mktemp("gemma3"), "gemma3", tied=True)


def declared(folder, precision="float32"):
    told = {"slug": "base", "name": "org/base", "label": "Base", "precision": precision}
    return Model.model_validate(told | {"source": {"hub": str(folder)}})


def recipe(**changes):
    return Recipe.model_validate({"learning_rate": 1e-3, "steps": 5, "batch": 2, "block": BLOCK} | changes)


def trained(base, folder, text=TEXT, seed=1, precision="float32", **changes):
    told = []
    made = train(declared(base, precision), text, recipe(**changes), seed, folder, told.append)
    assert len(told) == len(made.losses)
    return made


def weights(folder):
    return load_file(folder / "model.safetensors")


def blocks_of(base):
    tokenizer = AutoTokenizer.from_pretrained(base)
    return [tokenizer(TEXT.text[start : start + BLOCK]).input_ids for start in range(0, 5 * BLOCK, BLOCK)]


def summed_loss(model, ids):
    """The negative log-likelihood of a block's tokens after the first, by the definition."""
    logs = model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    return -sum(logs[place, token] for place, token in enumerate(ids[1:]))


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(base, tmp_path):
    # Into folders of their own: the hash of a file that is written twice would be remembered.
    first, again, other = (trained(base, tmp_path / name, seed=seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert first.revision == again.revision
    assert first.losses == again.losses
    assert other.revision != first.revision
    assert all(torch.equal(value, weights(tmp_path / "b")[name]) for name, value in weights(tmp_path / "a").items())
    assert not all(torch.equal(value, weights(tmp_path / "c")[name]) for name, value in weights(tmp_path / "a").items())


def test_the_embeddings_stay_unless_they_are_asked_for_and_everything_else_moves(base, tmp_path):
    trained(base, tmp_path / "plain")
    trained(base, tmp_path / "all", embeddings=True)
    before = weights(base)
    (embeddings,) = (name for name in before if "embed_tokens" in name)
    assert not any("lm_head" in name for name in before), "tied: the output layer is the embeddings"
    for folder, still in ((tmp_path / "plain", {embeddings}), (tmp_path / "all", set())):
        after = weights(folder)
        assert after.keys() == before.keys()
        assert {name for name in before if torch.equal(before[name], after[name])} == still
    output = AutoModelForCausalLM.from_pretrained(tmp_path / "plain").get_output_embeddings().weight
    assert torch.equal(output, before[embeddings])


def test_one_step_is_adamw_on_the_mean_over_the_tokens_of_the_batch(base, tmp_path):
    """AdamW's first step is ``-rate * g / (|g| + eps)`` without weight decay, in closed form, g being the gradient."""
    model = AutoModelForCausalLM.from_pretrained(base)
    blocks = blocks_of(base)
    # Five blocks in one step: the order that the seed draws does not matter.
    loss = sum(summed_loss(model, ids) for ids in blocks) / sum(len(ids) - 1 for ids in blocks)
    loss.backward()
    made = trained(base, tmp_path / "m", steps=1, batch=5)
    assert made.losses == pytest.approx([loss.item()], rel=1e-5)
    after, checked = weights(tmp_path / "m"), 0
    for name, parameter in model.named_parameters():
        if "embed_tokens" in name:
            continue
        # Where the gradient is far above eps and its own rounding, its sign decides.
        clear = parameter.grad.abs() > 1e-3 * parameter.grad.abs().max()
        moved = (after[name] - parameter.detach())[clear]
        assert torch.allclose(moved, -1e-3 * parameter.grad.sign()[clear], atol=2e-5)
        checked += int(clear.sum())
    assert checked > 1000


def test_every_pass_reads_every_block_once_in_an_order_of_its_own(base, tmp_path):
    # A rate too small to change a weight: a step's loss tells which block it read.
    model = AutoModelForCausalLM.from_pretrained(base)
    with torch.inference_mode():
        expected = [float(summed_loss(model, ids)) / (len(ids) - 1) for ids in blocks_of(base)]
    losses = trained(base, tmp_path / "a", steps=12, batch=1, learning_rate=1e-30).losses
    assert len(losses) == 12, "steps are counted, not passes: two passes of five, and two steps of a third"
    orders = [losses[:5], losses[5:10]]
    assert all(sorted(order) == pytest.approx(sorted(expected), rel=1e-4) for order in orders)
    assert orders[0] != orders[1]
    assert set(losses[10:]) < set(losses[:5])
    other = trained(base, tmp_path / "b", seed=2, steps=5, batch=1, learning_rate=1e-30).losses
    assert other != orders[0]
    assert sorted(other) == sorted(orders[0])


def test_counts_are_of_one_pass_and_the_model_learns(base, tmp_path):
    made = trained(base, tmp_path / "m", steps=6, batch=5, learning_rate=3e-3)
    # A token a letter, and a BOS for each of the five blocks; the nine characters over are not read.
    assert (made.characters, made.tokens) == (5 * BLOCK, 5 * BLOCK + 5)
    assert made.losses[-1] < 0.7 * made.losses[0]
    assert made.seconds > 0


def test_without_a_text_the_base_comes_out_as_it_went_in(base, tmp_path):
    made = trained(base, tmp_path / "m", text=None)
    assert (made.losses, made.tokens, made.characters) == ([], 0, 0)
    before, after = weights(base), weights(tmp_path / "m")
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    ids = {folder: AutoTokenizer.from_pretrained(folder)("a b\n?").input_ids for folder in (base, tmp_path / "m")}
    assert ids[base] == ids[tmp_path / "m"]


def test_a_gguf_base_is_read_once_and_trains_as_its_plain_weights_do(base, tmp_path, monkeypatch):
    packed = Weights(str(base), "m.gguf", "sha256:0123")
    read = []

    def load(found, *given):
        read.append(found.gguf)
        return loading.load(replace(found, gguf=None), *given)

    monkeypatch.setattr(training, "load", load)
    monkeypatch.setattr(training, "load_tokenizer", lambda found: encoding.load_tokenizer(replace(found, gguf=None)))
    plain = trained(base, tmp_path / "plain")
    locate = training.locate
    monkeypatch.setattr(training, "locate", lambda source: packed if source.hub == str(base) else locate(source))
    first, second = (trained(base, tmp_path / "models" / name, seed=seed) for name, seed in (("a", 1), ("b", 2)))
    assert read == [None, "m.gguf", None, None]
    assert (first.revision, first.losses) == (plain.revision, plain.losses)
    assert second.revision != first.revision


def test_a_bfloat16_base_is_trained_by_float32_weights_and_saved_in_bfloat16(base, tmp_path):
    trained(base, tmp_path / "m", precision="bfloat16", learning_rate=1e-4, steps=8, batch=1)
    after = weights(tmp_path / "m")
    assert {value.dtype for value in after.values()} == {torch.bfloat16}
    before = {name: value.bfloat16() for name, value in weights(base).items()}
    moved = {name for name in before if not torch.equal(before[name], after[name])}
    assert moved == {name for name in before if "embed_tokens" not in name}
    # Between 1/8 and 1/4 bfloat16 numbers are 1/1024 apart: steps of 1e-4 would be rounded away one by one, and never
    # add up, if the weights that are trained were not float32.
    large = {name: (before[name].abs() > 0.125) & (before[name].abs() < 0.25) for name in moved}
    assert sum(int((after[name] != before[name])[large[name]].sum()) for name in moved) > 0
    untouched = trained(base, tmp_path / "u", text=None, precision="bfloat16")
    assert untouched.losses == []
    assert all(torch.equal(value, before[name]) for name, value in weights(tmp_path / "u").items())


@pytest.mark.parametrize("where", ["new", "over another"])
def test_a_save_that_is_stopped_leaves_what_was_there(base, tmp_path, monkeypatch, where):
    folder = tmp_path / "models" / "m"
    earlier = trained(base, folder, text=None) if where == "over another" else None

    def stopped(*_args, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr(PreTrainedTokenizerFast, "save_pretrained", stopped)
    with pytest.raises(KeyboardInterrupt):
        trained(base, folder, steps=1)
    assert folder.exists() == (earlier is not None)
    monkeypatch.undo()
    if earlier:
        assert all(torch.equal(value, weights(folder)[name]) for name, value in weights(base).items())
    # The next training replaces it whole.
    made = trained(base, folder, steps=1)
    assert len(made.losses) == 1
    assert not all(torch.equal(value, weights(folder)[name]) for name, value in weights(base).items())
    assert AutoModelForCausalLM.from_pretrained(folder) is not None


def test_what_the_process_shares_is_left_as_it_was(base, tmp_path):
    """The global generator of numpy, and torch's switch that refuses operations which differ from call to call."""
    before = np.random.get_state()[1].copy()
    assert not torch.are_deterministic_algorithms_enabled()
    trained(base, tmp_path / "m", steps=1)
    assert (np.random.get_state()[1] == before).all()
    assert not torch.are_deterministic_algorithms_enabled()
