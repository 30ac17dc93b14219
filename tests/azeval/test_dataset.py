"""The gate between drafts and a dataset: what a person accepted enters, everything else is refused with a reason."""

from __future__ import annotations

import json
import random
import string
from datetime import date
from pathlib import Path
from typing import Any

import mlcroissant
import pytest
import sympy
import yaml
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from typer.testing import CliRunner

from alifba.azeval.dataset.build import Places, build, rejected_texts
from alifba.azeval.dataset.checks import duplicates, parallel_faults, text_faults
from alifba.azeval.dataset.commands import app
from alifba.azeval.dataset.drafts import Draft, draft_files, read_drafts
from alifba.azeval.dataset.gate import Gate, pass_gate
from alifba.azeval.dataset.mathematics import generate
from alifba.azeval.dataset.verdicts import STALE, UNDECIDED
from alifba.azeval.pilot.mathematics import FAMILIES
from alifba.decisions import DecisionLog, read_decisions, text_sha
from alifba.errors import InputError
from alifba.items import Item, read_items
from samples import PILOT, item_row, outcome, write_rows

PILOT_ROWS = [item.model_dump() for item in read_items(PILOT)]


def decide(folder: Path, row: dict[str, Any], decision: str = "accept", who: str = "anna", **fields: Any) -> None:
    """A decision of the annotation app on `row` as it is."""
    log = DecisionLog(folder, "review", who)
    standing = log.replay.in_force.get(row["id"])
    log.append(row["id"], decision, text_sha("review", row), seen=standing and standing.id, **fields)


def judge(tmp_path: Path, rows: list[dict[str, Any]]) -> Gate:
    """The gate on `rows` with the decisions below `tmp_path`."""
    drafts = [Draft("drafts.jsonl", line, row) for line, row in enumerate(rows, 1)]
    return pass_gate(drafts, read_decisions(tmp_path, "review"))


def reasons(gate: Gate) -> list[list[str]]:
    return [[reason.kind for reason in judged.reasons] for judged in gate.judged]


def accepted(tmp_path: Path, *rows: dict[str, Any]) -> Gate:
    """The gate on `rows` after a person accepted each just as it is."""
    for row in {row["id"]: row for row in rows}.values():
        decide(tmp_path, row)
    return judge(tmp_path, list(rows))


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


# --- files -----------------------------------------------------------------------------------------------------------


def places(tmp_path: Path, *drafts: Path) -> Places:
    return Places(drafts or (tmp_path / "raw",), tmp_path / "raw" / "decisions", tmp_path / "raw", tmp_path / "built")


def project(tmp_path: Path, n: int = 6) -> list[dict[str, Any]]:
    rows = [item_row(number) for number in range(n)]
    write_rows(tmp_path / "raw" / "drafts.jsonl", rows)
    return rows


def test_without_an_accepted_row_nothing_is_built(tmp_path):
    project(tmp_path)
    done = build(places(tmp_path))
    assert not done.gate.items
    assert not (tmp_path / "built").exists()
    assert not (tmp_path / "raw" / "rejected.jsonl").exists()
    assert list(done.gate.refusals) == [UNDECIDED]


def test_a_dataset_goes_when_its_last_row_is_taken_back(tmp_path):
    rows = project(tmp_path)
    logs = tmp_path / "raw" / "decisions"
    decide(logs, rows[0])
    build(places(tmp_path))
    assert [item.id for item in read_items(tmp_path / "built" / "azeval.jsonl")] == ["t-000"]
    log = DecisionLog(logs, "review", "anna")
    log.undo(seen=log.replay.last.id)
    done = build(places(tmp_path))
    assert len(done.removed) == 3
    assert not list((tmp_path / "built").iterdir())


def test_a_built_dataset_reads_as_items_that_people_verified(tmp_path):
    rows = project(tmp_path)
    for row in rows[:4]:
        decide(tmp_path / "raw" / "decisions", row)
    build(places(tmp_path))
    items = read_items(tmp_path / "built" / "azeval.jsonl")
    assert len(items) == items.n_verified == 4
    assert items.notice is None
    assert {item.model_dump()["question_az"] for item in items} == {row["question_az"] for row in rows[:4]}


