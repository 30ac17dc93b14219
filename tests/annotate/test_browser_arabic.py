"""A tool is reviewed in a real browser, from its first prompt to its composite: in Arabic, by keyboard."""

from __future__ import annotations

import pytest
from browser_kit import heading, hosts_asked, key_down, leaving, opened, press, resize, severe, type_keys
from tools_kit import PROJECT, log_attempt, log_prescore, make_tools_project

from alifba.arabic.aggregate import aggregate
from alifba.arabic.logs import read_logs

pytestmark = pytest.mark.browser

LONG = "كلمة" * 60
# Points of the three people on the three attempts (None: a refusal). By hand: (4.5 + 3) / 2 of 5 -> 75; 0; the third
# settles 5 against 1 by the median of 5, 1, 4, the other criterion stays the mean of 2 and 2: (4 + 2) / 2 of 5 -> 60.
POINTS = {
    "demo-noura": {"جواب ١": (4, 3), "جواب ٢": None, "جواب ٣": (5, 2)},
    "demo-salma": {"جواب ١": (5, 3), "جواب ٢": None, "جواب ٣": (1, 2)},
    "demo-reem": {"جواب ٣": (4, 3)},
}
MEDIAN = 60
CELL = "مستعد؟ (v2) – 100%"


def shown_output(browser):
    return browser.find_element("css selector", "dd.output").text


def score(browser, name):
    """Score the answer on the page by keyboard, as `name` sees it."""
    from selenium.webdriver.common.keys import Keys

    points = POINTS[name][shown_output(browser)]
    if points is None:
        press(browser, "x", "اعتذر", Keys.ENTER)
    else:
        # The second digit as an Arabic keyboard may write it.
        type_keys(browser, str(points[0]))
        key_down(browser, key="٠١٢٣٤٥"[points[1]], code=f"Digit{points[1]}")
        press(browser, Keys.ENTER)


def log_by_hand(browser, output):
    from selenium.webdriver.common.keys import Keys

    browser.find_element("id", "output").send_keys(output)
    for name, value in (("plan", "free"), ("model_version", "x-1")):
        box = browser.find_element("name", name)
        if not box.get_attribute("readonly"):
            box.send_keys(value)
    browser.find_element("name", "fresh_session").click()
    press(browser, (Keys.CONTROL, Keys.ENTER))


def test_two_scorers_one_disagreement_a_third_and_the_composite(browser, tmp_path):
    project = make_tools_project(tmp_path)
    resize(browser, 1280)
    with opened(browser, tmp_path, task="log", file=PROJECT, annotator="demo-hani") as process:
        log_by_hand(browser, "جواب ١")
        process.kill()
        process.wait()
    with opened(browser, tmp_path, task="log", file=PROJECT, annotator="demo-hani"):
        for output in ("جواب ٢", "جواب ٣"):
            log_by_hand(browser, output)
        assert severe(browser) == []
    assert [one.output for one in read_logs(project).attempts.values()] == ["جواب ١", "جواب ٢", "جواب ٣"]

    with opened(browser, tmp_path, task="score", file=PROJECT, annotator="demo-noura") as process:
        score(browser, "demo-noura")
        process.kill()
        process.wait()
    with opened(browser, tmp_path, task="score", file=PROJECT, annotator="demo-noura"):
        assert heading(browser) == "٢ من ٣", "the work goes on where it stopped"
        score(browser, "demo-noura")
        score(browser, "demo-noura")
        assert heading(browser) == "لم يبقَ شيء"
    with opened(browser, tmp_path, task="score", file=PROJECT, annotator="demo-salma"):
        score(browser, "demo-salma")
        press(browser, "u")
        assert heading(browser) == "١ من ٣"
        for _ in range(3):
            score(browser, "demo-salma")
        assert severe(browser) == []
    (falcon, *_) = aggregate(project, read_logs(project))
    assert falcon.composite is None
    assert "third scorer for GM-02 attempt 3" in " ".join(one.text("en") for one in falcon.missing)

    with opened(browser, tmp_path, task="score", file=PROJECT, annotator="demo-reem"):
        assert "تقييم ثالث" in browser.find_element("id", "main").text
        score(browser, "demo-reem")
        assert heading(browser) == "لم يبقَ شيء"
        assert hosts_asked(browser) == {"127.0.0.1"}
    (falcon, *_) = aggregate(project, read_logs(project))
    assert falcon.composite == MEDIAN


