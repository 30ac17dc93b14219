"""The colours can be read in light and in dark: contrast as WCAG 2.2 defines it (success criteria 1.4.3, 1.4.11)."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

SHEET = (files("alifba.annotate") / "data" / "style.css").read_text(encoding="utf-8")
LIGHT, DARK = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]+);", block)) for block in SHEET.split(":root {")[1:3])


def luminance(colour):
    """Relative luminance, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance."""
    digits = colour.lstrip("#")
    digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_the_contrast_of_known_colours():
    # Black on white is 21; #767676 is the lightest grey that passes 4.5 on white (WebAIM's contrast checker).
    assert contrast("#000", "#fff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") > 4.5 > contrast("#777777", "#ffffff")


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [(text, ground) for text in ("text", "quiet", "main", "good", "bad") for ground in ("page", "card")]
    + [("on-main", "main"), ("warn", "warn-page"), ("text", "key"), ("text", "ins"), ("text", "del")],
)
def test_text_can_be_read(colours, text, ground):
    assert contrast(colours[text], colours[ground]) >= 4.5


def test_both_schemes_name_the_same_colours():
    assert set(LIGHT) == set(DARK)
