"""The prompts, against the protocol's own sentences as the source document prints them."""

from __future__ import annotations

import pytest
from vision_kit import few_items, item, png

from alifba.errors import InputError
from alifba.hieratic.planning import plan
from alifba.hieratic.prompts import message, prompt_text
from alifba.paths import repo_root

SOURCE = repo_root().parent / "shared" / "spec" / "sources" / "hieratic.txt"

# Line breaks: "identify = question, blank line, finish line, label line; the others = hint line, task line, blank line,
# finish line, label line". Sentences: HieraticBench 0.1.0, "The prompts".
IDENTIFY = """Can you identify and translate this script?

Finish your answer with one final line in exactly this format:
SCRIPT: <the name of the writing system, or UNKNOWN>"""
SINGLE = """This image shows Egyptian hieratic, the cursive script of ancient Egypt, written with a reed brush or pen. \
It contains a single sign.
Which hieroglyph does this hieratic sign correspond to? Give its code in Gardiner's sign list \
(category letters followed by a number, no spaces inside a code).

Finish your answer with one final line in exactly this format:
SIGNS: <one Gardiner code>"""


def test_the_lines_of_a_prompt():
    assert prompt_text(item(), "identify") == IDENTIFY
    assert prompt_text(item(gardiner=["G17"]), "signs") == SINGLE
    assert prompt_text(item(gardiner=["G17"]), "identify") == IDENTIFY
    for rung in ("signs", "transliterate", "translate"):
        hint, task, blank, finish, label = prompt_text(item(), rung).split("\n")
        assert (blank, finish) == ("", "Finish your answer with one final line in exactly this format:")
        assert hint.endswith("reed brush or pen.")
        assert task
        assert label.endswith(">")


@pytest.mark.parametrize(
    ("heading", "rung", "changes"),
    [
        ("Identify", "identify", {}),
        ("Signs, for a sentence", "signs", {}),
        ("Signs, for a single sign", "signs", {"gardiner": ["G17"]}),
        ("Transliterate", "transliterate", {}),
        ("Translate", "translate", {}),
    ],
)
def test_every_sentence_is_that_of_the_source(heading, rung, changes):
    if not SOURCE.is_file():
        pytest.skip("the source document (../shared/spec/sources/hieratic.txt) is not beside this checkout")
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    printed = lines[lines.index(heading) + 1]
    assert " ".join(prompt_text(item(**changes), rung).split()) == printed


def test_a_message_is_one_image_and_one_text(tmp_path):
    entry = few_items(tmp_path)["wm-001"]
    sent = message(entry.item, "identify", entry.read_image())
    assert (sent.text, sent.system, sent.schema) == (IDENTIFY, None, None)
    assert [image.data for image in sent.images] == [png(0)]


def test_a_plan_asks_sealed_items_more_often_and_keeps_its_order(tmp_path):
    items = few_items(tmp_path)
    keys = [job.key for job in plan(items)]
    assert len(keys) == len(set(keys)) == 2 + 2 + 4 * 3
    assert keys[:3] == [("aku-001", "signs", 0), ("aku-002", "signs", 0), ("hb-001", "identify", 0)]
    assert [key for key in keys if key[1] == "translate"] == [("hb-001", "translate", n) for n in range(3)]


def test_a_plan_leaves_out_what_is_not_wished(tmp_path):
    items = few_items(tmp_path)
    assert {job.item.id for job in plan(items, only=["aku-"])} == {"aku-001", "aku-002"}
    assert {job.rung for job in plan(items, rungs=["signs"])} == {"signs"}
    assert {job.item.id for job in plan(items, rungs=["identify"], limit=2)} == {"hb-001", "met-002"}
    assert len(plan(items, only=["wm-001"], samples=5)) == 5
    with pytest.raises(InputError, match=r"no such rung\n.*\n.*did you mean 'signs'"):
        plan(items, rungs=["sings"])
    with pytest.raises(InputError, match="no item has this id"):
        plan(items, only=["wm-001", "cbl"])
