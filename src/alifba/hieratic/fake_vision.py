"""A vision model that sees nothing: it checks the pipeline and says nothing about any model.

Its answer follows from the hash of its name, the image's bytes, the text and how often the same was asked before: the
same every time, in the manners in which models answer, right only by chance. Its words mean nothing, so no two of its
answers share a sentence.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from alifba.backends.base import Description, Generation, Prompt
from alifba.hieratic.prompts import LABELS
from alifba.text.resources import load_toml

_SAID: dict[str, Any] = load_toml("fake_vision.toml", package="alifba.hieratic")


class FakeVision:
    """A backend for prompts with images; `pace` is its seconds an answer. `fails_on` gives the places that fail."""

    def __init__(self, name: str, pace: float = 0, fails_on: frozenset[int] = frozenset()) -> None:
        self.name, self._pace, self._fails_on = name, pace, fails_on
        self.description = Description("fake-vision-1", "none", "none", "none", 1)

    def generate(
        self,
        prompts: Sequence[Prompt],
        max_new_tokens: int,
        answered: frozenset[int] = frozenset(),
        stop: str | None = None,
    ) -> Iterator[Generation]:
        asked: Counter[bytes] = Counter()
        digests: dict[int, bytes] = {}
        for index, prompt in enumerate(prompts):
            (image,) = prompt.images
            seen = digests.setdefault(id(image), sha256(image.data).digest())
            question = sha256(self.name.encode() + b"\n" + seen + prompt.text.encode()).digest()
            asked[question] += 1
            if index in answered:
                continue
            time.sleep(self._pace)
            if index in self._fails_on:
                yield Generation(index, None, error="the fake model was told to fail here", seconds=self._pace)
                continue
            yield self._answer(index, prompt, random.Random(question + bytes([asked[question] % 256])))

    def _answer(self, index: int, prompt: Prompt, rng: random.Random) -> Generation:
        manner = rng.choices(list(_SAID["manners"]), list(_SAID["manners"].values()))[0]
        if manner == "refusal":
            return Generation(index, "", "refusal", len(prompt.text) // 4, 0, seconds=self._pace)
        label = next(label for label in LABELS.values() if f"\n{label}: <" in prompt.text)
        text = _SAID["forms"][manner].format(words=_words(rng, 24), label=label, answer=_line(label, rng))
        return Generation(index, text, "end", len(prompt.text) // 4, len(text) // 4, seconds=self._pace)


def _line(label: str, rng: random.Random) -> str:
    if label == "SCRIPT":
        return str(rng.choice(_SAID["scripts"]))
    if label == "SIGNS":
        return " ".join(f"{rng.choice(_SAID['categories'])}{rng.randint(1, 40)}" for _ in range(rng.randint(1, 9)))
    return _words(rng, 12)


def _words(rng: random.Random, n: int) -> str:
    return " ".join("".join(rng.choice(_SAID["syllables"]) for _ in range(rng.randint(2, 3))) for _ in range(n))
