"""The smoke dictionary: names of places, languages, currencies, months and days from Unicode CLDR, as babel ships it.

It exercises every step of a run with real words that may be passed on, and nothing more: names of countries are no
vocabulary, and the letters that CLDR lacks are made by rule. Its scores are labelled "smoke: not comparable".
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import yaml
from babel import Locale

from alifba.paths import write_atomic
from alifba.text.resources import load_toml
from alifba.text.tifinagh import is_tifinagh, normalise_english, normalise_latin, normalise_tifinagh
from alifba.text.tifinagh import to_latin as latin_by_rule
from alifba.text.tifinagh import to_tifinagh as tifinagh_by_rule

_SMOKE = load_toml("smoke.toml", package="alifba.tifinagh")
_HEADER = ("id", "tifinagh", "latin", "english")


def build_smoke(folder: Path) -> dict[str, int]:
    """Write ``<dialect>.tsv`` and ``<dialect>.yaml`` for the three dialects; entries per dialect."""
    counts = {}
    for dialect, from_locale in _SMOKE["locales"].items():
        rows = sorted(_rows(from_locale["locale"], from_locale["script"]))
        lines = ["\t".join(row) for row in [_HEADER, *rows]]
        write_atomic(folder / f"{dialect}.tsv", "".join(line + "\n" for line in lines))
        mapping = {"dialect": dialect, "name": f"CLDR names ({from_locale['locale']})", "file": f"{dialect}.tsv"}
        mapping |= {"columns": {name: name for name in _HEADER}} | _SMOKE["mapping"]
        mapping["source"] = mapping["source"].format(babel=version("babel"), **from_locale)
        write_atomic(
            folder / f"{dialect}.yaml", yaml.safe_dump(mapping, allow_unicode=True, sort_keys=False, width=120)
        )
        counts[dialect] = len(rows)
    return counts


def _rows(locale: str, script: str) -> Iterator[tuple[str, str, str, str]]:
    """(id, Tifinagh, Latin, English) of every name of which both scripts can be written."""
    theirs, english = dict(_names(Locale.parse(locale))), dict(_names(Locale.parse("en")))
    for id_, name in theirs.items():
        meaning = english.get(id_)
        # A name that is the English one was, as a rule, never translated.
        if not meaning or "\t" in name + meaning or normalise_english(name) == normalise_english(meaning):
            continue
        tifinagh = normalise_tifinagh(name) if script == "Tifinagh" else tifinagh_by_rule(name)
        latin = latin_by_rule(name) if script == "Tifinagh" else normalise_latin(name)
        if is_tifinagh(tifinagh):
            yield id_, tifinagh, latin, meaning


def _names(locale: Locale) -> Iterator[tuple[str, str]]:
    """(id, name) of everything that the smoke dictionary takes from a locale."""
    for kind in _SMOKE["names"]:
        for code, name in getattr(locale, kind).items():
            yield f"{kind}-{code}", name
    for kind in _SMOKE["calendar"]:
        for number, name in getattr(locale, kind)["format"]["wide"].items():
            yield f"{kind}-{number}", name
