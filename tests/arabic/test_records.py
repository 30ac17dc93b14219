"""What may be written down, and what a project file may say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from arabic_kit import TOOL, attempt_of, item_row, make_project
from pydantic import ValidationError

from alifba.arabic.project import load_project
from alifba.arabic.records import RIYADH, Attempt, Item, Prescore, Review, Score, Tool, riyadh_now
from alifba.errors import InputError

SCORE = {
    "id": "1",
    "task": "score",
    "item_id": "zarqa-2026-11/MSA-01/1",
    "decision": "score",
    "annotator": "demo-noura",
    "time": "2026-11-01T10:00:00+03:00",
    "text_sha": "0" * 16,
    "criteria": {"accuracy": 0},
    "role": "first",
}
PRESCORE = {
    "id": "p1",
    "attempt": "a",
    "model": "org/one@1",
    "criteria": {"accuracy": 5},
    "time": "2026-11-01T10:00:00+03:00",
}


@pytest.fixture
def attempt(tmp_path):
    return attempt_of(make_project(tmp_path, [item_row()])).model_dump()


def test_riyadh_is_three_hours_ahead_all_year():
    # The time zone table of the system, in winter and in summer.
    for month in (1, 7):
        moment = datetime(2026, month, 1, tzinfo=UTC)
        assert moment.astimezone(RIYADH).utcoffset() == moment.astimezone(ZoneInfo("Asia/Riyadh")).utcoffset()
    assert abs(datetime.fromisoformat(riyadh_now()) - datetime.now(UTC)) < timedelta(seconds=5)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"time": "2026-11-01T10:00:00+04:00"}, "that of Riyadh"),
        ({"time": "2026-11-01T10:00:00"}, "that of Riyadh"),
        ({"attempt": 4}, "less than or equal to 3"),
        ({"fresh_session": False}, "True"),
        ({"output": "  "}, "an empty output is no answer"),
        ({"outcome": "refusal"}, "needs a 'note'"),
        ({"replaces": "x"}, "needs a 'note'"),
        ({"id": "zarqa-2026-11/MSA-01/2"}, "the id of this attempt"),
        ({"id": "zarqa-2026-11/MSA-01/1+1"}, "the id of this attempt"),
        ({"prompt_sha": "short"}, "pattern"),
        ({"stars": 5}, "not permitted"),
    ],
)
def test_an_attempt_is_strict(attempt, changes, said):
    with pytest.raises(ValidationError, match=said):
        Attempt.model_validate(attempt | changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"criteria": {"accuracy": 6}}, "0 to 5"),
        ({"criteria": {"accuracy": 2.5}}, "integer"),
        ({"role": None}, "needs 'role'"),
        ({"role": "fourth"}, "first"),
        ({"refusal": True}, "needs a 'note'"),
        ({"refusal": True, "note": " "}, "needs a 'note'"),
        ({"refusal": True, "note": "It declines.", "criteria": {"accuracy": 1}}, "0 on every criterion"),
        ({"time": "2026-11-01T10:00:00"}, "offset"),
    ],
)
def test_a_score_is_strict(changes, said):
    with pytest.raises(ValidationError, match=said):
        Score.model_validate(SCORE | changes)
    assert Score.model_validate(SCORE | {"refusal": True, "note": "It declines."}).refusal


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        (Prescore, PRESCORE | {"criteria": {"accuracy": -1}}),
        (Prescore, PRESCORE | {"criteria": {}}),
        (Review, {"tool": "zarqa", "reviewer": "x", "date": "2026-11-01", "raw": {"stars": 5}}),
        (Review, {"tool": "zarqa", "reviewer": "x", "date": "2026-11-01", "raw": {"ease": 10.5}}),
        (Tool, TOOL | {"links": {"home": "javascript:alert(1)"}}),
        (Tool, TOOL | {"kind": "browser"}),
    ],
)
def test_other_records_are_strict(kind, row):
    with pytest.raises(ValidationError):
        kind.model_validate(row)


def test_a_version_is_written_from_the_second_on():
    # The protocol: GLF-02 becomes GLF-02.b after an edit.
    row = item_row("GLF-02")
    assert Item.model_validate(row).key == "GLF-02"
    assert Item.model_validate(row | {"version": "b", "reason": "edited"}).key == "GLF-02.b"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": "needs_sample"}, "say in 'missing'"),
        ({"status": "needs_sample", "missing": ["a poem"]}, "one for one"),
        ({"missing": ["a poem"]}, "status is 'needs_sample'"),
        ({"prompt": None}, "needs a prompt"),
        ({"criteria": []}, "needs a prompt and criteria"),
        ({"criteria": ["accuracy", "accuracy"]}, "stands twice"),
        ({"section": "gulf"}, "variety is 'gulf'"),
        ({"section": "maghrebi"}, "msa"),
        ({"version": "b"}, "say the 'reason'"),
    ],
)
def test_an_item_is_strict(changes, said):
    with pytest.raises(ValidationError, match=said):
        Item.model_validate(item_row() | changes)


@pytest.mark.parametrize(
    ("items", "settings", "said"),
    [
        ([item_row(), item_row()], {}, "version of an item stands twice"),
        ([item_row(), item_row(version="b", reason="edited")], {}, "set status: replaced"),
        ([item_row(status="replaced")], {}, "replaced by nothing"),
        ([item_row(version="b", reason="edited")], {}, "not all there"),
        ([item_row(status="replaced"), item_row(version="b", reason="edited")], {}, "MSA-01 in test set 0.1"),
        ([item_row(stars=5)], {}, r"MSA-01\.stars: Extra inputs"),
        ([item_row()], {"tools": [TOOL, TOOL]}, "a tool stands twice"),
        ([item_row()], {"tools": [TOOL | {"kind": "toaster"}]}, r"tools\.zarqa\.kind"),
        ([item_row()], {"scorers": [{"id": "x", "varieties": []}]}, r"scorers\.x\.varieties"),
        ([item_row()], {"methodology": "9"}, "no such methodology"),
    ],
)
def test_a_project_is_strict(tmp_path, items, settings, said):
    with pytest.raises(InputError, match=said):
        make_project(tmp_path, items, **settings)


def test_a_broken_file_is_told_with_its_line(tmp_path):
    path = tmp_path / "project.yaml"
    path.write_text("tools:\n  - {id: x\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"project\.yaml:\d"):
        load_project(path)
    with pytest.raises(InputError, match="no such file"):
        load_project(tmp_path / "gone.yaml")


def test_a_name_that_is_not_there(tmp_path):
    project = make_project(tmp_path, [item_row()])
    for look in (project.tool, project.scorer, project.item):
        with pytest.raises(InputError, match="known: "):
            look("zarka")
