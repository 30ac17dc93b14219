"""Which drafts enter the dataset: those a person accepted, and without a fault."""

from __future__ import annotations

from typing import Any

import pytest
from gate_kit import PILOT_ROWS, accepted, decide, judge, reasons

from alifba.azeval.dataset.checks import duplicates, parallel_faults, text_faults
from alifba.azeval.dataset.verdicts import STALE
from alifba.decisions import DecisionLog
from alifba.items import Item
from samples import item_row

# --- whose word counts -----------------------------------------------------------------------------------------------


def test_exactly_what_a_person_accepted_enters(tmp_path):
    rows = [item_row(number) for number in range(6)]
    decide(tmp_path, rows[0])
    decide(tmp_path, rows[1], "reject", reason="unnatural")
    decide(tmp_path, rows[2], "edit", changes={"question_az": "Gürcüstanın paytaxtının adını yazın."})
    decide(tmp_path, rows[3], "skip")
    decide(tmp_path, rows[4])
    DecisionLog(tmp_path, "review", "anna").undo(seen=DecisionLog(tmp_path, "review", "anna").replay.last.id)
    gate = judge(tmp_path, rows)
    assert {item.id for item in gate.items} == {"t-000", "t-002"}
    assert {item.question_az for item in gate.items} >= {"Gürcüstanın paytaxtının adını yazın."}
    assert {item.verified_by for item in gate.items} == {"human"}
    assert [judged.verdict.outcome for judged in gate.judged] == [
        "accepted",
        "rejected",
        "edited",
        "undecided",
        "undecided",
        "undecided",
    ]
    (refusal,) = gate.judged[1].reasons
    assert str(refusal) == "rejected by a person: anna: unnatural"


def test_a_hand_typed_human_is_refused_by_name(tmp_path):
    typed = item_row(0, verified_by="human")
    gate = judge(tmp_path, [typed])
    assert not gate.items
    assert any("typed into the draft" in kind for kind in reasons(gate)[0])
    assert accepted(tmp_path, typed).items[0].id == typed["id"]


@pytest.mark.parametrize("origin", ["external", "llm-draft"])
def test_some_origins_never_enter_whoever_accepts_them(origin, tmp_path):
    gate = accepted(tmp_path, item_row(0, verified_by=origin))
    assert not gate.items
    assert reasons(gate) == [[f"verified_by '{origin}' never enters"]]


def test_a_decision_counts_for_the_text_that_was_shown_and_no_other(tmp_path):
    row = item_row(0)
    decide(tmp_path, row)
    changed = row | {"answer": "Lion", "answer_en": "Lyon"}
    gate = judge(tmp_path, [changed])
    assert not gate.items
    assert reasons(gate) == [[STALE]]
    # What is not shown for judgement may change: the note of how the draft was made.
    assert judge(tmp_path, [row | {"notes": "template=capital0;variant=1"}]).items


def test_an_edit_may_change_what_was_shown_and_nothing_else(tmp_path):
    for field, value in (("verified_by", "external"), ("id", "x"), ("notes", ""), ("difficulty", "easy")):
        row = item_row(0, id=f"t-{field}")
        decide(tmp_path, row, "edit", changes={field: value})
        gate = judge(tmp_path, [row])
        assert not gate.items
        assert reasons(gate) == [["an edit of what is not shown for editing"]]


def test_annotators_who_disagree_let_nothing_through_until_they_agree(tmp_path):
    rows = [item_row(number) for number in range(3)]
    for row in rows:
        decide(tmp_path, row, who="anna")
    decide(tmp_path, rows[0], "reject", who="bela", reason="wrong")
    decide(tmp_path, rows[1], "edit", who="bela", changes={"category": "culture"})
    decide(tmp_path, rows[2], who="bela")
    gate = judge(tmp_path, rows)
    assert [item.id for item in gate.items] == ["t-002"]
    assert [judged.verdict.outcome for judged in gate.judged] == ["disputed", "disputed", "accepted"]
    decide(tmp_path, rows[0], "accept", who="bela")
    assert {item.id for item in judge(tmp_path, rows).items} == {"t-000", "t-002"}


def test_two_annotators_with_the_same_edit_agree(tmp_path):
    row = item_row(0)
    for who in ("anna", "bela"):
        decide(tmp_path, row, "edit", who=who, changes={"answer_en": "Paris city"})
    assert judge(tmp_path, [row]).items[0].answer_en == "Paris city"


