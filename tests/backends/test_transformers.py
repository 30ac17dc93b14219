"""Local models: every way of batching gives what greedy decoding is by definition; replies end where they should."""

from __future__ import annotations

import random

import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'local'")
pytest.importorskip("transformers", reason="needs the extra 'local'")

import transformers  # noqa: E402

from alifba.backends.prefix import common_prefix  # noqa: E402
from alifba.backends.transformers import TransformersBackend  # noqa: E402
from alifba.config import Model  # noqa: E402
from alifba.errors import InputError  # noqa: E402
from tiny_models import WINDOW, make_model  # noqa: E402

KINDS = ["llama", "gemma3", "gpt2", "mamba"]
NEW = 12
_RNG = random.Random(0)
PROMPTS = ["Two shots: a b c.\nQ: " + "".join(_RNG.choices("abcde ", k=_RNG.randrange(1, 30))) + "?" for _ in range(37)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {kind: make_model(tmp_path_factory.mktemp(kind), kind) for kind in KINDS}


def declared(folder, **changes):
    keys = {"slug": "tiny", "name": "org/tiny", "label": "Tiny", "precision": "float32", "batch_size": 8} | changes
    return Model.model_validate({"source": {"hub": str(folder)}, **keys})


def opened(folder, shared=True, told=None, **changes):
    return TransformersBackend(declared(folder, **changes), shared, tell=(told if told is not None else []).append)


def replies(backend, prompts=PROMPTS, new=NEW, answered=frozenset(), stop=None):
    made = list(backend.generate(prompts, new, answered, stop))
    assert len({reply.index for reply in made}) == len(made)
    return {reply.index: reply for reply in made}


def texts(made):
    return {index: reply.text for index, reply in made.items()}


@torch.inference_mode()
def by_definition(folder, prompt, new=NEW, ends=(2,)):
    """Greedy decoding as it is defined: the likeliest next token, the whole sequence computed anew for each.

    No cache, no padding, no batch.
    """
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    ids, made = list(tokenizer(prompt).input_ids), []
    for _ in range(new):
        token = int(model(input_ids=torch.tensor([ids + made]), use_cache=False).logits[0, -1].argmax())
        made.append(token)
        if token in ends:
            break
    return made, tokenizer


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shared", [True, False])
def test_a_batch_of_eight_answers_as_a_batch_of_one_and_as_greedy_decoding_is_defined(folders, kind, shared):
    assert len(PROMPTS[0]) > WINDOW, "a sliding window must have something to slide over"
    alone = replies(opened(folders[kind], shared, batch_size=1))
    assert len(alone) == len(PROMPTS)
    assert len(set(texts(alone).values())) > 10, "models that say the same to everything prove nothing"
    for size in (8, 32):
        assert replies(opened(folders[kind], shared, batch_size=size)) == alone
    for index in (0, 5, 36):
        made, tokenizer = by_definition(folders[kind], PROMPTS[index])
        assert alone[index].text == tokenizer.decode(made, skip_special_tokens=True)
        assert alone[index].completion_tokens == len(made) - (made[-1] == 2)
        assert alone[index].prompt_tokens == len(PROMPTS[index]) + 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_whose_cache_cannot_be_shared_is_run_in_plain_batches(folders, kind):
    decoding = {} if kind == "mamba" else {"shared_prefix": True}
    assert opened(folders[kind]).description.decoding == decoding
    assert opened(folders[kind], shared=False).description.decoding == {}


@pytest.mark.parametrize("prompts", [PROMPTS[:1], PROMPTS[:3] * 2, ["a", "ab", "abc" * 30], ["", "x"]])
def test_any_set_of_prompts_can_be_shared(folders, prompts):
    shared, plain = (texts(replies(opened(folders["gemma3"], shared), prompts)) for shared in (True, False))
    assert shared == plain
    assert list(opened(folders["gemma3"]).generate([], NEW)) == []


def test_the_common_prefix_leaves_a_token_of_the_shortest():
    assert common_prefix([[1, 2, 3, 4], [1, 2, 3], [1, 2, 3, 9]]) == [1, 2]
    assert common_prefix([[1, 2, 5], [1, 2, 6, 7]]) == [1, 2]
    assert common_prefix([[1, 2]]) == [1]
    assert common_prefix([[1], [1, 2]]) == []
    assert common_prefix([[3, 1], [4, 1]]) == []


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("size", [1, 3])
def test_a_resumed_run_forms_the_batches_of_an_undisturbed_one(folders, monkeypatch, shared, size):
    backend = opened(folders["llama"], shared, batch_size=size)
    whole = replies(backend)
    decode, asked = backend._decoder.decode, []
    monkeypatch.setattr(
        backend._decoder, "decode", lambda group, *a: asked.append([i for i, _ in group]) or decode(group, *a)
    )
    replies(backend)
    groups, asked[:] = list(asked), []
    # All of the first group, all but one of the second.
    answered = frozenset(groups[0] + groups[1][1:])
    rest = replies(backend, answered=answered)
    assert asked == groups[1:]
    assert rest == {index: reply for index, reply in whole.items() if index not in answered}
    asked.clear()
    assert replies(backend, answered=frozenset(range(len(PROMPTS)))) == {}
    assert asked == []


@pytest.mark.parametrize("shared", [True, False])
def test_a_reply_ends_at_the_declared_stop_and_keeps_it(folders, shared):
    backend = opened(folders["llama"], shared)
    free = replies(backend)
    stop = max((reply.text for reply in free.values()), key=len)[4:6]
    stopped = replies(backend, stop=stop)
    n_stopped = n_exact = 0
    for index, reply in free.items():
        before, found, _ = reply.text.partition(stop)
        # A token of this tokenizer is a letter, so nothing can follow the stop within its last token.
        assert stopped[index].text == before + found
        if found:
            n_stopped += 1
            assert stopped[index].stop_reason == "stop"
            # Special tokens count and are not said: a reply without any has as many tokens as letters.
            unsaid = reply.completion_tokens - len(reply.text)
            assert 0 <= stopped[index].completion_tokens - len(before + found) <= unsaid
            n_exact += not unsaid
        else:
            assert stopped[index] == reply
    assert 0 < n_stopped < len(free)
    assert n_exact, "every reply that was stopped holds special tokens"


@pytest.mark.parametrize("shared", [True, False])
def test_every_end_token_of_the_model_ends_a_reply(folders, tmp_path, shared):
    made, tokenizer = by_definition(folders["llama"], PROMPTS[0])
    end = made[5]
    folder = make_model(tmp_path, "llama", eos_token_id=[2, end])
    reply = replies(opened(folder, shared))[0]
    expected = made[: made.index(end)]
    assert (reply.text, reply.stop_reason) == (tokenizer.decode(expected), "end")
    assert reply.completion_tokens == len(expected)
    assert replies(opened(folders["llama"], shared), new=5)[0].stop_reason == "length"


@pytest.mark.parametrize("shared", [True, False])
def test_decoding_is_greedy_whatever_the_model_brings_along(folders, tmp_path, shared):
    odd = {
        "repetition_penalty": 1.9,
        "no_repeat_ngram_size": 1,
        "do_sample": True,
        "temperature": 1.5,
        "min_new_tokens": 9,
    }
    folder = make_model(tmp_path, "llama", **odd)
    assert transformers.GenerationConfig.from_pretrained(folder).repetition_penalty == 1.9
    assert texts(replies(opened(folder, shared))) == texts(replies(opened(folders["llama"], shared)))


class Small:
    """A model in a memory that holds so many rows."""

    def __init__(self, model, rows, error):
        self._model, self._rows, self._error = model, rows, error

    def __getattr__(self, name):
        return getattr(self._model, name)

    def _checked(self, method, **given):
        if given["input_ids"].shape[0] > self._rows:
            raise self._error
        return method(**given)

    def __call__(self, **given):
        return self._checked(self._model, **given)

    def generate(self, **given):
        return self._checked(self._model.generate, **given)


ERRORS = [
    torch.OutOfMemoryError("CUDA out of memory"),
    RuntimeError("DefaultCPUAllocator: can't allocate memory"),
    MemoryError(),
]


def in_small_memory(backend, rows, error):
    owner = getattr(backend._decoder, "_sharing", backend._decoder)
    owner._model = Small(owner._model, rows, error)
    return backend


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("shared", [True, False])
def test_out_of_memory_halves_the_batch_and_says_so(folders, shared, error):
    told = []
    backend = in_small_memory(opened(folders["llama"], shared, told), 2, error)
    made = replies(backend)
    assert texts(made) == texts(replies(opened(folders["llama"], shared)))
    assert told == [f"out of memory: going on with batches of {n} instead of 8" for n in (4, 2)]
    assert {reply.batch_size for reply in made.values()} == {2}
    assert backend.description.batch_size == 8, "the declared size is the run's identity"


@pytest.mark.parametrize("shared", [True, False])
def test_memory_too_small_for_one_prompt_is_told(folders, shared):
    with pytest.raises(InputError, match="not enough memory for a single prompt"):
        replies(in_small_memory(opened(folders["llama"], shared), 0, ERRORS[0]))


def test_another_error_is_no_lack_of_memory(folders):
    with pytest.raises(RuntimeError, match="size mismatch"):
        replies(in_small_memory(opened(folders["llama"]), 2, RuntimeError("size mismatch")))


def test_a_row_where_memory_sufficed_notes_no_batch_size(folders):
    assert {reply.batch_size for reply in replies(opened(folders["llama"])).values()} == {None}


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU on this machine")
@pytest.mark.parametrize("precision", ["float32", "bfloat16", "nf4"])
@pytest.mark.parametrize("kind", ["llama", "gemma3"])
def test_on_a_gpu(folders, kind, precision):
    made = {}
    for shared in (True, False):
        backend = opened(folders[kind], shared, precision=precision)
        assert backend.description.device == "cuda"
        assert backend.description.precision.startswith(precision)
        assert "gpu" in backend.description.environment
        made[shared] = texts(replies(backend))
    if precision == "float32":
        assert made[True] == made[False]
        assert made[True] == texts(replies(opened(folders[kind], batch_size=1, precision=precision)))
    same = sum(made[True][index] == made[False][index] for index in made[True])
    assert same >= len(PROMPTS) // 2
