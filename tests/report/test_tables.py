"""Tables: literal text survives pandoc, cells follow the column specification, wrong requests are named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paper_kit import GAP_CSV

from alifba.errors import InputError
from alifba.report.pandoc import run_pandoc
from alifba.report.tables import Column, columns_spec, escape, markdown_table, read_table

# One line of text without blanks at its ends or in pairs, as names and answers are.
words = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1), min_size=1, max_size=4
).map(" ".join)


def stringified(node: Any) -> str:
    """The plain text of a pandoc syntax tree."""
    if isinstance(node, list):
        return "".join(stringified(part) for part in node)
    if not isinstance(node, dict):
        return ""
    if node.get("t") in ("Space", "SoftBreak"):
        return " "
    content = node.get("c", "")
    return content if node.get("t") == "Str" else stringified(content)


@settings(max_examples=25, deadline=None)
@given(st.lists(words, min_size=1, max_size=30))
def test_pandoc_reads_escaped_text_as_it_was(texts: list[str]) -> None:
    tree = json.loads(run_pandoc("\n\n".join(escape(text) for text in texts), "json", []))
    assert [block["t"] for block in tree["blocks"]] == ["Para"] * len(texts)
    assert [stringified(block["c"]) for block in tree["blocks"]] == texts


@settings(max_examples=15, deadline=None)
@given(st.lists(words, min_size=1, max_size=10))
def test_a_cell_survives_typst(texts: list[str]) -> None:
    table = "| a |\n|:--|\n" + "".join(f"| {escape(text)} |\n" for text in texts)
    again = json.loads(run_pandoc(run_pandoc(table, "typst", []), "json", [], source="typst"))
    for text in texts:
        assert text in stringified(again["blocks"])


@pytest.mark.parametrize("text", ["/ 0", "- 5", "+ 5", "= 0", "== 0", "1. may", "12. a", "-5", "/a", "3.5", "=", "-"])
def test_a_cell_that_begins_as_a_list_or_a_heading_does_is_text(text: str) -> None:
    table = f"| a |\n|:--|\n| {escape(text)} |\n"
    again = json.loads(run_pandoc(run_pandoc(table, "typst", []), "json", [], source="typst"))
    kinds = set(re.findall(r'"t": "(\w+)"', json.dumps(again)))
    assert not kinds & {"BulletList", "OrderedList", "DefinitionList", "Header"}
    assert text in stringified(again["blocks"])
    assert run_pandoc(table, "latex", []) == run_pandoc(table.replace("`\\`{=typst}", ""), "latex", [])


@pytest.mark.parametrize("sign", list("%_&#$<>@*`~^\\|[]{}()!-+.='\"/:;,?"))
def test_each_sign_of_markup_survives_typst(sign: str) -> None:
    text = f"{sign}a {sign} b{sign}{sign}c"
    again = json.loads(run_pandoc(run_pandoc(escape(text), "typst", []), "json", [], source="typst"))
    assert stringified(again["blocks"]) == text


@pytest.mark.parametrize(
    ("sign", "tex"),
    # The ten special characters of TeX, by the commands that LaTeX has for printing them, and two more of ours.
    [
        *((sign, "\\" + sign) for sign in "%_&#${}"),
        ("~", r"\textasciitilde"),
        ("^", r"\^"),
        ("\\", r"\textbackslash"),
        ("<", r"\textless"),
        ("@", "@"),
    ],
)
def test_each_special_sign_of_tex(sign: str, tex: str) -> None:
    written = run_pandoc(escape(f"a{sign}9"), "latex", [])
    # A command ends at {} or at a blank.
    assert re.fullmatch(rf"a{re.escape(tex)}(\{{\}}| )?9\n", written)


def test_a_line_break_becomes_a_blank() -> None:
    assert escape("a\r\n  b") == "a b"


@pytest.fixture
def gap(tmp_path: Path) -> Path:
    path = tmp_path / "gap.csv"
    path.write_text(GAP_CSV, encoding="utf-8")
    return path


def cells(markdown: str) -> list[list[str]]:
    """Rows of a pipe table without the rule, unescaped."""
    rows = [line.strip("| ").split(" | ") for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.replace("\\", "") for cell in row] for at, row in enumerate(rows) if at != 1]


def test_cells_follow_the_specification(gap: Path) -> None:
    table = markdown_table(
        gap, caption="The *gap*.", label="tbl-gap", columns="model,n,az,gap,ci,p,p_holm=corrected", where="chain=strict"
    )
    assert cells(table) == [
        ["Model", "Items", "AZ (%)", "Gap", "Interval", "*p*", "corrected"],
        ["one_model", "1\u202f064", "7.3", "+12.8", "+10.0 to +15.5", "<0.001", "<0.001"],
        ["two", "12", "50.0", "\u221225.0", "\u2013", "1.000", "1.000"],
    ]
    assert table.splitlines()[1] == "| :-- | --: | --: | --: | --: | --: | --: |"
    assert table.endswith(": The *gap*. {#tbl-gap}")


def test_columns_beyond_the_specification_stand_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("kind_of,weight,answer,signature\na_b,1.50,NA,x\nnan,-2,None,y\n", encoding="utf-8")
    table = markdown_table(path, caption="c", label="tbl-odd")
    assert cells(table) == [["kind of", "weight", "answer"], ["a_b", "1.50", "NA"], ["nan", "-2", "None"]]
    assert table.splitlines()[1] == "| :-- | --: | :-- |"


def test_names_that_would_read_the_same_stay_whole(tmp_path: Path) -> None:
    path = tmp_path / "models.csv"
    path.write_text("model\na/same\nb/same\n", encoding="utf-8")
    assert cells(markdown_table(path, caption="c", label="tbl-m")) == [["Model"], ["a/same"], ["b/same"]]


def test_a_study_without_rows_has_a_row_of_dashes(tmp_path: Path) -> None:
    path = tmp_path / "gap.csv"
    path.write_text(GAP_CSV.splitlines()[0] + "\n", encoding="utf-8")
    table = markdown_table(path, caption="c", label="tbl-gap", columns="model,ci", where="chain=strict")
    assert cells(table) == [["Model", "Interval"], ["\u2013", "\u2013"]]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"columns": "model,gapp"}, "did you mean 'gap'"),
        ({"where": "chian=strict"}, "did you mean 'chain'"),
        ({"where": "chain"}, "column=value"),
        ({"where": "chain=strictly"}, r"\['strict', 'translit'\]"),
        ({"where": "chain=translit; model=org/two"}, "no row is left"),
    ],
)
def test_a_wrong_request(gap: Path, options: dict[str, str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        markdown_table(gap, caption="c", label="tbl-gap", **options)


def test_alternatives(gap: Path) -> None:
    table = markdown_table(gap, caption="c", label="tbl-gap", columns="chain", where="chain=translit|strict")
    assert [row[0] for row in cells(table)] == ["Chain", "STRICT", "TRANSLIT", "STRICT"]


@pytest.mark.parametrize(
    ("source", "complaint", "line"),
    [
        (GAP_CSV.replace("0.0725", "seven"), "the column 'az' holds what is no percent", None),
        (GAP_CSV.replace(",0.0008", ",8"), "the column 'p_holm' holds what is no p", None),
        (GAP_CSV + "org/three,default\n", "2 cells under 11 columns", 5),
        ("", "empty", 1),
    ],
)
def test_a_wrong_table(tmp_path: Path, source: str, complaint: str, line: int | None) -> None:
    path = tmp_path / "gap.csv"
    path.write_text(source, encoding="utf-8")
    with pytest.raises(InputError, match=complaint) as caught:
        markdown_table(path, caption="c", label="tbl-gap")
    assert caught.value.line == line
    assert str(path) in str(caught.value)


def test_a_missing_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make tables"):
        read_table(tmp_path / "gone.csv")


def test_every_interval_of_the_specification_has_the_unit_of_its_ends() -> None:
    spec = columns_spec()
    for name, column in spec.items():
        for end in column.interval or ():
            fallback = Column(header=end, unit=column.unit)
            assert spec.get(end, fallback).unit == column.unit, name
