"""A person at work: what each answer leaves in the log, and what the pages show and hide."""

from __future__ import annotations

import unicodedata

import pytest
from annotate_kit import drafts, log_rows, open_browser
from hypothesis import given
from hypothesis import strategies as st

from alifba.annotate.rendering import is_link
from alifba.decisions import DecisionLog, text_sha
from samples import item_row

ATTEMPT = {"id": "GLF-1.1", "prompt": "اكتب", "output": "هلا", "criteria": ["dialect", "tone"], "dir": "rtl"}
FAILURE = {"model": "org/one", "id": "az-1", "gold": "Bakı", "answer": "Baku", "question": "Paytaxt?"}
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' autofocus onfocus='alert(1)",
    "</textarea><script>alert(1)</script>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "&lt;b&gt; &amp;",
)


def decisions(browser):
    """Item, decision of each item in force."""
    return {item: made.decision for item, made in browser.worklist.log.replay.in_force.items()}


def test_review_accept_reject_edit_skip_and_undo(tmp_path):
    browser = open_browser(tmp_path, drafts(6))
    page = browser.get("/")
    assert "1 of 6" in page.shown
    page = browser.decide(page, "accept")
    page = browser.post(page.form(decision="reject", reason="outdated"), reason="outdated")
    page = browser.post(page.form(decision="reject", reason=""), reason=" Paytaxt köçüb ")
    form = browser.get("/item/4/edit").form(step="compare")
    diff = browser.post(form, step="compare", answer="Moskva şəhəri")
    assert "<ins> şəhəri</ins>" in diff.text
    assert "forms also accepted stay as they were" not in diff.shown, "there are none"
    page = browser.post(diff.form(step="save"), step="save")
    page = browser.decide(page, "skip")
    assert "6 of 6" in page.shown
    assert "4 of 6 decided" in page.shown
    page = browser.undo(browser.undo(page))
    assert "4 of 6" in page.shown
    rows = log_rows(browser)
    assert [row["decision"] for row in rows] == ["accept", "reject", "reject", "edit", "skip", "undo", "undo"]
    assert [row.get("reason") for row in rows[1:3]] == ["outdated", "Paytaxt köçüb"]
    assert rows[3]["changes"] == {"answer": "Moskva şəhəri"}
    assert [row["item_id"] for row in rows] == ["t-000", "t-001", "t-002", "t-003", "t-004", "t-004", "t-003"]
    assert {row["text_sha"] for row in rows} == {text_sha("review", row) for row in drafts(5)}
    assert decisions(browser) == {"t-000": "accept", "t-001": "reject", "t-002": "reject"}


def test_an_edit_can_be_changed_again_and_is_always_against_the_draft(tmp_path):
    browser = open_browser(tmp_path, drafts(2, answer_aliases=["Parisdə"]))
    diff = browser.post(browser.get("/item/1/edit").form(step="compare"), step="compare", answer="Lion")
    assert "forms also accepted stay as they were" in diff.shown
    again = browser.post(diff.form(step="form"), step="form")
    assert again.form(step="compare").fields["answer"] == "Lion"
    diff = browser.post(again.form(step="compare"), step="compare", answer="Nitsa", answer_aliases="Nitsada")
    browser.post(diff.form(step="save"), step="save")
    assert "Nitsa" in browser.get("/item/1").shown
    form = browser.get("/item/1/edit").form(step="compare")
    assert form.fields["answer"] == "Nitsa"
    browser.post(browser.post(form, step="compare", answer="Paris").form(step="save"), step="save")
    assert [row["changes"] for row in log_rows(browser)] == [
        {"answer": "Nitsa", "answer_aliases": ["Nitsada"]},
        {"answer_aliases": ["Nitsada"]},
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"answer": " "}, "these fields may not be empty: Answer (Azerbaijani)"),
        ({}, "Nothing was changed"),
    ],
)
@pytest.mark.parametrize("step", ["compare", "save"])
def test_an_edit_that_is_none_is_not_saved(tmp_path, fields, message, step):
    browser = open_browser(tmp_path, drafts(1))
    page = browser.post(browser.get("/item/1/edit").form(step="compare"), step=step, **fields)
    assert page.status == 422
    assert message in page.shown
    assert log_rows(browser) == []


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"decision": "reject", "reason": " "}, 422, "say why it is rejected"),
        ({"decision": "reject"}, 422, "say why it is rejected"),
        ({"decision": "edit"}, 422, "not known here"),
        ({"decision": "undo"}, 422, "not known here"),
        ({"decision": "correct"}, 422, "not known here"),
        ({"decision": ""}, 422, "not known here"),
    ],
)
def test_a_decision_that_is_none_is_not_saved(tmp_path, fields, status, message):
    browser = open_browser(tmp_path, drafts(1))
    page = browser.post(browser.get("/item/1").form(decision="accept"), **fields)
    assert page.status == status
    assert message in page.shown
    assert log_rows(browser) == []


