"""Blind scoring: what a scorer sees, which seat is theirs, and what stays hidden."""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time

import pytest
from annotate_kit import log_rows
from tools_kit import CRITERIA, RUN, SCORERS, STRINGS, log_attempt, log_prescore, make_tools_project, scorer

from alifba.annotate.blind import blind_worklist
from alifba.arabic.aggregate import aggregate
from alifba.arabic.logs import read_logs
from alifba.arabic.records import PrescoreRequest
from alifba.errors import InputError

FIRST = f"{RUN}/GM-02/1"


def give(browser, *points, page="/", **fields):
    found = browser.get(page)
    given = {f"points{number}": str(one) for number, one in enumerate(points)}
    return browser.decide(found, "score", **given, **fields)


def test_two_scorers_take_the_first_two_seats_and_no_third_is_called(tmp_path):
    project = make_tools_project(tmp_path)
    log_attempt(project)
    noura, salma, reem = (scorer(project, name) for name in ("demo-noura", "demo-salma", "demo-reem"))
    give(noura, 4, 3)
    give(salma, 5, 4, note="جيد")
    assert [row["role"] for row in log_rows(noura) + log_rows(salma)] == ["first", "second"]
    assert [row["criteria"] for row in log_rows(salma)] == [{"instructions": 5, "dialect": 4}]
    assert "No item matches" in reem.get("/").shown, "one point apart calls nobody"
    closed = reem.get("/item/1")
    assert closed.status == 403
    assert "All seats of this answer are taken" in closed.shown


@pytest.mark.parametrize(("points", "called"), [((4, 3), False), ((5, 2), False), ((4, 5), True), ((1, 3), True)])
def test_a_third_is_called_by_more_than_one_point_on_any_criterion(tmp_path, points, called):
    project = make_tools_project(tmp_path)
    log_attempt(project, 1)
    log_attempt(project, 2)
    noura, salma, reem = (scorer(project, name) for name in ("demo-noura", "demo-salma", "demo-reem"))
    while "Nothing is left" not in give(noura, 4, 3).shown:
        pass
    (place,) = [place for place in (1, 2) if salma.worklist.work(place).id == FIRST]
    give(salma, *points, page=f"/item/{place}")
    queue = reem.get("/list?queue=third")
    assert queue.text.count("<li value=") == called
    assert reem.get("/list?queue=pair").text.count("<li value=") == 1, "the second attempt waits for its second scorer"
    if called:
        page = reem.get("/?queue=third")
        assert "Third score" in page.shown
        give(reem, 3, 3, page="/?queue=third")
        assert [row["role"] for row in log_rows(reem)] == ["third"]
        assert reem.get("/list?queue=third").text.count("<li value=") == 1, "their own stays theirs"
        late = blind_worklist(project, "demo-noura")[0]
        assert {late.closed(work) for work in late.works} == {""}


def test_a_scorer_sees_no_tool_no_person_and_no_score_of_another(tmp_path):
    project = make_tools_project(tmp_path)
    for tool in ("falcon", "oryx"):
        log_attempt(project, 1, tool=tool)
    noura = scorer(project, "demo-noura")
    while "Nothing is left" not in give(noura, 0, 5, note="سرّي").shown:
        pass
    for name in ("demo-salma", "demo-reem"):
        other = scorer(project, name)
        pages = [other.get(path) for path in ("/", "/list", "/item/1", "/item/2", "/list?queue=third")]
        pages.append(give(other, 4, 0))
        for page in pages:
            for trace in ("falcon", "oryx", "Falcon", "صقر", "demo-noura", "سرّي", "free", "x-1", "2026-11"):
                assert trace not in page.text, trace
            assert not [name for name, value in page.attributes if name == "checked"]


def test_each_scorer_has_an_order_of_their_own_that_stays(tmp_path):
    project = make_tools_project(tmp_path, STRINGS)
    for tool in ("falcon", "oryx"):
        for number in (1, 2, 3):
            log_attempt(project, number, tool=tool)
            log_attempt(project, number, "GM-03", tool)
    orders = [[work.id for work in blind_worklist(project, one["id"])[0].works] for one in (*SCORERS, SCORERS[0])]
    assert orders[0] == orders[-1]
    assert len({tuple(order) for order in orders}) == len(SCORERS)
    for order in orders:
        assert ["GM-02" in name for name in order] == [True] * 6 + [False] * 6, "item by item"
    turns = {tuple(name.startswith("falcon") for name in order[:6]) for order in orders}
    assert turns - {(True,) * 3 + (False,) * 3, (False,) * 3 + (True,) * 3}, "the tools are not in blocks"


