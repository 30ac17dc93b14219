"""Countries, currencies, languages and cities by their CLDR names, without the ones that do not suit a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any

import babel
from babel import Locale
from babel.core import get_cldr_version, get_global
from babel.languages import get_territory_language_info
from babel.numbers import get_territory_currencies

from alifba.azeval.pilot.phrasing import Noun, load_yaml, proper
from alifba.text.azerbaijani import lower
from alifba.text.morphology import without_possessive

AZ, EN = Locale("az"), Locale("en")
NAMES = load_yaml("names.yaml")
# The day whose currencies count: facts must not drift with the clock.
AS_OF = date(2026, 11, 30)


def _two_letter_codes(names: Mapping[Any, str]) -> list[str]:
    return sorted(code for code in names if isinstance(code, str) and len(code) == 2 and code.isalpha())


def cldr() -> str:
    """The source of a CLDR fact, with versions: ``CLDR 49 via babel 2.19.0``."""
    return f"CLDR {get_cldr_version()} via babel {babel.__version__}"


@cache
def countries() -> tuple[str, ...]:
    """The ISO 3166-1 alpha-2 codes of the countries that items are about, sorted."""
    left_out = {code for codes in NAMES["territories_left_out"].values() for code in codes}
    return tuple(code for code in _two_letter_codes(AZ.territories) if code not in left_out)


def answer_countries() -> tuple[str, ...]:
    """The countries that can be an answer: one everyday English name."""
    return tuple(code for code in countries() if code not in NAMES["not_as_answer"])


def country_az(code: str) -> Noun:
    """The Azerbaijani name of a country."""
    return proper(AZ.territories[code])


def country_en(code: str, *, article: bool = True) -> str:
    """The English name of a country, with "the" where it takes one inside a sentence."""
    name = EN.territories[code].replace("&", "and")
    return f"the {name}" if article and code in NAMES["english_article"] else name


@cache
def currency_of(country: str) -> str | None:
    """The ISO 4217 code of the only legal tender of `country` in CLDR, or None when there are several."""
    current = get_territory_currencies(country, start_date=AS_OF, tender=True, non_tender=False)
    return current[0] if len(current) == 1 else None


@cache
def countries_by_currency() -> dict[str, tuple[str, ...]]:
    """Every territory of CLDR that uses a currency, by ISO 4217 code."""
    users: dict[str, list[str]] = {}
    for territory in _two_letter_codes(AZ.territories):
        for currency in get_territory_currencies(territory, start_date=AS_OF, tender=True, non_tender=False):
            users.setdefault(currency, []).append(territory)
    return {code: tuple(territories) for code, territories in users.items()}


def currency_az(code: str) -> Noun:
    """The Azerbaijani name of a currency; CLDR capitalises every word, a sentence does not (Yaponiya yeni)."""
    *country, unit = AZ.currencies[code].split()
    return Noun(" ".join([*country, lower(unit)]), "possessed" if country else "word")


def currency_en(code: str) -> str:
    """The English name of a currency as it stands in a sentence: Japanese yen."""
    *country, unit = EN.currencies[code].split()
    return " ".join([*country, unit.lower()])


def unit_az(code: str) -> Noun:
    """The unit alone: Yaponiya yeni → yen, Avro → avro."""
    name = currency_az(code)
    return Noun(without_possessive(name.text.split()[-1]), "word") if name.kind == "possessed" else name


def unit_en(code: str) -> str:
    """The unit alone: Japanese yen → yen."""
    return currency_en(code).split()[-1]


@cache
def currencies() -> tuple[str, ...]:
    """The currencies that items are about: current tender, with a name that suits a question."""
    used = {currency_of(country) for country in countries()} - {None}
    return tuple(sorted(code for code in used if code and code not in NAMES["currencies_left_out"]))


@cache
def single_unit_currencies() -> tuple[str, ...]:
    """The currencies of one territory only whose unit's name no other currency of the world has, in either language."""
    users = countries_by_currency()
    # Left-out currencies count as rivals too: the som of one country is no clear answer when another has a som.
    tendered = [code for code in users if code in AZ.currencies]
    az = Counter(AZ.currencies[code].split()[-1] for code in tendered)
    en = Counter(EN.currencies[code].split()[-1] for code in tendered)
    return tuple(
        code
        for code in currencies()
        if len(users[code]) == 1
        and az[AZ.currencies[code].split()[-1]] == 1
        and en[EN.currencies[code].split()[-1]] == 1
    )


@cache
def official_language(country: str) -> str | None:
    """The only official language of `country` in CLDR, spoken by at least 60 percent, or None."""
    official = {
        (language.split("_")[0], float(info["population_percent"] or 0))
        for language, info in get_territory_language_info(country).items()
        if info["official_status"] in ("official", "de_facto_official")
    }
    if len({language for language, _ in official}) != 1 or country in NAMES["official_language_left_out"]:
        return None
    language, share = max(official, key=lambda pair: pair[1])
    return language if share >= 60 and language in languages() else None


@cache
def languages() -> tuple[str, ...]:
    """The ISO 639-1 codes of the languages that items are about, sorted."""
    return tuple(code for code in _two_letter_codes(AZ.languages) if code not in NAMES["languages_left_out"])


def language_az(code: str) -> Noun:
    """The Azerbaijani name of a language: alman dili."""
    return Noun(f"{AZ.languages[code]} dili", "possessed")


def city(zone: str) -> tuple[Noun, str, str]:
    """The exemplar city of a time zone in Azerbaijani and English, and the country it lies in."""
    spelled = zone.rsplit("/", 1)[-1].replace("_", " ")
    az = AZ.time_zones.get(zone, {}).get("city", spelled)
    en = EN.time_zones.get(zone, {}).get("city", spelled)
    return Noun(az, "name"), en, get_global("zone_territories")[zone]
