"""Any drafts and any decisions: admitted or refused with a reason."""

from __future__ import annotations

from typing import Any

from gate_kit import places
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from alifba.azeval.dataset.build import build
from alifba.azeval.dataset.drafts import read_drafts
from alifba.decisions import text_sha
from alifba.errors import InputError
from alifba.items import Item, read_items
from samples import item_row, outcome, write_rows

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
