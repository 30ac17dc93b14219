"""A regenerated study is compared byte by byte."""

from __future__ import annotations

import shutil

import pytest

from alifba.errors import InputError
from alifba.paths import StudyPaths
from alifba.report.verify import differences


@pytest.fixture
def sides(tmp_path):
    kept = StudyPaths.of("made-up", tmp_path / "kept")
    for path, content in {
        kept.tables / "gap.csv": "a,b\n1,2\n3,4\n",
        kept.item_scores / "run.csv": "id\n",
        kept.facts: "{}\n",
        kept.figures / "gap.pdf": "%PDF",
        kept.figures / "gap.png": "PNG",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    shutil.copytree(tmp_path / "kept", tmp_path / "made")
    return StudyPaths.of("made-up", tmp_path / "made"), kept


def test_equal_sides_differ_in_nothing(sides):
    assert differences(*sides) == []


def test_a_changed_cell_is_named_by_its_line(sides):
    (sides[0].tables / "gap.csv").write_text("a,b\n1,2\n3,5\n")
    assert differences(*sides) == ["tables/gap.csv:3: committed '3,4', regenerated '3,5'"]


@pytest.mark.parametrize(
    ("content", "place"),
    [("a,b\n1,2\n", 3), ("a,b\n1,2\n3,4\n5,6\n", 4), ("a,b\n1,2\n3,4", 4), ("a,b\n1,2\n3,4\n\n", 5), ("", 1)],
)
def test_another_number_of_lines_is_a_difference_at_the_first_that_differs(sides, content, place):
    (sides[0].tables / "gap.csv").write_text(content)
    (line,) = differences(*sides)
    assert line.startswith(f"tables/gap.csv:{place}: ")


def test_a_changed_figure_is_named_with_its_sizes(sides):
    (sides[0].figures / "gap.png").write_text("PNGG")
    assert differences(*sides) == ["figures/gap.png: other bytes (3 committed, 4 regenerated)"]


def test_a_file_that_one_side_lacks_is_named_with_the_side(sides):
    made, kept = sides
    (made.tables / "new.csv").write_text("x\n")
    (made.figures / "gap.pdf").unlink()
    (kept.item_scores / "run.csv").unlink()
    kept.facts.unlink()
    assert differences(made, kept) == [
        "tables/items/run.csv: regenerated, not committed",
        "tables/new.csv: regenerated, not committed",
        "figures/gap.pdf: committed, not regenerated",
        "facts.json: missing in git",
    ]


@pytest.mark.parametrize("missing", [0, 1])
def test_a_study_that_was_never_made_is_named(tmp_path, sides, missing):
    given = list(sides)
    given[missing] = StudyPaths.of("made-up", tmp_path / "nowhere")
    with pytest.raises(InputError, match="nowhere: no such folder, so nothing to compare"):
        differences(*given)


def test_bytes_that_are_no_text_are_a_difference_and_no_crash(sides):
    (sides[0].tables / "gap.csv").write_bytes(b"\xff\xfe")
    assert len(differences(*sides)) == 1
