"""The PDF and the LaTeX bundle, built by the real pandoc and typst."""

from __future__ import annotations

import io
import re
import subprocess
from pathlib import Path

import pytest
from paper_kit import BODY, HEAD, draw, make_bibliography, make_manuscript, make_study, plain, template
from pypdf import PdfReader

from alifba.errors import InputError
from alifba.paths import StudyPaths, repo_root
from alifba.report.checks import UnknownFact
from alifba.report.facts import read_facts
from alifba.report.glyphs import MissingGlyph
from alifba.report.latex import build_latex
from alifba.report.pandoc import run_pandoc
from alifba.report.paper import build_pdf

FULL = (
    BODY
    + """
# Results {#sec-results}

{{ref:tbl-gap}} and {{ref:fig-gap}} in {{ref:sec-results}}, after @holm1979.

{{table:gap label="tbl-gap" caption="The gap of {{items.n}}." columns="model,n,az,gap,ci,p" where="chain=strict"}}

{{figure:gap label="fig-gap" caption="The gap, drawn."}}
"""
)
SCRIPTS = [
    "ə Ə ş ğ ı İ ö Ö ü Ü ç Ç",
    "Кириллица ә қ ң ө ұ ү һ",
    "العربية",
    "ⵜⵉⴼⵉⵏⴰⵖ",
    "ʃɣʕ ꜣ ḫ ẖ ṯ ḏ",
    "− ≥ “x” – ×",
]
SPECIAL = "a_b & 5% of #1 $x$ <y> @z *w* ~ ^ \\ `v` {u} [t] \"s\" 'r' // --"


@pytest.fixture
def study(tmp_path: Path) -> StudyPaths:
    return make_study(tmp_path)


def pdf(study: StudyPaths, folder: Path, body: str = FULL, head: str = HEAD, notice: str | None = None) -> PdfReader:
    built = build_pdf(
        make_manuscript(folder, body, head),
        study,
        folder / "paper.pdf",
        notice=notice,
        bibliography=make_bibliography(folder),
        template=template(),
    )
    return PdfReader(io.BytesIO(built.read_bytes()))


def text_of(reader: PdfReader) -> str:
    return plain(" ".join(page.extract_text() for page in reader.pages))


def test_everything_is_on_the_page(study: StudyPaths, tmp_path: Path) -> None:
    text = text_of(pdf(study, tmp_path, notice="Pilot items, not verified by a person"))
    for piece in [
        "On two models",
        "The alifba contributors",
        "Pilot items, not verified by a person",
        "We ask 1 064 questions.",
        "The gap is 12.8 points (p < 0.001).",
        "1 Results",
        "Table 1 and Figure 1 in Section 1, after Holm (1979).",
        "Table 1. The gap of 1 064.",
        "one_model 1 064 7.3 +12.8 +10.0 to +15.5 <0.001",
        "Figure 1. The gap, drawn.",
        "References",
        "Holm, Sture. 1979.",
    ]:
        assert piece in text, piece


def test_the_notice_is_on_the_first_page(study: StudyPaths, tmp_path: Path) -> None:
    first = pdf(study, tmp_path, notice="Pilot items, not verified by a person").pages[0].extract_text()
    assert "Pilot items, not verified by a person" in plain(first)
    assert "Pilot" not in text_of(pdf(study, tmp_path))


def test_same_input_same_bytes_and_no_trace_of_when_and_where(study: StudyPaths, tmp_path: Path) -> None:
    pdf(study, tmp_path)
    first = (tmp_path / "paper.pdf").read_bytes()
    (tmp_path / "elsewhere").mkdir()
    reader = pdf(study, tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "paper.pdf").read_bytes() == first
    assert "/CreationDate" not in (reader.metadata or {})
    assert b"/tmp" not in first
    assert str(tmp_path).encode() not in first


def test_it_is_a4_with_all_fonts_embedded(study: StudyPaths, tmp_path: Path) -> None:
    page = pdf(study, tmp_path).pages[0]
    # ISO 216: 210 mm by 297 mm, at 72 points an inch.
    assert float(page.mediabox.width) == pytest.approx(210 / 25.4 * 72, abs=0.1)
    assert float(page.mediabox.height) == pytest.approx(297 / 25.4 * 72, abs=0.1)
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
    families = {str(font["/BaseFont"]).partition("+")[2].partition("-")[0] for font in fonts}
    assert families <= {"LibertinusSerif", "DejaVuSans", "DejaVuSansMono"}
    assert "LibertinusSerif" in families


