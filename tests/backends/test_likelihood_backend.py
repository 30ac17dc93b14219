"""Likelihoods: batched, shared and cut to the answer's columns, they are what the plain definition gives."""

from __future__ import annotations

import random

import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'local'")
pytest.importorskip("transformers", reason="needs the extra 'local'")

import transformers  # noqa: E402

from alifba.backends.likelihood import LikelihoodBackend  # noqa: E402
from alifba.config import Model  # noqa: E402
from alifba.errors import InputError  # noqa: E402
from tiny_models import WINDOW, make_model, make_tokenizer  # noqa: E402

KINDS = ["llama", "gemma3", "gpt2"]
_RNG = random.Random(1)
N = 21
PROMPTS = ["Two shots: a b c.\nQ: " + "".join(_RNG.choices("abcde ", k=_RNG.randrange(1, 30))) + "?" for _ in range(N)]
# From one token to twenty, so that most rows of a batch are padded and few answers begin in the same column.
ANSWERS = ["".join(_RNG.choices("abcdəğ", k=1 + (7 * place) % 20)) for place in range(N)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {kind: make_model(tmp_path_factory.mktemp(kind), kind) for kind in KINDS}


def opened(folder, **changes):
    keys = {"slug": "tiny", "name": "org/tiny", "label": "Tiny", "precision": "float32", "batch_size": 8} | changes
    return LikelihoodBackend(Model.model_validate({"source": {"hub": str(folder)}, **keys}))


@torch.inference_mode()
def by_definition(folder, prompts=PROMPTS, answers=ANSWERS, joint=" ", render=str):
    """Each item alone, no cache, no padding, logits of every position: minus the sum of log p(token | before)."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    found = []
    for prompt, answer in zip(prompts, answers, strict=True):
        question = tokenizer(render(prompt)).input_ids
        whole = tokenizer(render(prompt) + joint + answer).input_ids
        assert whole[: len(question)] == question
        logs = model(input_ids=torch.tensor([whole]), use_cache=False).logits[0].log_softmax(-1)
        nll = -sum(float(logs[place - 1, whole[place]]) for place in range(len(question), len(whole)))
        found.append((nll, (len(question), len(whole) - len(question))))
    return found


def scored(backend, prompts=PROMPTS, answers=ANSWERS, answered=frozenset()):
    made = list(backend.score(prompts, answers, answered))
    assert len({one.index for one in made}) == len(made)
    return {one.index: one for one in made}


@pytest.mark.parametrize("kind", KINDS)
def test_any_batch_gives_what_each_item_gives_alone_by_definition(folders, kind):
    assert len(PROMPTS[0]) > WINDOW, "a sliding window must have something to slide over"
    expected = by_definition(folders[kind])
    assert len({round(nll, 3) for nll, _ in expected}) == N, "answers that are all as likely prove nothing"
    for size in (1, 4, 32):
        found = scored(opened(folders[kind], batch_size=size))
        assert [found[i].nll for i in range(N)] == pytest.approx([nll for nll, _ in expected], abs=1e-3)
        assert [(found[i].prompt_tokens, found[i].tokens) for i in range(N)] == [counts for _, counts in expected]


def test_the_likelihoods_of_all_answers_of_one_token_add_up_to_one(folders):
    """A property that no other implementation is needed for: p sums to 1 over the vocabulary."""
    tokenizer = make_tokenizer()
    letters = [token for token, id_ in tokenizer.get_vocab().items() if id_ > 5]
    # The joint is a space, so the answer has two tokens; the space's own likelihood is taken out.
    backend = opened(folders["llama"], batch_size=16)
    found = scored(backend, ["a b?"] * len(letters), letters)
    assert all(one.tokens == 2 for one in found.values())
    total = sum(torch.exp(torch.tensor(-one.nll, dtype=torch.float64)) for one in found.values())
    model = transformers.AutoModelForCausalLM.from_pretrained(folders["llama"])
    ids = tokenizer("a b? ").input_ids
    with torch.inference_mode():
        logs = model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1).double()
    special = logs[-1, :6].exp().sum()
    assert float(total) == pytest.approx(float(logs[-2, ids[-1]].exp() * (1 - special)), rel=1e-4)


def test_the_longest_come_first_and_every_item_once(folders):
    order = [one.index for one in opened(folders["llama"]).score(PROMPTS, ANSWERS)]
    lengths = [len(PROMPTS[i]) + len(ANSWERS[i]) for i in order]
    assert lengths == sorted(lengths, reverse=True)
    assert sorted(order) == list(range(N))


def test_what_is_left_of_a_stopped_run_comes_out_as_in_an_undisturbed_one(folders):
    prompts, answers = PROMPTS[:9], ANSWERS[:9]
    backend = opened(folders["gemma3"], batch_size=3)
    whole = scored(backend, prompts, answers)
    order = list(whole)
    for k in (0, 1, 3, 5, 9):
        answered = frozenset(order[:k])
        rest = scored(backend, prompts, answers, answered)
        # Equal to the last bit: the same batches are computed.
        assert rest == {i: one for i, one in whole.items() if i not in answered}


def test_a_chat_template_is_followed_by_the_answer_without_a_space(folders):
    found = scored(opened(folders["llama"], chat_template=True), PROMPTS[:6], ANSWERS[:6])
    # The template writes the BOS itself (tests/tiny_models.py), so the text is tokenised without another.
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders["llama"])
    model = transformers.AutoModelForCausalLM.from_pretrained(folders["llama"]).eval()
    for i in range(6):
        question = tokenizer(f"<bos><user>{PROMPTS[i]}<model>", add_special_tokens=False).input_ids
        reply = tokenizer(ANSWERS[i], add_special_tokens=False).input_ids
        with torch.inference_mode():
            logs = model(input_ids=torch.tensor([question + reply])).logits[0].log_softmax(-1)
        nll = -sum(float(logs[len(question) + n - 1, token]) for n, token in enumerate(reply))
        assert found[i].nll == pytest.approx(nll, abs=1e-3)
        assert (found[i].prompt_tokens, found[i].tokens) == (len(question), len(reply))


def test_prompts_without_anything_in_common_and_one_prompt_alone(folders):
    for prompts in (["a b", "c", "deee e"], ["a b"]):
        answers = ["b", "cc", "d"][: len(prompts)]
        found = scored(opened(folders["gemma3"]), prompts, answers)
        expected = by_definition(folders["gemma3"], prompts, answers)
        assert [found[i].nll for i in range(len(prompts))] == pytest.approx([nll for nll, _ in expected], abs=1e-3)


def test_only_columns_of_answers_reach_the_output_layer(folders):
    backend = opened(folders["gemma3"], batch_size=32)
    seen = []
    layer = backend._model.get_output_embeddings()
    hook = layer.register_forward_hook(lambda _layer, given, _out: seen.append(given[0].shape))
    try:
        found = scored(backend)
    finally:
        hook.remove()
    columns = sum(shape[0] * shape[1] for shape in seen)
    # One more for the pass over what all prompts begin with.
    assert columns == sum(one.tokens for one in found.values()) + 1


def test_what_cannot_be_measured_is_refused(tmp_path):
    with pytest.raises(InputError, match="has no 'source'"):
        LikelihoodBackend(Model.model_validate({"slug": "f", "name": "f", "label": "f", "backend": "fake"}))
    with pytest.raises(InputError, match="allows no sharing"):
        opened(make_model(tmp_path / "mamba", "mamba"))
