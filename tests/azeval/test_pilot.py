"""The shipped pilot dataset: sound rows, no leaks, and the same bytes when it is built again."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from alifba.azeval.pilot import write_pilot
from alifba.azeval.pilot.build import check_rows, leaks
from alifba.errors import InputError
from alifba.items import Item
from alifba.paths import repo_root

PATH = repo_root() / "data" / "azeval" / "pilot.jsonl"
ROWS = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def note(row: dict, key: str) -> str:
    return dict(part.split("=", 1) for part in row["notes"].split(";"))[key]


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("pilot") / "pilot.jsonl"
    write_pilot(path)
    return path.read_bytes()


def sources(rows: list[dict]) -> set[str]:
    return {row["source"] for row in rows}


def test_the_file_is_what_the_generator_writes(rebuilt):
    made = [json.loads(line) for line in rebuilt.decode().splitlines()]
    if sources(made) != sources(ROWS):
        pytest.skip(f"other versions of the sources are installed: {sorted(sources(made) - sources(ROWS))}")
    assert rebuilt == PATH.read_bytes()


def test_every_row_is_an_item_with_exactly_the_keys_of_the_format():
    for row in ROWS:
        assert list(row) == list(Item.model_fields)
        Item.model_validate(row)


def test_nothing_claims_that_a_person_checked_it():
    assert {row["verified_by"] for row in ROWS} == {"pending"}


def test_the_size_the_issue_asks_for():
    templates = Counter(note(row, "template") for row in ROWS)
    mathematics = {name: n for name, n in templates.items() if name.startswith("math_")}
    assert len(ROWS) >= 1000
    assert sum(mathematics.values()) >= 236
    assert len(mathematics) == 20
    assert max(templates.values()) < 90


def test_the_four_phrasings_of_a_template_are_used_alike():
    for template in {note(row, "template") for row in ROWS}:
        used = Counter(note(row, "variant") for row in ROWS if note(row, "template") == template)
        assert set(used) == set("0123")
        assert max(used.values()) - min(used.values()) <= 1


def test_no_answer_dominates():
    # The published set has a majority baseline of 0.8 %.
    assert Counter(row["answer"] for row in ROWS).most_common(1)[0][1] / len(ROWS) <= 0.008


@pytest.mark.parametrize("language", ["az", "en"])
def test_no_answer_stands_in_its_question(language):
    answer = "answer" if language == "az" else "answer_en"
    for row in ROWS:
        # Plain lower case is enough here: a second, simpler look than the normalised one of the build.
        gold, asked = row[answer].lower(), row[f"question_{language}"].lower()
        assert gold not in asked.replace("?", " ").replace(".", " ").replace(",", " ").split(), row["id"]
        assert len(gold) < 4 or gold not in asked, row["id"]


def test_the_example_facts_of_the_prompts_are_not_asked():
    for row in ROWS:
        text = " ".join([row["question_az"], row["question_en"], row["answer"], row["answer_en"]]).casefold()
        assert not [word for word in ("misir", "egypt", "qahirə", "cairo", "h2o", "water") if word in text], row["id"]


def test_codes_and_numbers_have_no_aliases_and_names_have():
    for row in ROWS:
        without = row["answer"].isdecimal() or note(row, "template").endswith(("_code", "_alpha2", "_symbol"))
        assert bool(row["answer_aliases"]) != without, row["id"]


def test_questions_begin_with_a_capital_digit_or_sign():
    for row in ROWS:
        for question in (row["question_az"], row["question_en"]):
            assert not question[0].islower(), row["id"]
            assert question[-1] in "?.", row["id"]


def spoilt(**changes: object) -> list[dict]:
    return [{**ROWS[0], **changes}, *ROWS[1:3]]


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (spoilt(id=ROWS[1]["id"]), "id occurs more than once"),
        (spoilt(question_en=ROWS[1]["question_en"]), "question_en occurs more than once"),
        (spoilt(notes=ROWS[1]["notes"].replace("variant=1", "variant=3")), "a concept occurs twice"),
        (spoilt(question_az="Bu hansı ölkədir: Andorra?"), "the answer stands in the question"),
        (spoilt(question_az="Hаnsı ölkədir?"), "a Cyrillic letter"),
        (spoilt(answer="Ço\u0308l"), "not NFC"),
        (spoilt(answer_aliases=["-"]), "empty after normalisation"),
        (spoilt(question_en="Which country is {country}?"), "a slot was left open"),
    ],
)
def test_a_doubtful_row_stops_the_build(rows, fault):
    with pytest.raises(InputError, match=fault):
        check_rows(rows)


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        ("manat", "Azərbaycanın pul vahidi nədir?", False),
        ("Əlcəzair dinarı", "Əlcəzairin pul vahidi nədir?", True),
        ("eston dili", "Estoniyanın rəsmi dili hansıdır?", True),
        ("is", "What is the code of Icelandic?", True),
        ("In", "Which symbol does indium have in the periodic table?", True),
        ("IT", "İtaliyanın kodu nədir?", False),
        ("12", "120-nin 10 faizi neçədir?", False),
    ],
)
def test_leaks(answer, question, expected):
    assert leaks(answer, question) is expected
