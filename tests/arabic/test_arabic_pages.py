"""The published pages in a real browser: direction, numerals, and no overflow at the width of a phone."""

from __future__ import annotations

import shutil

import pytest
from arabic_kit import TOOL, agree, give, item_row, log_attempts, make_project, review, six_sections
from test_publishing import SHIPPED, WANTED, published

from alifba.arabic.project import load_project

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
LONG = "Zarqa" + "long" * 40


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not CHROMIUM or not DRIVER:
        pytest.skip("needs chromium and chromedriver (Debian: apt-get install chromium chromium-driver)")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in ("headless", "no-sandbox", "disable-gpu", "disable-background-networking", "no-first-run"):
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A tool with every number and a long name, one attempt of which was decided by a third."""
    folder = tmp_path_factory.mktemp("site")
    project = six_sections(folder, tools=[TOOL | {"name_en": LONG, "links": {"home": "https://example.org/"}}])
    for prefix, points in WANTED.items():
        agree(project, f"{prefix}-01", [points] * 3)
    give(project, "demo-hani", "MSA-01", 1, [4, 1], "second")
    give(project, "demo-layth", "MSA-01", 1, [4, 4], "third")
    review(project)
    published(project, folder / "out")
    published(load_project(SHIPPED), folder / "shipped")
    return folder


def open_at(browser, path, width):
    metrics = {"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(path.as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")


PAGES = ["out/ar", "out/en", "out/transcripts/zarqa-2026-11.ar", "out/transcripts/zarqa-2026-11.en"]


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("page", [*PAGES, "shipped/ar", "shipped/en"])
def test_nothing_overflows(browser, site, page, width):
    open_at(browser, site / f"{page}.html", width)
    # The layout viewport would grow with the content on a phone: both must be what was asked for.
    inner, outer = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert inner <= outer == width
    clipped = browser.execute_script(
        "const all = [...document.querySelectorAll('main *, header *, footer *')];"
        "return all.filter(one => { const box = one.getBoundingClientRect();"
        "return box.width > 2 && !one.closest('.wide thead') && (box.left < -1 || box.right > innerWidth + 1) })"
        ".map(one => one.outerHTML.slice(0, 80))"
    )
    assert clipped == []
    assert browser.get_log("browser") == []


def text_of(browser, selector):
    return [one.text for one in browser.find_elements("css selector", selector)]


def test_the_arabic_page_runs_right_to_left_in_arabic_numerals(browser, site):
    open_at(browser, site / "out" / "ar.html", 1280)
    direction = "return getComputedStyle(document.documentElement).direction"
    assert browser.execute_script(direction) == "rtl"
    # The first column of a table stands to the right of the second.
    first, second = (
        browser.execute_script(f"return document.querySelector('#results {cell}').getBoundingClientRect().left")
        for cell in ("tbody th", "tbody td")
    )
    assert first > second
    # Check values of the protocol: 68.5714 and (8, 7, 6, 9, 5), half up, in Arabic-Indic digits.
    cells = text_of(browser, "#results tbody td.num")
    assert cells[:8] == ["٧٢", "٦٩", "٨٠", "٦٠", "٧٠", "٥٠", "٩٠", "٤٠"]
    # No digit of ours is Western: those that are left belong to ids, names, addresses and prompts.
    said = browser.execute_script(
        "document.querySelectorAll('bdi, blockquote, style, a, #results tbody th').forEach(one => one.remove());"
        "return document.body.innerText.replace(/\\u2066[^\\u2069]*\\u2069/g, '')"
    )
    assert [line for line in said.splitlines() if any(digit in line for digit in "0123456789")] == [
        "الدرجات منشورة برخصة CC BY 4.0."
    ]


def test_an_item_id_reads_from_left_to_right_inside_arabic(browser, site):
    open_at(browser, site / "shipped" / "ar.html", 360)
    for node in browser.find_elements("css selector", "bdi"):
        assert browser.execute_script("return getComputedStyle(arguments[0]).direction", node) == "ltr"
    # In a sentence the id is fenced off by isolates: its letters stand to the left of its number.
    left = (
        "const item = [...document.querySelectorAll('li')].find(one => one.textContent.includes('DIA-01'));"
        "const text = item.firstChild, at = text.data.indexOf('DIA-01');"
        "const x = place => { const range = document.createRange(); range.setStart(text, place);"
        "range.setEnd(text, place + 1); return range.getBoundingClientRect().left };"
        "return [x(at), x(at + 4), x(text.data.indexOf('عيّنة'))]"
    )
    letter, digit, word = browser.execute_script(left)
    assert letter < digit < word


def test_the_english_page_runs_left_to_right_and_each_leads_to_the_other(browser, site):
    open_at(browser, site / "out" / "en.html", 1280)
    assert browser.execute_script("return getComputedStyle(document.documentElement).direction") == "ltr"
    assert text_of(browser, "#results tbody td.num")[:2] == ["72", "69"]
    prompt = browser.find_element("css selector", "blockquote")
    assert browser.execute_script("return getComputedStyle(arguments[0]).direction", prompt) == "rtl"
    browser.find_element("css selector", "header a").click()
    assert browser.execute_script("return document.documentElement.lang") == "ar"
    browser.find_element("css selector", "a[href^='transcripts/']").click()
    assert "٧٠" not in text_of(browser, "h1")[0]
    assert len(text_of(browser, "h3")) == 18


def test_the_transcript_shows_three_scorers_where_a_third_was_called(browser, site):
    open_at(browser, site / "out" / "transcripts" / "zarqa-2026-11.en.html", 360)
    heads = [text.split() for text in text_of(browser, "thead tr")]
    assert sum("Third" in head for head in heads) == 1
    # Naturalness was 4 and 1, the third gave 4: the median is 4.
    rows = [text for text in text_of(browser, "tbody tr") if text.startswith("Sounds natural 4")]
    assert rows.count("Sounds natural 4 1 4 4") == 1


def test_a_tool_without_a_score_says_what_is_missing(browser, tmp_path):
    project = make_project(tmp_path, [item_row("GLF-01")])
    log_attempts(project, "GLF-01")
    give(project, "demo-hani", "GLF-01", 3, [4, 4])
    published(project, tmp_path)
    open_at(browser, tmp_path / "en.html", 360)
    assert "Gulf: second scorer for GLF-01 attempt 3" in text_of(browser, "li")
    open_at(browser, tmp_path / "ar.html", 360)
    assert "الخليجية: المقيّم الثاني للمحاولة ٣ من \u2066GLF-01\u2069" in text_of(browser, "li")
