"""Which questions are asked, what counts as right, and every word that is sent."""

from __future__ import annotations

import json

import pytest
from tifinagh_kit import asked_in, study_of, write_dictionary

from alifba.paths import repo_root
from alifba.tifinagh.prompts import ask_text, judge_text, schema, system_text
from alifba.tifinagh.questions import build_questions
from alifba.tifinagh.records import TASKS
from alifba.tifinagh.running import open_study

SOURCE = repo_root().parent / "shared" / "spec" / "sources" / "tifinagh.en.txt"
HOMONYMS = [
    {"id": "a", "tifinagh": "ⵉⵍⵙ", "latin": "ils", "english": "tongue; language", "french": "langue"},
    {"id": "b", "tifinagh": "ⵉⵍⵙ", "latin": "iləs", "english": "Language", "french": "langue"},
    {"id": "c", "tifinagh": "ⵓⵜⵍⴰⵢⵜ", "latin": "ils", "english": "language.", "french": "langage"},
    {"id": "d", "tifinagh": "ⴰⵎⴰⵏ", "latin": "", "english": "", "french": "eau"},
]


def questions_of(tmp_path, rows, **keys):
    study = study_of(tmp_path, 2, **keys)
    mappings = [str(write_dictionary(tmp_path / "dictionaries", "ircam", rows)), *study.dictionaries[1:]]
    return open_study(study.model_copy(update={"dictionaries": mappings}))[2]


def by_task(questions, entry_id):
    return {q.task: q for q in questions.questions if q.dialect == "ircam" and q.entry_id == entry_id}


def accepted(question):
    return [(a.text, a.entry_id) for a in question.accepted]


def test_homonyms_give_senses_and_synonyms_give_spellings(tmp_path):
    a, b = (by_task(questions_of(tmp_path, HOMONYMS), id_) for id_ in "ab")
    # Same Tifinagh: every sense of a and b.
    assert accepted(a["tif-to-en"]) == [("tongue", "a"), ("language", "a"), ("Language", "b")]
    # Grouped by the whole English, normalised: "Language" and "language." but not "tongue; language".
    assert accepted(a["en-to-tif"]) == [("ⵉⵍⵙ", "a")]
    assert accepted(b["en-to-tif"]) == [("ⵉⵍⵙ", "b"), ("ⵓⵜⵍⴰⵢⵜ", "c")]
    assert a["en-to-tif"].input == "tongue; language"


def test_transliteration_takes_the_forms_of_every_entry_spelled_the_same(tmp_path):
    found = {}
    for seed in range(12):
        for id_ in "ac":
            question = by_task(questions_of(tmp_path, HOMONYMS, seed=seed), id_)["transliterate"]
            found[id_, question.direction] = (question.input, accepted(question))
    assert found == {
        ("a", "tif-to-lat"): ("ⵉⵍⵙ", [("ils", "a"), ("iləs", "b")]),
        ("a", "lat-to-tif"): ("ils", [("ⵉⵍⵙ", "a"), ("ⵓⵜⵍⴰⵢⵜ", "c")]),
        ("c", "tif-to-lat"): ("ⵓⵜⵍⴰⵢⵜ", [("ils", "c")]),
        ("c", "lat-to-tif"): ("ils", [("ⵉⵍⵙ", "a"), ("ⵓⵜⵍⴰⵢⵜ", "c")]),
    }


def test_entries_that_cannot_support_a_task_are_skipped_and_not_replaced(tmp_path):
    questions = questions_of(tmp_path, HOMONYMS)
    assert questions.sampled["ircam"] == 4
    assert questions.skipped["ircam"] == dict.fromkeys(TASKS, 1)
    assert by_task(questions, "d") == {}


def test_groups_hold_one_dialect_task_and_direction_and_every_question_once(tmp_path):
    questions = open_study(study_of(tmp_path, 30, sample=20))[2]
    kinds = [{(q.dialect, q.task, q.direction) for q in group} for group in questions.groups]
    assert all(len(kind) == 1 for kind in kinds)
    assert len(kinds) == len(set.union(*kinds)) == 3 * (2 + 2)
    keys = [question.key for question in questions.questions]
    assert len(keys) == len(set(keys)) == 3 * 3 * 20


