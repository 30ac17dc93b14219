"""The words: every language has all of them, with the same places to fill."""

from __future__ import annotations

import re
import unicodedata
from importlib.resources import files
from string import Formatter

import pytest

from alifba.annotate.runlog import INTERFACES, OUTCOMES, SETTING
from alifba.annotate.tasks import load_task
from alifba.annotate.wording import choose, wordings
from alifba.decisions import DECISIONS, SKIP

DATA = files("alifba.annotate") / "data"
ENGLISH = wordings()["en"]


def places(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("code", sorted(wordings()))
def test_a_language_says_all_that_english_says(code):
    other = wordings()[code]
    assert set(other.words) == set(ENGLISH.words)
    assert {key: places(text) for key, text in other.words.items()} == {
        key: places(text) for key, text in ENGLISH.words.items()
    }
    assert all(text.strip() for text in other.words.values())
    assert other.dir in ("ltr", "rtl")


def test_azerbaijani_is_written_with_its_own_letters():
    # A dotless capital or an i with a combining dot comes from casing by the wrong rules; ä from another keyboard.
    text = " ".join(wordings()["az"].words.values())
    assert set("əğışçöü") <= set(text)
    assert not set(text) & set("\u0307äÄăаеоӘә")


def test_arabic_is_written_in_arabic_script_from_right_to_left_with_its_own_digits():
    arabic = wordings()["ar"]
    assert arabic.dir == "rtl"
    assert [unicodedata.digit(sign) for sign in arabic.digits] == list(range(10))
    assert arabic("place", place=12, total=345) == "١٢ من ٣٤٥"
    for text in arabic.words.values():
        assert not re.search("[A-Za-z0-9]", re.sub(r"\{\w+\}", "", text)), text
        # Farsi and Urdu keyboards write other letters that look alike.
        assert not set(text) & set("یکەہ,;?")
    assert wordings()["en"]("place", place=12, total=345) == "12 of 345"


def test_every_word_of_a_page_is_known_and_no_word_is_unused():
    pages = "".join(path.read_text(encoding="utf-8") for path in DATA.iterdir() if path.name.endswith(".html"))
    code = "".join(
        path.read_text(encoding="utf-8") for path in files("alifba.annotate").iterdir() if path.name.endswith(".py")
    )
    named = set(re.findall(r'\bt\(["\'](\w+)["\'][,)]', pages)) | set(re.findall(r'"([a-z_]+)"', code))
    assert set(re.findall(r'\bt\(["\'](\w+)["\'][,)]', pages)) <= set(ENGLISH.words)
    built = {f"is_{decision}" for task in DECISIONS.values() for decision in (*task, SKIP, "undecided")}
    for name, variant in [*((name, "") for name in DECISIONS), ("score", "blind")]:
        task = load_task(name, variant)
        built |= {f"task_{name}", f"rule_{name}"}
        built |= {f"do_{decision}" for decision in task.decisions}
        built |= {f"reason_{reason}" for reason in task.reasons}
        built |= {field for group in task.fields for field in group} | set(task.filters)
    built |= {"queue_pair", "queue_third"}
    built |= {f"run_{name}" for name in ("run", "time", *SETTING)} | {f"outcome_{outcome}" for outcome in OUTCOMES}
    built |= {f"interface_{interface}" for interface in INTERFACES}
    built |= {f"status_{status}" for status in ("undecided", "decided", "skipped")}
    assert built <= set(ENGLISH.words)
    meanings = {key for key in ENGLISH.words if key.startswith("means_")}
    directions = {"previous", "next"}
    assert set(ENGLISH.words) - named - built - meanings - directions == set()


@pytest.mark.parametrize(
    ("asked", "kept", "accepted", "code"),
    [
        ("", "", "", "en"),
        ("az", "en", "en", "az"),
        ("", "az", "en", "az"),
        ("xx", "yy", "de-DE,az;q=0.8,en;q=0.5", "az"),
        ("", "", "az-Latn-AZ", "az"),
        ("", "", "tr,ru", "en"),
        ("<script>", "\0", ";;;,,,", "en"),
    ],
)
def test_the_language_of_a_page(asked, kept, accepted, code):
    assert choose(asked, kept, accepted).code == code
