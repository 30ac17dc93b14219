"""The two records of the protocol: an item, and what one call of a model on one rung of an item gave.

Both are read liberally, because files made by other harnesses are read too: a field that is not known is kept, an
optional one may be missing or null, and a number stands for its text. JSON names are in camelCase, as published;
attributes are in snake_case.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, field_validator, model_validator
from pydantic.alias_generators import to_camel

from alifba.text.resources import load_toml

PROTOCOL: dict[str, Any] = load_toml("protocol.toml", package="alifba.hieratic")
HARNESS: str = PROTOCOL["harness"]
"""Version of the protocol that this code follows."""
Rung = Literal["identify", "signs", "transliterate", "translate"]
RUNGS: tuple[Rung, ...] = get_args(Rung)
"""The four questions in canonical order."""


_NOBODY = "unknown"


class _Record(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="allow", alias_generator=to_camel, populate_by_name=True, coerce_numbers_to_str=True
    )

    @model_validator(mode="before")
    @classmethod
    def _null_is_missing(cls, row: Any) -> Any:
        return {name: value for name, value in row.items() if value is not None} if isinstance(row, dict) else row


class ItemObject(_Record):
    """The document that an image shows; each field is text as the source gives it."""

    name: str | None = None
    date: str | None = None
    period: str | None = None
    material: str | None = None
    holder: str | None = None
    content: str | None = None


class ItemSource(_Record):
    """Where an image comes from and what may be done with it."""

    url: str | None = None
    """The page of the source; every public item has one."""
    file_url: str | None = None
    license: str | None = None
    license_url: str | None = None
    attribution: str | None = None
    retrieved: str | None = None
    """The day of the download, ISO 8601."""


class Item(_Record):
    """One image and what may be asked about it; one JSON file, named ``<id>.json``."""

    id: str
    split: str
    """"public" or "sealed"."""
    rungs: tuple[str, ...]
    """Those of `RUNGS` that are asked, in canonical order."""
    image: str
    """Path of a PNG or JPEG, from the item's own folder or a folder above it."""
    title: str | None = None
    script: str | None = None
    """One of the protocol's scripts; needed by identify."""
    gardiner: tuple[str, ...] | None = None
    """Accepted codes of Gardiner's list. That the field is there makes the item a single sign."""
    same_text_as: str | None = None
    """Id of the item that holds the same text in another hand."""
    object: ItemObject = ItemObject()
    source: ItemSource = ItemSource()
    famous: bool = False
    """Whether the document is widely reproduced: a model may have seen this very photograph."""
    notes: str | None = None

    @field_validator("gardiner", mode="before")
    @classmethod
    def _one_code(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @property
    def prefix(self) -> str:
        """The part of the id before the first hyphen: the source."""
        return self.id.partition("-")[0]

    @property
    def single_sign(self) -> bool:
        return self.gardiner is not None

    def is_sealed(self, rung: str) -> bool:
        """Whether an answer on `rung` must stay private. The script is public, so identify is scored openly."""
        return self.split == "sealed" and rung != "identify"


class ModelInfo(_Record):
    """Which model answered. `provider` and `id` are how it was asked for; `effort` only where one was asked."""

    key: str
    """Short name, part of the run file's name; the same model at two efforts is two rows."""
    label: str | None = None
    """What figures say; `key` where it is missing."""
    provider: str | None = None
    id: str | None = None
    effort: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _named_at_all(cls, row: Any) -> Any:
        if isinstance(row, dict) and not row.get("key"):
            return row | {"key": row.get("id") or row.get("label") or _NOBODY}
        return row

    @property
    def shown(self) -> str:
        """The label, with the effort where there is one."""
        return f"{self.label or self.key} ({self.effort})" if self.effort else self.label or self.key


class Usage(_Record):
    """Tokens and US dollars of one call; None where the provider does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class RunRecord(_Record):
    """One line of a run file: one call of a model."""

    harness: Any = None
    """Version of the harness that made the record."""
    run_id: str | None = None
    """Name of the run file without its ending."""
    model: ModelInfo = ModelInfo(key=_NOBODY)
    item_id: str
    rung: str
    sample: int = 0
    """Counts from 0 within an item and rung."""
    prompt: Any = None
    """The text that was sent after the image."""
    response: str | None = None
    """The whole answer, word for word; "" where it is withheld, None where the call failed."""
    parsed: str | None = None
    """What follows the label on the final answer line; None where there is no such line."""
    score: float | None = None
    """Share in [0, 1]; None: not scored (a failed call, or a sealed rung, which has no key)."""
    score_detail: str | None = None
    """Why a score is 0 or missing, such as ``no SCRIPT line``."""
    withheld: bool = False
    """Whether the text is private: the public record of identify on a sealed item."""
    private_copy: bool = False
    """Whether this is the record with the full text of one that is withheld; such a record lies in the inbox only."""
    stop_reason: Any = None
    refusal: bool = False
    """Whether the provider says that the model declined; counted, and scored as any other text."""
    error: Any = None
    """Why the call failed; such a record has a null score, is left out of averages and asked again by resume."""
    usage: Usage | None = None
    latency_ms: int | float | None = None
    created_at: Any = None
    """ISO 8601, UTC."""

    @field_validator("refusal", "withheld", "private_copy", mode="before")
    @classmethod
    def _said_in_words(cls, value: Any) -> bool:
        # Some harnesses put the words of a refusal where others put true.
        return bool(value)

    @model_validator(mode="before")
    @classmethod
    def _named_by_a_word(cls, row: Any) -> Any:
        if isinstance(row, dict) and isinstance(row.get("model"), str):
            return row | {"model": {"key": row["model"]}}
        return row

    @property
    def failed(self) -> bool:
        """Whether the call brought no answer: its score is null, and there is an error or no text. A refusal without
        text is an answer: its text is empty. What was scored is one too, whatever error was noted beside it."""
        nothing_came = self.response is None and not self.withheld and not self.refusal
        return self.score is None and (bool(self.error) or nothing_came)

    @property
    def key(self) -> tuple[str, str, int]:
        """(item id, rung, sample): what a run asks once."""
        return self.item_id, self.rung, self.sample
