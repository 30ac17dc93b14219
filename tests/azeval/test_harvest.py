"""Drafts from a local SPARQL endpoint (rdflib) that holds Wikidata-shaped facts."""

from __future__ import annotations

import pytest
import sparql_server as server
from harvest_kit import CAPITALS, FACTS, STATE, added, capitals, drafted

from alifba.azeval.harvest import TEMPLATES


def test_a_draft_asks_the_same_fact_in_both_languages(tmp_path):
    result, _ = drafted(FACTS, tmp_path)
    assert len(result.drafts) == len(CAPITALS)
    by_concept = {draft.note("concept"): draft for draft in result.drafts}
    for country, _, en, genitive, city, city_az, city_en in CAPITALS:
        draft = by_concept[country]
        assert genitive in draft.question_az
        assert en in draft.question_en
        assert (draft.answer, draft.answer_en) == (city_az, city_en)
        assert draft.note("answer_concept") == city
        assert draft.note("labels") == "az,en,tr,ru"
        assert draft.source == f"https://www.wikidata.org/entity/{country}"
        assert (draft.verified_by, draft.provenance) == ("pending", "wikidata-template")
    assert "the Netherlands" in by_concept["Q55"].question_en
    assert "Parisdə" in by_concept["Q142"].answer_aliases


def test_the_id_tells_neither_template_nor_entity(tmp_path):
    for draft in drafted(FACTS, tmp_path)[0].drafts:
        assert "capital" not in draft.id
        assert draft.note("concept") not in draft.id


def bad_label(az: str = "Atlantida", en: str = "Atlantis", city_az: str = "Posey", city_en: str = "Posey"):
    labels = {name: text for name, text in (("az", az), ("en", en)) if text}
    city = {name: text for name, text in (("az", city_az), ("en", city_en)) if text}
    return added(("Q901", labels, "Q902", city))


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (bad_label(az=""), "no az label"),
        (bad_label(city_en=""), "no en label"),
        (bad_label(city_az="Q902"), "no az label"),
        (bad_label(city_az="Posey (şəhər)"), "brackets in the az label"),
        (bad_label(az="Атлантида"), "the az label is in another script"),
        (bad_label(city_en="Посей"), "the en label is in another script"),
        (bad_label(az="123"), "no letter in the az label"),
        (bad_label(city_en="Poséy"), "an accent in the English answer"),
        (bad_label(en="Mexico", city_en="Mexico City"), "the answer stands in the question"),
        (bad_label(az="TRNT"), "no case forms by rule"),
        (bad_label(az="Fransa"), "another concept has this name"),
    ],
)
def test_a_label_that_does_not_suit_is_counted_with_its_reason(facts, reason, tmp_path):
    result, _ = drafted(facts, tmp_path)
    left_out = 2 if reason.startswith("another concept") else 1
    assert result.left_out == {reason: left_out}
    assert len(result.drafts) == len(CAPITALS) + 1 - left_out


def test_an_identifier_that_a_label_service_puts_in_is_no_label(tmp_path):
    result, _ = drafted(FACTS, tmp_path, always=server.relabelled("Paris", "Q90"))
    assert result.left_out == {"no az label": 1}


def test_two_values_are_no_clear_answer_but_an_ended_or_deprecated_one_is_no_value(tmp_path):
    facts = capitals()
    facts.says("Q142", "P36", "Q1754")
    facts.says("Q183", "P36", "Q90", ended=True)
    facts.says("Q34", "P36", "Q90", rank="DeprecatedRank")
    # A preferred value beside a second one is no clear answer either.
    facts.says("Q41", "P36", "Q64", rank="PreferredRank")
    result, _ = drafted(facts, tmp_path)
    assert result.left_out == {"several answers": 2}
    assert {"Q183", "Q34"} <= {draft.note("concept") for draft in result.drafts}


def test_a_value_that_wikidata_does_not_know_is_no_answer(tmp_path):
    facts = capitals()
    facts.entity("Q901", {"az": "Atlantida", "en": "Atlantis"}, STATE)
    facts.says("Q901", "P36", "http://www.wikidata.org/.well-known/genid/abc")
    assert drafted(facts, tmp_path)[0].left_out == {"the answer is unknown to Wikidata": 1}


def test_a_concept_with_few_articles_and_a_state_that_is_no_more_are_not_asked_about(tmp_path):
    facts = added(("Q15180", {"az": "SSRİ", "en": "Soviet Union"}, "Q649", {"az": "Moskva", "en": "Moscow"}))
    facts.graph.add((server.WD.Q15180, server.WDT.P576, server.Literal("1991-12-26T00:00:00Z")))
    facts.entity("Q777", {"az": "Ladoniya", "en": "Ladonia"}, STATE, sitelinks=19)
    facts.says("Q777", "P36", "Q90")
    result, _ = drafted(facts, tmp_path)
    assert len(result.drafts) == len(CAPITALS)
    assert not result.left_out


@pytest.mark.parametrize("page", [1, 2, 3, 7, 200])
def test_the_size_of_a_page_changes_nothing(page, tmp_path):
    result, _ = drafted(FACTS, tmp_path, page=page)
    assert [draft.note("concept") for draft in result.drafts] == [row[0] for row in CAPITALS]


def test_short_pages_and_repeated_rows_lose_and_repeat_nothing(tmp_path):
    whole, _ = drafted(FACTS, tmp_path / "whole")
    for faults in (
        [server.only(2), server.only(1), server.only(3)],
        [server.twice] * 9,
        [server.only(5), server.twice],
    ):
        result, _ = drafted(FACTS, tmp_path / str(len(faults)), *faults, page=4)
        assert result.drafts == whole.drafts


def test_a_concept_that_a_short_page_cut_in_two_is_not_taken_for_clear(tmp_path):
    facts = capitals()
    facts.says("Q142", "P36", "Q1754")
    # France comes first with two values; the page ends after one of them, and one draft is all that is asked for.
    result, _ = drafted(facts, tmp_path, server.only(1), n=1)
    assert result.left_out == {"several answers": 1}
    assert result.drafts[0].note("concept") == "Q183"


def test_no_more_than_asked_for_and_no_more_requests_than_needed(tmp_path):
    result, endpoint = drafted(FACTS, tmp_path, n=3, page=3)
    assert [draft.note("concept") for draft in result.drafts] == ["Q142", "Q183", "Q34"]
    assert len(endpoint.queries) == 1


def test_an_answer_that_many_concepts_share_is_not_drafted_for_all(tmp_path):
    facts = capitals()
    for row in CAPITALS:
        facts.says(row[0], "P30", "Q46")
    facts.entity("Q46", {"az": "Avropa", "en": "Europe"})
    facts.entity("Q29999", {"az": "Norveç", "en": "Norway"}, STATE)
    facts.entity("Q29998", {"az": "Danimarka", "en": "Denmark"}, STATE)
    facts.says("Q29999", "P30", "Q46")
    facts.says("Q29998", "P30", "Q46")
    continent = TEMPLATES["country_continent"]
    result, _ = drafted(facts, tmp_path, template=continent)
    assert len(result.drafts) == continent.most_per_answer
    assert result.left_out == {"enough drafts with this answer": 1}