def test_a_key_pressed_twice_decides_once(tmp_path):
    browser = open_browser(tmp_path, drafts(3))
    form = browser.get("/item/1").form(decision="accept")
    for _ in range(2):
        assert "2 of 3" in browser.post(form, decision="accept").shown
    assert len(log_rows(browser)) == 1


def test_an_item_decided_in_another_tab_is_not_overwritten_unseen(tmp_path):
    browser = open_browser(tmp_path, drafts(3))
    first, second = browser.get("/item/1"), browser.get("/item/1")
    browser.decide(first, "accept")
    page = browser.post(second.form(decision="reject", reason="outdated"), reason="outdated")
    assert page.status == 409
    assert "decided in another window" in page.shown
    assert decisions(browser) == {"t-000": "accept"}
    browser.post(page.form(decision="reject", reason="outdated"), reason="outdated")
    assert decisions(browser) == {"t-000": "reject"}


def test_undo_takes_back_only_what_the_page_named(tmp_path):
    browser = open_browser(tmp_path, drafts(3))
    browser.decide(browser.get("/item/1"), "accept")
    old = browser.get("/item/3")
    browser.decide(browser.get("/item/2"), "accept")
    page = browser.undo(old)
    assert page.status == 409
    assert decisions(browser) == {"t-000": "accept", "t-001": "accept"}
    browser.undo(page)
    assert decisions(browser) == {"t-000": "accept"}


def test_two_annotators_at_once_write_two_logs(tmp_path):
    rows = drafts(3)
    ayla, rauf = open_browser(tmp_path, rows), open_browser(tmp_path, rows, annotator="rauf")
    for position in (1, 2, 3):
        ayla.decide(ayla.get(f"/item/{position}"), "accept")
        rauf.decide(rauf.get(f"/item/{position}"), "skip")
    assert set(decisions(ayla).values()) == {"accept"}
    assert set(decisions(rauf).values()) == {"skip"}
    assert "accepted" not in rauf.get("/list").shown


def test_skip_takes_nothing_back(tmp_path):
    browser = open_browser(tmp_path, drafts(2))
    browser.decide(browser.get("/item/1"), "accept")
    browser.decide(browser.get("/item/1"), "skip")
    assert decisions(browser) == {"t-000": "accept"}


def test_accepting_an_edited_item_keeps_the_edit(tmp_path):
    browser = open_browser(tmp_path, drafts(2))
    stale = browser.get("/item/1")
    diff = browser.post(browser.get("/item/1/edit").form(step="compare"), step="compare", answer="Lion")
    browser.post(diff.form(step="save"), step="save")
    page = browser.get("/item/1")
    assert "Lion" in page.shown
    browser.decide(page, "accept")
    assert [row["decision"] for row in log_rows(browser)] == ["edit"]
    assert browser.decide(stale, "accept").status == 409, "that page showed the draft"
    browser.post(page.form(decision="reject", reason="outdated"), reason="outdated")
    assert decisions(browser) == {"t-000": "reject"}


def test_a_changed_draft_is_asked_again_and_says_so(tmp_path):
    browser = open_browser(tmp_path, drafts(2))
    browser.decide(browser.get("/item/1"), "accept")
    changed = open_browser(tmp_path, [item_row(0, answer="Lion"), item_row(1)])
    page = changed.get("/item/1")
    assert "This item changed after you decided on it (accepted)" in page.shown
    changed.post(page.form(decision="reject", reason="wrong_answer"), reason="wrong_answer")
    assert decisions(changed) == {"t-000": "reject"}


def test_the_list_leads_to_what_is_skipped_and_to_the_end(tmp_path):
    browser = open_browser(tmp_path, drafts(3))
    page = browser.get("/")
    for decision in ("accept", "skip", "accept"):
        page = browser.decide(page, decision)
    assert "Nothing is left" in page.shown
    assert "Look at the skipped ones (1)" in page.shown
    assert "2 of 3" in browser.get("/?status=skipped").shown
    assert "No item matches" in browser.get("/list?category=none").shown