def test_one_of_the_two_who_score_a_gulf_item_speaks_gulf(tmp_path):
    project = make_tools_project(tmp_path, STRINGS)
    log_attempt(project)
    log_attempt(project, key="GM-03")
    noura, hani, farah = (scorer(project, name) for name in ("demo-noura", "demo-hani", "demo-farah"))
    form = farah.get("/item/1").form(decision="score")
    give(hani, 4, 4, page="/item/1")
    page = farah.get("/")
    assert "سمّ خمسة أزرار" in page.shown, "the item that is in no dialect is offered"
    assert "كلمة خيالية" not in farah.get("/list").text
    for answer in (
        farah.get("/item/1"),
        farah.post(form, csrf=farah.session.csrf, decision="score", points0="5", points1="5"),
        farah.post(form, csrf=farah.session.csrf, decision="refusal", note="رفض"),
    ):
        assert answer.status == 403
        assert "only a Gulf speaker scores it" in answer.shown
        assert "جواب خيالي" not in answer.text
    assert log_rows(farah) == []
    give(farah, 4)
    assert [row["item_id"] for row in log_rows(farah)] == [f"{RUN}/GM-03/1"]
    give(noura, 3, 3, page="/item/1")
    assert [row["role"] for row in log_rows(noura)] == ["second"]


def test_a_profile_is_needed(tmp_path):
    project = make_tools_project(tmp_path)
    with pytest.raises(InputError, match="no such scorer"):
        blind_worklist(project, "demo-nobody")


def test_a_refusal_is_zero_on_every_criterion_and_needs_a_note(tmp_path):
    project = make_tools_project(tmp_path)
    log_attempt(project)
    noura = scorer(project, "demo-noura")
    page = noura.get("/")
    for note in ("", "  "):
        refused = noura.decide(page, "refusal", note=note)
        assert refused.status == 422
        assert "needs a note" in refused.shown
    assert log_rows(noura) == []
    noura.decide(page, "refusal", note="اعتذر عن الإجابة")
    (row,) = log_rows(noura)
    assert (row["decision"], row["refusal"], row["note"]) == ("score", True, "اعتذر عن الإجابة")
    assert row["criteria"] == dict.fromkeys(CRITERIA, 0)
    assert "refusal or error: اعتذر عن الإجابة" in noura.get("/list").shown


def test_what_was_logged_as_a_refusal_or_replaced_is_not_scored(tmp_path):
    project = make_tools_project(tmp_path)
    log_attempt(project, 1, outcome="refusal", output="", note="رفض")
    gone = log_attempt(project, 2)
    log_attempt(project, 2, id=f"{gone.id}+1", replaces=gone.id, note="لصق خاطئ", output="الصواب")
    assert [work.id for work in blind_worklist(project, "demo-noura")[0].works] == [f"{gone.id}+1"]


def test_a_pre_score_is_hidden_until_asked_for_and_the_request_is_logged_once(tmp_path):
    project = make_tools_project(tmp_path)
    attempt = log_attempt(project)
    log_prescore(project, attempt, [2, 1])
    noura = scorer(project, "demo-noura")
    page = noura.get("/")
    assert "تعليل خيالي" not in page.text
    forged = noura.post(page.form(decision="score"), decision="confirm", prescore=f"pre/{attempt.id}")
    assert forged.status == 422, "nobody confirms what they have not seen"
    (ask,) = [form for form in page.forms if form.action.endswith("/prescore")]
    for _ in range(2):
        page = noura.post(ask)
        assert "تعليل خيالي" in page.shown
    path = project.logs / "prescore_requests" / "demo-noura.jsonl"
    (request,) = [PrescoreRequest.model_validate_json(line) for line in path.read_text("utf-8").splitlines()]
    assert (request.scorer, request.prescore) == ("demo-noura", f"pre/{attempt.id}")
    assert "تعليل خيالي" in scorer(project, "demo-noura").get("/item/1").text, "what was seen stays seen"
    assert "تعليل خيالي" not in scorer(project, "demo-salma").get("/item/1").text
    noura.decide(page, "confirm")
    (row,) = log_rows(noura)
    assert (row["annotator"], row["role"], row["prescore"]) == ("demo-noura", "first", f"pre/{attempt.id}")
    assert row["criteria"] == {"instructions": 2, "dialect": 1}
    assert read_logs(project).scores[attempt.id].keys() == {"demo-noura"}, "the model is no scorer"


