"""Figures: the same bytes twice, every glyph present, at the width of a column."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from pypdf import PdfReader

from alifba.errors import InputError
from alifba.report.drawing import COLUMN, mark_items, save, statement_in, style


def figure(label: str):
    with style():
        made, axes = plt.subplots(figsize=(COLUMN, 2))
        axes.plot([1, 2, 3])
        axes.set_title(label)
    return made


def test_the_same_figure_is_the_same_bytes(tmp_path):
    for folder in ("a", "b"):
        written = save(figure("ə Ə ş ğ ı İ Кириллица"), tmp_path / folder, "gap")
        assert [path.name for path in written] == ["gap.png", "gap.pdf"]
    for name in ("gap.png", "gap.pdf"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    with style():
        assert plt.get_fignums() == []


def test_what_was_set_before_changes_nothing(tmp_path):
    save(figure("gap"), tmp_path / "a", "gap")
    with plt.rc_context({"font.size": 30, "savefig.dpi": 20, "svg.hashsalt": "x", "lines.linewidth": 9}):
        save(figure("gap"), tmp_path / "b", "gap")
    assert (tmp_path / "a" / "gap.png").read_bytes() == (tmp_path / "b" / "gap.png").read_bytes()


def test_a_pdf_has_its_letters_and_no_date(tmp_path):
    _, pdf = save(figure("Əlifba ışığı"), tmp_path, "gap")
    assert "Əlifba ışığı" in PdfReader(pdf).pages[0].extract_text()
    assert not {"/CreationDate", "/ModDate", "/Producer"} & set(PdfReader(pdf).metadata or {})


# An Egyptian hieroglyph and a Tifinagh letter that DejaVu Sans lacks.
@pytest.mark.parametrize("missing", ["\U00013000", "\u2d70\U00013001"])
def test_a_missing_glyph_is_an_error_and_no_file(tmp_path, missing):
    with pytest.raises(InputError, match="glyph"):
        save(figure(f"a {missing}"), tmp_path, "gap")
    assert not list(tmp_path.iterdir())


def test_other_warnings_are_not_swallowed(tmp_path):
    made = figure("gap")
    made.set_size_inches(0.2, 0.2)
    with pytest.warns(UserWarning, match="collapsed"):
        save(made, tmp_path, "gap")


def test_figures_of_unverified_items_say_so(tmp_path):
    made = figure("gap")
    mark_items(made, "pilot items, not verified by a person")
    _, pdf = save(made, tmp_path, "gap")
    assert "pilot items, not verified by a person" in PdfReader(pdf).pages[0].extract_text()
    plain = figure("gap")
    mark_items(plain, None)
    assert plain.get_supxlabel() == ""
    plt.close(plain)


def test_a_figure_carries_what_it_says_of_its_items(tmp_path):
    for name, notice in (("marked", "published figures"), ("plain", None)):
        made = figure("gap")
        mark_items(made, notice)
        save(made, tmp_path, name)
        assert statement_in(tmp_path / f"{name}.pdf") == notice
    (tmp_path / "torn.pdf").write_bytes(b"%PDF-1.4")
    assert statement_in(tmp_path / "torn.pdf") is None
