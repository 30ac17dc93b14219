"""Recipe alifba-1. Vectors: the spec (Mulberry32 by T. Ettinger, FNV-1a by Fowler, Noll and Vo, both 32 bits)."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.tifinagh.sampling import fnv1a, is_to_latin, mulberry32, ranked, sample, shuffled

IDS = st.lists(st.text("abc123-/", min_size=1, max_size=6), unique=True, max_size=40)


@pytest.mark.parametrize(
    ("seed", "draws"),
    [
        (0, "4434b462 00159c37 39285b08 256d8104"),
        (1, "a087eaf3 00b349c9 8706c4eb"),
        (42, "99e1ef7c 72c32b8a da3b32c0"),
        (1234, "12c375ae b412cee4 e7219273"),
        (4294967295, "e57bf3d3 3081a5a4"),
    ],
)
def test_mulberry32(seed, draws):
    expected = draws.split()
    assert [f"{draw:08x}" for draw in islice(mulberry32(seed), len(expected))] == expected


@pytest.mark.parametrize(
    ("text", "hashed"),
    [
        ("", "811c9dc5"),
        ("a", "e40c292c"),
        ("foobar", "bf9cf968"),
        ("ircam", "203955a1"),
        ("42:kabyle", "583b8709"),
        ("ⵜⴰⵎⴰⵣⵉⵖⵜ", "dc732f9d"),
    ],
)
def test_fnv1a(text, hashed):
    assert f"{fnv1a(text):08x}" == hashed


@pytest.mark.parametrize(("seed", "order"), [(1, [7, 8, 3, 2, 1, 5, 9, 4, 0, 6]), (42, [0, 7, 3, 5, 2, 1, 8, 9, 4, 6])])
def test_shuffle(seed, order):
    assert shuffled(range(10), mulberry32(seed)) == order


def test_seed_strings_are_those_of_the_recipe():
    ids = [f"e{number}" for number in range(30)]
    assert sample(ids, "kabyle", 7, None) == shuffled(sorted(ids), mulberry32(fnv1a("7/sample/kabyle")))
    assert is_to_latin("ircam", "e3", 7) == (next(mulberry32(fnv1a("7/direction/ircam/e3"))) / 2**32 < 0.5)
    by_rank = sorted(ids, key=lambda id_: next(mulberry32(fnv1a(f"7/rank/en-to-tif/tarifit/{id_}"))))
    assert ranked(ids, "en-to-tif", "tarifit", 7) == by_rank


@given(IDS, st.integers(0, 2**40), st.integers(0, 45), st.integers(0, 45), st.randoms())
def test_samples_are_nested_and_blind_to_the_order_of_the_file(ids, seed, n, m, rng):
    few, many = sorted((n, m))
    mixed = ids[:]
    rng.shuffle(mixed)
    assert sample(mixed, "ircam", seed, many)[:few] == sample(ids, "ircam", seed, few)
    assert sorted(sample(ids, "ircam", seed, None)) == sorted(ids)


def test_dialects_seeds_and_entries_draw_for_themselves():
    ids = [f"e{number}" for number in range(40)]
    assert sample(ids, "ircam", 1, 10) != sample(ids, "kabyle", 1, 10)
    assert sample(ids, "ircam", 1, 10) != sample(ids, "ircam", 2, 10)
    assert ranked(ids, "tif-to-en", "ircam", 1) != ranked(ids, "en-to-tif", "ircam", 1)
    # A fair draw of 1,000 entries: within five standard deviations of a half.
    assert 420 < sum(is_to_latin("ircam", f"e{number}", 1) for number in range(1000)) < 580