def test_a_decision_on_no_draft_is_named(tmp_path):
    decide(tmp_path, item_row(0))
    assert judge(tmp_path, [item_row(1)]).strays == ("anna: t-000",)


# --- faults that a person may overlook -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"answer": "Париж"}, "a Cyrillic letter in an Azerbaijani field"),
        ({"question_az": "Fransаnın paytaxtı hansı şəhərdir?"}, "a Cyrillic letter in an Azerbaijani field"),
        ({"answer_aliases": ["Парис"]}, "a Cyrillic letter in an Azerbaijani field"),
        ({"answer": "?!"}, "empty after normalisation"),
        ({"answer_aliases": ["—"]}, "empty after normalisation"),
        ({"answer_en": "..."}, "empty after normalisation"),
        ({"question_az": "Paris hansı ölkənin paytaxtıdır?"}, "the answer stands in its question"),
        ({"question_az": "Parisin yerləşdiyi ölkə?"}, "the answer stands in its question"),
        ({"question_en": "Is PARIS the capital of France?"}, "the answer stands in its question"),
        ({"answer_aliases": ["Fransanın"]}, "an accepted form stands in the question"),
        ({"question_en": "What is the capital of {country}?"}, "a slot was left open"),
        ({"question_az": "Q142 ölkəsinin paytaxtı hansıdır?"}, "an identifier in place of a name"),
        ({"answer": 7}, "not in the form of an item"),
        ({"answer": None}, "not in the form of an item"),
        ({"question_az": "   "}, "not in the form of an item"),
        ({"answer_aliases": "Paris"}, "not in the form of an item"),
        ({"verified_by": "me"}, "not in the form of an item"),
        ({"comment": "nice"}, "not in the form of an item"),
        ({"answer": "1789", "answer_en": "1798"}, "the two questions do not ask the same fact"),
    ],
)
def test_a_fault_keeps_an_accepted_row_out(changes, kind, tmp_path):
    gate = accepted(tmp_path, item_row(0, **changes))
    assert not gate.items
    assert kind in reasons(gate)[0]


def test_the_row_without_a_fault_enters(tmp_path):
    assert accepted(tmp_path, item_row(0)).items


def test_ids_that_several_drafts_have_are_all_refused(tmp_path):
    gate = accepted(tmp_path, item_row(0), item_row(1, id="t-000"), item_row(2))
    assert [item.id for item in gate.items] == ["t-002"]
    assert "an id that several drafts have" in reasons(gate)[0]
    assert "an id that several drafts have" in reasons(gate)[1]


@pytest.mark.parametrize(
    "copy",
    [
        {"question_en": "Name the capital of France."},
        {"question_az": "Fransanın paytaxtının adını yazın."},
        {"question_az": "FRANSANIN  paytaxtı, hansı şəhərdir!", "question_en": "Name the capital of France."},
    ],
)
def test_a_question_that_was_asked_already_is_refused_and_names_the_other(copy, tmp_path):
    gate = accepted(tmp_path, item_row(0), item_row(0, id="t-100", **copy))
    assert [item.id for item in gate.items] == ["t-000"]
    assert "t-000" in str(gate.judged[1].reasons[0])


def test_the_same_template_and_concept_is_the_same_fact(tmp_path):
    notes = {"notes": "template=somebodys;concept=FR"}
    other = {"question_az": "Fransada paytaxt hansıdır?", "question_en": "Which is the capital in France?"}
    gate = accepted(tmp_path, item_row(0, **notes), item_row(0, id="t-100", **notes, **other))
    assert [item.id for item in gate.items] == ["t-000"]
    assert "same template and concept" in str(gate.judged[1].reasons[0])


def test_the_same_fact_is_known_across_sources_and_phrasings():
    first = next(row for row in PILOT_ROWS if row["notes"].startswith("template=country_calling_code;variant=0"))
    country = first["question_en"].removeprefix("What is the international calling code of ").removesuffix("?")
    harvested = first | {
        "id": "az-1",
        "question_az": first["question_az"].replace("beynəlxalq telefon", "telefon"),
        "question_en": f"Which international calling code does {country} use?",
        "notes": "template=country_calling_code;variant=2;concept=Q1",
    }
    found = duplicates([Item.model_validate(first), Item.model_validate(harvested)])
    assert list(found) == ["az-1"]


