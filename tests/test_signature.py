"""A signature is one line that parses back to itself."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.errors import InputError
from alifba.signature import Signature
from samples import outcome

NAMES = [field.name for field in fields(Signature)]
values = st.text(st.characters(codec="utf-8")) | st.text("%|:\n\r+ə0A7C", max_size=8)
signatures = st.builds(Signature, **dict.fromkeys(NAMES, values))


@given(signatures)
def test_it_is_one_line_and_comes_back(signature):
    assert "\n" not in str(signature)
    assert "\r" not in str(signature)
    assert Signature.parse(str(signature)) == signature


@given(signatures, signatures)
def test_two_are_equal_exactly_when_no_field_differs(one, two):
    assert (one == two) == (not one.differs_in(two)) == (str(one) == str(two))


@given(signatures, signatures)
def test_a_joined_one_keeps_what_is_shared_and_comes_back(one, two):
    joined = one.joined(two)
    assert Signature.parse(str(joined)) == joined
    assert one.joined(one) == one
    assert all(getattr(joined, name) == getattr(one, name) for name in NAMES if name not in one.differs_in(two))


def test_it_reads_as_documented():
    signature = Signature(bench="azeval", lang="az", model="org/a|b 100%")
    assert str(signature).startswith("bench:azeval|data:unknown|lang:az|style:unknown|model:org/a%7Cb 100%25|")


def test_fields_that_differ_are_shown_together():
    one = Signature(model="org/a", lang="az")
    two = replace(one, lang="en")
    assert one.differs_in(two) == ["lang"]
    assert one.joined(two).lang == "az+en"


def test_a_line_without_later_fields_is_read():
    assert Signature.parse("bench:azeval|lang:az") == Signature(bench="azeval", lang="az")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("", "known: bench"),
        ("azeval", "known: bench"),
        ("bench:azeval|langs:az", "did you mean 'lang'"),
        ("bench:azeval|bench:tifinagh", "bench:tifinagh"),
        ("bench:azeval||lang:az", "known: bench"),
    ],
)
def test_what_is_no_signature_is_refused(line, hint):
    with pytest.raises(InputError, match=hint):
        Signature.parse(line)


@given(st.text() | st.lists(st.sampled_from([*NAMES, ":", "|", "%", "%FF", "x"])).map("".join))
def test_any_line_is_read_or_refused(line):
    read = outcome(lambda: Signature.parse(line))
    assert isinstance(read, Signature) or read.what == "not a signature"