def test_points_of_one_s_own_after_looking_are_one_s_own(tmp_path):
    project = make_tools_project(tmp_path)
    attempt = log_attempt(project)
    log_prescore(project, attempt, [2, 1])
    noura = scorer(project, "demo-noura")
    (ask,) = [form for form in noura.get("/").forms if form.action.endswith("/prescore")]
    noura.post(ask)
    give(noura, 4, 4)
    (row,) = log_rows(noura)
    assert "prescore" not in row


def test_there_is_no_pre_score_to_ask_for_where_no_model_judged(tmp_path):
    project = make_tools_project(tmp_path)
    log_attempt(project)
    noura = scorer(project, "demo-noura")
    page = noura.get("/")
    assert not [form for form in page.forms if form.action.endswith("/prescore")]
    body = f"csrf={noura.session.csrf}".encode()
    assert noura.send("POST", "/item/1/prescore", body).status == 404


def test_an_undo_frees_the_seat(tmp_path):
    project = make_tools_project(tmp_path)
    log_attempt(project)
    noura, salma = scorer(project, "demo-noura"), scorer(project, "demo-salma")
    page = give(noura, 4, 3)
    assert "1 of 1" in noura.undo(page).shown
    give(salma, 1, 1)
    give(noura, 4, 3)
    assert [row.get("role") for row in log_rows(noura)] == ["first", None, "second"]
    assert [row["role"] for row in log_rows(salma)] == ["first"]


def test_a_changed_mind_keeps_the_seat(tmp_path):
    project = make_tools_project(tmp_path)
    log_attempt(project)
    noura, salma = scorer(project, "demo-noura"), scorer(project, "demo-salma")
    give(noura, 4, 3)
    give(salma, 4, 3)
    give(noura, 1, 1, page="/item/1")
    assert [row["role"] for row in log_rows(noura)] == ["first", "first"]


def test_a_page_made_before_the_seats_were_taken_saves_nothing(tmp_path):
    project = make_tools_project(tmp_path)
    log_attempt(project)
    noura, salma, reem = (scorer(project, name) for name in ("demo-noura", "demo-salma", "demo-reem"))
    stale = reem.get("/")
    give(noura, 4, 3)
    give(salma, 4, 3)
    refused = reem.decide(stale, "score", points0="0", points1="0")
    assert refused.status == 403
    assert "Nothing was saved" in refused.shown
    assert log_rows(reem) == []


def test_scorers_who_press_at_once_never_share_a_seat(tmp_path):
    project = make_tools_project(tmp_path)
    log_attempt(project)
    people = [scorer(project, one["id"]) for one in SCORERS[:3]]
    given = {"points0": "3", "points1": "3"}
    pressed = [
        threading.Thread(target=one.decide, args=(one.get("/"), "score"), kwargs=given, daemon=True) for one in people
    ]
    folder = project.logs / "score"
    folder.mkdir()
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for thread in pressed:
            thread.start()
        time.sleep(0.3)
        assert [log_rows(one) for one in people] == [[], [], []], "all wait for their turn"
    finally:
        os.close(handle)
    for thread in pressed:
        thread.join(30)
    roles = [row["role"] for one in people for row in log_rows(one)]
    assert sorted(roles) == ["first", "second"]


def test_the_points_lead_to_the_composite_that_the_protocol_defines(tmp_path):
    # By hand: attempts (4+5)/2 and (3+3)/2 of 5 -> 75; 0 by refusal; criterion 1: median(5, 1, 4) = 4, criterion 2:
    # median(2, 2, 3) = 2 -> 60. The median of 75, 0 and 60 is 60.
    project = make_tools_project(tmp_path)
    for number in (1, 2, 3):
        log_attempt(project, number)
    points = {
        f"{RUN}/GM-02/1": {"demo-noura": (4, 3), "demo-salma": (5, 3)},
        f"{RUN}/GM-02/2": {"demo-noura": None, "demo-salma": None},
        f"{RUN}/GM-02/3": {"demo-noura": (5, 2), "demo-salma": (1, 2), "demo-reem": (4, 3)},
    }
    for name in ("demo-noura", "demo-salma", "demo-reem"):
        browser = scorer(project, name)
        for place, work in enumerate(browser.worklist.works, 1):
            if name not in points[work.id]:
                assert browser.get(f"/item/{place}").status == 403
            elif points[work.id][name] is None:
                browser.decide(browser.get(f"/item/{place}"), "refusal", note="رفض")
            else:
                give(browser, *points[work.id][name], page=f"/item/{place}")
    falcon = aggregate(project, read_logs(project))[0]
    assert falcon.composite == 60
    assert json.loads((project.logs / "score" / "demo-reem.jsonl").read_text("utf-8"))["role"] == "third"
