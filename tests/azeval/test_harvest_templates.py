"""Every template of the harvest, its words and its files."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from harvest_kit import CAPITALS, CITY, FACTS, STATE, capitals, drafted
from sparql_server import Facts, serving
from typer.testing import CliRunner

from alifba.azeval.dataset import commands
from alifba.azeval.dataset.checks import text_faults
from alifba.azeval.harvest import TEMPLATES
from alifba.azeval.harvest.files import labels_path
from alifba.azeval.harvest.naming import Unsuited, answer_of, label
from alifba.items import read_items


def everything() -> Facts:
    """Three facts for each template, as Wikidata has them."""
    facts = capitals()
    people = [
        ("Q937", "Albert Eynşteyn", "Albert Einstein", "Q3012", "Ulm", "Ulm", "1879-03-14T00:00:00Z", "Q169470"),
        ("Q7186", "Mariya Küri", "Marie Curie", "Q270", "Varşava", "Warsaw", "1867-11-07T00:00:00Z", "Q593644"),
        (
            "Q991",
            "Fyodor Dostoyevski",
            "Fyodor Dostoevsky",
            "Q649",
            "Moskva",
            "Moscow",
            "1821-11-11T00:00:00Z",
            "Q36180",
        ),
    ]
    work = {"Q169470": ("fizik", "physicist"), "Q593644": ("kimyaçı", "chemist"), "Q36180": ("yazıçı", "writer")}
    for id_, az, en, city, city_az, city_en, born, job in people:
        facts.entity(id_, {"az": az, "en": en}, "Q5")
        facts.entity(city, {"az": city_az, "en": city_en}, CITY)
        facts.entity(job, dict(zip(("az", "en"), work[job], strict=True)))
        facts.says(id_, "P19", city)
        facts.says(id_, "P569", born, precision=11)
        facts.says(id_, "P106", job)
    for id_, az, en, symbol, number in (
        ("Q658", "Natrium", "sodium", "Na", "11"),
        ("Q897", "qızıl", "gold", "Au", "79"),
    ):
        facts.entity(id_, {"az": az, "en": en}, "Q11344")
        facts.says(id_, "P246", symbol)
        facts.says(id_, "P1086", number)
    currencies = {"Q4916": ("avro", "euro"), "Q122922": ("İsveç kronu", "Swedish krona")}
    languages = {"Q188": ("Alman dili", "German"), "Q9027": ("isveç dili", "Swedish")}
    facts.entity("Q40", {"az": "Avstriya", "en": "Austria"}, STATE)
    facts.says("Q40", "P37", "Q188")
    for id_, (az, en) in (currencies | languages).items():
        facts.entity(id_, {"az": az, "en": en}, "Q1288568" if id_ in languages else "")
    for country, currency, language, code in (("Q142", "Q4916", "Q188", "+33"), ("Q34", "Q122922", "Q9027", "+46")):
        facts.says(country, "P38", currency)
        facts.says(country, "P37", language)
        facts.says(country, "P474", code)
        facts.says(country, "P30", "Q46")
    facts.entity("Q46", {"az": "Avropa", "en": "Europe"})
    for id_, az, en in (("Q1653", "Dunay", "Danube"), ("Q2222", "Araz çayı", "Aras")):
        facts.entity(id_, {"az": az, "en": en}, "Q4022")
    facts.entity("Q166", {"az": "Qara dəniz", "en": "Black Sea"})
    facts.entity("Q3333", {"az": "Kür çayı", "en": "Kura"})
    facts.says("Q1653", "P403", "Q166")
    facts.says("Q2222", "P403", "Q3333")
    facts.entity("Q8229", {"az": "Latın əlifbası", "en": "Latin script"})
    facts.says("Q9027", "P282", "Q8229")
    facts.entity("Q243", {"az": "Eyfel qülləsi", "en": "Eiffel Tower"}, "Q12518")
    facts.entity("Q778", {"az": "Stefan Sovestr", "en": "Stephen Sauvestre"}, "Q5")
    facts.says("Q243", "P84", "Q778")
    return facts


EVERYTHING = everything()


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_gives_drafts_in_which_the_gate_finds_no_fault(name, tmp_path):
    result, _ = drafted(EVERYTHING, tmp_path, template=TEMPLATES[name])
    assert result.drafts
    for draft in result.drafts:
        assert not list(text_faults(draft))
        assert draft.category == TEMPLATES[name].category


# The fact in ordinary words of both languages, by hand; the phrasing is one of four, so a part of it is held.
@pytest.mark.parametrize(
    ("name", "concept", "az", "en", "answer", "answer_en"),
    [
        ("country_currency", "Q34", "İsveç", "Sweden", "kron", "krona"),
        ("country_official_language", "Q40", "Avstriya", "Austria", "alman dili", "German"),
        ("country_calling_code", "Q142", "Fransa", "France", "33", "33"),
        ("country_continent", "Q34", "İsveç", "Sweden", "Avropa", "Europe"),
        ("element_symbol", "Q658", "atrium", "sodium", "Na", "Na"),
        ("element_number", "Q897", "ızıl", "gold", "79", "79"),
        ("person_birthplace", "Q7186", "Mariya Küri", "Marie Curie", "Varşava", "Warsaw"),
        ("person_birth_year", "Q937", "Albert Eynşteyn", "Albert Einstein", "1879", "1879"),
        ("person_occupation", "Q991", "Fyodor Dostoyevski", "Fyodor Dostoevsky", "yazıçı", "writer"),
        ("river_mouth", "Q1653", "Dunay", "the Danube", "Qara dəniz", "Black Sea"),
        ("language_writing_system", "Q9027", "sveç dili", "Swedish", "latın", "Latin"),
        ("building_architect", "Q243", "Eyfel qülləsi", "the Eiffel Tower", "Stefan Sovestr", "Stephen Sauvestre"),
    ],
)
def test_a_fact_is_asked_and_answered_as_people_write_it(name, concept, az, en, answer, answer_en, tmp_path):
    result, _ = drafted(EVERYTHING, tmp_path, template=TEMPLATES[name])
    draft = next(draft for draft in result.drafts if draft.note("concept") == concept)
    assert az in draft.question_az
    assert en in draft.question_en
    assert (draft.answer, draft.answer_en) == (answer, answer_en)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("year", "1564-04-26T00:00:00Z", "1564"),
        ("year", "-0099-07-12T00:00:00Z", None),
        ("year", "0980-01-01T00:00:00Z", None),
        ("number", "118", "118"),
        ("number", "+26", "26"),
        ("number", "26.5", None),
        ("calling_code", "+994", "994"),
        ("calling_code", "+1-684", None),
        ("code", "Fe", "Fe"),
        ("code", "fe", None),
    ],
)
def test_a_literal_is_read_in_its_own_form_or_not_at_all(kind, value, text):
    if text is None:
        with pytest.raises(Unsuited, match="form"):
            answer_of(kind, value, {})
    else:
        assert (answer_of(kind, value, {}).az, answer_of(kind, value, {}).en) == (text, text)


def test_only_a_year_has_the_forms_of_a_year():
    assert "1879-cu il" in answer_of("year", "1879-03-14T00:00:00Z", {}).aliases
    assert answer_of("number", "79", {}).aliases == []


def test_a_decomposed_label_is_composed():
    assert label({"az": "Go\u0308yg\u00f6l"}, "az") == "Göygöl"


def test_the_command_drafts_and_says_what_it_left_out(tmp_path):
    out = tmp_path / "raw" / "wikidata.jsonl"
    with serving(EVERYTHING) as endpoint:
        asked = ["harvest", "--endpoint", endpoint.url, "--out", out, "--cache", tmp_path / "cache", "--pause", 0]
        asked += ["--template", "country_official_language", "--template", "element_symbol"]
        said = [CliRunner().invoke(commands.app, list(map(str, asked))) for _ in range(2)]
    assert [done.exit_code for done in said] == [0, 0], said[0].output
    assert "the answer stands in the question" in said[0].output
    # The second time every draft is there.
    assert "drafted before" in said[1].output
    assert Counter(draft.template for draft in read_items(out)) == {"country_official_language": 2, "element_symbol": 2}
    assert labels_path(out).is_file()


def test_four_phrasings_are_used(tmp_path):
    variants = Counter(
        draft.note("variant")
        for name in TEMPLATES
        for draft in drafted(EVERYTHING, tmp_path, template=TEMPLATES[name])[0].drafts
    )
    assert set(variants) == set("0123")


def test_the_file_of_responses_is_json_with_its_query(tmp_path):
    drafted(FACTS, tmp_path)
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "cache").glob("*.json")]
    assert {len(content["rows"]) for content in kept} == {len(CAPITALS), 1, 0}
    assert all(content["query"].startswith("PREFIX wd:") for content in kept)