def test_letters_of_every_script_are_drawn(study: StudyPaths, tmp_path: Path) -> None:
    text = text_of(pdf(study, tmp_path, BODY + "\n" + "\n\n".join(SCRIPTS) + "\n"))
    for line in SCRIPTS:
        for letter in set(line) - {" "}:
            assert letter in text, f"{letter} U+{ord(letter):04X}"


@pytest.mark.parametrize("letter", ["\ua9c1", "\ue123"])
def test_a_character_that_no_font_has_fails_in_prose_fact_and_cell(tmp_path: Path, letter: str) -> None:
    study = make_study(tmp_path, {"odd": (f"x {letter} y", "text", 0)})
    with pytest.raises(MissingGlyph, match=f"U\\+{ord(letter):04X}"):
        pdf(study, tmp_path, BODY + "\n{{odd}}\n")
    assert not (tmp_path / "paper.pdf").exists()


def test_a_figure_with_an_undrawn_character_fails(study: StudyPaths, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="missing from"):
        draw(study, "\ua9c1")
    with pytest.raises(MissingGlyph):
        pdf(study, tmp_path)


def test_a_failed_build_leaves_the_old_pdf_and_nothing_else(study: StudyPaths, tmp_path: Path) -> None:
    pdf(study, tmp_path)
    before = (tmp_path / "paper.pdf").read_bytes()
    with pytest.raises(UnknownFact):
        pdf(study, tmp_path, FULL + "{{gone}}")
    (study.figures / "gap.pdf").write_bytes(b"not a PDF")
    with pytest.raises(InputError, match="typst refused"):
        pdf(study, tmp_path)
    assert (tmp_path / "paper.pdf").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "paper.md", "paper.pdf", "works.bib"]


def test_signs_of_markup_in_facts_and_cells_are_printed(tmp_path: Path) -> None:
    study = make_study(tmp_path, {"odd": (SPECIAL, "text", 0)})
    path = study.tables / "odd.csv"
    path.write_text('answer\n"{}"\n'.format(SPECIAL.replace('"', '""')), encoding="utf-8")
    body = BODY + '\nFact {{odd}} end.\n\n{{table:odd label="tbl-odd" caption="Cell."}}\n'
    text = text_of(pdf(study, tmp_path, body))
    assert text.count(SPECIAL) == 2


def test_an_unnamed_font_stops_the_build(study: StudyPaths, tmp_path: Path) -> None:
    other = tmp_path / "other.typ"
    other.write_text(template().read_text(encoding="utf-8").replace("Libertinus Serif", "Gone Serif"), encoding="utf-8")
    manuscript, works = make_manuscript(tmp_path, FULL), make_bibliography(tmp_path)
    with pytest.raises(InputError, match="unknown font family"):
        build_pdf(manuscript, study, tmp_path / "paper.pdf", bibliography=works, template=other)


def test_a_long_table_goes_over_several_pages_with_its_header(study: StudyPaths, tmp_path: Path) -> None:
    path = study.tables / "long.csv"
    path.write_text("template\n" + "".join(f"row_{number}\n" for number in range(150)), encoding="utf-8")
    reader = pdf(study, tmp_path, BODY + '\n{{table:long label="tbl-l" caption="Long."}}\n')
    pages = [page.extract_text() for page in reader.pages]
    assert sum("Template" in page for page in pages) >= 3
    assert all(f"row_{number}" in " ".join(pages) for number in range(150))


def bundle(study: StudyPaths, folder: Path, body: str = FULL, notice: str | None = None) -> str:
    main = build_latex(
        make_manuscript(folder, body), study, folder / "latex", notice=notice, bibliography=make_bibliography(folder)
    )
    return main.read_text(encoding="utf-8")


