"""The committed pilot set keeps the rules of the protocol and says what it is."""

from __future__ import annotations

import json
import subprocess
from collections import Counter

import numpy as np
import PIL
import pytest
from PIL import Image

from alifba.errors import InputError
from alifba.hieratic.categories import sign_category
from alifba.hieratic.items import PILOT, load_items
from alifba.hieratic.pilot.build import NOTICE, SEED, build
from alifba.hieratic.pilot.fonts import fonts
from alifba.hieratic.pilot.lines import writings
from alifba.hieratic.pilot.signs import signs
from alifba.hieratic.validation import item_faults
from alifba.paths import repo_root

FOLDER = load_items(repo_root() / PILOT)
ITEMS = FOLDER.items_only
SIGNS = [item for item in ITEMS if item.single_sign]
OPEN_LINES = [item for item in ITEMS if "identify" in item.rungs and item.split == "public"]
SEALED = [item for item in ITEMS if item.split == "sealed"]
FONTS = repo_root() / ".build" / "hieratic" / "fonts"
MADE = json.loads((repo_root() / PILOT / "rendered.json").read_text(encoding="utf-8"))


def test_the_validator_finds_no_fault():
    assert item_faults(FOLDER) == []


def test_signs_cover_every_category_and_lines_six_scripts():
    assert len(SIGNS) >= 150
    assert len({sign_category(item) for item in SIGNS}) == 26
    assert len(OPEN_LINES) == 40
    said = Counter(item.object.content.split(":")[0] for item in OPEN_LINES)
    assert said == {writing.writing: writing.items for writing in writings().values()}


def test_every_item_says_that_it_compares_with_nothing():
    for item in ITEMS:
        assert item.notes.startswith(NOTICE)
        assert item.prefix == "pilot"
        assert item.source.license == "CC BY 4.0"
        assert "SIL Open Font License" in item.source.attribution
        assert not item.famous


def test_labels_are_signs_that_unicode_has_once():
    codes = [code for item in SIGNS for code in item.gardiner]
    assert len(codes) == len(set(codes)) == len(SIGNS)
    assert set(codes) <= set(signs())


def test_the_sealed_demonstration_has_no_key():
    assert [item.id for item in SEALED] == ["pilot-sealed-1", "pilot-sealed-2"]
    assert SEALED[1].same_text_as == SEALED[0].id
    for item in SEALED:
        assert item.gardiner is None
        assert set(item.model_extra) == set()
        assert item.rungs == ("identify", "signs", "transliterate", "translate")


def test_images_are_small_and_of_the_size_of_a_document():
    sizes = {name: entry.image.stat().st_size for name, entry in FOLDER.items()}
    assert sum(sizes.values()) < 3_000_000
    for entry in FOLDER.values():
        with Image.open(entry.image) as image:
            assert image.format == "PNG"
            assert 40 <= min(image.size) <= max(image.size) <= 900


def test_no_two_images_are_alike():
    contents = [entry.image.read_bytes() for entry in FOLDER.values()]
    assert len(set(contents)) == len(contents)


def test_the_fonts_are_named_and_not_committed():
    assert MADE["seed"] == SEED
    assert MADE["fonts"] == {font.file: font.sha256 for font in fonts().values()}
    listed = subprocess.run(["git", "ls-files", "*.ttf", "*.otf", "*.woff2"], cwd=repo_root(), capture_output=True)
    assert listed.stdout == b""


def test_the_committed_images_are_what_the_code_draws():
    """Needs `make hieratic-fonts`."""
    try:
        for font in fonts().values():
            font.within(FONTS)
    except InputError:
        pytest.skip("the Noto fonts are not here: make hieratic-fonts")
    if (PIL.__version__, np.__version__) != (MADE["pillow"], MADE["numpy"]):
        pytest.skip("another version of Pillow or numpy than the one that drew the set")
    for item in build(FONTS):
        entry = FOLDER[item.record["id"]]
        assert entry.image.read_bytes() == item.image, item.record["id"]
        assert json.loads(entry.path.read_text(encoding="utf-8")) == item.record
