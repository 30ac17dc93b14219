"""Manuscripts: what is filled in, and every check with the file, the line and the column of the fault."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from paper_kit import BODY, HEAD, make_bibliography, make_manuscript, make_study

from alifba.errors import InputError
from alifba.paths import StudyPaths, repo_root
from alifba.report.checks import (
    BadDirective,
    BareNumber,
    IdlePattern,
    ManuscriptProblems,
    StaleFact,
    UnknownCitation,
    UnknownFact,
    UnusedFact,
    bibliography_keys,
    check,
)
from alifba.report.conditions import apply_conditions
from alifba.report.facts import read_facts
from alifba.report.filling import Filled, MissingFigure, fill
from alifba.report.manuscript import read_manuscript


@pytest.fixture
def study(tmp_path: Path) -> StudyPaths:
    return make_study(tmp_path)


def filled(study: StudyPaths, tmp_path: Path, body: str = BODY, head: str = HEAD, notice: str | None = None) -> Filled:
    return fill(make_manuscript(tmp_path, body, head), study, make_bibliography(tmp_path), notice=notice)


def fault(kind: type[InputError], study: StudyPaths, tmp_path: Path, body: str, head: str = HEAD) -> InputError:
    with pytest.raises(InputError) as caught:
        filled(study, tmp_path, BODY + body, head)
    assert type(caught.value) is kind, caught.value
    assert str(caught.value.file).endswith("paper.md") or kind is UnusedFact
    return caught.value


def test_facts_are_filled_into_title_abstract_body_and_captions(study: StudyPaths, tmp_path: Path) -> None:
    table = '\n{{table:gap label="tbl-g" caption="Of {{items.n}}." columns="model"}}\n'
    text = filled(study, tmp_path, BODY + table).markdown
    assert "On two models" in text
    assert "abstract: We ask 1\u202f064 questions" in text
    assert "The gap is 12\\.8 points (*p* \\<\u00a00\\.001)." in text
    assert ": Of 1\u202f064. {#tbl-g}" in text
    assert "The alifba contributors" in text


def test_code_and_comments_are_left_alone(study: StudyPaths, tmp_path: Path) -> None:
    body = "\n`{{nothing}} 12`\n\n```\n{{nothing}} 12\n```\n<!-- {{nothing}} @nobody 12 -->\n"
    assert body in filled(study, tmp_path, BODY + body).markdown


def test_a_fact_in_a_comment_does_not_count_as_printed(study: StudyPaths, tmp_path: Path) -> None:
    with pytest.raises(UnusedFact, match=r"gap\.one\.strict\.gap"):
        filled(study, tmp_path, BODY.replace("{{gap.one.strict.gap}}", "<!-- {{gap.one.strict.gap}} -->"))


def test_an_unknown_fact_is_named_with_the_closest(study: StudyPaths, tmp_path: Path) -> None:
    error = fault(UnknownFact, study, tmp_path, "\nAnd {{gap.one.strct.gap}}.\n")
    assert error.line == 7
    assert "(column 5)" in str(error)
    assert "did you mean 'gap.one.strict.gap'?" in str(error)


def test_an_unknown_fact_in_a_caption_is_named(study: StudyPaths, tmp_path: Path) -> None:
    error = fault(UnknownFact, study, tmp_path, '\n{{table:gap label="tbl-g"\n caption="Of {{itens.n}}."}}\n')
    assert error.line == 8


def test_a_stale_fact_is_found_by_hashing_its_table_again(study: StudyPaths, tmp_path: Path) -> None:
    path = study.tables / "gap.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("0.0725", "0.0726"), encoding="utf-8")
    error = fault(StaleFact, study, tmp_path, "")
    assert "tables/gap.csv has changed since 4 facts" in str(error)
    assert error.line == 2  # the first place that prints one of them: the title
    path.unlink()
    assert "is gone" in str(fault(StaleFact, study, tmp_path, ""))


def test_an_unused_fact_fails_until_it_is_listed_with_a_reason(tmp_path: Path) -> None:
    study = make_study(tmp_path, {"extra.n": (3, "count", 0)})
    error = fault(UnusedFact, study, tmp_path, "")
    assert "'extra.n'" in str(error)
    assert error.file is not None
    assert study.facts.read_text(encoding="utf-8").splitlines()[(error.line or 0) - 1].strip() == '"extra.n": {'
    listed = HEAD.replace("abstract", 'not_reported: [{pattern: "extra.*", why: "not of interest"}]\nabstract')
    assert "extra" not in filled(study, tmp_path, head=listed).markdown
    for broken in ("{pattern: x}", '{pattern: x, why: ""}', "x"):
        with pytest.raises(InputError, match=r"front matter: not_reported\.0"):
            filled(study, tmp_path, head=HEAD.replace("abstract", f"not_reported: [{broken}]\nabstract"))


def test_a_pattern_that_matches_nothing_fails(study: StudyPaths, tmp_path: Path) -> None:
    head = HEAD.replace("abstract", 'not_reported:\n  - {pattern: "gap.two.*", why: "gone"}\nabstract')
    assert fault(IdlePattern, study, tmp_path, "", head).line == 4


@pytest.mark.parametrize(
    ("prose", "number", "column"),
    [
        ("It rose by 24 points.", "24", 12),
        ("It rose by 3.5 points.", "3.5", 12),
        ("A 14-bit model.", "14", 3),
        ("In 2024.", "2024", 4),
        ("- 7 items", "7", 3),
        ("## Of 7 items", "7", 7),
        ("*p* < 0.05", "0.05", 7),
        ("$n = 7$", "7", 6),
        ("GPT4", "4", 4),
        ("x²", "²", 2),
        ("٣ items", "٣", 1),
        ("[7 items](https://a.org/1)", "7", 2),
        ('{{table:gap label="tbl-a" caption="Of 7."}}', "7", 39),
        ("`code` and 7", "7", 12),
    ],
)
def test_a_bare_number_is_named_with_line_and_column(
    study: StudyPaths, tmp_path: Path, prose: str, number: str, column: int
) -> None:
    error = fault(
        BareNumber, study, tmp_path, f"\n{prose}\n", HEAD.replace("abstract", 'allow_digits: ["4-bit"]\nabstract')
    )
    assert f"{number!r}" in str(error)
    assert f"(column {column})" in str(error)
    assert error.line == 8


@pytest.mark.parametrize("field", ["title", "abstract", "subtitle", "running"])
def test_a_bare_number_in_the_front_matter(study: StudyPaths, tmp_path: Path, field: str) -> None:
    head = HEAD.replace("---\n", '---\nsubtitle: "none"\nrunning: "none"\n', 1)
    head = head.replace(f'\n{field}: "', f'\n{field}: "In 3 ways: ')
    line = next(number for number, text in enumerate(head.splitlines(), 1) if text.startswith(field))
    assert fault(BareNumber, study, tmp_path, "", head).line == line


@pytest.mark.parametrize(
    "prose",
    [
        "## 2.1 Results",
        "# Results {#sec-part2 .c3}",
        "See [the site](https://example.org/2024/7) and <https://example.org/1> and https://example.org/2.",
        "As shown [@holm1979; see -@holm1979].",
        "A 4-bit model of 270M.",
        "`x = 1`",
        "<!-- 12 -->",
        "{{ref:sec-a1}}\n\n# A {#sec-a1}",
    ],
)
def test_digits_that_are_no_claim(study: StudyPaths, tmp_path: Path, prose: str) -> None:
    head = HEAD.replace("abstract", 'allow_digits: ["4-bit", "270M"]\nabstract')
    assert filled(study, tmp_path, f"{BODY}\n{prose}\n", head).markdown


@pytest.mark.parametrize(
    ("prose", "complaint"),
    [
        ("{{table:gap caption=none}}", "cannot be read"),
        ("{{gap one}}", "cannot be read"),
        ("{{table:gap\n", "cannot be read"),
        ('{{table:gap label="tbl-a"}}', "no caption"),
        ('{{table:gap caption="c"}}', "no label"),
        ('{{table:gap label="gap" caption="c"}}', "starts with 'tbl-'"),
        ('{{figure:gap label="tbl-a" caption="c"}}', "starts with 'fig-'"),
        ('{{figure:gap label="fig-a" caption="c" with="x"}}', "did you mean 'width'"),
        ('{{table:gap label="tbl-a" caption="c" width="x"}}', "no option 'width'"),
        ('{{table:gap label="tbl-a" caption="c"}}{{table:gap label="tbl-a" caption="c"}}', "given twice"),
        ('{{table:gap label="tbl-gap" caption="c"}} {{ref:tbl-gab}}', "did you mean 'tbl-gap'"),
    ],
)
def test_a_directive_that_cannot_be_used(study: StudyPaths, tmp_path: Path, prose: str, complaint: str) -> None:
    error = fault(BadDirective, study, tmp_path, f"\n{prose}\n")
    assert complaint in str(error)
    assert error.line == 7


def test_an_unknown_citation(study: StudyPaths, tmp_path: Path) -> None:
    error = fault(UnknownCitation, study, tmp_path, "\nAs in [@holm1978], a@b.org and \\@home.\n")
    assert "did you mean 'holm1979'" in str(error)
    assert error.line == 7


def test_all_problems_are_told_at_once(study: StudyPaths, tmp_path: Path) -> None:
    with pytest.raises(ManuscriptProblems) as caught:
        filled(study, tmp_path, BODY + "\nIn 7 {{gone}} [@gone].\n")
    assert {type(problem) for problem in caught.value.problems} == {BareNumber, UnknownFact, UnknownCitation}
    assert str(caught.value).count("paper.md:7: ") == 3


def test_a_missing_figure_and_a_wrong_column_name_the_line(study: StudyPaths, tmp_path: Path) -> None:
    assert fault(MissingFigure, study, tmp_path, '\n{{figure:pag label="fig-a" caption="c"}}\n').line == 7
    error = fault(InputError, study, tmp_path, '\n{{table:gap label="tbl-a" caption="c" columns="gapp"}}\n')
    assert error.line == 7
    assert "did you mean 'gap'" in str(error)
    assert "make tables" in str(fault(InputError, study, tmp_path, '\n{{table:pag label="tbl-a" caption="c"}}\n'))


def test_the_notice_stands_on_the_page_and_under_every_table_and_figure(tmp_path: Path) -> None:
    blocks = '\n{{table:gap label="tbl-a" caption="C." columns="n"}}\n\n{{figure:gap label="fig-a" caption="C."}}\n'
    study = make_study(tmp_path, {"items.notice": ("Pilot items, not verified by a person.", "text", 0)})
    text = filled(study, tmp_path, BODY + blocks).markdown
    assert text.count("Pilot items\\, not verified by a person\\.**") == 1
    assert text.count("C. *Pilot items\\, not verified by a person.*") == 2
    given = filled(study, tmp_path, BODY + blocks, notice="Draft").markdown
    assert "**Draft**" in given
    assert "Pilot" not in given


def test_verified_items_have_no_notice(tmp_path: Path) -> None:
    study = make_study(tmp_path, {"items.notice": (None, "text", 0)})
    assert "include-before" not in filled(study, tmp_path).markdown


@pytest.mark.parametrize(
    ("text", "complaint", "line"),
    [
        ("# No front matter\n", "does not start with a front matter", 1),
        ("---\ntitle: a: b\n---\n", "not YAML", 2),
        ("---\n- a\n---\n", "not a mapping", 2),
        ("---\ntitle: a\nabstrct: b\n---\n", "did you mean 'abstract'", 3),
        ("---\nabstract: b\n---\n", "title", 1),
        ("---\ntitle: [a]\n---\n", "title", 2),
        ("---\ntitle: a\nallow_digits: [4]\n---\n", r"allow_digits\.0", 3),
    ],
)
def test_a_wrong_front_matter(tmp_path: Path, text: str, complaint: str, line: int) -> None:
    path = tmp_path / "paper.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=complaint) as caught:
        read_manuscript(path)
    assert caught.value.line == line


def test_a_manuscript_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such manuscript"):
        read_manuscript(tmp_path / "gone.md")
    (tmp_path / "latin.md").write_bytes("---\ntitle: ü\n---\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_manuscript(tmp_path / "latin.md")


def test_nfd_text_is_composed(study: StudyPaths, tmp_path: Path) -> None:
    assert "\u00f6z" in filled(study, tmp_path, BODY + "\no\u0308z\n").markdown


@pytest.mark.parametrize("name", ["controlled", "pilot", "report"])
def test_the_manuscripts_of_this_repository_hold_apart_from_a_study(name: str, tmp_path: Path) -> None:
    """No bare number, no broken directive, no unknown work: what remains is facts that this study does not have."""
    study = make_study(tmp_path)
    facts = read_facts(study.facts)
    source = read_manuscript(repo_root() / "paper" / f"{name}.md")
    # As if the study had everything that a part depends on, so that every part is checked.
    conditions = re.findall(r"\{\{if:([\w.]+)\}\}", source.text)
    manuscript, _ = apply_conditions(source, dict.fromkeys(conditions, facts["items.n"]))
    with pytest.raises(ManuscriptProblems) as caught:
        check(manuscript, facts, study, bibliography_keys(repo_root() / "paper" / "references.bib"))
    kinds = {type(problem) for problem in caught.value.problems}
    assert UnknownFact in kinds
    assert kinds <= {UnknownFact, UnusedFact, IdlePattern}


def test_every_listed_work_is_one_entry() -> None:
    path = repo_root() / "paper" / "references.bib"
    assert path.read_text(encoding="utf-8").count("\n@") + 1 == len(bibliography_keys(path))
