"""Which calls a run makes: items, rungs and samples, in a fixed order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from alifba.errors import InputError, closest
from alifba.hieratic.items import ItemFolder
from alifba.hieratic.records import RUNGS, Item


@dataclass(frozen=True)
class Job:
    """One call: `item` on `rung`, for the `sample`-th time (from 0)."""

    item: Item
    rung: str
    sample: int

    @property
    def key(self) -> tuple[str, str, int]:
        """(item id, rung, sample), as records have it."""
        return self.item.id, self.rung, self.sample


def plan(
    items: ItemFolder,
    rungs: Sequence[str] = (),
    only: Sequence[str] = (),
    samples: int = 1,
    sealed_samples: int = 3,
    limit: int | None = None,
) -> list[Job]:
    """Every call, item by item in the order of ids, each with its rungs in canonical order and then its samples.

    `rungs` and `only` (ids or their beginnings, such as ``aku-``) leave out the rest; none given means all. `limit`
    takes the first so many items.

    Raises:
        InputError: a rung that does not exist, or a name in `only` that no item begins with.
    """
    for rung in rungs:
        if rung not in RUNGS:
            raise InputError("no such rung", value=rung, likely=closest(rung, RUNGS), next_step=", ".join(RUNGS))
    for name in only:
        if not any(id_.startswith(name) for id_ in items):
            raise InputError("no item has this id or begins so", value=name, likely=closest(name, items))
    chosen = [item for item in items.items_only if not only or item.id.startswith(tuple(only))]
    asked = [(item, [rung for rung in item.rungs if not rungs or rung in rungs]) for item in chosen]
    return [
        Job(item, rung, sample)
        for item, asked_of in [(item, of) for item, of in asked if of][:limit]
        for rung in asked_of
        for sample in range(sealed_samples if item.split == "sealed" else samples)
    ]
