"""What an item is called, and which phrasing it gets: from its template and concept alone."""

from __future__ import annotations

import hashlib


def _digest(template: str, concept: str) -> str:
    return hashlib.sha256(f"{template}|{concept}".encode()).hexdigest()


def item_id(template: str, concept: str) -> str:
    """The same whenever and with whatever else the item is drafted, so that decisions and runs stay with it.

    It names neither template nor entity: who judges an item blind must not see its source in its id.
    """
    return f"az-{_digest(template, concept)[:10]}"


def variant_of(template: str, concept: str, phrasings: int = 4) -> int:
    """Which phrasing a concept gets, from 0: by chance, but always the same."""
    return int(_digest(template, concept), 16) % phrasings
