"""Ink on paper: letters of a font as they might look on a photographed page, turned, blurred and worn, by a seed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

Plane = NDArray[np.float64]
"""Brightness or ink, shape ``(height, width)``, in [0, 1]."""

_SHADES = 16  # of the palette: four bits a pixel keep the whole set small
_TILT = 4.0  # degrees, either way
_BLUR = (0.5, 1.3)  # radius in pixels
_MARGIN = (0.25, 0.5)  # of the letter height
# Ends of the palette, red, green and blue: inks from black to brown, papers from pale to brown.
_INKS = np.array([[28, 24, 22], [66, 44, 30]])
_PAPERS = np.array([[238, 226, 200], [206, 178, 130]])


def page(lines: Sequence[str], font: Path, size: int, rng: np.random.Generator, *, right: bool = False) -> bytes:
    """`lines` written `size` pixels high with `font`, as a PNG; the lines end flush where `right`.

    The same arguments and the same versions of Pillow and numpy give the same bytes.
    """
    ink = _ink(_written(lines, ImageFont.truetype(str(font), size, layout_engine=ImageFont.Layout.BASIC), right, rng))
    tilted = ink.rotate(rng.uniform(-_TILT, _TILT), resample=Image.Resampling.BICUBIC, expand=True)
    blurred = _plane(tilted.filter(ImageFilter.GaussianBlur(rng.uniform(*_BLUR))))
    worn = np.clip(blurred * (0.62 + 0.55 * _cloud(blurred.shape, 9, rng)), 0, 1)
    brightness = _paper(blurred.shape, rng) * (1 - 0.9 * worn)
    return _png(brightness, rng)


def _written(lines: Sequence[str], font: ImageFont.FreeTypeFont, right: bool, rng: np.random.Generator) -> Image.Image:
    """The lines in black on white, cut to what is drawn and given a margin."""
    boxes = [font.getbbox(line) for line in lines]
    step = int(1.15 * max(box[3] - box[1] for box in boxes)) + 4
    width = int(max(box[2] - box[0] for box in boxes)) + 8
    drawn = Image.new("L", (width, step * len(lines) + 8), 0)
    pen = ImageDraw.Draw(drawn)
    for number, (line, box) in enumerate(zip(lines, boxes, strict=True)):
        left = width - 4 - (box[2] - box[0]) if right else 4
        pen.text((left - box[0], 4 + number * step - min(box[1] for box in boxes)), line, fill=255, font=font)
    cut = drawn.crop(drawn.getbbox())
    around = [int(font.size * rng.uniform(*_MARGIN)) for _ in range(4)]
    whole = Image.new("L", (cut.width + around[0] + around[2], cut.height + around[1] + around[3]), 0)
    whole.paste(cut, (around[0], around[1]))
    return whole


def _ink(drawn: Image.Image) -> Image.Image:
    """The edges softened, as ink runs into paper."""
    return drawn.filter(ImageFilter.GaussianBlur(0.6))


def _paper(shape: tuple[int, ...], rng: np.random.Generator) -> Plane:
    """Stained paper with fibres along and across and a fine grain."""
    height, width = shape
    stains = _cloud(shape, 4, rng)
    across, along = _cloud((height, 1), height // 3 + 2, rng), _cloud((1, width), width // 3 + 2, rng)
    grain = rng.random(shape)
    brightness: Plane = 0.80 + 0.14 * stains + 0.035 * (across + along - 1) + 0.03 * (grain - 0.5)
    return np.clip(brightness, 0, 1)


def _cloud(shape: tuple[int, ...], cells: int, rng: np.random.Generator) -> Plane:
    """Smooth noise in [0, 1]: `cells` random values along each axis longer than one, joined by curves."""
    height, width = shape
    coarse = rng.random((min(cells, height), min(cells, width)))
    small = Image.fromarray(coarse.astype(np.float32))
    return np.clip(np.asarray(small.resize((width, height), Image.Resampling.BICUBIC), dtype=np.float64), 0, 1)


def _plane(image: Image.Image) -> Plane:
    return np.asarray(image, dtype=np.float64) / 255


def _png(brightness: Plane, rng: np.random.Generator) -> bytes:
    """`brightness` in a palette of few shades from an ink to a paper colour."""
    ink, paper = (ends[0] + (ends[1] - ends[0]) * rng.random() for ends in (_INKS, _PAPERS))
    shades = np.linspace(0, 1, _SHADES)[:, None]
    palette = np.rint(ink + (paper - ink) * shades).astype(np.uint8)
    image = Image.fromarray(np.rint(brightness * (_SHADES - 1)).astype(np.uint8), mode="P")
    image.putpalette(palette.tobytes())
    stream = io.BytesIO()
    image.save(stream, format="PNG", bits=4, optimize=True)
    return stream.getvalue()
