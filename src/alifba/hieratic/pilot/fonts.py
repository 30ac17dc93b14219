"""The pinned fonts of the pilot set: where they lie, and that they are the ones that were measured."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from alifba.errors import InputError
from alifba.paths import shown
from alifba.text.resources import load_toml

PACKAGE = "alifba.hieratic.pilot"


@dataclass(frozen=True)
class Font:
    """A font file: its name, the sum that pins it, and the page of the Unicode chart that names its characters."""

    name: str
    file: str
    sha256: str
    chart: str

    def within(self, folder: Path) -> Path:
        """The file below `folder`.

        Raises:
            InputError: no such file there, or another version of it, which would draw other images.
        """
        path = folder / self.file
        if not path.is_file():
            raise InputError(
                "no such font", file=shown(path), next_step="make hieratic-fonts, or give the folder of the Noto fonts"
            )
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != self.sha256:
            raise InputError(
                "another version of this font would draw other images",
                file=shown(path),
                value=f"sha256 {found}",
                next_step=f"take it from {package()['name']} {package()['version']}: make hieratic-fonts",
            )
        return path


@cache
def fonts() -> Mapping[str, Font]:
    """The fonts by the key that scripts.toml uses."""
    return {key: Font(**entry) for key, entry in load_toml("fonts.toml", PACKAGE)["files"].items()}


@cache
def package() -> Mapping[str, str]:
    """Where the fonts come from: name, version, licence, holder, url."""
    return dict(load_toml("fonts.toml", PACKAGE)["package"])
