"""Everything that can change a number, as one line that can be compared and parsed back.

After sacreBLEU (Post 2018): ``bench:azeval|data:3f2a…|lang:az|style:default|model:google/gemma-3-270m|…``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from urllib.parse import unquote

from alifba.errors import InputError, closest

UNKNOWN = "unknown"
_ESCAPES = {"%": "%25", "|": "%7C", "\n": "%0A", "\r": "%0D"}


@dataclass(frozen=True)
class Signature:
    """The identity of a measurement. A field that a file does not tell is "unknown", never guessed."""

    bench: str = UNKNOWN
    data: str = UNKNOWN
    lang: str = UNKNOWN
    style: str = UNKNOWN
    model: str = UNKNOWN
    revision: str = UNKNOWN
    precision: str = UNKNOWN
    device: str = UNKNOWN
    template: str = UNKNOWN
    chat: str = UNKNOWN
    decoding: str = UNKNOWN
    batch: str = UNKNOWN
    code: str = UNKNOWN

    def __str__(self) -> str:
        return "|".join(f"{name}:{_escape(value)}" for name, value in asdict(self).items())

    @classmethod
    def parse(cls, line: str) -> Signature:
        """The signature that prints as `line`.

        Raises:
            InputError: a part has no name, an unknown name, or a name twice.
        """
        known = [f.name for f in fields(cls)]
        values: dict[str, str] = {}
        for part in line.split("|"):
            name, colon, value = part.partition(":")
            if not colon or name not in known or name in values:
                raise InputError(
                    "not a signature", value=part, likely=closest(name, known), next_step="known: " + ", ".join(known)
                )
            values[name] = unquote(value)
        return cls(**values)

    def differs_in(self, other: Signature) -> list[str]:
        """The names of the fields in which two measurements differ, in field order."""
        return [f.name for f in fields(self) if getattr(self, f.name) != getattr(other, f.name)]

    def joined(self, other: Signature) -> Signature:
        """One signature for a row that rests on two runs: fields that differ show both, as ``az+en``."""
        both = {name: f"{getattr(self, name)}+{getattr(other, name)}" for name in self.differs_in(other)}
        return replace(self, **both)


def _escape(value: str) -> str:
    for char, code in _ESCAPES.items():
        value = value.replace(char, code)
    return value
