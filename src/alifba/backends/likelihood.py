"""How likely a local model finds given answers, teacher-forced: prompts and answers in, nats out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from alifba.backends.base import Description
from alifba.backends.encoding import Encoder
from alifba.backends.loading import load
from alifba.backends.precision import device, probe
from alifba.backends.prefix import Prefix, Sharing, common_prefix
from alifba.backends.sources import locate
from alifba.backends.transformers import environment
from alifba.config import Model
from alifba.errors import InputError


@dataclass(frozen=True)
class Forced:
    """The answer to prompt `index`: the negative log-likelihood of its `tokens` tokens, in nats, all added up."""

    index: int
    nll: float
    prompt_tokens: int
    tokens: int


class LikelihoodBackend:
    """One model in memory that is shown answers instead of giving them. Needs the extra ``local``.

    What all prompts begin with is computed once, and of a batch only the columns that predict an answer's tokens go
    through the output layer: a vocabulary of 262,144 makes that layer most of the work.

    Raises:
        InputError: no such weights, or a model whose cache allows no sharing.
    """

    def __init__(self, model: Model, floating: bool = False) -> None:
        if model.source is None:
            raise InputError(
                f"model {model.slug!r} has no 'source'", next_step="only models on this machine tell likelihoods"
            )
        on = device()
        weights = locate(model.source, floating)
        precision = probe(model.precision, on)
        self._encoder = Encoder(model, weights)
        self._joint = "" if model.chat_template else " "
        self._model, label = load(weights, precision, on, model.trust_remote_code)
        self._sharing = Sharing(self._model, on)
        if not self._sharing.works():
            raise InputError(
                f"the cache of model {model.slug!r} allows no sharing", next_step="leave it out of likelihood runs"
            )
        self.description = Description(
            revision=weights.revision,
            precision=label,
            device=on,
            chat_template=self._encoder.chat_template,
            batch_size=model.batch_size,
            environment=environment(on, precision.quantised),
            decoding={"shared_prefix": True},
        )

    def score(
        self, prompts: Sequence[str], answers: Sequence[str], answered: frozenset[int] = frozenset()
    ) -> Iterator[Forced]:
        """Yield the likelihood of each answer after its prompt, longest first, those of `answered` left out.

        Batches are formed from all prompts, so a resumed run computes what an undisturbed one does.
        """
        questions = [self._encoder.encode(prompt) for prompt in prompts]
        replies = [self._answer_ids(*three) for three in zip(prompts, answers, questions, strict=True)]
        common = common_prefix(questions)
        prefix = Prefix(self._sharing, common)
        order = sorted(range(len(prompts)), key=lambda i: (-len(questions[i]) - len(replies[i]), i))
        size = self.description.batch_size
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            if answered.issuperset(batch):
                continue
            rows = [(questions[i] + replies[i], len(replies[i])) for i in batch]
            for i, nll in zip(batch, self._batch(rows, len(common), prefix), strict=True):
                if i not in answered:
                    yield Forced(i, nll, len(questions[i]), len(replies[i]))

    def _answer_ids(self, prompt: str, answer: str, question: list[int]) -> list[int]:
        """The answer's tokens as the tokenizer cuts them after the prompt; by themselves where that would cut the
        prompt otherwise."""
        tokenizer: Any = self._encoder.tokenizer
        whole = tokenizer(
            self._encoder.render(prompt) + self._joint + answer,
            add_special_tokens=self._encoder.chat_template == "none",
        ).input_ids
        if whole[: len(question)] == question and len(whole) > len(question):
            return list(whole[len(question) :])
        return list(tokenizer(self._joint + answer, add_special_tokens=False).input_ids)

    def _batch(self, rows: list[tuple[list[int], int]], cached: int, prefix: Prefix) -> list[float]:
        """The nats of each row's last tokens; a row is its ids and how many of them are the answer's."""
        width = max(len(ids) for ids, _ in rows)
        tensor = self._sharing.tensor
        padded = tensor([[0] * (width - len(ids)) + ids for ids, _ in rows])
        pads = tensor([width - len(ids) for ids, _ in rows])
        # A column predicts the token of the next one.
        where = [(row, width - n + place) for row, (_, n) in enumerate(rows) for place in range(n)]
        row, column = tensor([r for r, _ in where]), tensor([c for _, c in where])

        def answers_only(layer: object, given: tuple[torch.Tensor, ...]) -> torch.Tensor:
            return given[0][row, column - 1 - cached][None]

        hook = self._model.get_output_embeddings().register_forward_pre_hook(answers_only)
        try:
            logits = self._sharing.logits(padded[:, cached:], prefix.spread(pads), pads)[0].float()
        finally:
            hook.remove()
        nats = torch.logsumexp(logits, -1) - logits[torch.arange(len(where)), padded[row, column]]
        sums = torch.zeros(len(rows), dtype=torch.float64, device=nats.device).index_add_(0, row, nats.double())
        return [float(value) for value in sums]