def test_the_same_drafts_in_any_order_build_the_same_bytes(tmp_path):
    rows = [row for row in PILOT_ROWS if row["notes"].startswith(("template=math_", "template=country_"))][:120]
    built = []
    for seed in range(2):
        folder = tmp_path / str(seed)
        mixed = random.Random(seed).sample(rows, len(rows))
        write_rows(folder / "raw" / "one.jsonl", mixed[:50])
        write_rows(folder / "raw" / "two.jsonl", mixed[50:])
        write_rows(
            folder / "raw" / "decisions" / "review" / "anna.jsonl",
            [
                {
                    "id": f"d{place}",
                    "task": "review",
                    "item_id": row["id"],
                    "decision": "accept",
                    "annotator": "anna",
                    "time": "2026-12-01T10:00:00+04:00",
                    "text_sha": text_sha("review", row),
                }
                for place, row in enumerate(rows)
            ],
        )
        build(places(folder))
        built.append({path.name: path.read_bytes() for path in (folder / "built").iterdir()})
    assert built[0] == built[1]
    assert set(built[0]) == {"azeval.jsonl", "azeval.md", "azeval.croissant.json"}


def test_rejected_rows_are_kept_with_their_reasons_even_when_the_draft_is_gone(tmp_path):
    rows = project(tmp_path)
    logs, record = tmp_path / "raw" / "decisions", tmp_path / "raw" / "rejected.jsonl"
    decide(logs, rows[0], "reject", reason="the capital moved")
    decide(logs, rows[1])
    build(places(tmp_path))
    (kept,) = [json.loads(line) for line in record.read_text().splitlines()]
    assert kept == rows[0] | {"reasons": ["rejected by a person: anna: the capital moved"]}
    write_rows(tmp_path / "raw" / "drafts.jsonl", rows[1:])
    build(places(tmp_path))
    assert rejected_texts(record) == {("t-000", text_sha("review", rows[0]))}
    # The same text accepted after all: no longer rejected.
    write_rows(tmp_path / "raw" / "drafts.jsonl", rows)
    decide(logs, rows[0], "accept")
    build(places(tmp_path))
    assert record.read_text() == ""
    assert build(places(tmp_path)).gate.items


def test_a_torn_draft_file_stops_the_build_before_anything_is_written(tmp_path):
    rows = project(tmp_path)
    decide(tmp_path / "raw" / "decisions", rows[0])
    build(places(tmp_path))
    before = (tmp_path / "built" / "azeval.jsonl").read_bytes()
    with (tmp_path / "raw" / "drafts.jsonl").open("a") as stream:
        stream.write('{"id": "t-9')
    with pytest.raises(InputError, match=r"drafts.jsonl:7"):
        build(places(tmp_path))
    assert (tmp_path / "built" / "azeval.jsonl").read_bytes() == before


def test_decomposed_letters_are_composed_and_counted(tmp_path):
    row = item_row(0, question_az="Fransanın paytaxtı hansı s\u0327əhərdir?")
    write_rows(tmp_path / "raw" / "drafts.jsonl", [row])
    decide(tmp_path / "raw" / "decisions", row)
    done = build(places(tmp_path))
    assert read_items(tmp_path / "built" / "azeval.jsonl").items[0].question_az == item_row(0)["question_az"]
    assert "NFC" in done.notices[0]


def test_the_metadata_are_valid_and_lead_to_every_row(tmp_path):
    rows = project(tmp_path)
    for row in rows[:3]:
        decide(tmp_path / "raw" / "decisions", row)
    build(places(tmp_path))
    described = mlcroissant.Dataset(jsonld=tmp_path / "built" / "azeval.croissant.json")
    assert not described.metadata.ctx.issues.errors
    assert not described.metadata.ctx.issues.warnings
    found = list(described.records("items"))
    assert {record["items/answer"].decode() for record in found} == {row["answer"] for row in rows[:3]}
    assert {record["items/verified_by"] for record in found} == {b"human"}


