"""What can be had without reading: always answering hieratic, always the commonest sign, and guessing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from alifba.hieratic.records import PROTOCOL, Item
from alifba.hieratic.scoring import score_identify

ALWAYS = "hieratic"


def scored_items(items: Mapping[str, Item], rung: str) -> list[Item]:
    """The items on which `rung` can be scored by anyone: those that ask it and do not seal it."""
    return [item for item in items.values() if rung in item.rungs and not item.is_sealed(rung)]


def always_hieratic(items: Mapping[str, Item]) -> dict[str, float]:
    """Identify scores by item for a model that names hieratic whatever it sees."""
    return {item.id: _identify(ALWAYS, item) for item in scored_items(items, "identify")}


def majority_sign(items: Mapping[str, Item]) -> tuple[str | None, dict[str, float]]:
    """The code that most single signs accept (the first by name of several), and its scores by item."""
    signs = _single_signs(items)
    counts = Counter(code for item in signs for code in item.gardiner or ())
    if not counts:
        return None, {}
    code = min(counts, key=lambda code: (-counts[code], code))
    return code, {item.id: float(code in (item.gardiner or ())) for item in signs}


def guessing(items: Mapping[str, Item]) -> dict[str, dict[str, float]]:
    """Expected scores by rung and item of a uniform guess: among the protocol's scripts, among the set's own codes."""
    scripts = PROTOCOL["scripts"]
    signs = _single_signs(items)
    codes = {code for item in signs for code in item.gardiner or ()}
    return {
        "identify": {
            item.id: sum(_identify(script, item) for script in scripts) / len(scripts)
            for item in scored_items(items, "identify")
        },
        "signs": {item.id: len(set(item.gardiner or ())) / len(codes) for item in signs},
    }


def _single_signs(items: Mapping[str, Item]) -> list[Item]:
    return [item for item in scored_items(items, "signs") if item.single_sign]


def _identify(answer: str, item: Item) -> float:
    return score_identify(answer, item.script or "").value or 0.0