def direction(browser, selector):
    script = "return getComputedStyle(document.querySelector(arguments[0])).direction"
    return browser.execute_script(script, selector)


def places(browser, selector):
    """Where each element begins, from the left."""
    script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.getBoundingClientRect().left)"
    return browser.execute_script(script, selector)


def test_the_arabic_page_is_set_from_right_to_left_with_arabic_numerals(browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    project = make_tools_project(tmp_path)
    for number in (1, 2):
        log_attempt(project, number, output=f"{CELL}\nEnglish first, ثم العربية.")
    resize(browser, 1280)
    with opened(browser, tmp_path, task="score", file=PROJECT, annotator="demo-noura"):
        assert browser.execute_script("return document.documentElement.lang") == "ar"
        assert direction(browser, "body") == "rtl"
        assert heading(browser) == "١ من ٢"
        labels = [one.text.split("\n")[0].split()[0] for one in browser.find_elements("css selector", ".points label")]
        assert labels == list("٠١٢٣٤٥") * 2
        first = places(browser, "fieldset.points:first-of-type label")[:6]
        assert first == sorted(first, reverse=True), "0 stands at the right"
        back, on = places(browser, "main nav > *")
        assert on < back, "the next one lies to the left"
        # Each paragraph of an answer takes its own direction, and nothing of it is changed.
        lines = browser.find_elements("css selector", "dd.output > div")
        assert [line.text for line in lines] == [CELL, "English first, ثم العربية."]
        assert [direction(browser, f"dd.output > div:nth-child({n})") for n in (1, 2)] == ["rtl", "ltr"]
        for key, there in ((Keys.ARROW_LEFT, "٢ من ٢"), (Keys.ARROW_RIGHT, "١ من ٢")):
            # Within the points an arrow chooses among them.
            browser.execute_script("document.activeElement.blur()")
            press(browser, key)
            assert heading(browser) == there
        with leaving(browser):
            browser.find_element("css selector", "a[hreflang=en]").click()
        assert heading(browser) == "1 of 2"
        assert direction(browser, "body") == "ltr"


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_of_a_project_overflows(browser, tmp_path, width):
    tool = {"id": "falcon", "kind": "game", "name_en": LONG, "name_ar": LONG}
    project = make_tools_project(tmp_path, tools=[tool])
    first = log_attempt(project, 1, output=LONG, model_version=LONG)
    log_attempt(project, 2, outcome="refusal", output="", note=LONG, model_version=LONG)
    log_prescore(project, first, [2, 1])
    resize(browser, width)
    for task in ("score", "log"):
        with opened(browser, tmp_path, task=task, file=PROJECT, annotator="demo-noura"):
            base = browser.current_url.split("/item")[0].rstrip("/").split("?")[0]
            if task == "score":
                press(browser, "p")
                assert "٢" in browser.find_element("css selector", ".offer").text
            paths = {"score": ("/item/1", "/list"), "log": ("/", "/?item=GM-02&attempt=1")}[task]
            for path in paths:
                for language in ("ar", "en"):
                    browser.get(f"{base}{path}{'&' if '?' in path else '?'}lang={language}")
                    inner, outer = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
                    assert inner <= outer == width, path
                    assert unnamed(browser) == [], path
            assert severe(browser) == []


def unnamed(browser):
    """Roles of everything that can be acted on and has no name for a screen reader."""
    acting = {"button", "link", "textbox", "radio", "checkbox", "combobox", "progressbar"}
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    found = [node for node in nodes if node.get("role", {}).get("value") in acting and not node["ignored"]]
    assert len(found) > 4
    return [node["role"]["value"] for node in found if not node.get("name", {}).get("value", "").strip()]


def test_the_prompt_is_copied_word_for_word(browser, tmp_path):
    from selenium.webdriver.support.ui import WebDriverWait

    project = make_tools_project(tmp_path)
    with opened(browser, tmp_path, task="log", file=PROJECT, annotator="demo-hani"):
        browser.execute_cdp_cmd(
            "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
        )
        button = browser.find_element("css selector", "[data-copies]")
        button.click()
        WebDriverWait(browser, 30).until(lambda _: button.text == "نُسخ")
        copied = browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
        assert copied == project.items[0].prompt