def test_a_long_list_is_turned_in_pages(tmp_path):
    browser = open_browser(tmp_path, drafts(120))
    counts = [browser.get(f"/list?page={page}").text.count("<li value=") for page in (1, 2, 3, 4, "x", -1)]
    assert counts == [50, 50, 20, 20, 50, 50]


def test_filters_keep_to_their_items(tmp_path):
    browser = open_browser(tmp_path, [item_row(i, category="ab"[i % 2], notes="template=t&x") for i in range(6)])
    page = browser.get("/?category=b&template=t%26x")
    seen = []
    while "of 6" in page.shown and "Nothing is left" not in page.shown:
        seen.append(page.text.split("<h1")[1].split(">")[1].split(" ")[0])
        page = browser.decide(page, "accept")
    assert seen == ["2", "4", "6"]
    assert "3 of 3 decided" in page.shown


def test_a_second_opinion_is_blind(tmp_path):
    row = item_row(
        source="https://leak.example", notes="template=leak", verified_by="human", provenance="leak-template"
    )
    browser = open_browser(tmp_path, [row, row | {"id": "t-001"}], task="second")
    pages = [browser.get(path) for path in ("/item/1", "/list", "/item/1?template=leak")]
    page = browser.post(pages[0].form(decision="wrong"), decision="wrong", note="köhnəlib")
    for one in [*pages, page]:
        for trace in ("leak", "human", "verified", "Template", "t-000"):
            assert trace not in one.text
    assert browser.send("GET", "/item/1/edit").status == 404
    browser.decide(page, "unsure")
    assert [(row["decision"], row.get("note")) for row in log_rows(browser)] == [
        ("wrong", "köhnəlib"),
        ("unsure", None),
    ]


def test_a_baseline_shows_the_question_and_the_rule_and_takes_a_blank(tmp_path):
    browser = open_browser(tmp_path, drafts(2, answer="Gizlincə", answer_en="Hiddenly"), task="baseline")
    page = browser.get("/")
    assert "Do not look anything up" in page.shown
    for trace in ("Gizlincə", "Hiddenly", "capital of"):
        assert trace not in page.text
    page = browser.decide(page, "answer", answer=" Paris ")
    browser.decide(page, "answer", answer="")
    assert [row["answer"] for row in log_rows(browser)] == ["Paris", ""]
    assert "answered: Paris" in browser.get("/item/1").shown
    assert "answered: (empty)" in browser.get("/item/2").shown


@pytest.mark.parametrize("label", ["factual", "format", "wrong_language", "unrelated"])
def test_errors_are_labelled_without_the_model_s_name(tmp_path, label):
    browser = open_browser(tmp_path, [FAILURE], task="errors")
    page = browser.get("/")
    assert "Paytaxt?" in page.shown
    done = browser.decide(page, label)
    for one in (page, done, browser.get("/item/1")):
        assert "org/one" not in one.text
    assert decisions(browser) == {"az-1@org/one": label}


def test_scores_are_whole_points_on_every_criterion(tmp_path):
    browser = open_browser(tmp_path, [ATTEMPT], task="score")
    page = browser.get("/")
    assert 'dir="rtl"' in page.text
    for bad in ({}, {"points0": "3"}, {"points0": "3", "points1": "6"}, {"points0": "3", "points1": "٣"}):
        refused = browser.decide(page, "score", **bad)
        assert refused.status == 422
        assert "give every criterion" in refused.shown
    assert log_rows(browser) == []
    browser.decide(page, "score", points0="0", points1="5", note="yaxşı")
    (row,) = log_rows(browser)
    assert (row["criteria"], row["note"]) == ({"dialect": 0, "tone": 5}, "yaxşı")
    assert browser.get("/item/1").form(decision="score").fields["points1"] == "5"


def test_the_language_is_switched_and_kept(tmp_path):
    browser = open_browser(tmp_path, drafts(2))
    assert 'lang="en"' in browser.get("/item/1").text
    assert "Qəbul et" in browser.get("/item/1?lang=az").shown
    assert "Qəbul et" in browser.get("/item/2").shown
    assert "Accept" in browser.get("/item/2?lang=en").shown
    assert "Accept" in browser.get("/item/2?lang=xx").shown
    browser.cookies.pop("alifba_8000_lang")
    assert "Qəbul et" in browser.get("/item/1", accept_language="az-AZ,en;q=0.5").shown


