"""What all prompts of a run begin with, computed once: forward passes over caches of our own making."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import torch
from transformers import DynamicCache

States = tuple[torch.Tensor, torch.Tensor]
"""The keys and the values of a layer, `(rows, heads, columns, size)`."""

# How far logits by the shared cache may be from those of a plain pass, in standard deviations, when a model is tried.
_CLOSE = 0.1
_SHARABLE = {"full_attention", "sliding_attention"}


def cache_of(layers: Sequence[States]) -> DynamicCache:
    """A cache with these states. It keeps all columns, also those of sliding-window layers: these are masked instead
    of dropped."""
    cache = DynamicCache()
    for number, (keys, values) in enumerate(layers):
        cache.update(keys, values, number)
    return cache


def states_of(cache: Any) -> list[States]:
    """The states of every layer of a cache."""
    return [(layer.keys, layer.values) for layer in cache.layers]


class Sharing:
    """A model's forward pass over left-padded rows and a cache of our own making."""

    def __init__(self, model: Any, device: str) -> None:
        self._model, self._device = model, device
        takes = inspect.signature(model.forward).parameters
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in takes else {}

    def step(self, ids: torch.Tensor, cache: DynamicCache, pads: torch.Tensor) -> torch.Tensor:
        """Logits `(rows, vocabulary)` after the last column of `ids`."""
        return self.logits(ids, cache, pads, **self._last_only)[:, -1].float()

    def logits(self, ids: torch.Tensor, cache: DynamicCache, pads: torch.Tensor, **more: Any) -> torch.Tensor:
        """What the model returns as logits for `ids`, whose columns follow those of `cache`.

        The first `pads[row]` columns of a row, cache included, are padding. `cache` grows by the columns of `ids`.
        """
        width = cache.get_seq_length() + ids.shape[1]
        places = torch.arange(width, device=self._device) - pads[:, None]
        with torch.inference_mode():
            out = self._model(
                input_ids=ids,
                attention_mask=(places >= 0).long(),
                position_ids=places[:, -ids.shape[1] :].clamp(min=0),
                cache=cache,
                use_cache=True,
                **more,
            )
        logits: torch.Tensor = out.logits
        return logits

    def tensor(self, values: Any) -> torch.Tensor:
        """`values` on the model's device."""
        return torch.tensor(values, device=self._device)

    def works(self) -> bool:
        """Whether the model can share: two short rows, computed on top of a shared cache, must come out as in a plain
        pass. Recurrent layers, unusual positions and code of a model's own that allow no sharing fail here."""
        config = self._model.config.get_text_config()
        if set(getattr(config, "layer_types", None) or ()) - _SHARABLE:
            return False
        first, second, third = range(config.vocab_size // 2, config.vocab_size // 2 + 3)
        pads = self.tensor([0, 1])
        try:
            with torch.inference_mode():
                plain = self._model(input_ids=self.tensor([[first, second, third]])).logits[0].float()
            spread = Prefix(self, [first, second]).spread(pads)
            shared = self.step(self.tensor([[third], [second]]), spread, pads)
        except (TypeError, ValueError, RuntimeError, AttributeError, NotImplementedError, IndexError):
            return False
        return bool((shared - plain[[2, 1]]).abs().max() < _CLOSE * plain.std())


class Prefix:
    """What all prompts of a run begin with, and its cache."""

    def __init__(self, sharing: Sharing, ids: list[int]) -> None:
        self._length = len(ids)
        cache = DynamicCache()
        if ids:
            sharing.step(sharing.tensor([ids]), cache, sharing.tensor([0]))
        self._layers = states_of(cache)

    def spread(self, pads: torch.Tensor) -> DynamicCache:
        """A cache of as many columns as the prefix has, for rows that begin with `pads` columns of padding: what a pass
        over the left-padded rows would have left in these columns."""
        columns = torch.arange(self._length, device=pads.device)
        places = (columns - pads[:, None]).clamp(min=0)
        return cache_of([(_picked(keys, places), _picked(values, places)) for keys, values in self._layers])


def _picked(states: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """`states` `(1, heads, columns, size)` as `(rows, heads, columns, size)`, each row in its own order of columns."""
    return states[0][:, places].transpose(0, 1)


def common_prefix(prompts: Sequence[Sequence[int]]) -> list[int]:
    """What all prompts begin with, the last token of the shortest left out: something must remain to be computed."""
    # What the first and the last in alphabetical order share, all share.
    first, last = min(map(list, prompts)), max(map(list, prompts))
    limit = min(map(len, prompts)) - 1
    same = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), limit)
    return first[: min(same, limit)]
