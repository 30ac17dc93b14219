"""Countries and capitals of a small Wikidata, and a harvest of them."""

from __future__ import annotations

import sparql_server as server
from sparql_server import Facts, serving

from alifba.azeval.harvest import TEMPLATES, Endpoint, Patience, harvest

CAPITAL = TEMPLATES["country_capital"]
QUICK = Patience(pause=0, timeout=1, attempts=4, deadline=5, longest=0.01)
STATE, CITY = "Q3624078", "Q515"

# (country, its names, its capital, its names); the Azerbaijani genitive that the question needs is written by hand.
CAPITALS = [
    ("Q142", "Fransa", "France", "Fransanın", "Q90", "Paris", "Paris"),
    ("Q183", "Almaniya", "Germany", "Almaniyanın", "Q64", "Berlin", "Berlin"),
    ("Q34", "İsveç", "Sweden", "İsveçin", "Q1754", "Stokholm", "Stockholm"),
    ("Q41", "Yunanıstan", "Greece", "Yunanıstanın", "Q1524", "Afina", "Athens"),
    ("Q218", "Rumıniya", "Romania", "Rumıniyanın", "Q19660", "Buxarest", "Bucharest"),
    ("Q55", "Niderland", "Netherlands", "Niderlandın", "Q727", "Amsterdam", "Amsterdam"),
    ("Q213", "Çexiya", "Czech Republic", "Çexiyanın", "Q1085", "Praqa", "Prague"),
]


def capitals() -> Facts:
    facts = Facts()
    for place, (country, az, en, _, city, city_az, city_en) in enumerate(CAPITALS):
        facts.entity(country, {"az": az, "en": en}, STATE, sitelinks=300 - place)
        facts.entity(city, {"az": city_az, "en": city_en, "tr": city_en, "ru": "Город"}, CITY)
        facts.says(country, "P36", city)
    return facts


FACTS = capitals()


def added(*countries: tuple[str, dict[str, str], str, dict[str, str]]) -> Facts:
    """`capitals` and more: (country, its labels, capital, its labels)."""
    facts = capitals()
    for country, labels, city, city_labels in countries:
        facts.entity(country, labels, STATE)
        facts.entity(city, city_labels, CITY)
        facts.says(country, "P36", city)
    return facts


def drafted(facts: Facts, tmp_path, *faults: server.Fault, template=CAPITAL, n=100, **options):
    with serving(facts) as endpoint:
        endpoint.faults = list(faults)
        endpoint.always = options.pop("always", server.fine)
        result = harvest(template, Endpoint(endpoint.url, tmp_path / "cache", QUICK), n, **options)
    return result, endpoint
