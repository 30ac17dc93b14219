"""Read the tables that ship inside the package: letters, suffixes, labels."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def load_toml(name: str, package: str = "alifba.text") -> dict[str, Any]:
    """The table ``data/<name>`` of `package`."""
    return tomllib.loads((files(package) / "data" / name).read_text(encoding="utf-8"))
