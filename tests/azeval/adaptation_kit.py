"""Small adaptations for tests: a declared study, and a packed text as npm packs one."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from alifba.config import Study, load_study
from samples import write_study

BLOCK = 20
PACKAGE = "udhr-of-tests"


def arm(slug: str, **changes: Any) -> dict[str, Any]:
    """An arm in a language of its own."""
    return {"slug": slug, "label": slug, "language": slug.title(), "text": slug} | changes


def declared(
    arms: list[dict[str, Any]],
    hypotheses: list[dict[str, Any]] | None = None,
    source: str = "somewhere",
    recipe: Mapping[str, Any] | None = None,
    text: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The content of a study that adapts the model ``base``, a folder `source`, to `arms`."""
    base = {"slug": "base", "name": "org/base", "label": "Base", "source": {"hub": source}, "precision": "float32"}
    made = {"learning_rate": 1e-3, "steps": 6, "batch": 2, "block": BLOCK} | dict(recipe or {})
    used = {"package": PACKAGE, "version": "1.0.0", "integrity": "sha512-AAAA", "characters": 100} | dict(text or {})
    adaptation = {"base": "base", "weights": "models/tests", "text": used, "recipe": made, "arms": arms}
    return {"models": [base], "adaptation": adaptation | {"hypotheses": hypotheses or []}}


def study_of(folder: Path, content: dict[str, Any]) -> Study:
    """`content` as a study that was read from a file."""
    return load_study(write_study(folder, **content))


def html(*paragraphs: str) -> str:
    """A declaration as the package holds one."""
    return "<html><head><title>T</title></head><body>" + "".join(f"<p>{text}</p>" for text in paragraphs) + "</body>"


def packed_text(folder: Path, texts: Mapping[str, str]) -> tuple[Path, str]:
    """The package as npm would have packed it, with a declaration of each language, and its integrity."""
    path = folder / f"{PACKAGE}-1.0.0.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for language, content in texts.items():
            data = content.encode()
            member = tarfile.TarInfo(f"package/declaration/{language}.html")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path, "sha512-" + base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
