"""Parts of a manuscript that stand only where the study has the fact, and what a table or figure says of its items."""

from __future__ import annotations

from pathlib import Path

import pytest
from paper_kit import BODY, HEAD, make_bibliography, make_manuscript, make_study

from alifba.errors import InputError
from alifba.paths import StudyPaths
from alifba.report.checks import BadDirective, BareNumber, UnknownFact
from alifba.report.drawing import mark_items, save, style
from alifba.report.filling import Filled, fill

FACTS: dict[str, tuple[object, str, int]] = {
    "pairs.n": (3, "count", 0),
    "none.n": (0, "count", 0),
    "lost.p": (None, "p", 3),
    "items.notice": ("Pilot items, not verified by a person.", "text", 0),
}
PART = "\n{{if:%s}}\n\nOf {{pairs.n}} pairs.\n\n{{end}}\n\nThe end, {{pairs.n}}.\n"


@pytest.fixture
def study(tmp_path: Path) -> StudyPaths:
    return make_study(tmp_path, FACTS)


def filled(study: StudyPaths, tmp_path: Path, body: str) -> Filled:
    head = HEAD.replace('abstract: "', 'not_reported: [{pattern: "*", why: test}]\nabstract: "')
    return fill(make_manuscript(tmp_path, BODY + body, head), study, make_bibliography(tmp_path))


@pytest.mark.parametrize(("fact", "kept"), [("pairs.n", True), ("none.n", False), ("lost.p", False)])
def test_a_part_stands_where_its_fact_is_there_and_not_0(study, tmp_path, fact, kept) -> None:
    text = filled(study, tmp_path, PART % fact).markdown
    assert ("Of 3 pairs" in text) is kept
    assert "The end, 3." in text
    assert "{{" not in text


def test_what_a_dropped_part_shows_need_not_exist(study, tmp_path) -> None:
    body = (
        '\n{{if:none.n}}\n\n{{figure:forest label="fig-f" caption="{{no.such.fact}} 12"}}\n\n{{ref:fig-f}}\n{{end}}\n'
    )
    assert filled(study, tmp_path, body).figures == {}


def test_a_problem_after_a_part_keeps_its_line(study, tmp_path) -> None:
    with pytest.raises(BareNumber) as caught:
        filled(study, tmp_path, PART % "none.n" + "12\n")
    body = make_manuscript(tmp_path, BODY + PART).read_text(encoding="utf-8")
    # One line more than here: the front matter of `filled` has one more.
    assert caught.value.line == body.count("\n") + 2


def test_a_marker_in_code_is_text(study, tmp_path) -> None:
    body = "\n```\n{{if:nothing}}\n```\n"
    assert body in filled(study, tmp_path, body).markdown


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("\n{{if:pair.n}}\n{{end}}\n", UnknownFact, r"(?s)unknown fact 'pair\.n'.*did you mean 'pairs\.n'"),
        ("\n{{if:pairs.n}}\nx\n", BadDirective, "an if that no end closes"),
        ("\nx\n{{end}}\n", BadDirective, "an end without an if"),
        ("\n{{if:pairs.n}}\n{{if:none.n}}\n{{end}}\n{{end}}\n", BadDirective, "an if inside another one"),
        ("\nSo {{if:pairs.n}} x\n", BadDirective, "cannot be read"),
    ],
)
def test_a_condition_that_cannot_be_read_is_named(study, tmp_path, body, kind, message) -> None:
    with pytest.raises(InputError, match=message) as caught:
        filled(study, tmp_path, body)
    assert type(caught.value) is kind
    assert str(caught.value.file).endswith("paper.md")
    assert caught.value.line


TABLE = '\n{{table:own label="tbl-o" caption="Own." columns="n"%s}}\n'


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("", "Own. *Not verified; printed elsewhere.*"),
        (' where="source=published"', "Own. *Printed elsewhere.*"),
        (' where="source=good"', "Own. {"),
    ],
)
def test_a_table_says_what_its_own_rows_say_of_their_items(study, tmp_path, where, said) -> None:
    rows = "source,n,items_status\nstudy,1,not verified\npublished,2,printed elsewhere\ngood,3,verified by a person\n"
    (study.tables / "own.csv").write_text(rows, encoding="utf-8")
    text = filled(study, tmp_path, TABLE % where).markdown
    assert said in text.replace("\\", "")


def test_a_table_and_a_figure_that_say_nothing_carry_the_notice(study, tmp_path) -> None:
    body = '\n{{table:gap label="tbl-g" caption="Gap." columns="n"}}\n\n{{figure:gap label="fig-g" caption="Gap."}}\n'
    text = filled(study, tmp_path, body).markdown.replace("\\", "")
    assert text.count("Gap. *Pilot items, not verified by a person.*") == 2


def test_a_figure_says_what_is_written_under_it(study, tmp_path) -> None:
    with style():
        from matplotlib.figure import Figure

        made = Figure(figsize=(3, 2))
        made.subplots()
        mark_items(made, "published figures, not runs of this study")
    save(made, study.figures, "forest")
    text = filled(study, tmp_path, '\n{{figure:forest label="fig-f" caption="Forest."}}\n').markdown.replace("\\", "")
    assert "Forest. *Published figures, not runs of this study.*" in text