def test_the_same_seed_asks_the_same_words_and_a_larger_sample_asks_them_too(tmp_path):
    dictionaries, setup, few = open_study(study_of(tmp_path, 30, sample=8))
    many = build_questions(dictionaries, setup.model_copy(update={"sample": 20}))
    assert {q.key for q in few.questions} < {q.key for q in many.questions}
    assert few == build_questions(dictionaries, setup)
    other = build_questions(dictionaries, setup.model_copy(update={"seed": 2}))
    assert {q.key for q in few.questions} != {q.key for q in other.questions}


def test_one_task_or_dialect_fewer_changes_nothing_in_the_others(tmp_path):
    dictionaries, setup, whole = open_study(study_of(tmp_path, 30, sample=8))
    part = build_questions(dictionaries, setup.model_copy(update={"tasks": ["en-to-tif"], "dialects": ["kabyle"]}))
    assert part.questions == [q for q in whole.questions if (q.dialect, q.task) == ("kabyle", "en-to-tif")]


@pytest.mark.skipif(not SOURCE.is_file(), reason="the protocol's text (../shared/spec) is not beside this checkout")
def test_prompts_are_the_words_of_the_source(tmp_path):
    source = SOURCE.read_text(encoding="utf-8")
    assert system_text("ask") in source.splitlines()
    group = open_study(study_of(tmp_path))[2].groups[0][:2]
    text = ask_text(group)
    for question in group:
        text = text.replace(f'"{question.input}"', '"<Tifinagh word>"')
    assert text in source


def test_items_are_numbered_and_carry_the_input_alone(tmp_path):
    for group in open_study(study_of(tmp_path))[2].groups:
        text = ask_text(group)
        assert asked_in(text) == [{"id": str(n), "input": q.input} for n, q in enumerate(group, 1)]
        assert "chose" not in text


def test_first_lines_name_dialect_and_task(tmp_path):
    groups = open_study(study_of(tmp_path))[2].groups
    firsts = {(g[0].dialect, g[0].direction or g[0].task): ask_text(g).splitlines()[0] for g in groups}
    assert [firsts["kabyle", "en-to-tif"], firsts["tarifit", "tif-to-lat"], firsts["ircam", "lat-to-tif"]] == [
        "Dialect: Kabyle. Give the Tifinagh spelling of the word with each English meaning.",
        "Dialect: Tarifit. Write each Tifinagh word in Latin script.",
        "Dialect: Standard Moroccan Amazigh. Write each Latin-script word in Tifinagh.",
    ]


def test_an_input_that_looks_like_the_template_stays_as_it_is(tmp_path):
    row = {"id": "a", "tifinagh": "ⴰ", "latin": "a", "english": 'say "{items}" {dialect} {first}', "french": ""}
    question = by_task(questions_of(tmp_path, [row]), "a")["en-to-tif"]
    assert asked_in(ask_text([question])) == [{"id": "1", "input": row["english"]}]


def test_a_judge_sees_dialect_word_english_senses_and_answer_and_nothing_else(tmp_path):
    question = by_task(questions_of(tmp_path, HOMONYMS), "a")["tif-to-en"]
    text = judge_text([(question, "speech")])
    assert asked_in(text) == [
        {"id": "1", "word": "ⵉⵍⵙ", "senses": ["tongue", "language", "Language"], "answer": "speech"}
    ]
    assert "Standard Moroccan Amazigh" in text
    assert not any(hidden in text for hidden in ("langue", "ils", "iləs"))


@pytest.mark.parametrize("kind", ["ask", "judge"])
def test_schemas_allow_required_fields_only(kind):
    def closed(part):
        if part["type"] == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
            return all(map(closed, part["properties"].values()))
        return closed(part["items"]) if part["type"] == "array" else part["type"] == "string"

    assert closed(schema(kind))
    json.dumps(schema(kind))
