"""Labels of the pilot set come from Unicode's own names."""

from __future__ import annotations

import numpy as np
import pytest

from alifba.hieratic.categories import category
from alifba.hieratic.pilot.lines import writings
from alifba.hieratic.pilot.signs import chosen_signs, gardiner_code, signs
from alifba.text.egyptian import gardiner_codes

CATEGORIES = [*"ABCDEFGHIKLMNOPQRSTUVWXYZ", "Aa"]


# The Unicode chart U+13000: code points and names as printed there.
@pytest.mark.parametrize(
    ("point", "code"),
    [(0x13000, "A1"), (0x13153, "G17"), (0x133CF, "X1"), (0x13216, "N35"), (0x1340D, "Aa1"), (0x13005, "A5A")],
)
def test_a_code_is_read_from_the_name(point, code):
    assert gardiner_code(chr(point)) == code


@pytest.mark.parametrize("point", [0x13220, 0x13430, 0x41, 0x2C81], ids=["nome sign", "joiner", "A", "Coptic"])
def test_other_characters_have_no_code(point):
    assert gardiner_code(chr(point)) is None


def test_every_category_has_signs_and_every_code_is_canonical():
    assert sorted({category(code) for code in signs()}) == sorted(CATEGORIES)
    for code in signs():
        # By the scanner of the protocol, written apart from this one.
        assert gardiner_codes(code) == [code]


def test_signs_are_drawn_evenly_and_by_the_seed():
    drawn = chosen_signs(6, np.random.default_rng(3))
    assert len(set(drawn)) == 6 * 26
    assert [category(code) for code in drawn].count("Q") == 6
    assert drawn == chosen_signs(6, np.random.default_rng(3)) != chosen_signs(6, np.random.default_rng(4))


def test_six_scripts_are_drawn_and_none_that_has_no_font():
    assert len(writings()) == 6
    assert sum(writing.items for writing in writings().values()) == 40
    assert {writing.script for writing in writings().values()} == {"hieroglyphic", "coptic", "other"}


@pytest.mark.parametrize("name", writings())
def test_lines_hold_letters_of_their_script_alone(name):
    writing = writings()[name]
    lines = writing.draw_lines(np.random.default_rng(1))
    assert writing.lines[0] <= len(lines) <= writing.lines[1]
    assert set("".join(lines)) - {" "} <= set(writing.alphabet)
    assert all(len(line.split(" ")) == writing.words for line in lines)
