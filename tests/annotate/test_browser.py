"""The app in a real browser: by keyboard, through a kill, at the width of a phone and of a desk."""

from __future__ import annotations

import json

import pytest
from annotate_kit import make_project
from browser_kit import heading, hosts_asked, key_down, leaving, opened, place, press, resize, severe, type_keys

from alifba.azeval.dataset.build import Places, build
from alifba.decisions import read_decisions
from samples import PILOT, item_row, write_rows

pytestmark = pytest.mark.browser

LONG = "Ən" + "uzun" * 60
FAILURE = {"model": "org/one", "id": "az-1", "gold": LONG, "answer": "Baku", "category": LONG}
ACTING = {"button", "link", "textbox", "radio", "combobox", "DisclosureTriangle", "progressbar"}
PATHS = ("/item/1?lang=en", "/item/1?lang=az", "/item/1?lang=ar", "/list")
ATTEMPT = {"id": "GLF-1", "prompt": "اكتب رسالة", "output": LONG, "criteria": ["dialect", LONG], "dir": "rtl"}


def edit_by_keyboard(browser, field, text):
    from selenium.webdriver.common.keys import Keys

    press(browser, "e")
    box = browser.find_element("id", field)
    box.clear()
    box.send_keys(text)
    press(browser, (Keys.CONTROL, Keys.ENTER))
    assert browser.find_elements("css selector", "del")
    press(browser, Keys.ENTER)


