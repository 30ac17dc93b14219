"""Train one arm with one seed. Needs the extra ``local``."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from alifba.azeval.adaptation.texts import ArmText
from alifba.backends.encoding import load_tokenizer
from alifba.backends.loading import load
from alifba.backends.precision import device, probe
from alifba.backends.sources import Weights, locate
from alifba.config import Model, Recipe, Source


@dataclass(frozen=True)
class Trained:
    """What a training did. `losses`: nats per token of each step, before its update. Tokens are of one pass."""

    losses: list[float]
    tokens: int
    characters: int
    revision: str
    seconds: float


def train(
    base: Model,
    text: ArmText | None,
    recipe: Recipe,
    seed: int,
    folder: Path,
    tell: Callable[[str], None] = print,
) -> Trained:
    """Train `base` on `text` and save it to `folder` in the base's precision, whole or not at all.

    `text` None saves the base as it is. Computed in bfloat16 where the base is declared so, with float32 master
    weights: pure bfloat16 weights would round most updates of so small a rate away. The same seed on the same machine,
    with as many threads, gives the same weights. A base in a GGUF file leaves a plain copy of itself beside `folder`.
    """
    begun = time.monotonic()
    torch.manual_seed(seed)
    on = device()
    weights = locate(base.source) if base.source else None
    assert weights is not None, "the base of an adaptation is a local model"
    if weights.gguf:
        weights = _plain(weights, folder.parent, on)
    model, _ = load(weights, probe("float32", on), on)
    tokenizer = load_tokenizer(weights)
    losses, blocks = [], [] if text is None else text.blocks(recipe.block)
    encoded = [tokenizer(block).input_ids for block in blocks]
    if encoded:
        with _deterministic():
            losses = _steps(model, encoded, recipe, seed, on, base.precision == "bfloat16", tell)
    _save(model, tokenizer, base.precision, folder)
    return Trained(
        losses=losses,
        tokens=sum(len(ids) for ids in encoded),
        characters=sum(map(len, blocks)),
        revision=locate(Source(hub=str(folder))).revision,
        seconds=time.monotonic() - begun,
    )


def _plain(weights: Weights, beside: Path, on: str) -> Weights:
    """The weights of a GGUF file as float32 safetensors in `beside`: made once, read in a tenth of the time."""
    copy = beside / f".base-{weights.revision.removeprefix('sha256:')}"
    if not copy.exists():
        model, _ = load(weights, probe("float32", on), on)
        _save(model, load_tokenizer(weights), "float32", copy)
    return locate(Source(hub=str(copy)))


@contextmanager
def _deterministic() -> Iterator[None]:
    """Refuse operations that differ from call to call, for the training alone: it is a switch of the process."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


def _steps(
    model: Any, encoded: list[list[int]], recipe: Recipe, seed: int, on: str, half: bool, tell: Callable[[str], None]
) -> list[float]:
    """Every step's mean loss. A step adds up its blocks' gradients, so no block is padded."""
    for parameter in model.parameters():
        parameter.requires_grad_(True)
    model.get_input_embeddings().weight.requires_grad_(recipe.embeddings)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=recipe.learning_rate, weight_decay=recipe.weight_decay)
    rng = np.random.default_rng(seed)
    passes = -(-recipe.steps * recipe.batch // len(encoded))
    order = np.concatenate([rng.permutation(len(encoded)) for _ in range(passes)])
    model.train()
    losses = []
    for step in range(recipe.steps):
        blocks = [encoded[place] for place in order[step * recipe.batch : (step + 1) * recipe.batch]]
        predicted = sum(len(ids) - 1 for ids in blocks)
        total = 0.0
        # Inside one context the weights are cast to bfloat16 once a step, not once a block.
        with torch.autocast(on, dtype=torch.bfloat16, enabled=half):
            for ids in blocks:
                tokens = torch.tensor([ids], device=on)
                logits = model(input_ids=tokens, use_cache=False).logits[0, :-1]
                loss: Any = (
                    torch.nn.functional.cross_entropy(logits.float(), tokens[0, 1:], reduction="sum") / predicted
                )
                loss.backward()
                total += loss.item()
        optimiser.step()
        optimiser.zero_grad()
        losses.append(total)
        tell(f"step {step + 1} of {recipe.steps}: {total:.3f} nats per token")
    return losses


def _save(model: Any, tokenizer: Any, precision: str, folder: Path) -> None:
    """Into a folder beside it first: a training that is stopped leaves no half a model."""
    draft = folder.with_name(f".{folder.name}.part-{os.getpid()}")
    model.to(getattr(torch, precision)).save_pretrained(draft)
    tokenizer.save_pretrained(draft)
    if folder.exists():
        shutil.rmtree(folder)
    draft.rename(folder)
