"""The Cyrillic table, letter by letter as the published chain has it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.text.cyrillic import contains_cyrillic, to_latin

RUSSIAN = (
    "а a, б b, в v, г g, д d, е e, ё yo, ж j, з z, и i, й y, к k, л l, м m, н n, о o, п p, р r, с s, т t, у u, ф f,"
    " х x, ц ts, ч ç, ш ş, щ şç, ъ –, ы ı, ь –, э e, ю yu, я ya"
)
KAZAKH = "ә ə, ғ ğ, қ q, ң ng, ө ö, ұ u, ү ü, һ h, і i"
TABLE = {pair.split()[0]: pair.split()[1].strip("–") for pair in f"{RUSSIAN}, {KAZAKH}".split(", ")}


def test_the_table_holds_the_whole_russian_alphabet_and_the_nine_kazakh_letters():
    assert "".join(TABLE)[:33] == "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
    assert len(TABLE) == 33 + 9


@pytest.mark.parametrize(("letter", "latin"), TABLE.items())
def test_every_letter(letter, latin):
    assert to_latin(letter) == latin
    assert contains_cyrillic(letter)
    assert not contains_cyrillic(latin)


def test_capitals_follow_azerbaijani_casing():
    # Ирак is İraq in Azerbaijani; Latin I is the capital of ı.
    assert to_latin("ИІЫ") == "İİI"
    assert to_latin("Щука Баку Юта") == "Şçuka Baku Yuta"


@given(st.text())
def test_everything_else_stays(text):
    plain = "".join(c for c in text if "CYRILLIC" not in unicodedata.name(c, ""))
    assert to_latin(plain) == plain


# Unicode names as the other witness; scripts differ from names only in letters that no keyboard types.
@given(st.characters(categories=["Lu", "Ll"]))
def test_cyrillic_is_what_unicode_calls_cyrillic(letter):
    assert contains_cyrillic(letter) == unicodedata.name(letter).startswith(("CYRILLIC", "MODIFIER LETTER CYRILLIC"))
