"""A key file: readings by item id, what repeats another item, and errors that show nothing of it."""

from __future__ import annotations

import json

import pytest
from vision_kit import SECRET, item

from alifba.errors import InputError
from alifba.hieratic.judging import judge
from alifba.hieratic.keys import load_key

READINGS = {"signs": [["G17", "X1"]], "transliteration": ["sḏm.f"], "translation": ["He hears."]}


def key_of(tmp_path, content):
    path = tmp_path / "key.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return load_key(path)


def test_a_key_scores_the_sealed_rungs_also_of_the_same_text_in_another_hand(tmp_path):
    key = key_of(tmp_path, {"hb-1": READINGS, "hb-2": {"sameAs": "hb-1"}})
    third = item(id="hb-3", sameTextAs="hb-2", split="sealed")
    for asked in (item(id="hb-1", split="sealed"), item(id="hb-2", split="sealed"), third):
        answers = key.of(asked)
        assert judge("G17 X1", asked, "signs", answers).value == 1
        assert judge("sDm=f", asked, "transliterate", answers).value == 1
        assert judge("he hears.", asked, "translate", answers).value == 1
        assert judge(None, asked, "translate", answers).detail == "no TRANSLATION line"
    assert judge("x", item(id="hb-4"), "translate", key.of(item(id="hb-4"))).value is None
    assert load_key(None) == {}


@pytest.mark.parametrize(
    "content",
    [
        "{" + SECRET,
        [SECRET],
        {"hb-1": SECRET},
        {"hb-1": {}},
        {"hb-1": {"translation": SECRET}},
        {"hb-1": {"translaton": [SECRET]}},
        {"hb-1": {"translation": [SECRET, " "]}},
        {"hb-1": {"signs": [[]], "translation": [SECRET]}},
        {"hb-1": {"transliteration": ["..."], "translation": [SECRET]}},
        {"hb-1": READINGS | {"sameAs": "hb-2"}},
        {"hb-1": {"sameAs": "hb-9"}},
        {"hb-1": {"sameAs": "hb-2"}, "hb-2": {"sameAs": "hb-1"}},
    ],
)
def test_a_broken_key_is_refused_without_a_word_of_it(tmp_path, content):
    with pytest.raises(InputError) as caught:
        key_of(tmp_path, content)
    assert "baker" not in str(caught.value)
