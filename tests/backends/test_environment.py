"""Keys: where they come from, and that none of them gets out."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from alifba.backends.environment import Scrubber, dotenv, key
from alifba.errors import InputError


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("ALIFBA_ROOT", str(tmp_path))
    monkeypatch.delenv("MADE_UP_KEY", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("MADE_UP_KEY=sk-1", "sk-1"),
        ("export MADE_UP_KEY=sk-1", "sk-1"),
        ("  MADE_UP_KEY = sk-1  ", "sk-1"),
        ('MADE_UP_KEY="sk 1"', "sk 1"),
        ("MADE_UP_KEY='sk#1'  # mine", "sk#1"),
        ("MADE_UP_KEY=sk-1 # mine", "sk-1"),
        ("MADE_UP_KEY=sk#1", "sk#1"),
        ("MADE_UP_KEY=a=b==", "a=b=="),
        ("# MADE_UP_KEY=sk-1", None),
        ("MADE_UP_KEY", None),
        ("OTHER=1\nMADE_UP_KEY=sk-1\nMADE_UP_KEY=sk-2", "sk-2"),
    ],
)
def test_a_line_of_env(root, line, value):
    (root / ".env").write_text(line + "\n", encoding="utf-8")
    assert dotenv().get("MADE_UP_KEY") == value


def test_the_environment_goes_before_the_file(root, monkeypatch):
    assert dotenv() == {}
    (root / ".env").write_text("MADE_UP_KEY=from-file")
    assert key("MADE_UP_KEY") == "from-file"
    monkeypatch.setenv("MADE_UP_KEY", " from-environment\n")
    assert key("MADE_UP_KEY") == "from-environment"


def test_a_missing_key_says_what_to_do(root):
    with pytest.raises(InputError, match="MADE_UP_KEY is not set") as caught:
        key("MADE_UP_KEY")
    assert ".env" in caught.value.next_step


@pytest.mark.parametrize("bad", ["sk-“quoted”", "sk-1\nsk-2", "sk-\x07x"])
def test_what_is_no_key_is_refused_without_being_shown(root, monkeypatch, bad):
    monkeypatch.setenv("MADE_UP_KEY", bad)
    with pytest.raises(InputError) as caught:
        key("MADE_UP_KEY")
    assert "sk" not in str(caught.value)


KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=0x24F, categories=["L", "N", "P", "S"]), min_size=6)


@given(secret=KEYS, before=st.text(max_size=20), after=st.text(max_size=20))
def test_a_secret_is_taken_out_however_it_is_written(secret, before, after):
    clean = Scrubber([secret]).clean
    once = json.dumps(secret)[1:-1]
    for form in (secret, once, json.dumps(once)[1:-1], repr(secret)[1:-1], quote(secret, safe="")):
        assume(form not in "[secret]")
        assert form not in clean(f"{before} {form} {after}")


def test_a_private_key_of_many_lines_goes_as_json_too():
    lines = "-----BEGIN-----\nabc/def+\n-----END-----"
    assert Scrubber([lines]).clean(json.dumps({"key": lines})) == '{"key": "[secret]"}'


def test_of_two_secrets_one_in_the_other_both_go():
    assert Scrubber(["sk-abc", "sk-abcdef"]).clean("sk-abcdef sk-abc") == "[secret] [secret]"


def test_secrets_of_the_environment_and_of_the_file_go_too(root, monkeypatch):
    monkeypatch.setenv("SERVICE_TOKEN", "tok-123456")
    (root / ".env").write_text("DB_PASSWORD=hunter22\nCITY=Bakı\n", encoding="utf-8")
    assert Scrubber().clean("tok-123456, hunter22, Bakı") == "[secret], [secret], Bakı"


def test_a_short_value_riddles_no_text(root, monkeypatch):
    monkeypatch.setenv("MADE_UP_KEY", "a")
    assert Scrubber().clean("banana") == "banana"
