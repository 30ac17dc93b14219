"""Missing glyphs: made with real fonts by typst and matplotlib, and found in the PDF that they make."""

from __future__ import annotations

import io
import warnings

import pytest
import typst
from matplotlib import rc_context
from matplotlib.figure import Figure

from alifba.report.glyphs import MissingGlyph, check_glyphs, undrawn

HEAD = '#set text(font: "Libertinus Serif", fallback: false)\n'


def typst_pdf(text: str) -> bytes:
    return bytes(typst.compile((HEAD + text).encode("utf-8"), ignore_system_fonts=True))


def figure_pdf(label: str, fonttype: int) -> bytes:
    figure, stream = Figure(figsize=(2, 1)), io.BytesIO()
    figure.subplots().set_xlabel(label)
    with rc_context({"pdf.fonttype": fonttype, "font.family": "DejaVu Sans"}), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # matplotlib's own "Glyph missing"
        figure.savefig(stream, format="pdf")
    return stream.getvalue()


def test_a_page_with_every_glyph_passes() -> None:
    check_glyphs(typst_pdf("ə Ə ş ğ ı İ Кириллица ә қ ң"), "ə Ə")


@pytest.mark.parametrize(
    ("letter", "name"),
    [
        ("\ua9c1", "U+A9C1 JAVANESE LEFT RERENGGAN"),
        ("\ue123", "U+E123 unnamed"),  # private use
        ("\U0001400a", "U+1400A EGYPTIAN HIEROGLYPH"),
        ("\u0628", "U+0628 ARABIC LETTER BEH"),  # Libertinus has no Arabic
    ],
)
def test_a_character_without_a_glyph_is_named_with_its_page(letter: str, name: str) -> None:
    source = f"first #pagebreak() öne {letter} ə"
    with pytest.raises(MissingGlyph) as caught:
        check_glyphs(typst_pdf(source), source)
    assert "page 2" in str(caught.value)
    assert name.split(" ")[0] in str(caught.value.value)
    assert "U+00F6" not in str(caught.value.value)
    assert "U+0259" not in str(caught.value.value)


@pytest.mark.parametrize("fonttype", [3, 42])
def test_a_figure_of_matplotlib_passes_with_its_ligatures(fonttype: int) -> None:
    # "fi" is one glyph, which matplotlib keeps under the code 0 of a font of its own.
    assert undrawn(figure_pdf("verified first əşğıİ Кириллица العربية ⵜⵉⴼ", fonttype)) == []


@pytest.mark.parametrize("fonttype", [3, 42])
def test_a_figure_of_matplotlib_with_an_undrawn_character_fails(fonttype: int) -> None:
    assert undrawn(figure_pdf("a \ua9c1 b", fonttype))
