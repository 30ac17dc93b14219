"""A real browser: keys, waits, sizes, and what it complains about."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from urllib.parse import urlsplit

from annotate_kit import serving

# Debian's names, then those of other systems.
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")


def resize(browser, width):
    metrics = {"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


@contextmanager
def leaving(browser):
    """What is done inside leads to another page: wait until it is there and ready."""
    from selenium.webdriver.support.ui import WebDriverWait

    browser.execute_script("document.documentElement.dataset.old = 'true'")
    yield
    ready = "const data = document.documentElement.dataset; return data.ready === 'true' && !data.old"
    WebDriverWait(browser, 30).until(lambda driver: driver.execute_script(ready))


def type_keys(browser, *keys):
    """Press keys one after another; a tuple is held down together."""
    from selenium.webdriver.common.action_chains import ActionChains

    for key in keys:
        chain = ActionChains(browser)
        if isinstance(key, tuple):
            chain.key_down(key[0]).send_keys(key[1]).key_up(key[0]).perform()
        else:
            chain.send_keys(key).perform()


def press(browser, *keys):
    """Press keys, the last of which leads to another page."""
    with leaving(browser):
        type_keys(browser, *keys)


def key_down(browser, **event):
    script = "document.body.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, ...arguments[0]}))"
    browser.execute_script(script, event)


def heading(browser):
    return browser.find_element("css selector", "h1").text


def place(browser):
    return int(heading(browser).split()[0])


@contextmanager
def opened(browser, project, **options):
    with serving(project, **options) as (process, _, said):
        browser.get(said.split("Open ")[1].split()[0])
        yield process


def severe(browser):
    """What the console complains about: broken rules of the content policy, script errors, missing files."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def hosts_asked(browser):
    """Every host that the browser sent a request to since the last call; its own first page comes from no host."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]
    return {urlsplit(url).hostname for url in sent if urlsplit(url).scheme not in ("chrome", "data")}
