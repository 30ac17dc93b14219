"""Local causal language models through transformers: greedy, left-padded, the longest prompts first."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

from alifba.backends.base import Description, Generation
from alifba.backends.encoding import Encoder
from alifba.backends.sources import locate
from alifba.config import Model
from alifba.errors import InputError

try:
    import torch
    import transformers  # noqa: F401
except ImportError:
    raise InputError("torch and transformers are not installed", next_step="make local") from None

from alifba.backends.decoding import Asked, Ending, Made, PlainBatches, make_greedy
from alifba.backends.loading import load
from alifba.backends.precision import device, probe
from alifba.backends.prefix import Sharing
from alifba.backends.slots import SharedSlots

_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")


class TransformersBackend:
    """One model in memory. Needs the extra ``local``.

    `shared_prefix`, where the model's cache allows it, computes what all prompts begin with once and fills places that
    become free. `floating` allows a revision that can move. Where memory runs out the batch is halved, which `tell`
    says and each row notes; the declared size stays the run's identity.

    Raises:
        InputError: no such weights, a revision that can move, or a precision that this machine cannot compute in.
    """

    def __init__(
        self,
        model: Model,
        shared_prefix: bool = True,
        floating: bool = False,
        tell: Callable[[str], None] = print,
    ) -> None:
        if model.source is None:
            raise InputError(
                f"model {model.slug!r} has no 'source'", next_step="declare hub, gguf or package in the study file"
            )
        torch.manual_seed(0)
        on = device()
        precision = probe(model.precision, on)
        weights = locate(model.source, floating)
        self._encoder = Encoder(model, weights)
        loaded, label = load(weights, precision, on, model.trust_remote_code)
        tokenizer = self._encoder.tokenizer
        self._end_ids = make_greedy(loaded, tokenizer)
        self._size, self._tell = model.batch_size, tell
        sharing = Sharing(loaded, on)
        shares = shared_prefix and sharing.works()
        self._decoder = (
            SharedSlots(sharing, tokenizer.pad_token_id or 0) if shares else PlainBatches(loaded, tokenizer, on)
        )
        self.description = Description(
            revision=weights.revision,
            precision=label,
            device=on,
            chat_template=self._encoder.chat_template,
            batch_size=model.batch_size,
            environment=environment(on, precision.quantised),
            decoding={"shared_prefix": True} if shares else {},
        )

    def generate(
        self,
        prompts: Sequence[str],
        max_new_tokens: int,
        answered: frozenset[int] = frozenset(),
        stop: str | None = None,
    ) -> Iterator[Generation]:
        """Yield a generation per prompt not yet `answered`, longest prompts first."""
        encoded = [self._encoder.encode(prompt) for prompt in prompts]
        ending = Ending(self._encoder.tokenizer, self._end_ids, max_new_tokens, stop)
        order = sorted(range(len(prompts)), key=lambda place: (-len(encoded[place]), place))
        if answered.issuperset(order):
            return
        self._decoder.begin(encoded)
        together = self.description.batch_size * self._decoder.group
        for start in range(0, len(order), together):
            group = order[start : start + together]
            if answered.issuperset(group):
                continue
            for place, new in self._decoded([(place, encoded[place]) for place in group], ending):
                if place not in answered:
                    yield self._generation(place, len(encoded[place]), new, ending)

    def _decoded(self, asked: list[Asked], ending: Ending) -> Iterator[Made]:
        """The replies to a group; again with half the batch for what is left where memory runs out."""
        done: set[int] = set()
        while True:
            try:
                for made in self._decoder.decode([a for a in asked if a[0] not in done], self._size, ending):
                    done.add(made[0])
                    yield made
                return
            except (RuntimeError, MemoryError) as fault:
                if not (isinstance(fault, MemoryError) or any(words in str(fault) for words in _OUT_OF_MEMORY)):
                    raise
            # After the except block, whose traceback holds on to what did not fit.
            self._halve()

    def _halve(self) -> None:
        if self._size == 1:
            raise InputError(
                "there is not enough memory for a single prompt",
                next_step="close other programs, or declare a smaller precision",
            )
        self._size //= 2
        self._tell(f"out of memory: going on with batches of {self._size} instead of {self.description.batch_size}")
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _generation(self, place: int, prompt_tokens: int, new: list[int], ending: Ending) -> Generation:
        reason = ending.reason(new)
        answer = new[:-1] if reason == "end" else new
        return Generation(
            index=place,
            text=ending.text(answer),
            stop_reason=reason,
            prompt_tokens=prompt_tokens,
            completion_tokens=len(answer),
            batch_size=None if self._size == self.description.batch_size else self._size,
        )


def environment(on: str, quantised: bool) -> dict[str, Any]:
    packages = ["torch", "transformers"] + (["bitsandbytes"] if quantised else [])
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()}-{platform.machine()}",
        **{name: version(name) for name in packages},
        **({"gpu": torch.cuda.get_device_name()} if on == "cuda" else {"threads": torch.get_num_threads()}),
    }
