"""The facts behind the templates that are not mathematics: one generator per template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version

import phonenumbers
import pycountry

from alifba.azeval.pilot import names
from alifba.azeval.pilot.names import NAMES, country_az, country_en
from alifba.azeval.pilot.phrasing import EnglishNumber, Noun, load_csv, proper


@dataclass(frozen=True)
class Fact:
    """One fact to ask about: what fills the slots in each language, and the answer."""

    concept: str
    az: Mapping[str, Noun]
    en: Mapping[str, object]
    answer: Noun
    answer_en: str
    source: str
    other_answers: tuple[Noun, ...] = field(default=())


def _code(text: str) -> Noun:
    return Noun(text, "code")


def _number(text: str) -> Noun:
    return Noun(text, "number")


def _country_answer(code: str, slots: Mapping[str, str], concept: str, source: str) -> Fact:
    others = tuple(proper(name) for name in NAMES["other_names"].get(code, []))
    az = {slot: _code(text) for slot, text in slots.items()}
    return Fact(concept, az, slots, country_az(code), country_en(code, article=False), source, others)


def _about_country(code: str, answer: Noun, answer_en: str, source: str, others: tuple[Noun, ...] = ()) -> Fact:
    return Fact(code, {"country": country_az(code)}, {"country": country_en(code)}, answer, answer_en, source, others)


def _iso(standard: str) -> str:
    return f"{standard} via pycountry {version('pycountry')}; names {names.cldr()}"


def _units(code: str) -> tuple[Noun, ...]:
    return tuple(Noun(unit, "word") for unit in NAMES["other_units"].get(code, []))


def _country_currency() -> Iterator[Fact]:
    for country in names.countries():
        code = names.currency_of(country)
        if country in NAMES["currency_changed_lately"] or code not in names.currencies():
            continue
        # An accent that English writers leave out (colón) would count a right answer as wrong in English alone.
        if names.unit_en(code).isascii():
            yield _about_country(country, names.unit_az(code), names.unit_en(code), names.cldr(), _units(code))


def _unit_country() -> Iterator[Fact]:
    for code in names.single_unit_currencies():
        (country,) = names.countries_by_currency()[code]
        if country in names.answer_countries():
            fact = _country_answer(country, {"unit": names.unit_en(code)}, code, names.cldr())
            yield Fact(**{**vars(fact), "az": {"unit": names.unit_az(code)}})


def _currency_code() -> Iterator[Fact]:
    for code in names.currencies():
        if pycountry.currencies.get(alpha_3=code):
            slots_az, slots_en = {"currency": names.currency_az(code)}, {"currency": names.currency_en(code)}
            yield Fact(code, slots_az, slots_en, _code(code), code, _iso("ISO 4217"))


def _currency_code_country() -> Iterator[Fact]:
    for code, users in names.countries_by_currency().items():
        if len(users) == 1 and users[0] in names.answer_countries() and pycountry.currencies.get(alpha_3=code):
            yield _country_answer(users[0], {"code": code}, code, _iso("ISO 4217"))


def _country_alpha2() -> Iterator[Fact]:
    for code in names.countries():
        if pycountry.countries.get(alpha_2=code):
            yield _about_country(code, _code(code), code, _iso("ISO 3166-1"))


def _alpha3_country() -> Iterator[Fact]:
    for code in names.answer_countries():
        if country := pycountry.countries.get(alpha_2=code):
            yield _country_answer(code, {"code": country.alpha_3}, code, _iso("ISO 3166-1"))


def _calling_codes() -> Iterator[tuple[str, str, str]]:
    """Countries that share their calling code with nobody, with the code and the source."""
    source = f"phonenumbers {version('phonenumbers')}; names {names.cldr()}"
    for country in names.countries():
        number = phonenumbers.country_code_for_region(country)
        if number and phonenumbers.region_codes_for_country_code(number) == (country,):
            yield country, str(number), source


def _country_calling_code() -> Iterator[Fact]:
    for country, number, source in _calling_codes():
        yield _about_country(country, _number(number), number, source)


def _calling_code_country() -> Iterator[Fact]:
    for country, number, source in _calling_codes():
        if country in names.answer_countries():
            yield _country_answer(country, {"code": number}, country, source)


def _city_country() -> Iterator[Fact]:
    for zone in NAMES["cities"]:
        city_az, city_en, country = names.city(zone)
        if country in names.answer_countries():
            fact = _country_answer(country, {"city": city_en}, zone, names.cldr())
            yield Fact(**{**vars(fact), "az": {"city": city_az}})


def _language_answer(code: str) -> tuple[Noun, str, tuple[Noun, ...]]:
    az = names.language_az(code)
    short = az.text.removesuffix(" dili")
    others = [Noun(short, "word"), *(Noun(name, "possessed") for name in NAMES["other_languages"].get(code, []))]
    return az, names.EN.languages[code], tuple(others)


def _country_official_language() -> Iterator[Fact]:
    for country in names.countries():
        language = names.official_language(country)
        if language and language not in NAMES["languages_not_as_answer"]:
            answer, answer_en, others = _language_answer(language)
            yield _about_country(country, answer, answer_en, names.cldr(), others)


def _language_code() -> Iterator[Fact]:
    for code in names.languages():
        if pycountry.languages.get(alpha_2=code):
            slots_az, slots_en = {"language": names.language_az(code)}, {"language": names.EN.languages[code]}
            yield Fact(code, slots_az, slots_en, _code(code), code, _iso("ISO 639-1"))


def _code_language() -> Iterator[Fact]:
    for code in names.languages():
        if pycountry.languages.get(alpha_2=code) and code not in NAMES["languages_not_as_answer"]:
            answer, answer_en, others = _language_answer(code)
            yield Fact(code, {"code": _code(code)}, {"code": code}, answer, answer_en, _iso("ISO 639-1"), others)


_ELEMENTS = load_csv("elements.csv")
_ELEMENT_SOURCE = "IUPAC periodic table; names alifba.azeval.pilot elements.csv"


def _element_asked(answer: str) -> Iterator[Fact]:
    kind = _number if answer == "number" else _code
    for row in _ELEMENTS:
        slots_az, slots_en = {"element": Noun(row["az"], "word")}, {"element": row["en"]}
        yield Fact(row["number"], slots_az, slots_en, kind(row[answer]), row[answer], _ELEMENT_SOURCE)


def _element_answer(given: str) -> Iterator[Fact]:
    for row in _ELEMENTS:
        if int(row["number"]) in NAMES["element_numbers_not_as_answer"]:
            continue
        slot: tuple[Noun, object] = (_code(row[given]), row[given])
        if given == "number":
            slot = (_number(row[given]), EnglishNumber(row[given]))
        others = tuple(Noun(name, "word") for name in row["also_az"].split(";") if name)
        answer = Noun(row["az"], "word")
        yield Fact(row["number"], {given: slot[0]}, {given: slot[1]}, answer, row["en"], _ELEMENT_SOURCE, others)


FACTS: dict[str, Callable[[], Iterable[Fact]]] = {
    "country_currency": _country_currency,
    "unit_country": _unit_country,
    "currency_code": _currency_code,
    "currency_code_country": _currency_code_country,
    "country_alpha2": _country_alpha2,
    "alpha3_country": _alpha3_country,
    "country_calling_code": _country_calling_code,
    "calling_code_country": _calling_code_country,
    "city_country": _city_country,
    "country_official_language": _country_official_language,
    "language_code": _language_code,
    "code_language": _code_language,
    "element_symbol": lambda: _element_asked("symbol"),
    "symbol_element": lambda: _element_answer("symbol"),
    "element_number": lambda: _element_asked("number"),
    "number_element": lambda: _element_answer("number"),
}
