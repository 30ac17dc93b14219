"""Why an answer failed: which chain recovers it, the hole of the transliteration, another language, or ability."""

from __future__ import annotations

from typing import Literal, get_args

from alifba.text.chains import CHAINS, Chain, normalise
from alifba.text.confusion.scripts import is_g_q_hole
from alifba.text.cyrillic import contains_cyrillic

Mode = Literal["right", "orthographic", "hole", "wrong_language", "both", "capability", "empty"]
MODES: tuple[Mode, ...] = get_args(Mode)
# Chains under which a match is no failure of spelling: the words are right, inflected at most.
_RIGHT: tuple[Chain, ...] = ("strict", "morph")


def recovering_chain(gold: str, answer: str) -> Chain | None:
    """The first chain under which `answer` equals `gold`, or None."""
    for chain in CHAINS:
        if normalise(answer, chain) == normalise(gold, chain) != "":
            return chain
    return None


def failure_mode(gold: str, answer: str, *, wrong_language: bool) -> Mode:
    """The mode of one answer; `wrong_language` is the combined flag of `detect`.

    right: equal under STRICT or MORPH. orthographic: LENIENT or TRANSLIT recovers it. hole: only г → g against q is
    left. wrong_language: right concept, another language, in the target's script. both: the same in Cyrillic, so
    script and word are wrong at once. empty: no letter and no digit. capability: everything else.
    """
    chain = recovering_chain(gold, answer)
    if chain is not None:
        return "right" if chain in _RIGHT else "orthographic"
    if not normalise(answer, "strict"):
        return "empty"
    if is_g_q_hole(answer, gold):
        return "hole"
    if wrong_language:
        return "both" if contains_cyrillic(answer) else "wrong_language"
    return "capability"
