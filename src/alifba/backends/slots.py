"""Greedy decoding that computes what all prompts begin with once, and gives the place of a finished reply to the next
prompt (after Orca, Yu et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from transformers import DynamicCache

from alifba.backends.decoding import Asked, Ending, Made
from alifba.backends.prefix import Prefix, Sharing, cache_of, common_prefix, states_of

# Finished replies keep their places until a quarter of the places can be filled at once: a prompt's first step costs
# about as much for one prompt as for eight.
_FILLED_AT_ONCE = 0.25


class _Rows:
    """Replies being generated side by side: the `new` tokens of each, of which the last is not yet in the cache, and
    whether it is `over`. A reply that is over keeps its row until rows are dropped."""

    def __init__(self, places: list[int], first: list[int], pads: torch.Tensor, cache: DynamicCache) -> None:
        self.places, self.pads, self.cache = places, pads, cache
        self.new = [[token] for token in first]
        self.over = [False] * len(places)

    @property
    def n_open(self) -> int:
        """How many replies are not over."""
        return self.over.count(False)

    def ended(self, ending: Ending) -> Iterator[Made]:
        """Mark and yield the replies that are over now."""
        for row, new in enumerate(self.new):
            if not self.over[row] and ending.reason(new):
                self.over[row] = True
                yield self.places[row], list(new)

    def drop_over(self) -> None:
        """Drop the rows that are over, and the columns that are padding in every row that stays."""
        kept = [row for row, over in enumerate(self.over) if not over]
        index = torch.tensor(kept, device=self.pads.device)
        self.places, self.new = [self.places[row] for row in kept], [self.new[row] for row in kept]
        self.over = [False] * len(kept)
        spare = int(self.pads[index].min())
        self.pads = self.pads[index] - spare
        layers = [(keys[index, :, spare:], values[index, :, spare:]) for keys, values in states_of(self.cache)]
        self.cache = cache_of(layers)

    def join(self, other: _Rows) -> None:
        """Add the rows of `other`; the narrower cache gets padding on its left."""
        mine, theirs = self.cache.get_seq_length(), other.cache.get_seq_length()
        width = max(mine, theirs)
        self.places, self.new, self.over = self.places + other.places, self.new + other.new, self.over + other.over
        self.pads = torch.cat([self.pads + (width - mine), other.pads + (width - theirs)])
        both = zip(states_of(self.cache), states_of(other.cache), strict=True)
        self.cache = cache_of([(_stacked(a[0], b[0], width), _stacked(a[1], b[1], width)) for a, b in both])


def _stacked(above: torch.Tensor, below: torch.Tensor, width: int) -> torch.Tensor:
    """States `(rows, heads, columns, size)` of two sets of rows as one, `width` columns wide."""
    wide = [torch.nn.functional.pad(states, (0, 0, width - states.shape[2], 0)) for states in (above, below)]
    return torch.cat(wide)


class SharedSlots:
    """Decodes as `PlainBatches` does, with a shared prefix and places that are filled again."""

    group = 4

    def __init__(self, sharing: Sharing, pad_id: int) -> None:
        self._sharing, self._pad_id = sharing, pad_id
        self._common: list[int] = []
        self._prefix: Prefix | None = None

    def begin(self, prompts: Sequence[Sequence[int]]) -> None:
        """Find what all prompts of a run begin with."""
        self._common, self._prefix = common_prefix(prompts), None

    def decode(self, asked: Sequence[Asked], size: int, ending: Ending) -> Iterator[Made]:
        """Reply to every prompt, at most `size` at a time, in the order in which the replies end."""
        waiting = list(asked)
        rows: _Rows | None = None
        while waiting or rows:
            free = size - (rows.n_open if rows else 0)
            if waiting and free >= size * _FILLED_AT_ONCE:
                rows = self._filled(rows, waiting[:free])
                del waiting[:free]
            elif rows:
                self._advance(rows)
            if rows:
                yield from rows.ended(ending)
                rows = rows if rows.n_open else None

    def _filled(self, rows: _Rows | None, asked: Sequence[Asked]) -> _Rows:
        """`rows` without those that are over and with `asked`, of which the first token is generated."""
        self._prefix = self._prefix or Prefix(self._sharing, self._common)
        width, cached = max(len(ids) for _, ids in asked), len(self._common)
        padded = [[self._pad_id] * (width - len(ids)) + ids for _, ids in asked]
        pads = self._sharing.tensor([width - len(ids) for _, ids in asked])
        cache = self._prefix.spread(pads)
        logits = self._sharing.step(self._sharing.tensor([ids[cached:] for ids in padded]), cache, pads)
        begun = _Rows([place for place, _ in asked], logits.argmax(-1).tolist(), pads, cache)
        if rows is None:
            return begun
        rows.drop_over()
        rows.join(begun)
        return rows

    def _advance(self, rows: _Rows) -> None:
        """Generate another token for each row."""
        if rows.n_open * 2 <= len(rows.over):
            rows.drop_over()
        logits = self._sharing.step(self._sharing.tensor([new[-1:] for new in rows.new]), rows.cache, rows.pads)
        for new, token in zip(rows.new, logits.argmax(-1).tolist(), strict=True):
            new.append(token)
