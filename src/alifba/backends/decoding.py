"""Greedy decoding of left-padded batches, and when a reply is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import GenerationConfig, StoppingCriteriaList

from alifba.backends.base import StopReason

Asked = tuple[int, list[int]]
"""The place of a prompt in its run, and its token ids."""
Made = tuple[int, list[int]]
"""The place of a prompt, and the new tokens of its reply, the one that ended it last."""


@dataclass(frozen=True)
class Ending:
    """When a reply is over: an end token, the text `stop`, or `max_new_tokens` tokens."""

    tokenizer: Any
    end_ids: frozenset[int]
    max_new_tokens: int
    stop: str | None = None

    def reason(self, new: Sequence[int]) -> StopReason | None:
        """Why the reply with the tokens `new` is over; None while it is not."""
        if new and new[-1] in self.end_ids:
            return "end"
        if self.stop and self.stop in self.text(new):
            return "stop"
        return "length" if len(new) >= self.max_new_tokens else None

    def cut(self, new: Sequence[int]) -> list[int]:
        """`new` up to where the reply was over."""
        lengths = range(1, len(new) + 1)
        return list(new[: next((n for n in lengths if self.reason(new[:n])), len(new))])

    def text(self, new: Sequence[int]) -> str:
        """What the tokens say, special ones left out."""
        said: str = self.tokenizer.decode(new, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return said


def make_greedy(model: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end a reply, by the model's generation config or else by its tokenizer. They are all that is kept
    of that config: a repetition penalty, which some models bring along, would not be greedy decoding."""
    ends = model.generation_config.eos_token_id
    if ends is None:
        ends = tokenizer.eos_token_id
    ends = ends if isinstance(ends, list) else [] if ends is None else [ends]
    kept = GenerationConfig(eos_token_id=ends or None, pad_token_id=tokenizer.pad_token_id)  # type: ignore[no-untyped-call]
    model.generation_config = kept
    return frozenset(ends)


class PlainBatches:
    """Batches one after the other, each until its last reply is over: what transformers' own ``generate`` does."""

    group = 1
    """So many batches form a group. A group that is partly answered is decoded whole again on resume."""

    def __init__(self, model: Any, tokenizer: Any, device: str) -> None:
        self._model, self._tokenizer, self._device = model, tokenizer, device

    def begin(self, prompts: Sequence[Sequence[int]]) -> None:
        """Nothing to prepare."""

    def decode(self, asked: Sequence[Asked], size: int, ending: Ending) -> Iterator[Made]:
        """Reply to every prompt, at most `size` at a time."""
        for start in range(0, len(asked), size):
            yield from self._batch(asked[start : start + size], ending)

    def _batch(self, batch: Sequence[Asked], ending: Ending) -> Iterator[Made]:
        padded = self._tokenizer.pad(
            {"input_ids": [ids for _, ids in batch]}, padding=True, padding_side="left", return_tensors="pt"
        ).to(self._device)
        # Right padding would put pad tokens between prompt and answer.
        assert bool(padded.attention_mask[:, -1].all()), "left padding is required"
        width = padded.input_ids.shape[1]

        def over(ids: torch.Tensor, scores: object, **more: object) -> torch.Tensor:
            reasons = [ending.reason(new) for new in ids[:, width:].tolist()]
            return torch.tensor([reason is not None for reason in reasons], device=ids.device)

        criteria = StoppingCriteriaList([over] if ending.stop else [])
        with torch.inference_mode():
            out = self._model.generate(
                **padded, max_new_tokens=ending.max_new_tokens, do_sample=False, stopping_criteria=criteria
            )
        for (place, _), new in zip(batch, out[:, width:].tolist(), strict=True):
            yield place, ending.cut(new)