def test_twenty_drafts_by_keyboard_through_undo_edit_and_kill_9(browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    pilot = [json.loads(line) for line in PILOT.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in pilot if row["answer_aliases"]][::30][:20]
    assert len(rows) == 20
    drafts = make_project(tmp_path, rows)
    resize(browser, 1280)
    with opened(browser, tmp_path) as process:
        assert "token" not in browser.current_url
        press(browser, "a")
        press(browser, "a")
        press(browser, "r", "1")
        press(browser, "r", "0", "Sual aydın deyil", Keys.ENTER)
        press(browser, "a")
        press(browser, "a")
        assert place(browser) == 7
        # Two steps back open the sixth and the fifth again; the fifth is rejected this time, the sixth edited.
        press(browser, "u")
        press(browser, "u")
        assert place(browser) == 5
        press(browser, "r", "5")
        edit_by_keyboard(browser, "answer_aliases", "")
        press(browser, "s")
        press(browser, "a")
        assert place(browser) == 9
        process.kill()
        process.wait()
        assert hosts_asked(browser) == {"127.0.0.1"}
        assert severe(browser) == []
    with opened(browser, tmp_path):
        assert place(browser) == 9, "the work goes on where it stopped"
        for _ in range(12):
            press(browser, "a")
        assert heading(browser) == "Nothing is left"
        press(browser, "u")
        assert place(browser) == 20
        press(browser, "a")
        assert hosts_asked(browser) == {"127.0.0.1"}
        assert severe(browser) == []
    decisions = tmp_path / "data/raw/decisions"
    found = read_decisions(decisions, "review")["ayla"]
    expected = dict.fromkeys((row["id"] for row in rows), "accept")
    for number, decision in ((3, "reject"), (4, "reject"), (5, "reject"), (6, "edit"), (7, "skip")):
        expected[rows[number - 1]["id"]] = decision
    assert {item: made.decision for item, made in found.items()} == expected
    reasons = [found[rows[number - 1]["id"]].reason for number in (3, 4, 5)]
    assert reasons == ["wrong_answer", "Sual aydın deyil", "gives_away"]
    built = build(Places((drafts,), decisions, tmp_path / "record", tmp_path / "out"))
    wanted = [row for row in rows if expected[row["id"]] in ("accept", "edit")]
    wanted = [row | {"answer_aliases": []} if expected[row["id"]] == "edit" else row for row in wanted]
    assert {(item.question_az, tuple(item.answer_aliases)) for item in built.gate.items} == {
        (row["question_az"], tuple(row["answer_aliases"])) for row in wanted
    }


def test_a_key_held_down_or_pressed_while_typing_decides_nothing(browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    make_project(tmp_path, [item_row(i) for i in range(3)])
    with opened(browser, tmp_path):
        key_down(browser, key="a", code="KeyA", repeat=True)
        type_keys(browser, (Keys.CONTROL, "a"), (Keys.ALT, "a"))
        type_keys(browser, "?", "a", "s", Keys.ESCAPE)
        type_keys(browser, "r", "a", "s", "0", "a s u e r 1", Keys.ESCAPE)
        assert place(browser) == 1
        assert read_decisions(tmp_path / "data/raw/decisions", "review") == {}
        # The same key on a Cyrillic keyboard, told by its place.
        with leaving(browser):
            key_down(browser, key="ф", code="KeyA")
        assert place(browser) == 2
    assert set(read_decisions(tmp_path / "data/raw/decisions", "review")["ayla"]) == {"t-000"}


def test_single_keys_can_be_switched_off(browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    make_project(tmp_path, [item_row(i) for i in range(2)])
    with opened(browser, tmp_path):
        type_keys(browser, "?")
        browser.find_element("id", "keys").click()
        type_keys(browser, Keys.ESCAPE, "a", "s", Keys.ARROW_RIGHT)
        assert place(browser) == 1
        with leaving(browser):
            browser.find_element("css selector", "button.accept").click()
        assert place(browser) == 2
    assert len(read_decisions(tmp_path / "data/raw/decisions", "review")["ayla"]) == 1


def test_every_task_by_keyboard(browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    make_project(tmp_path, [item_row(i) for i in range(3)])
    write_rows(tmp_path / "data/raw/errors.jsonl", [FAILURE | {"id": f"az-{i}"} for i in range(4)])
    write_rows(tmp_path / "data/raw/score.jsonl", [ATTEMPT])
    with opened(browser, tmp_path, task="second"):
        press(browser, "a")
        press(browser, "r", "köhnəlib", Keys.ENTER)
        press(browser, "n", Keys.ENTER)
    with opened(browser, tmp_path, task="baseline"):
        press(browser, "Paris", Keys.ENTER)
        press(browser, Keys.ENTER)
        press(browser, Keys.ESCAPE, "s")
    with opened(browser, tmp_path, task="errors", file="errors.jsonl"):
        for key in "1234":
            press(browser, key)
    with opened(browser, tmp_path, task="score", file="score.jsonl"):
        press(browser, "5", "0", Keys.ENTER)
    said = {}
    for task in ("second", "baseline", "errors", "score"):
        (log,) = read_decisions(tmp_path / "data/raw/decisions", task).values()
        said[task] = [(made.decision, made.note or made.answer or made.criteria) for made in log.values()]
    assert said == {
        "second": [("correct", None), ("wrong", "köhnəlib"), ("unsure", None)],
        "baseline": [("answer", "Paris"), ("answer", None), ("skip", None)],
        "errors": [(label, None) for label in ("factual", "format", "wrong_language", "unrelated")],
        "score": [("score", {"dialect": 5, LONG: 0})],
    }


@pytest.mark.parametrize("task", ["review", "second", "baseline", "errors", "score"])
def test_nothing_overflows_and_everything_has_a_name(browser, tmp_path, task):
    long = {"question_az": f"{LONG}?", "answer": LONG, "category": LONG, "answer_aliases": [LONG, "a"]}
    rows = {"errors": [FAILURE], "score": [ATTEMPT]}
    make_project(tmp_path, rows.get(task, [item_row(0, **long, notes=f"template={LONG}", source=f"https://{LONG}")]))
    with opened(browser, tmp_path, task=task):
        base = browser.current_url.split("/item")[0]
        for width in (360, 1280):
            resize(browser, width)
            for path in (*PATHS, *(["/item/1/edit"] if task == "review" else [])):
                browser.get(base + path)
                inner, outer = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
                assert inner <= outer == width, path
                nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
                acting = [node for node in nodes if node.get("role", {}).get("value") in ACTING and not node["ignored"]]
                assert len(acting) > 4
                assert [node["role"] for node in acting if not node.get("name", {}).get("value", "").strip()] == []
        assert severe(browser) == []
