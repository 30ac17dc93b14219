"""Small models and runs against the server of these tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alifba.backends.api import ApiBackend
from alifba.config import Model
from alifba.items import Item, read_items
from samples import item_row, write_rows

QUICK = {"try_s": 2.0, "deadline_s": 10.0, "wait_s": 0.01, "longest_wait_s": 0.05}
"""Patience, scaled down."""
KEYED = {"key_env": "CANARY_API_KEY"}


def declared(url: str, **api: Any) -> dict[str, Any]:
    """A model as a study file declares it, behind the server at `url`; `api` adds or replaces what its `api` says."""
    address = url if api.get("provider") == "anthropic" else f"{url}/v1"
    plain: dict[str, Any] = {"provider": "vllm", "model": "m-1", "base_url": address, "workers": 4, "retry": QUICK}
    return {"slug": "one", "name": "org/one", "label": "one", "backend": "api", "api": plain | api}


def model(url: str, **api: Any) -> Model:
    return Model.model_validate(declared(url, **api))


def ask(url: str, prompts: list[Any], max_cost: float | None = None, told: list[str] | None = None, **api: Any) -> Any:
    """The replies to `prompts`, by index; lines for people go into `told`."""
    backend = ApiBackend(model(url, **api), max_cost, (told if told is not None else []).append)
    replies = list(backend.generate(prompts, 32))
    assert len({reply.index for reply in replies}) == len(replies)
    return {reply.index: reply for reply in replies}


def everything_under(folder: Path) -> dict[Path, bytes]:
    """The bytes of all files below `folder`."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def items_of(folder: Path, n: int) -> list[Item]:
    """`n` items whose questions name them."""
    rows = [item_row(i, question_az=f"item-{i} nədir?", question_en=f"What is item-{i}?") for i in range(n)]
    return read_items(write_rows(folder / "d.jsonl", rows))


def item_in(prompt: str) -> str:
    """The item that a prompt asks about."""
    return next(word for word in reversed(prompt.replace("?", " ").split()) if word.startswith("item-"))
