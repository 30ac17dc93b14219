"""Drawing: the seed decides every byte, and what comes out is a worn, turned page."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image

from alifba.errors import InputError
from alifba.hieratic.pilot.fonts import Font, fonts
from alifba.hieratic.pilot.page import page

# Matplotlib ships this font; the Noto fonts of the set are not part of the repository.
DEJAVU = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


def drawn(seed: int, lines: tuple[str, ...] = ("Ab", "cdefgh"), **options) -> bytes:
    return page(lines, DEJAVU, 40, np.random.default_rng(seed), **options)


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("L"), dtype=float)


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    before = np.random.get_state()[1].tolist()
    assert drawn(1) == drawn(1) != drawn(2)
    assert np.random.get_state()[1].tolist() == before


def test_a_page_is_a_small_palette_image_with_dark_letters_on_light_paper():
    image = Image.open(io.BytesIO(drawn(1)))
    assert (image.format, image.mode) == ("PNG", "P")
    assert len(image.getcolors()) <= 16
    bright = pixels(drawn(1))
    ink = bright < 0.6 * np.median(bright)
    assert 0.02 < ink.mean() < 0.4


def test_no_letter_touches_the_edge():
    for seed in range(6):
        bright = pixels(drawn(seed))
        edge = np.concatenate([bright[0], bright[-1], bright[:, 0], bright[:, -1]])
        assert edge.min() > 0.6 * np.median(bright)


def test_it_is_no_perfect_glyph():
    """The same letters differ by more than their paper: they are turned, blurred and worn differently."""
    widths = {Image.open(io.BytesIO(drawn(seed, ("HHHH",)))).size for seed in range(4)}
    assert len(widths) == 4
    bright = pixels(drawn(3))
    assert len(np.unique(bright)) > 8


def test_lines_end_flush_where_writing_runs_to_the_left():
    """The short first line lies on the other side."""
    sides = []
    for right in (False, True):
        bright = pixels(drawn(5, ("i", "mmmmmmmm"), right=right))
        upper = (bright < 0.6 * np.median(bright))[: bright.shape[0] // 2].sum(axis=0)
        sides.append(np.average(np.arange(len(upper)), weights=upper) / len(upper))
    assert sides[0] < 0.5 < sides[1]


def test_another_version_of_a_font_is_refused(tmp_path):
    font = fonts()["coptic"]
    with pytest.raises(InputError, match="no such font"):
        font.within(tmp_path)
    (tmp_path / font.file).write_bytes(b"another font")
    with pytest.raises(InputError, match="another version"):
        font.within(tmp_path)


def test_the_right_font_is_taken(tmp_path):
    (tmp_path / "a.ttf").write_bytes(b"abc")
    # sha256 of "abc": FIPS 180-2, appendix B.1.
    font = Font("A", "a.ttf", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "")
    assert font.within(tmp_path) == tmp_path / "a.ttf"
