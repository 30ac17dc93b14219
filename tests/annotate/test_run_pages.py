"""The form for chat apps: what it fills in, what it refuses, what it appends to the log of a run."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import pytest
from annotate_kit import Browser
from tools_kit import PROJECT, RUN, STRINGS, TOOLS, log_attempt, logger, make_tools_project

from alifba.annotate.server import prepare
from alifba.arabic.logs import read_logs
from alifba.arabic.project import prompt_sha
from alifba.arabic.records import riyadh_now
from alifba.errors import InputError

SETTING = {"plan": "free", "model_version": "x-1", "interface": "web", "ui_language": "ar"}
GOOD = {**SETTING, "output": "جواب خيالي", "outcome": "answer", "fresh_session": "yes"}


def form_of(page):
    return page.form(outcome="answer")


def save(browser, page=None, **fields):
    return browser.post(form_of(page or browser.get("/")), **(GOOD | fields))


def attempts(project):
    return list(read_logs(project).attempts.values())


def test_an_attempt_is_logged_as_it_came_and_the_next_one_is_offered(tmp_path):
    project = make_tools_project(tmp_path)
    browser = logger(project)
    page = browser.get("/")
    assert project.items[0].prompt in page.text.replace("&#39;", "'")
    filled = form_of(page).fields
    assert filled["run"] == f"falcon-{riyadh_now()[:7]}"
    assert abs(datetime.fromisoformat(filled["time"]) - datetime.fromisoformat(riyadh_now())) < timedelta(minutes=1)
    assert filled["time"].endswith("+03:00")
    page = save(browser, page, output="  سطر أول\r\nسطر ثانٍ\r\n", note=" ملاحظة ")
    assert "Saved: GM-02, attempt 1" in page.shown
    assert "attempt 2" in page.shown.split("Prompt, word")[0]
    (row,) = [
        json.loads(line)
        for path in (project.logs / "attempts").iterdir()
        for line in path.read_text("utf-8").splitlines()
    ]
    assert row.pop("time") == filled["time"]
    run = filled["run"]
    assert row == SETTING | {
        "id": f"{run}/GM-02/1",
        "run": run,
        "tool": "falcon",
        "test_set": "0.1",
        "item": "GM-02",
        "version": "a",
        "prompt_sha": prompt_sha(project.items[0].prompt),
        "attempt": 1,
        "fresh_session": True,
        "output": "  سطر أول\nسطر ثانٍ\n",
        "outcome": "answer",
        "note": "ملاحظة",
        "logged_by": "demo-hani",
        "details": {},
    }


def test_a_run_is_gone_through_item_by_item_in_its_setting(tmp_path):
    project = make_tools_project(tmp_path, STRINGS)
    browser = logger(project)
    page = browser.get("/")
    for number in range(6):
        filled = form_of(page).fields
        assert {name: filled[name] for name in ("plan", "model_version")} == (
            {"plan": "", "model_version": ""} if not number else {"plan": "free", "model_version": "x-1"}
        )
        page = save(browser, page)
    assert [(one.key, one.attempt) for one in attempts(project)] == [
        (key, number) for key in ("GM-02", "GM-03") for number in (1, 2, 3)
    ]
    again = logger(project).get("/")
    assert "not logged yet" not in again.text
    assert "is logged already" in again.shown, "only corrections are left"


def test_one_log_goes_on_where_another_session_stopped(tmp_path):
    project = make_tools_project(tmp_path)
    log_attempt(project, 1)
    path = project.logs / "attempts" / f"{RUN}.jsonl"
    path.write_bytes(path.read_bytes() + b'{"id": "torn')
    browser = logger(project)
    page = browser.get("/")
    assert form_of(page).fields["run"] == RUN
    save(browser, page)
    assert [one.attempt for one in attempts(project)] == [1, 2]
    assert b"torn" not in path.read_bytes()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"plan": " "}, "these fields may not be empty: Plan"),
        ({"model_version": "", "run": ""}, "may not be empty: Run, Model version, as shown"),
        ({"fresh_session": ""}, "confirm that it was a fresh session"),
        ({"output": " \r\n"}, "paste the answer, or mark a refusal"),
        ({"outcome": "refusal", "output": ""}, "needs a note"),
        ({"outcome": "error", "note": "  "}, "needs a note"),
        ({"time": "2026-11-30T16:05:00"}, "not as it must be: Time in Riyadh"),
        ({"time": "2026-11-30T16:05:00+02:00"}, "not as it must be: Time in Riyadh"),
        ({"time": "yesterday"}, "not as it must be: Time in Riyadh"),
        ({"run": "../../x"}, "not as it must be: Run"),
        ({"ui_language": "Arabic"}, "not as it must be: Interface language"),
        ({"interface": "api-2"}, "not as it must be: Interface"),
        ({"outcome": "fine", "note": "x"}, "not as it must be: What came back"),
        ({"replaces": f"{RUN}/GM-02/1"}, "logged in another window"),
    ],
)
def test_what_is_not_as_it_must_be_is_not_saved_and_not_lost(tmp_path, fields, message):
    project = make_tools_project(tmp_path)
    page = save(logger(project), **fields)
    assert page.status in (409, 422)
    assert message in page.shown
    assert attempts(project) == []
    kept = form_of(page).fields
    assert kept["output"].strip() == (GOOD | fields)["output"].strip()
    assert kept["plan"] == (GOOD | fields)["plan"]


def test_what_does_not_fit_the_project_is_not_saved(tmp_path):
    project = make_tools_project(tmp_path, tools=[TOOLS[0] | {"plans": ["pro"], "versions": ["x-1"]}])
    browser = logger(project)
    page = browser.get("/")
    assert form_of(page).fields["plan"] == "pro", "a known plan is filled in"
    page = save(browser, page, plan="free")
    assert page.status == 422
    assert "has no plan" in page.shown
    assert attempts(project) == []
    save(browser, page, plan="pro")
    page = save(browser, model_version="x-2", plan="pro")
    assert "has no model_version" in page.shown
    assert len(attempts(project)) == 1


@pytest.mark.parametrize("outcome", ["refusal", "error"])
def test_a_refusal_or_an_error_counts_with_a_note(tmp_path, outcome):
    project = make_tools_project(tmp_path)
    save(logger(project), outcome=outcome, output="", note="قال إنه لا يستطيع")
    (made,) = attempts(project)
    assert (made.outcome, made.output, made.note) == (outcome, "", "قال إنه لا يستطيع")


def test_a_correction_replaces_and_says_what_was_wrong(tmp_path):
    project = make_tools_project(tmp_path)
    old = log_attempt(project, 1)
    browser = logger(project)
    page = browser.get(f"/?tool=falcon&run={RUN}&item=GM-02&attempt=1")
    assert "is logged already" in page.shown
    filled = form_of(page).fields
    assert (filled["output"], filled["time"]) == (old.output, old.time)
    refused = save(browser, page, output="الصواب")
    assert "what was wrong" in refused.shown
    save(browser, page, output="الصواب", note="لصق ناقص")
    (made,) = attempts(project)
    assert (made.id, made.replaces, made.output) == (f"{old.id}+1", old.id, "الصواب")
    assert len((project.logs / "attempts" / f"{RUN}.jsonl").read_text("utf-8").splitlines()) == 2
    stale = save(browser, page, output="متأخر", note="نافذة أخرى")
    assert stale.status == 409
    assert [one.output for one in attempts(project)] == ["الصواب"]


def test_the_same_attempt_from_two_windows_is_logged_once(tmp_path):
    project = make_tools_project(tmp_path)
    one, other = logger(project), logger(project, "demo-noura")
    page, stale = one.get("/"), other.get("/?tool=falcon&item=GM-02&attempt=1")
    save(one, page)
    refused = save(other, stale)
    assert refused.status == 409
    assert len(attempts(project)) == 1


def test_a_new_run_gets_a_name_of_its_own(tmp_path):
    project = make_tools_project(tmp_path)
    browser = logger(project)
    save(browser)
    filled = form_of(browser.get("/?tool=falcon&new=1")).fields
    assert filled["run"] == f"falcon-{riyadh_now()[:7]}-2"
    save(browser, browser.get("/?tool=falcon&new=1"), plan="pro")
    assert {one.run: one.plan for one in attempts(project)} == {filled["run"][:-2]: "free", filled["run"]: "pro"}


def test_examples_and_tools_behind_an_api_are_not_offered(tmp_path):
    project = make_tools_project(tmp_path)
    assert {value for name, value in logger(project).get("/").attributes if name == "value"} >= {"falcon", "oryx"}
    assert "example-game" not in logger(project).get("/").text
    nothing = make_tools_project(tmp_path, tools=[TOOLS[2]])
    page = logger(nothing).get("/")
    assert "no tool whose runs a person logs" in page.shown


def test_an_item_that_needs_a_sample_cannot_be_chosen(tmp_path):
    waits = STRINGS | {"status": "needs_sample", "missing": ["a picture"], "missing_ar": ["صورة"]}
    project = make_tools_project(tmp_path, waits)
    page = logger(project).get("/")
    assert "GM-03 · needs a sample" in page.shown
    assert "cannot be run yet: 1" in page.shown
    assert logger(project).get("/?item=GM-03").status == 404
    nothing = make_tools_project(tmp_path, tools=[TOOLS[0] | {"kind": "voice"}])
    page = logger(nothing).get("/")
    assert "Nothing can be run with this tool yet" in page.shown
    assert not [form for form in page.forms if form.method == "post"]


def test_an_address_that_leads_nowhere_is_said(tmp_path):
    project = make_tools_project(tmp_path)
    log_attempt(project)
    for address in ("/?tool=nothing", "/?item=XX-99", "/?tool=example-game", "/?item=%00", f"/?tool=oryx&run={RUN}"):
        page = logger(project).get(address)
        assert page.status == 404, address


def test_a_long_answer_fits_and_an_endless_one_is_refused(tmp_path):
    project = make_tools_project(tmp_path)
    browser = logger(project)
    long = "كلمة " * 10_000
    save(browser, output=long)
    assert attempts(project)[0].output == long
    assert save(browser, output="كلمة " * 100_000).status == 413


def test_output_is_data_and_never_markup(tmp_path):
    project = make_tools_project(tmp_path)
    browser = logger(project)
    page = save(browser, output="</textarea><script>alert(1)</script>", plan='"><b>')
    page = browser.get(f"/?tool=falcon&item=GM-02&attempt=1&run={attempts(project)[0].run}")
    assert form_of(page).fields["output"] == "</textarea><script>alert(1)</script>"
    assert page.text.count("<script") == 1
    assert "<b>" not in page.text


@pytest.mark.parametrize(
    ("task", "person", "settings", "message"),
    [
        ("review", "demo-noura", {}, "no such task for a project file"),
        ("score", "demo-nobody", {}, "no such scorer"),
        ("log", "../demo", {}, "an annotator's name"),
        ("log", "demo-noura", {"logs": "../../../elsewhere"}, "only inside the project folder"),
    ],
)
def test_a_project_is_opened_for_its_own_tasks_and_people(tmp_path, monkeypatch, task, person, settings, message):
    make_tools_project(tmp_path / "checkout", **settings)
    monkeypatch.setenv("ALIFBA_ROOT", str(tmp_path / "checkout"))
    with pytest.raises(InputError, match=message):
        prepare(task, [tmp_path / "checkout" / PROJECT], person, tmp_path)


@pytest.mark.parametrize("task", ["score", "log"])
def test_a_project_opens_in_arabic_whatever_the_browser_prefers(tmp_path, monkeypatch, task):
    log_attempt(make_tools_project(tmp_path))
    monkeypatch.setenv("ALIFBA_ROOT", str(tmp_path))
    server = prepare(task, [tmp_path / PROJECT], "demo-noura", tmp_path)
    server.listening.close()
    browser = Browser.of_app(lambda _: server.app)
    address = urlsplit(server.address)
    browser.cookies = {}
    page = browser.get(f"/?{address.query}", host=address.netloc, accept_language="en-GB,en;q=0.5")
    assert 'lang="ar" dir="rtl"' in page.text
    assert server.summary().startswith({"score": "0 decisions in ", "log": "1 attempts in "}[task])
