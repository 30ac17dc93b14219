"""The gallery shows what was said, as text, and nothing that is private."""

from __future__ import annotations

import base64

import pytest
from board_kit import a_record, of_model

from alifba.errors import InputError
from alifba.hieratic.items import PILOT, load_items
from alifba.hieratic.leaderboard.gallery import choose, gallery_html
from alifba.paths import repo_root

FOLDER = load_items(repo_root() / PILOT)
RECORDS = [
    a_record("pilot-a30", 1.0, rung="signs", response="SIGNS: A30", parsed="A30"),
    a_record("pilot-coptic-01", 0.0, response="<script>alert('x')</script>\nSCRIPT: Greek & co", parsed="Greek & co"),
    a_record("pilot-coptic-02", 0.0, response="no idea", parsed=None, scoreDetail="no SCRIPT line"),
    a_record("pilot-sealed-1", 1.0, response="", parsed="hieroglyphic", withheld=True, **of_model("n")),
    a_record("pilot-coptic-03", None, response=None, parsed=None, error="503"),
    a_record("elsewhere", 1.0),
]


def test_each_answer_is_shown_with_its_image_line_and_score():
    page = gallery_html(choose(RECORDS, FOLDER), FOLDER, "pilot: not comparable")
    assert page.count("<figure>") == 4
    shown = base64.b64encode(FOLDER["pilot-a30"].image.read_bytes()).decode()
    assert f"data:image/png;base64,{shown}" in page
    assert "<dt>read</dt><dd>A30</dd><dt>score</dt><dd>1.00</dd>" in page
    assert "<dd>no final answer line</dd><dt>score</dt><dd>0.00, no SCRIPT line</dd>" in page
    assert "pilot: not comparable" in page


def test_what_a_model_wrote_is_never_markup():
    page = gallery_html(RECORDS[1:2], FOLDER, "")
    assert "<script>" not in page
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;" in page


def test_a_private_text_says_that_it_is():
    assert "The text is private" in gallery_html(RECORDS[3:4], FOLDER, "")


@pytest.mark.parametrize(
    ("wish", "items"),
    [
        ({"show": "right"}, ["pilot-a30", "pilot-sealed-1"]),
        ({"show": "wrong"}, ["pilot-coptic-01", "pilot-coptic-02"]),
        ({"show": "unread"}, ["pilot-coptic-02"]),
        ({"rung": "signs"}, ["pilot-a30"]),
        ({"model": "n"}, ["pilot-sealed-1"]),
    ],
    ids=str,
)
def test_answers_are_chosen(wish, items):
    assert [record.item_id for record in choose(RECORDS, FOLDER, **wish)] == items


def test_a_draw_follows_the_seed():
    draws = [[record.item_id for record in choose(RECORDS, FOLDER, most=2, seed=seed)] for seed in range(8)]
    assert draws[0] == [record.item_id for record in choose(RECORDS, FOLDER, most=2, seed=0)]
    assert len({tuple(draw) for draw in draws}) > 1
    assert {len(draw) for draw in draws} == {2}


@pytest.mark.parametrize("wish", [{"model": "mm"}, {"rung": "sign"}, {"show": "rihgt"}], ids=str)
def test_a_slip_is_named(wish):
    with pytest.raises(InputError, match="known: "):
        choose(RECORDS, FOLDER, **wish)
