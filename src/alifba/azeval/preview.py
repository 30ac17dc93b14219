"""What a run would send, before it is begun: prompts as the model reads them, token ids, sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from alifba.azeval.prompts import item_prompt, next_question
from alifba.azeval.running import token_limit
from alifba.backends.encoding import Encoder
from alifba.backends.pricing import estimate
from alifba.backends.sources import locate
from alifba.config import Model, Study
from alifba.errors import InputError
from alifba.items import ItemSet


@dataclass(frozen=True)
class Sent:
    """A prompt of a run: its item, the text as the tokenizer gets it, and its token ids (None where no tokenizer is
    read here: the model is behind an API, a command or a fake)."""

    item: str
    text: str
    ids: list[int] | None


@dataclass(frozen=True)
class Preview:
    """The prompts of a run, all of them, and what is the same for all."""

    sent: list[Sent]
    notes: list[str]

    def lines(self, n: int) -> Iterator[str]:
        """The first `n` prompts in full, then what holds for all."""
        for one in self.sent[:n]:
            yield f"--- {one.item}"
            yield one.text
            if one.ids is not None:
                yield f"{len(one.ids)} tokens: {' '.join(map(str, one.ids))}"
        yield f"--- all {len(self.sent)} prompts"
        yield from self.notes


def preview(study: Study, model: Model, items: ItemSet, language: str, style: str) -> Preview:
    """What a run of `model` would send for every item.

    Needs the model's tokenizer, for a model on this machine, but never its weights; without torch it reads every
    tokenizer but one inside a GGUF file.

    Raises:
        InputError: a language or style that the study does not declare, a tokenizer that cannot be read, or a revision
            that can move although the study does not allow that.
    """
    for what, given, declared in (("language", language, study.languages), ("style", style, study.styles)):
        if given not in declared:
            raise InputError(f"the study declares no such {what}", value=given, next_step=f"one of {declared}")
    prompts = [item_prompt(item, items, language, style) for item in items]
    ids = [item.id for item in items]
    notes = [f"at most {token_limit(style)} new tokens a reply"]
    if study.decoding.stop_at_next_question:
        notes.append(f"a reply ends at {next_question(language)!r}")
    if model.backend != "transformers" or model.source is None:
        sent = [Sent(item, text, None) for item, text in zip(ids, prompts, strict=True)]
        longest = max(prompts, key=len, default="")
        price = model.api.price if model.api else None
        notes.append(f"longest prompt: {len(longest):,} characters")
        notes.append(f"in all: {estimate(price, prompts, token_limit(style))}")
        return Preview(sent, notes)
    weights = locate(model.source, study.profile == "explore")
    if weights.gguf and find_spec("torch") is None:
        notes.append(
            "no token ids: the tokenizer inside a GGUF file is read by torch, which is not installed (make local)"
        )
        return Preview([Sent(item, text, None) for item, text in zip(ids, prompts, strict=True)], notes)
    encoder = Encoder(model, weights)
    sent = [Sent(i, encoder.render(text), encoder.encode(text)) for i, text in zip(ids, prompts, strict=True)]
    return Preview(sent, notes + _sizes(encoder, sent))


def _sizes(encoder: Encoder, sent: list[Sent]) -> list[str]:
    encoded = [(one.item, one.ids) for one in sent if one.ids is not None]
    bos = Counter(encoder.n_bos(ids) for _, ids in encoded)
    item, longest = max(encoded, key=lambda one: len(one[1]), default=("none", []))
    return [
        f"chat template: {encoder.chat_template}",
        "BOS tokens at the start: " + ", ".join(f"{n} in {count} prompts" for n, count in sorted(bos.items())),
        f"longest prompt: {len(longest):,} tokens ({item})",
        f"in all: {sum(len(ids) for _, ids in encoded):,} prompt tokens",
    ]