def test_the_card_says_what_happened_to_the_drafts(tmp_path):
    rows = project(tmp_path)
    logs = tmp_path / "raw" / "decisions"
    decide(logs, rows[0])
    decide(logs, rows[1], "edit", who="bela", changes={"answer_en": "Roma"})
    decide(logs, rows[2], "reject", reason="x | y")
    build(places(tmp_path))
    card = (tmp_path / "built" / "azeval.md").read_text(encoding="utf-8")
    header = yaml.safe_load(card.split("---")[1])
    assert header["language"] == ["az", "en"]
    assert header["license"] == "cc-by-4.0"
    assert header["size_categories"] == ["n<1K"]
    assert header["configs"][0]["data_files"] == [{"split": "test", "path": "azeval.jsonl"}]
    assert "| items | 2 |" in card
    assert "| reviewers | 2 |" in card
    assert "| items that a person changed before accepting them | 1 |" in card
    assert "| rejected by a person | 1 |" in card
    # Two of the three that were decided.
    low, high = binomtest(2, 3).proportion_ci(0.95, method="wilson")
    assert f"| all | 6 | 1 | 1 | 1 | 0 | 3 | 0.667 | {low:.3f} | {high:.3f} |" in card
    assert "| nan |" not in card
    assert "$" not in card
    assert "anna" not in card


def test_a_folder_gives_every_draft_file_but_the_record(tmp_path):
    project(tmp_path)
    write_rows(tmp_path / "raw" / "rejected.jsonl", [item_row(9) | {"reasons": ["x"]}])
    drafts, _ = read_drafts(draft_files([tmp_path / "raw", tmp_path / "raw" / "drafts.jsonl"]))
    assert len(drafts) == 6
    with pytest.raises(InputError, match="no such file or folder"):
        draft_files([tmp_path / "nowhere"])


# --- fuzz ------------------------------------------------------------------------------------------------------------

_WORDS = st.sampled_from(
    ["Paris", "paris", "", " ", "?!", "Париж", "Fransanın paytaxtı?", "{x}", "Q12345", "7", "NA", "\u0130", "a" * 300]
)
_VALUES = st.one_of(_WORDS, st.text(max_size=12), st.none(), st.integers(), st.floats(), st.lists(_WORDS, max_size=3))
_FIELDS = st.sampled_from([*Item.model_fields, "difficulty", "extra"])
_IDS = st.sampled_from(["t-000", "t-001", "t-002", "t-003", "t-004", ""])
_NOTES = st.sampled_from(
    ["", "template=a", "template=a;concept=1", "template=math_addition;concept=2", ";;=", "concept=1"]
)


@st.composite
def draft_rows(draw) -> dict[str, Any]:
    """A sound row with any of its fields spoilt, or any JSON object at all."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.dictionaries(st.text(max_size=8), _VALUES, max_size=4))
    row = item_row(draw(st.integers(0, 5)), notes=draw(_NOTES), id=draw(_IDS))
    row["verified_by"] = draw(st.sampled_from(["pending"] * 5 + ["human", "external", "llm-draft"]))
    spoilt = draw(st.dictionaries(_FIELDS, _VALUES, max_size=2)) if draw(st.integers(0, 3)) == 0 else {}
    return row | spoilt


@st.composite
def logs(draw, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines of one annotator's log: decisions on rows as they are or on another text, and undos."""
    lines: list[dict[str, Any]] = []
    for place in range(draw(st.integers(0, 8))):
        row = draw(st.sampled_from(rows)) if rows else {}
        id_ = row.get("id")
        line = {
            "id": f"d{place}",
            "task": "review",
            "item_id": id_.strip() if isinstance(id_, str) and id_.strip() else "nobody",
            "decision": draw(st.sampled_from(["accept"] * 4 + ["reject", "edit", "skip", "undo"])),
            "annotator": "",
            "time": "2026-12-01T10:00:00+04:00",
            "text_sha": draw(st.sampled_from([text_sha("review", row)] * 4 + ["0" * 16])),
        }
        standing = [
            old for old in lines if old["decision"] != "undo" and old["id"] not in {x.get("undoes") for x in lines}
        ]
        if line["decision"] == "undo":
            if not standing:
                continue
            line |= {"undoes": standing[-1]["id"], "item_id": standing[-1]["item_id"]}
        if line["decision"] == "reject":
            line["reason"] = "wrong"
        if line["decision"] == "edit":
            line["changes"] = draw(st.dictionaries(_FIELDS, _VALUES, min_size=1, max_size=2))
        lines.append(line)
    return lines


