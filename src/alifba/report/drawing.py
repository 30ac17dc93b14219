"""What all figures share: style, colours that survive grey and colour blindness, and saving with fixed bytes."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from pypdf import PdfReader
from pypdf.errors import PyPdfError

from alifba.errors import InputError
from alifba.paths import shown, write_atomic

COLUMN = 3.35
"""Width of one column, in inches (85 mm)."""
PAGE = 6.9
"""Width of both columns, in inches (175 mm)."""

# Okabe and Ito's colour-blind safe set, used so that each also differs in lightness; markers carry the same meaning.
AZ, EN = "#0072B2", "#E69F00"
CHAIN_COLOURS = {"strict": "#0B3C5D", "morph": "#3E82B5", "lenient": "#8CBFD9", "translit": "#E69F00"}
CHAIN_HATCHES = {"strict": "", "morph": "////", "lenient": "....", "translit": "xxxx"}
GREY = "#6b6b6b"

# Program versions and times would make every build another file.
_FIXED_METADATA: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None},
}


@contextmanager
def style() -> Iterator[None]:
    """Draw in the style of this repository."""
    with as_file(files("alifba.report") / "data" / "alifba.mplstyle") as sheet, plt.style.context(["default", sheet]):
        yield


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write ``name.png`` (300 dpi) and ``name.pdf`` into `folder` and close the figure. Same figure, same bytes.

    Raises:
        InputError: a character has no glyph in the font, so the figure would show an empty box.
    """
    written = []
    for kind, fixed in _FIXED_METADATA.items():
        stream = io.BytesIO()
        metadata = fixed | ({"Subject": figure.get_supxlabel() or None} if kind == "pdf" else {})
        with style(), warnings.catch_warnings():
            warnings.filterwarnings("error", "Glyph .* missing from", UserWarning)
            try:
                figure.savefig(stream, format=kind, metadata=metadata)
            except UserWarning as missing:
                raise InputError(
                    f"the figure {name!r} needs a glyph that its font lacks: {missing}",
                    file=shown(folder / f"{name}.{kind}"),
                    next_step="write the label in a script that DejaVu Sans covers",
                ) from None
        write_atomic(folder / f"{name}.{kind}", stream.getvalue())
        written.append(folder / f"{name}.{kind}")
    plt.close(figure)
    return written


def statement_in(pdf: Path) -> str | None:
    """What a figure that `save` wrote says of its items, or None if it says nothing or is no PDF."""
    try:
        metadata = PdfReader(pdf).metadata
    except PyPdfError:
        return None
    return metadata.subject if metadata else None


def mark_items(figure: Figure, notice: str | None) -> None:
    """Say under the figure that the items are not verified, where they are not; or that its numbers are published."""
    if notice:
        figure.supxlabel(notice, fontsize=6, color=GREY, ha="right", x=0.99)