def test_one_question_with_two_answers_lets_neither_in(tmp_path):
    gate = accepted(tmp_path, item_row(0), item_row(0, id="t-100", answer="Lion", answer_en="Lyon"))
    assert not gate.items
    assert reasons(gate) == [["asked twice with different answers"]] * 2


FIGURELESS = {
    "question_az": "47 və 63 dərəcə verilib, üçüncü bucağı tapın.",
    "question_en": "Find the third angle given 47 and 63 degrees.",
    "answer": "70",
    "answer_en": "70",
    "category": "mathematics",
    "notes": "template=third_angle",
}


def test_a_geometry_question_that_names_no_figure_is_refused(tmp_path):
    gate = accepted(tmp_path, item_row(0, **FIGURELESS))
    assert reasons(gate) == [["a question of geometry that names no figure"]]
    named = {
        "question_az": "Üçbucağın iki bucağı 47 və 63 dərəcədir, üçüncü bucağını tapın.",
        "question_en": "Two angles of a triangle are 47 and 63 degrees. Find the third angle.",
    }
    assert accepted(tmp_path, item_row(0, **FIGURELESS | named)).items


@pytest.mark.parametrize("where", ["field", "note"])
def test_a_constant_of_the_template_that_poses_as_a_judgement_is_refused(where, tmp_path):
    def judged(number: int, value: str) -> dict[str, Any]:
        note = f";difficulty={value}" if where == "note" else ""
        field = {"difficulty": value} if where == "field" else {}
        return item_row(number, notes=f"template=capitals;concept={number}{note}", **field)

    constant = accepted(tmp_path / "a", *(judged(number, "medium") for number in range(4)))
    assert reasons(constant) == [["a constant of the template that poses as a judgement"]] * 4
    assert "difficulty = medium in every row of capitals" in str(constant.judged[0].reasons[0])
    varied = accepted(tmp_path / "b", *(judged(number, ("easy", "hard")[number % 2]) for number in range(4)))
    assert len(varied.items) == 4


def parallel(
    row: dict[str, Any], labels: dict[str, dict[str, str]] | None = None, by_person: bool = False
) -> list[str]:
    item = Item.model_validate(row)
    return [reason.detail for reason in parallel_faults(item, worded_by_person=by_person, labels=labels or {})]


def test_no_row_of_the_pilot_is_taken_for_faulty():
    for row in PILOT_ROWS:
        item = Item.model_validate(row)
        assert not list(text_faults(item)), row["id"]
        assert not parallel(row), row["id"]
    assert not duplicates([Item.model_validate(row) for row in PILOT_ROWS])


def test_swapped_halves_of_two_facts_are_told_apart():
    sums = [row for row in PILOT_ROWS if row["notes"].startswith("template=math_addition")]
    mixed = sums[0] | {"question_en": sums[1]["question_en"]}
    assert any("numbers" in detail for detail in parallel(mixed))
    assert any("numbers" in detail for detail in parallel(mixed, by_person=True))
    element, currency = (
        next(row for row in PILOT_ROWS if row["notes"].startswith(f"template={name};"))
        for name in ("element_symbol", "country_currency")
    )
    assert any("none of the template" in d for d in parallel(element | {"question_en": currency["question_en"]}))
    assert any("none of the template" in d for d in parallel(element | {"question_az": currency["question_az"]}))


CAPITAL = item_row(
    0,
    question_az="Niderlandın paytaxtı hansı şəhərdir?",
    question_en="Which city is the capital of the Netherlands?",
    answer="Amsterdam",
    answer_en="Amsterdam",
    notes="template=country_capital;variant=0;concept=Q55",
)
LABELS = {"Q55": {"az": "Niderland", "en": "Netherlands"}}


def test_both_questions_must_name_the_concept_that_the_draft_is_about():
    assert parallel(CAPITAL, LABELS) == []
    belgium = {"question_en": "Which city is the capital of Belgium?"}
    assert parallel(CAPITAL | belgium, LABELS) == ["the en question does not name Netherlands"]
    norway = {"question_az": "Norveçin paytaxtı hansı şəhərdir?"}
    assert parallel(CAPITAL | norway, LABELS) == ["the az question does not name Niderland"]
    # What a person worded may name it otherwise.
    assert parallel(CAPITAL | {"question_az": "Hollandiyanın paytaxtı hansıdır?"}, LABELS, by_person=True) == []