@pytest.mark.parametrize("text", HOSTILE)
def test_items_are_data_and_never_markup(tmp_path, text):
    row = item_row(
        **dict.fromkeys(("question_az", "question_en", "answer", "answer_en", "category", "source"), text),
        answer_aliases=[text],
        provenance=text,
        notes=f"template={text}",
        id=text,
    )
    browser = open_browser(tmp_path, [row, item_row(1)])
    pages = [browser.get(path) for path in ("/item/1", "/item/1/edit", "/list")]
    form = pages[1].form(step="compare")
    assert form.fields["answer"] == text
    pages.append(browser.post(form, step="compare", answer=f"{text}!"))
    pages.append(browser.post(pages[0].form(decision="reject", reason=""), reason=text))
    pages.append(browser.get("/item/1"))
    for page in pages:
        assert page.status == 200
        assert page.text.count("<script") == 1
        assert "<img" not in page.text
        names = {name for name, _ in page.attributes}
        assert not {name for name in names if name.startswith("on")}
        assert not [value for name, value in page.attributes if name == "href" and not value.startswith("/")]
        assert "49" not in page.shown
    assert log_rows(browser)[0]["reason"] == text.strip()


@given(st.text(max_size=80))
def test_any_reason_comes_back_from_the_log_as_it_was_typed(one_browser, text):
    page = one_browser.get("/item/1")
    one_browser.post(page.form(decision="reject", reason=""), reason=text)
    made = one_browser.worklist.log.replay.in_force.get("t-000")
    if text.strip():
        assert made.reason == unicodedata.normalize("NFC", text).strip()


@pytest.fixture(scope="module")
def one_browser(tmp_path_factory):
    return open_browser(tmp_path_factory.mktemp("project"), drafts(1))


@pytest.mark.parametrize(
    ("source", "followed"),
    [
        ("https://www.wikidata.org/wiki/Q90", True),
        ("http://example.org/ə", True),
        ("javascript:alert(1)", False),
        ("JaVaScRiPt:alert(1)", False),
        (" https://example.org", False),
        ("https://example.org\njavascript:", False),
        ("data:text/html,x", False),
        ("//example.org", False),
        ("CLDR 49 via babel", False),
    ],
)
def test_only_web_addresses_are_links(tmp_path, source, followed):
    assert is_link(source) == followed
    page = open_browser(tmp_path, [item_row(source=source)]).get("/item/1")
    outside = [value for name, value in page.attributes if name == "href" and not value.startswith("/")]
    outside += [value for name, value in page.attributes if name == "href" and value.startswith("//")]
    assert outside == ([source] if followed else [])
    assert ("rel", "noopener noreferrer") in page.attributes or not followed


def test_a_damaged_log_stops_the_work_and_tells_the_client_no_trace(tmp_path):
    browser = open_browser(tmp_path, drafts(2))
    page = browser.get("/item/1")
    browser.decide(page, "accept")
    path = browser.worklist.log.path
    path.write_bytes(b"{}\n" + path.read_bytes())
    for answer in (browser.get("/item/2"), browser.post(page.form(decision="accept"), decision="accept")):
        assert answer.status == 500
        assert "the log could not be used" in answer.shown
        assert "Traceback" not in answer.text
        assert str(tmp_path) not in answer.text


def test_a_fault_of_ours_tells_the_client_no_trace(tmp_path, monkeypatch):
    browser = open_browser(tmp_path, drafts(1))

    def broken(*_):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(browser.worklist, "neighbours", broken)
    page = browser.get("/item/1")
    assert page.status == 500
    assert "Something went wrong" in page.shown
    assert "secret" not in page.text
    assert "content-security-policy" in page.headers


def test_what_a_kill_cut_off_is_said_until_the_next_decision(tmp_path):
    first = open_browser(tmp_path, drafts(3))
    first.decide(first.get("/item/1"), "accept")
    path = first.worklist.log.path
    path.write_bytes(path.read_bytes() + b'{"id": "tor')
    again = open_browser(tmp_path, drafts(3))
    page = again.get("/")
    assert "2 of 3" in page.shown
    assert "was cut off" in page.shown
    assert "was cut off" not in again.decide(page, "accept").shown
    assert DecisionLog(tmp_path / "decisions", "review", "ayla").mended == []
