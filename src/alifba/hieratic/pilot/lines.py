"""Lines for the identify items: letters of one script in random order. They are no text and mean nothing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
from pydantic import BaseModel, ConfigDict

from alifba.hieratic.pilot.fonts import PACKAGE
from alifba.hieratic.pilot.signs import signs
from alifba.text.resources import load_toml


class LetterRange(BaseModel):
    """Code points from `first` to `last`, both included, every `step`-th."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    first: int
    last: int
    step: int = 1


class Writing(BaseModel):
    """A script of the pilot: the protocol's `script` value, its font and letters, and how its lines are made.

    `size` is the range of letter heights in pixels, `lines` and `word` the ranges of lines an image and letters a
    word, `words` the number of words a line, `items` how many images there are.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    script: str
    writing: str
    font: str
    letters: tuple[LetterRange, ...]
    size: tuple[int, int]
    lines: tuple[int, int]
    word: tuple[int, int]
    words: int
    items: int
    right_to_left: bool = False

    @property
    def alphabet(self) -> list[str]:
        """The letters that lines are drawn from; of hieroglyphs, those with a Gardiner code."""
        listed = [chr(point) for part in self.letters for point in range(part.first, part.last + 1, part.step)]
        return listed or list(signs().values())

    def draw_lines(self, rng: np.random.Generator) -> list[str]:
        """Random lines in the order in which they are drawn, left to right."""
        letters = self.alphabet
        return [" ".join(self._word(letters, rng) for _ in range(self.words)) for _ in range(_between(self.lines, rng))]

    def _word(self, letters: list[str], rng: np.random.Generator) -> str:
        # Right-to-left letters in random order read the same either way; their order needs no turning round.
        return "".join(letters[index] for index in rng.integers(len(letters), size=_between(self.word, rng)))


def _between(ends: tuple[int, int], rng: np.random.Generator) -> int:
    return int(rng.integers(ends[0], ends[1] + 1))


@cache
def writings() -> Mapping[str, Writing]:
    """The scripts of the pilot by name, in the order of scripts.toml."""
    return {name: Writing(**entry) for name, entry in load_toml("scripts.toml", PACKAGE).items()}
