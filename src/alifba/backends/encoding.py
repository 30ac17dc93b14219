"""From the text of a prompt to the token ids that a local model reads. Needs transformers, not torch."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from pathlib import Path
from typing import Any

from alifba.backends.sources import Weights
from alifba.config import Model
from alifba.errors import InputError

# Some chat templates write today's date into every prompt. A run that is resumed on another day must send the same
# prompts, so for every template it is this day: the one that Llama 3's templates name where they are told none.
_TODAY = datetime(2024, 7, 26)
_DATE = re.compile(r"""strftime_now\((["'])(.+?)\1\)""")


class Encoder:
    """A model's tokenizer, and its chat template if the study wants it.

    `chat_template` is part of a run's identity: ``none``, or the first 12 hex digits of the template's sha256 and how
    reasoning is switched (``3f2a…,reasoning=off``; ``reasoning=off:ignored`` where the template knows no switch).

    Raises:
        InputError: no transformers, no such tokenizer, or a declared chat template that the tokenizer lacks.
    """

    def __init__(self, model: Model, weights: Weights) -> None:
        self.tokenizer = load_tokenizer(weights, model.trust_remote_code)
        self._bos = self.tokenizer.bos_token_id
        self._template = self._pinned_template(model) if model.chat_template else None
        self._switch = {} if model.reasoning is None else {"enable_thinking": model.reasoning == "on"}
        self.chat_template = self._described(model.reasoning)

    def _pinned_template(self, model: Model) -> str:
        if not self.tokenizer.chat_template:
            raise InputError(
                f"model {model.slug!r} is declared with a chat template, its tokenizer has none",
                next_step="declare 'chat_template: false'",
            )
        template = self.tokenizer.get_chat_template()
        return _DATE.sub(lambda call: repr(_TODAY.strftime(call[2])), template)

    def _described(self, reasoning: str | None) -> str:
        if self._template is None:
            return "none"
        sha = hashlib.sha256(self._template.encode()).hexdigest()[:12]
        if reasoning is None:
            return sha
        on, off = (self._rendered("?", {"enable_thinking": thinking}) for thinking in (True, False))
        return f"{sha},reasoning={reasoning}{':ignored' if on == off else ''}"

    def render(self, prompt: str) -> str:
        """The text that the tokenizer is given: the prompt, or the prompt inside the chat template."""
        return self._rendered(prompt, self._switch) if self._template else prompt

    def _rendered(self, prompt: str, switch: dict[str, bool]) -> str:
        rendered = self.tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}],
            tokenize=False,
            add_generation_prompt=True,
            chat_template=self._template,
            **switch,
        )
        return str(rendered)

    def encode(self, prompt: str) -> list[int]:
        """The token ids of a prompt, with exactly the BOS that the tokenizer wants: its own for plain text, the one
        that the template writes for chat.

        Raises:
            InputError: the ids begin with two BOS.
        """
        # A rendered template is complete; a BOS on top of its own would be a second one.
        ids = list(self.tokenizer(self.render(prompt), add_special_tokens=self._template is None).input_ids)
        if self.n_bos(ids) > 1:
            raise InputError("the prompt begins with two BOS tokens", value=self.tokenizer.decode(ids[:8]))
        return ids

    def n_bos(self, ids: list[int]) -> int:
        """With how many BOS tokens `ids` begin."""
        return next((place for place, id_ in enumerate(ids) if self._bos is None or id_ != self._bos), len(ids))


def load_tokenizer(weights: Weights, trust_remote_code: bool = False) -> Any:
    """The tokenizer that belongs to `weights`.

    Raises:
        InputError: transformers is not installed, or there is no tokenizer that it can read.
    """
    try:
        import transformers
    except ImportError:
        raise InputError("transformers is not installed", next_step="make local") from None
    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            weights.folder, trust_remote_code=trust_remote_code, **where(weights)
        )
    except (OSError, ValueError, ImportError) as fault:
        raise cannot_load("tokenizer", weights, fault) from None
    if tokenizer.pad_token_id is None:
        # The attention mask hides padding, so any token serves; the end token is still read as an end.
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def where(weights: Weights) -> dict[str, str]:
    """Which file or commit inside `weights.folder`, as transformers is told."""
    if weights.gguf:
        return {"gguf_file": weights.gguf}
    return {"revision": weights.revision} if weights.on_hub else {}


def cannot_load(what: str, weights: Weights, fault: Exception) -> InputError:
    """What to tell where transformers cannot load a part of a model."""
    said = str(fault).strip().split("\n")[0]
    hints = (
        (
            "trust_remote_code",
            "code of the model's own",
            "read it, then declare 'trust_remote_code: true' for the model",
        ),
        ("safetensors", "weights in a format that can run code when it is read", "convert them to safetensors"),
    )
    likely, step = next(
        ((likely, step) for word, likely, step in hints if word in str(fault)),
        (None, "check the model's source in the study file"),
    )
    return InputError(
        f"the {what} of {Path(weights.folder).name} cannot be loaded", value=said, likely=likely, next_step=step
    )
