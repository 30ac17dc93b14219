"""Edits: what a form says, against what the draft said."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from alifba.annotate.edits import as_text, changes, difference, edited_row, missing
from alifba.annotate.tasks import load_task
from samples import item_row

TASK = load_task("review")
ROW = item_row(answer_aliases=["Parisdə", "Parisin"], source="")


def form(**fields):
    return {name: as_text(ROW[name]) for name in TASK.editable} | fields


def test_a_form_sent_back_unchanged_changes_nothing():
    as_a_browser_sends_it = {name: text.replace("\n", "\r\n") for name, text in form().items()}
    assert changes(ROW, edited_row(TASK, ROW, as_a_browser_sends_it)) == {}


def test_a_list_takes_one_line_an_entry_and_a_text_takes_one_line():
    given_ = form(answer_aliases="\r\nParisdə \r\n\r\n  Parisə\r\n", question_az="Fransanın\r\npaytaxtı? ", source="\n")
    assert changes(ROW, edited_row(TASK, ROW, given_)) == {
        "answer_aliases": ["Parisdə", "Parisə"],
        "question_az": "Fransanın paytaxtı?",
    }


def test_an_edit_is_nfc():
    decomposed = unicodedata.normalize("NFD", "Gəncə şəhəri, İsveçrə")
    assert changes(ROW, edited_row(TASK, ROW, form(answer=decomposed))) == {"answer": "Gəncə şəhəri, İsveçrə"}


def test_fields_that_may_not_be_empty_are_named():
    emptied = edited_row(TASK, ROW, form(answer=" ", question_en="\n", answer_aliases="", source=""))
    assert missing(TASK, emptied) == ["answer", "question_en"]
    assert missing(TASK, edited_row(TASK, ROW, {})) == [
        name for name in TASK.editable if name not in ("answer_aliases", "source")
    ]


def test_fields_that_are_not_offered_cannot_be_changed():
    assert changes(ROW, edited_row(TASK, ROW, form(id="x", verified_by="human", notes="x"))) == {}


def test_a_difference_names_words():
    assert difference("Ankara şəhəri", "Bakı şəhəri") == [("del", "Ankara"), ("ins", "Bakı"), ("same", " şəhəri")]
    assert difference(["Bakı"], ["Bakı", "Bakıda"]) == [("same", "Bakı"), ("ins", "\nBakıda")]


@given(st.text(), st.text())
def test_a_difference_holds_both_texts(old, new):
    parts = difference(old, new)
    assert "".join(text for kind, text in parts if kind != "ins") == old
    assert "".join(text for kind, text in parts if kind != "del") == new
    assert all(text for _, text in parts)
