"""The facts of the pilot dataset, looked up again in their sources without the generator's own look-ups."""

from __future__ import annotations

import json
from collections.abc import Iterator

import phonenumbers
import pycountry
import pytest
from babel import Locale
from babel.core import get_global
from babel.languages import get_official_languages
from babel.numbers import get_territory_currencies

from alifba.azeval.pilot.names import AS_OF, cldr
from alifba.azeval.pilot.phrasing import EnglishNumber, Noun, render_az, render_en
from alifba.paths import repo_root
from alifba.text.azerbaijani import lower

AZ, EN = Locale("az"), Locale("en")
ROWS = [
    json.loads(line)
    for line in (repo_root() / "data" / "azeval" / "pilot.jsonl").read_text(encoding="utf-8").splitlines()
]

# The symbols in the order of the atomic numbers, from the IUPAC periodic table of the elements (2022).
IUPAC = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc
Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi
Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
"""
SYMBOLS = dict(enumerate(IUPAC.split(), start=1))


def rows(template: str) -> Iterator[tuple[str, dict]]:
    """Concept and row of every item of `template`."""
    for row in ROWS:
        notes = dict(part.split("=", 1) for part in row["notes"].split(";"))
        if notes["template"] == template:
            yield notes["concept"], row


@pytest.fixture(autouse=True)
def _same_cldr():
    made_with = {row["source"] for _, row in rows("city_country")}
    if made_with != {cldr()}:
        pytest.skip(f"the file was made with {made_with}, installed is {cldr()}")


def tender(country: str) -> list[str]:
    return get_territory_currencies(country, start_date=AS_OF, tender=True, non_tender=False)


def test_the_currency_of_a_country_is_its_only_tender():
    for country, row in rows("country_currency"):
        (code,) = tender(country)
        az, en = lower(AZ.currencies[code]), EN.currencies[code].lower()
        assert az.split()[-1].startswith(row["answer"]), row["id"]
        assert en.split()[-1] == row["answer_en"], row["id"]
        assert AZ.territories[country] in row["question_az"]


def test_a_unit_belongs_to_one_country_of_the_world():
    for code, row in rows("unit_country"):
        users = [t for t in AZ.territories if len(t) == 2 and code in tender(t)]
        assert [AZ.territories[t] for t in users] == [row["answer"]], row["id"]
        unit = EN.currencies[code].split()[-1].lower()
        rivals = [
            t for t in AZ.territories if len(t) == 2 for c in tender(t) if EN.currencies[c].lower().endswith(unit)
        ]
        assert rivals == users, row["id"]


def test_currency_codes_name_the_currency_and_the_country():
    for code, row in rows("currency_code"):
        assert row["answer"] == row["answer_en"] == pycountry.currencies.get(alpha_3=code).alpha_3
        assert lower(AZ.currencies[code]) in lower(row["question_az"]), row["id"]
        assert EN.currencies[code].lower() in row["question_en"].lower(), row["id"]
    for code, row in rows("currency_code_country"):
        users = [t for t in AZ.territories if len(t) == 2 and code in tender(t)]
        assert [(AZ.territories[t], EN.territories[t]) for t in users] == [(row["answer"], row["answer_en"])], row["id"]


def test_country_codes_are_those_of_pycountry():
    for code, row in rows("country_alpha2"):
        assert row["answer"] == pycountry.countries.get(alpha_2=code).alpha_2
        assert AZ.territories[code] in row["question_az"]
    for code, row in rows("alpha3_country"):
        assert pycountry.countries.get(alpha_2=code).alpha_3 in row["question_az"].split()
        assert (row["answer"], row["answer_en"]) == (AZ.territories[code], EN.territories[code])


def test_calling_codes_belong_to_one_region():
    for template, field in (("country_calling_code", "answer"), ("calling_code_country", "question_az")):
        for country, row in rows(template):
            number = phonenumbers.country_code_for_region(country)
            assert phonenumbers.region_codes_for_country_code(number) == (country,)
            assert str(number) in row[field].replace("+", " ").split(), row["id"]


def test_a_city_lies_in_the_country_of_its_time_zone():
    for zone, row in rows("city_country"):
        country = get_global("zone_territories")[zone]
        assert (row["answer"], row["answer_en"]) == (AZ.territories[country], EN.territories[country]), row["id"]


def test_the_official_language_is_the_only_one():
    for country, row in rows("country_official_language"):
        languages = {code.split("_")[0] for code in get_official_languages(country, de_facto=True)}
        assert [f"{AZ.languages[code]} dili" for code in languages] == [row["answer"]], row["id"]
        assert [EN.languages[code] for code in languages] == [row["answer_en"]], row["id"]


def test_language_codes_are_iso_639_1():
    for code, row in rows("language_code"):
        assert row["answer"] == row["answer_en"] == pycountry.languages.get(alpha_2=code).alpha_2
        assert f"{lower(AZ.languages[code])} dil" in lower(row["question_az"]), row["id"]
    for code, row in rows("code_language"):
        assert f'"{code}"' in row["question_az"]
        assert f'"{code}"' in row["question_en"]
        assert (row["answer"], row["answer_en"]) == (f"{AZ.languages[code]} dili", EN.languages[code])


def test_symbols_and_atomic_numbers_are_those_of_iupac():
    for number, row in rows("element_symbol"):
        assert row["answer"] == row["answer_en"] == SYMBOLS[int(number)]
    for number, row in rows("symbol_element"):
        assert SYMBOLS[int(number)] in row["question_az"].split()
    named = {row["answer_en"]: number for number, row in rows("symbol_element")}
    for number, row in rows("number_element"):
        assert named.get(row["answer_en"], number) == number
    for number, row in rows("element_number"):
        assert row["answer"] == row["answer_en"] == number


@pytest.mark.parametrize(
    ("template", "noun", "expected"),
    [
        ("{x:genitive} kodu", Noun("ittrium", "word"), "İttriumun kodu"),
        ("{x:genitive} kodu", Noun("Birləşmiş Krallıq"), "Birləşmiş Krallığın kodu"),
        ("{x:locative} dil", Noun("Komor adaları", "possessed"), "Komor adalarında dil"),
        ("{x:copula}?", Noun("26", "number"), "26-dır?"),
        ("{x:ordinal} hədd", Noun("13", "number"), "13-cü hədd"),
    ],
)
def test_rendering_in_azerbaijani(template, noun, expected):
    assert render_az(template, {"x": noun}) == expected


@pytest.mark.parametrize(
    ("n", "expected"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (12, "12th"), (22, "22nd")]
)
def test_english_ordinals(n, expected):
    assert render_en("{n:ordinal}", {"n": EnglishNumber(n)}) == expected
