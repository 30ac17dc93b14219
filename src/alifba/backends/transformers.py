"""Local causal language models through transformers: greedy, left-padded, batched by length."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

from alifba.backends.base import Description, Generation
from alifba.backends.sources import Weights, locate
from alifba.config import Model
from alifba.errors import InputError


class TransformersBackend:
    """One model in memory. Needs the extra ``local``.

    Decoding is greedy. The prompt carries exactly the BOS that the tokenizer wants: added by the tokenizer for
    plain text, by the chat template for chat.
    """

    def __init__(self, model: Model) -> None:
        if model.source is None:
            raise InputError(
                f"model {model.slug!r} has no 'source'", next_step="declare hub, gguf or package in the study file"
            )
        try:
            import torch
            import transformers
        except ImportError:
            raise InputError("torch and transformers are not installed", next_step="make local") from None
        transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
        transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        torch.manual_seed(0)
        self._torch = torch
        weights = locate(model.source)
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._tokenizer, self._model = _load(weights, getattr(torch, model.precision), self._device)
        self._chat = model.chat_template
        if self._chat and not self._tokenizer.chat_template:
            raise InputError(f"model {model.slug!r} is declared with a chat template, its tokenizer has none")
        self.description = Description(
            revision=weights.revision,
            precision=model.precision + ("-from-gguf" if weights.gguf else ""),
            device=self._device,
            chat_template=_sha(self._tokenizer.chat_template) if self._chat else "none",
            batch_size=model.batch_size,
            environment=_environment(),
        )

    def generate(self, prompts: Sequence[str], max_new_tokens: int) -> Iterator[Generation]:
        """Yield a generation per prompt, longest prompts first."""
        encoded = [self._encode(prompt) for prompt in prompts]
        order = sorted(range(len(prompts)), key=lambda i: (-len(encoded[i]), i))
        size = self.description.batch_size
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            yield from self._batch(batch, [encoded[i] for i in batch], max_new_tokens)

    def _encode(self, prompt: str) -> list[int]:
        if not self._chat:
            return list(self._tokenizer(prompt).input_ids)
        message = [{"role": "user", "content": prompt}]
        text = self._tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)
        return list(self._tokenizer(text, add_special_tokens=False).input_ids)

    def _batch(self, indices: list[int], ids: list[list[int]], max_new_tokens: int) -> Iterator[Generation]:
        torch, tokenizer = self._torch, self._tokenizer
        padded = tokenizer.pad({"input_ids": ids}, padding=True, padding_side="left", return_tensors="pt").to(
            self._device
        )
        # Right padding would put pad tokens between prompt and answer.
        assert bool(padded.attention_mask[:, -1].all()), "left padding is required"
        with torch.inference_mode():
            out = self._model.generate(**padded, max_new_tokens=max_new_tokens, do_sample=False)
        ends = _end_ids(self._model)
        for index, prompt, row in zip(indices, ids, out[:, padded.input_ids.shape[1] :].tolist(), strict=True):
            stop = next((place for place, token in enumerate(row) if token in ends), None)
            answer = row if stop is None else row[:stop]
            yield Generation(
                index=index,
                text=tokenizer.decode(answer, skip_special_tokens=True, clean_up_tokenization_spaces=False),
                stop_reason="length" if stop is None else "end",
                prompt_tokens=len(prompt),
                completion_tokens=len(answer),
            )


def _load(weights: Weights, dtype: Any, device: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    where: dict[str, Any] = {"gguf_file": weights.gguf} if weights.gguf else {"revision": weights.revision}
    tokenizer = AutoTokenizer.from_pretrained(weights.folder, **where)
    if weights.gguf:
        where["quantization_config"] = GgufConfig(dequantize=True)
    model: Any = AutoModelForCausalLM.from_pretrained(weights.folder, dtype=dtype, **where)
    model = model.to(device).eval()
    if tokenizer.pad_token_id is None:
        # The attention mask hides padding, so any token serves; the end token is still read as an end.
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer, model


def _end_ids(model: Any) -> set[int]:
    ends = model.generation_config.eos_token_id
    return set(ends) if isinstance(ends, list) else {ends}


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _environment() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()}-{platform.machine()}",
        "torch": version("torch"),
        "transformers": version("transformers"),
    }
