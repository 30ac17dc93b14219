"""The smoke dictionary that ships: built from CLDR alone, complete, and labelled."""

from __future__ import annotations

import pytest
from babel import Locale

from alifba.paths import repo_root
from alifba.text.tifinagh import is_tifinagh
from alifba.tifinagh.dictionaries import load_dictionary
from alifba.tifinagh.records import DIALECTS
from alifba.tifinagh.smoke import build_smoke

SHIPPED = repo_root() / "data" / "tifinagh" / "smoke"


def test_the_shipped_files_are_what_the_command_builds(tmp_path):
    build_smoke(tmp_path)
    for dialect in DIALECTS:
        for suffix in (".tsv", ".yaml"):
            assert (tmp_path / f"{dialect}{suffix}").read_text() == (SHIPPED / f"{dialect}{suffix}").read_text()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_entry_supports_every_task(dialect):
    record = load_dictionary(SHIPPED / f"{dialect}.yaml").record
    assert record.n_entries >= 300
    assert (record.left_out, record.no_english, record.no_latin) == ({}, 0, 0)
    assert (record.label, record.comparable, record.licence) == ("smoke: not comparable", False, "Unicode-3.0")


@pytest.mark.parametrize(("dialect", "locale"), [("ircam", "zgh"), ("tarifit", "rif"), ("kabyle", "kab")])
def test_names_are_those_of_cldr(dialect, locale):
    entries = {entry.id: entry for entry in load_dictionary(SHIPPED / f"{dialect}.yaml").entries}
    morocco = entries["territories-MA"]
    assert morocco.english == Locale.parse("en").territories["MA"] == "Morocco"
    theirs = Locale.parse(locale).territories["MA"]
    assert (morocco.tifinagh if is_tifinagh(theirs) else morocco.latin) == (
        theirs if is_tifinagh(theirs) else theirs.lower()
    )