def stood(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The decision in force per item id, replayed in the plainest way."""
    undone = {line["undoes"] for line in lines if line["decision"] == "undo"}
    return {line["item_id"]: line for line in lines if line["decision"] != "undo" and line["id"] not in undone}


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_any_drafts_and_decisions_are_admitted_or_refused_with_a_reason(tmp_path_factory, data):
    rows = data.draw(st.lists(draft_rows(), max_size=4))
    tmp_path = tmp_path_factory.mktemp("fuzz")
    write_rows(tmp_path / "raw" / "drafts.jsonl", rows or [item_row(0)])
    drafts, _ = read_drafts([tmp_path / "raw" / "drafts.jsonl"])
    written = {}
    for who in ("anna", "bela"):
        lines = data.draw(logs([draft.row for draft in drafts]))
        written[who] = [line | {"annotator": who} for line in lines]
        write_rows(tmp_path / "raw" / "decisions" / "review" / f"{who}.jsonl", written[who])
    done = outcome(lambda: build(places(tmp_path)))
    assert not isinstance(done, InputError), done
    assert len(done.gate.judged) == len(drafts)
    event(f"{len(done.gate.items)} admitted")
    in_force = [stood(lines) for lines in written.values()]
    for judged in done.gate.judged:
        assert judged.admitted != bool(judged.reasons)
        if judged.admitted:
            said = [log[judged.draft.id] for log in in_force if judged.draft.id in log]
            said = [line for line in said if line["text_sha"] == text_sha("review", judged.draft.row)]
            kinds = {line["decision"] for line in said} - {"skip"}
            assert kinds in ({"accept"}, {"edit"}, {"accept", "edit"})
            assert judged.draft.row.get("verified_by", "pending") not in ("external", "llm-draft")
    path = tmp_path / "built" / "azeval.jsonl"
    on_disk = list(read_items(path)) if path.exists() else []
    assert on_disk == done.gate.items
    assert len({item.id for item in on_disk}) == len(on_disk)


# --- computed items --------------------------------------------------------------------------------------------------


def test_computed_items_of_a_day_carry_it_and_repeat_no_known_item():
    known = {(i.template, i.note("concept")) for i in map(Item.model_validate, PILOT_ROWS)}
    made = generate(date(2027, 1, 15), 13, known)
    assert len(made) >= 236
    assert {item.note("created") for item in made} == {"2027-01-15"}
    assert not {(item.template, item.note("concept")) for item in made} & known
    assert {item.template for item in made} == {f"math_{name}" for name in FAMILIES}
    assert not duplicates([*made, *map(Item.model_validate, PILOT_ROWS)])
    for item in made:
        assert not [*text_faults(item), *parallel_faults(item, worded_by_person=False, labels={})]
        assert item.answer == item.answer_en


def test_another_day_gives_other_numbers_and_the_same_day_the_same():
    first, again, other = (generate(date(2027, 1, day), 5) for day in (1, 1, 2))
    assert first == again
    assert len({item.id for item in first} & {item.id for item in other}) < len(first) / 2


@pytest.mark.parametrize("family", ["multiplication", "greatest_common_divisor", "next_prime", "combinations"])
def test_answers_agree_with_sympy(family):
    solve = {
        "multiplication": lambda a, b: sympy.Integer(a) * b,
        "greatest_common_divisor": sympy.gcd,
        "next_prime": sympy.nextprime,
        "combinations": sympy.binomial,
    }[family]
    made = [item for item in generate(date(2027, 1, 1), 20) if item.template == f"math_{family}"]
    assert len(made) >= 13
    for item in made:
        assert int(item.answer) == solve(*map(int, item.note("concept").split("-")))


# --- commands --------------------------------------------------------------------------------------------------------


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def options(tmp_path: Path) -> list[object]:
    raw = tmp_path / "raw"
    return ["--drafts", raw, "--decisions", raw / "decisions", "--record", raw, "--out", tmp_path / "built"]


def test_build_says_how_many_drafts_a_person_accepted_and_names_the_refused(tmp_path):
    rows = project(tmp_path)
    empty = run("build", *options(tmp_path))
    assert empty.exit_code == 0
    assert "0 of 6 drafts accepted by a person; nothing is built" in empty.output
    decide(tmp_path / "raw" / "decisions", rows[0])
    decide(tmp_path / "raw" / "decisions", rows[1], "reject", reason="unnatural")
    built = run("build", *options(tmp_path))
    assert built.exit_code == 0
    assert "1 of 6 drafts accepted by a person, 1 of them sound" in built.output
    assert "refused, rejected by a person: 1" in built.output
    assert "t-001" in built.output
    # 1 of 2 decided: Wilson's interval by hand, z = 1.96: (0.5 + z²/4 ± z·sqrt(0.125 + z²/16)) / (1 + z²/2).
    assert "50% (9%-91%)" in built.output


def test_generate_math_writes_no_file_over(tmp_path):
    path = tmp_path / "raw" / "mathematics.jsonl"
    done = run("generate-math", "--out", path, "--created", "2027-02-01", "--per-family", 2, "--known", PILOT)
    assert done.exit_code == 0, done.output
    assert len(read_items(path)) == 40
    again = run("generate-math", "--out", path, "--created", "2027-02-01", "--known", PILOT)
    assert isinstance(again.exception, InputError)
    assert len(read_items(path)) == 40


def test_a_sample_is_blind_seeded_and_not_written_over(tmp_path):
    for task, hidden in (
        ("second", {"verified_by", "notes", "source", "provenance"}),
        ("baseline", {"answer", "answer_aliases", "answer_en", "source", "notes", "verified_by"}),
    ):
        paths = [tmp_path / f"{task}-{name}.jsonl" for name in "abc"]
        for path, seed in zip(paths, (1, 1, 2), strict=True):
            done = run("sample", "--n", 50, "--task", task, "--dataset", PILOT, "--seed", seed, "--out", path)
            assert done.exit_code == 0, done.output
        assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()
        rows = [json.loads(line) for line in paths[0].read_text(encoding="utf-8").splitlines()]
        assert len(rows) == 50
        assert not any(hidden & set(row) for row in rows)
        assert isinstance(run("sample", "--n", 50, "--dataset", PILOT, "--out", paths[0]).exception, InputError)


@pytest.mark.parametrize(("task", "n"), [("second", 200), ("baseline", 50)])
def test_a_sample_has_the_size_of_the_published_ones_unless_told_otherwise(task, n, tmp_path):
    run("sample", "--task", task, "--dataset", PILOT, "--out", tmp_path / "s.jsonl")
    assert len((tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()) == n


def test_no_draft_at_all_is_no_dataset(tmp_path):
    (tmp_path / "raw").mkdir()
    done = run("build", *options(tmp_path))
    assert done.exit_code == 0
    assert "0 of 0 drafts accepted by a person; nothing is built" in done.output


def test_harvest_names_an_unknown_template(tmp_path):
    done = run("harvest", "--template", "country_capitol", "--out", tmp_path / "w.jsonl")
    assert "country_capital" in str(done.exception)


def test_no_letter_of_a_name_is_needed_to_know_a_draft():
    assert set("abcdef0123456789") >= set(generate(date(2027, 1, 1), 1)[0].id.removeprefix("az-"))
    assert not set(string.whitespace) & set(generate(date(2027, 1, 1), 1)[0].id)