def test_the_bundle_is_complete_and_has_no_outside_path(study: StudyPaths, tmp_path: Path) -> None:
    main = bundle(study, tmp_path, notice="Pilot items, not verified by a person")
    folder = tmp_path / "latex"
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert names == ["README.md", "figures/gap.pdf", "main.tex", "references.bib", "tables/gap.csv"]
    assert (folder / "figures" / "gap.pdf").read_bytes() == (study.figures / "gap.pdf").read_bytes()
    assert r"\bibliography{references}" in main
    assert r"\citet{holm1979}" in main
    assert "{figures/gap.pdf}" in main
    assert r"\ref{tbl-gap}" in main
    assert r"\label{tbl-gap}" in main
    assert str(tmp_path) not in main
    assert r"\textbf{Pilot items, not verified by a person}" in main
    assert "lualatex" in (folder / "README.md").read_text(encoding="utf-8")


def test_the_bundle_holds_the_same_facts_as_the_pdf(study: StudyPaths, tmp_path: Path) -> None:
    again = plain(run_pandoc(bundle(study, tmp_path), "plain", ["--wrap=none"], source="latex"))
    page = text_of(pdf(study, tmp_path))
    for name, fact in read_facts(study.facts).items():
        if name not in (
            "study.title",
            "items.n",
        ):  # stand in the title and the abstract, which the plain text leaves out
            assert plain(fact.text) in again, name
        assert plain(fact.text) in page, name


def test_the_bundle_is_the_same_twice_and_a_failed_one_changes_nothing(study: StudyPaths, tmp_path: Path) -> None:
    first = bundle(study, tmp_path)
    assert bundle(study, tmp_path) == first
    with pytest.raises(UnknownFact):
        bundle(study, tmp_path, FULL + "{{gone}}")
    assert (tmp_path / "latex" / "main.tex").read_text(encoding="utf-8") == first


def test_braces_of_the_bundle_are_balanced(study: StudyPaths, tmp_path: Path) -> None:
    main = bundle(study, tmp_path)
    bare = re.sub(r"\\[{}\\]|(?<!\\)%.*", "", main)
    assert bare.count("{") == bare.count("}")
    assert set(re.findall(r"\\begin\{(\w+)\}", main)) == set(re.findall(r"\\end\{(\w+)\}", main))


def test_the_report_builds_for_a_study_with_study_level_facts_only(tmp_path: Path) -> None:
    manuscript = repo_root() / "paper" / "report.md"
    source = manuscript.read_text(encoding="utf-8")
    names = set(re.findall(r"\{\{([a-z][\w.]*)\}\}", source)) - {"end"}
    texts = {"study.title", "gap.largest.model", "gap.smallest.model", "pairs.drawn.source"}
    own = {"items.n", "study.title"}
    facts: dict[str, tuple[object, str, int]] = {
        name: (("x", "text", 0) if name in texts else (1, "count", 0)) for name in names - own
    }
    # Without failed runs and pairs, the parts on them are left out, and with them what they show.
    facts |= dict.fromkeys(re.findall(r"\{\{if:([\w.]+)\}\}", source), (0, "count", 0))
    study = make_study(tmp_path, facts)
    assert not any(
        re.match(r"(gap|f1|recovered|model)\.(?!largest|smallest|tests|significant)", name) for name in names
    )
    for table, header in {
        "runs": "model,language,prompt_style,n_items,n_scored,n_unscored,n_stray,n_duplicates",
        "composition": "model,prompt_style,stratum,chain,n,az,en,gap,ci_low,ci_high,p,p_holm",
        "scores": "model,language,prompt_style,chain,n,exact_match,token_f1",
    }.items():
        (study.tables / f"{table}.csv").write_text(header + "\n", encoding="utf-8")
    for figure in ("recovery", "gates"):
        (study.figures / f"{figure}.pdf").write_bytes((study.figures / "gap.pdf").read_bytes())
    text = text_of(PdfReader(build_pdf(manuscript, study, tmp_path / "report.pdf")))
    assert "Table 2. Exact match under STRICT" in text
    assert "Excess damage" not in text


def test_pandoc_is_that_of_the_wheel_and_a_warning_stops_it() -> None:
    with pytest.raises(InputError, match="nobody"):
        run_pandoc("@nobody", "typst", ["--citeproc"])


def test_poppler_finds_every_font_embedded(study: StudyPaths, tmp_path: Path) -> None:
    pdf(study, tmp_path)
    try:
        listed = subprocess.run(["pdffonts", tmp_path / "paper.pdf"], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        pytest.skip("pdffonts (poppler) is not installed here")
    rows = listed.splitlines()[2:]
    assert rows
    assert all(row.split()[-5] == "yes" for row in rows)
