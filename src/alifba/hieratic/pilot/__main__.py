"""``python -m alifba.hieratic.pilot FONTS [OUT]`` draws the pilot set anew from the fonts in the folder FONTS."""

from __future__ import annotations

import sys
from pathlib import Path

from alifba.errors import InputError
from alifba.hieratic.pilot.build import write_pilot
from alifba.paths import repo_root


def main(arguments: list[str]) -> None:
    """Draw the set and say how large it is."""
    if len(arguments) not in (1, 2):
        sys.exit(f"usage: {__doc__}")
    out = Path(arguments[1]) if len(arguments) == 2 else repo_root() / "data" / "hieratic" / "pilot"
    try:
        items = write_pilot(out, Path(arguments[0]))
    except InputError as fault:
        sys.exit(f"error: {fault}")
    print(f"{len(items)} items, {sum(len(item.image) for item in items) / 1e6:.1f} MB of images: {out}")


if __name__ == "__main__":
    main(sys.argv[1:])
