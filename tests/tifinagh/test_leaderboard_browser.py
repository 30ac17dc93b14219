"""The leaderboard page in a real browser: a phone and a desk, by keyboard, for a screen reader, without a network."""

from __future__ import annotations

import json
import shutil
import subprocess
from io import BytesIO

import pytest
from leaderboard_kit import LETTERS, LOWER, write_run, write_season
from PIL import Image

from alifba.tifinagh.leaderboard import write_pages
from alifba.tifinagh.power import power_table
from alifba.tifinagh.ranking import HEADLINES, board, read_runs
from alifba.tifinagh.records import DIALECTS

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FC_LIST = shutil.which("fc-list")
ACTING = {"button", "link", "DisclosureTriangle", "table", "region", "navigation"}


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
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


def site(runs, folder):
    found = read_runs(runs)
    boards = [board(found, headline) for headline in HEADLINES]
    written = write_pages(boards, found, power_table(boards), folder)
    return {path.name.split(".")[1]: path.as_uri() for path in written}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("season")
    return site(write_season(folder / "runs"), folder)


@pytest.fixture(scope="module")
def long_names(tmp_path_factory):
    """Runs with names that have no place to break, and without a judge."""
    folder, waiting = tmp_path_factory.mktemp("long"), {(dialect, "tif-to-en"): "judge" for dialect in DIALECTS}
    for slug in ("a" * 70, "b" * 70):
        write_run(folder / "runs", slug, LOWER | LETTERS, judge=None, waiting=waiting)
    return site(folder / "runs", folder)


def resize(browser, width):
    metrics = {"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("which", ["pages", "long_names"])
def test_nothing_overflows_and_everything_has_a_name(request, browser, which, width):
    for code, address in request.getfixturevalue(which).items():
        resize(browser, width)
        browser.get(address)
        browser.execute_script("document.querySelectorAll('details').forEach(part => part.open = true)")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        # The ranking itself is read without scrolling sideways; wide tables scroll in a region of their own.
        tables = "[...document.querySelectorAll('.ranking')]"
        widths = browser.execute_script(f"return {tables}.map(one => [one.scrollWidth, one.parentNode.clientWidth])")
        assert all(inner <= outer for inner, outer in widths)
        sizes = "[...document.querySelectorAll('body *')].map(one => parseFloat(getComputedStyle(one).fontSize))"
        assert browser.execute_script(f"return Math.min(...{sizes})") >= 13
        nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        acting = [node for node in nodes if node["role"]["value"] in ACTING and not node["ignored"]]
        nameless = [node["role"]["value"] for node in acting if not node.get("name", {}).get("value")]
        assert set(nameless) <= {"table"}, code  # a table stands in a named region
        assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_tables_have_headers_for_a_screen_reader(browser, pages):
    browser.get(pages["fr"])
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
    assert roles.count("columnheader") >= 4 * 2
    # A header a run, in both rankings.
    assert roles.count("rowheader") >= 10
    names = [node["name"]["value"] for node in nodes if node["role"]["value"] == "region"]
    assert "Score TifinaghBench" in names


def test_a_painted_band_lies_between_two_tiers(browser, pages):
    resize(browser, 360)
    browser.get(pages["en"])
    script = """return [...document.querySelectorAll('.ranking')].map(table => [...table.tBodies].map(body => {
        const band = body.querySelector('.band'), box = band && band.getBoundingClientRect()
        return [body.rows.length - 1, box ? [box.width, box.height, box.top] : null, body.getBoundingClientRect().top]
    }))"""
    for tiers in browser.execute_script(script):
        assert [band is None for _, band, _ in tiers] == [True, False, False]
        for _, (width, height, top), start in tiers[1:]:
            assert width > 300
            assert height >= 16
            assert top == pytest.approx(start, abs=2)
    # Painted, not an empty box: the band has many colours.
    shot = Image.open(BytesIO(browser.find_element("css selector", ".band").screenshot_as_png)).convert("RGB")
    counted = sorted((n for n, _ in shot.getcolors(1 << 16)), reverse=True)
    assert len(counted) > 10
    assert counted[0] < 0.8 * shot.width * shot.height


def test_by_keyboard_to_the_ranking_and_to_the_other_language(browser, pages):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    resize(browser, 1280)
    browser.get(pages["en"])

    def press(*keys):
        for key in keys:
            ActionChains(browser).send_keys(key).perform()
        return browser.switch_to.active_element

    skip = press(Keys.TAB)
    assert skip.text == "Skip to the ranking"
    assert skip.is_displayed()
    assert skip.rect["x"] >= 0
    press(Keys.ENTER)
    assert browser.execute_script("return location.hash") == "#ranking"
    browser.get(pages["en"])
    french = press(Keys.TAB, Keys.TAB, Keys.TAB)
    assert (french.text, french.get_attribute("lang")) == ("Français", "fr")
    outline = browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    press(Keys.ENTER)
    assert browser.find_element("tag name", "h1").text == "Classement TifinaghBench"
    assert browser.execute_script("return document.documentElement.lang") == "fr"


def test_a_wide_table_scrolls_by_keyboard_on_a_phone(browser, pages):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    resize(browser, 360)
    browser.get(pages["en"])
    region = browser.find_element("css selector", ".scroll[aria-labelledby='cells-1']")
    browser.execute_script("arguments[0].focus()", region)
    for _ in range(4):
        ActionChains(browser).send_keys(Keys.ARROW_RIGHT).perform()

    WebDriverWait(browser, 10).until(lambda driver: driver.execute_script("return arguments[0].scrollLeft", region) > 0)


def test_no_request_leaves_the_file(browser, pages):
    browser.get_log("performance")
    for address in pages.values():
        browser.get(address)
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]
    assert set(sent) == set(pages.values())


def test_tifinagh_letters_have_a_glyph(browser, pages):
    installed = subprocess.run([FC_LIST, ":charset=2d63"], capture_output=True, text=True) if FC_LIST else None
    if installed is None or not installed.stdout.strip():
        pytest.skip("this machine has no font with Tifinagh letters (Debian: apt-get install fonts-dejavu-core)")
    browser.get(pages["en"])
    for command in ("DOM.enable", "CSS.enable"):
        browser.execute_cdp_cmd(command, {})
    root = browser.execute_cdp_cmd("DOM.getDocument", {})["root"]["nodeId"]
    found = browser.execute_cdp_cmd("DOM.querySelectorAll", {"nodeId": root, "selector": "[lang=zgh-Tfng]"})["nodeIds"]
    assert len(found) > 10
    known = ("Noto Sans Tifinagh", "Ebrima", "Tifinaghe-Ircam Unicode", "DejaVu Sans")
    for node in found:
        fonts = browser.execute_cdp_cmd("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        assert [font["familyName"] for font in fonts if font["familyName"] in known], fonts
