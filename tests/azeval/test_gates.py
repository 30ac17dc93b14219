"""Gates on hand-made runs, where each figure is known by construction, and on the published ones."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.azeval.choice import choice_prompt
from alifba.azeval.gates import (
    GATES,
    failures,
    gate_values,
    gates_table,
    is_example_echo,
    is_question_echo,
    posed,
)
from alifba.azeval.prompts import prompt
from alifba.config import Gates
from alifba.items import ItemSet, read_items
from alifba.runs import Run, read_run, read_runs
from samples import PILOT, REFERENCE, answer_row, item_row, write_rows

QUESTION = "Fransanın paytaxtı hansı şəhərdir?"
PROMPT = prompt(QUESTION, "az")
BEFORE = PROMPT[: PROMPT.rfind(QUESTION)]


def a_run(
    folder: Path, answers: list[str | None], n_items: int | None = None, **changes: object
) -> tuple[Run, ItemSet]:
    """A run with these answers to the first items, each with our own prompt, and the items."""
    items = read_items(write_rows(folder / "d.jsonl", [item_row(i) for i in range(n_items or len(answers))]))
    language = str(changes.get("language", "az"))
    rows = [
        answer_row(
            i,
            answer,
            prompt=prompt(item.question(language), language),
            **({"error": "timeout"} if answer is None else {}),
            **changes,
        )
        for i, (answer, item) in enumerate(zip(answers, items, strict=False))
    ]
    return read_run(write_rows(folder / "r.jsonl", rows)), items


class TestExampleEcho:
    @pytest.mark.parametrize(
        "response",
        [
            "Qahirə\n\nSual: Fransanın paytaxtı",
            "  Qahirə\nParis",
            "Cavab: Qahirə\nCavab: Paris",
            "Sual: Misirin paytaxtı haradır?\nCavab: Qahirə",
            "H2O\rParis",
            "Suala qısa cavab ver və yalnız cavabın özünü yaz.\nParis",
        ],
    )
    def test_a_first_line_of_the_prompt_with_more_after_it(self, response):
        assert is_example_echo(response, BEFORE)

    @pytest.mark.parametrize(
        "response",
        [
            "Qahirə",  # one line: a wrong answer
            "Paris\nQahirə",  # the example comes second
            "Qahirədə\nParis",  # not the example's word
            "a\nParis",  # inside "paytaxtı", and a single letter
            "H\nhidrogen",  # a symbol that begins "H2O"
            "Q\nx",
            "paytax\nParis",  # the beginning of a word of the prompt
            "\n\n",
            "",
        ],
    )
    def test_anything_else_is_none(self, response):
        assert not is_example_echo(response, BEFORE)

    def test_a_letter_that_the_prompt_shows_by_itself_is_an_answer(self):
        question, options = "Hansı?", ["Bakı", "Paris", "Roma", "Afina"]
        examples = [{"question": "Misirin paytaxtı haradır?"}, {"question": "Su?"}]
        shown = posed(choice_prompt(question, options, "az", examples), question)
        assert "B\n" in shown.before, "the letter of the first example"
        assert not is_example_echo("B\n\nSual: Su?", shown.before)
        assert is_example_echo("B) Qahirə\n\nSual: Su?", shown.before)

    def test_the_prompt_that_counts_is_the_one_of_the_run(self):
        older = "Sual: Yaponiyanın paytaxtı?\nCavab: Tokio\n\nSual: " + QUESTION + "\nCavab:"
        assert is_example_echo("Tokio\nParis", posed(older, QUESTION).before)
        assert not is_example_echo("Qahirə\nParis", posed(older, QUESTION).before)

    def test_what_stands_after_the_question_is_no_example(self):
        shown = posed(f"Sual: {QUESTION}\nA) Lyon\nB) Paris\nCavab:", QUESTION)
        assert not is_example_echo("A) Lyon\nB) Paris", shown.before)


class TestPosed:
    def test_the_question_is_the_last_place_of_it(self):
        assert posed(PROMPT, QUESTION) == (BEFORE, QUESTION)
        # An example that happens to hold the question does not end the examples.
        twice = f"Sual: {QUESTION}\nCavab: x\n\nSual: {QUESTION}\nCavab:"
        assert posed(twice, QUESTION).before == f"Sual: {QUESTION}\nCavab: x\n\nSual: "

    def test_a_question_that_was_worded_otherwise_is_read_from_the_prompt(self):
        shown = posed(PROMPT, "Fransa ölkəsinin paytaxtı haradır?")
        assert shown.question == QUESTION
        assert "Qahirə" in shown.before
        assert "Fransanın" not in shown.before

    def test_a_prompt_of_one_block(self):
        assert posed("Paris haradadır?", "Başqa sual?").question == "Paris haradadır?"


class TestQuestionEcho:
    @pytest.mark.parametrize(
        "response",
        [
            QUESTION,
            "Sual: " + QUESTION,
            "fransanın PAYTAXTI hansı şəhərdir",
            f"«{QUESTION}» sualına cavab: Paris",
            QUESTION + "\nParis",
            "Fransanın paytaxtı hansı şə",  # cut off by the token budget
            "Sual: Fransanın paytaxtı hansı",
        ],
    )
    def test_the_question_itself_is_one(self, response):
        assert is_question_echo(response, QUESTION)

    @pytest.mark.parametrize(
        "response",
        [
            "Paris",
            "Fransanın paytaxtı Parisdir",
            "Fransanın",  # less than half of the question
            "Paris\n" + QUESTION,  # answered first
            "",
            ":",
            "İtaliyanın paytaxtı hansı şəhərdir?",
        ],
    )
    def test_an_answer_is_none(self, response):
        assert not is_question_echo(response, QUESTION)


def test_every_figure_by_construction(tmp_path):
    # Ten items, nine rows, one of them failed: 8 answered.
    answers = [
        "Paris",  # right
        "",  # empty, and wrong without the gold in it
        "  \n ",  # empty
        "Qahirə\n\nSual: və s.",  # example echo
        "Yunanıstanın paytaxtı hansı şəhərdir?",  # question echo
        "Bilirəm ki bu şəhər mütləq Stokholm olmalıdır deyə düşünürəm amma əmin deyiləm dostum",  # gold in the raw text
        "Cavab: Paris",  # right
        "Romada",  # wrong
        None,
    ]
    run, items = a_run(tmp_path, answers, n_items=10)
    assert gate_values(run, items) == {
        "coverage": (0.8, 10),
        "empty": (2 / 8, 8),
        "example_echo": (1 / 8, 8),
        "question_echo": (1 / 8, 8),
        "extraction": (1 / 6, 6),
    }


def test_a_run_in_english_is_read_with_its_english_golds(tmp_path):
    # "London" is a single word of a longer English answer; in a sentence it proves nothing.
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(0, answer="London", answer_en="London city")]))
    for named, lost in (("London", 0.0), ("London city", 1.0)):
        answer = f"I think that it is {named} but who could ever say for sure in these strange days"
        rows = [answer_row(0, answer, language="en", prompt=prompt(items.items[0].question_en, "en"))]
        run = read_run(write_rows(tmp_path / "r.jsonl", rows))
        assert gate_values(run, items)["extraction"] == (lost, 1)


def test_a_choice_run_is_judged_by_the_letter(tmp_path):
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(0), item_row(1)]))
    examples = [{"question": "x?"}, {"question": "y?"}]
    asked = [choice_prompt(item.question_az, ["Bakı", item.answer, "Qəbələ", "Şuşa"], "az", examples) for item in items]
    # The second reply names the right text and no letter: it is scored wrong, and its gold stands in the raw text.
    rows = [answer_row(i, reply, prompt=asked[i], prompt_style="choice") for i, reply in enumerate(["B", "Roma"])]
    values = gate_values(read_run(write_rows(tmp_path / "r.jsonl", rows)), items)
    assert values["extraction"] == (1.0, 1)
    assert values["example_echo"] == (0.0, 2)


def test_without_a_wrong_answer_extraction_cannot_be_told_and_passes(tmp_path):
    run, items = a_run(tmp_path, ["Paris"])
    assert math.isnan(gate_values(run, items)["extraction"][0])
    table = gates_table([run], items, Gates())
    assert table["passed"].tolist() == [1] * len(GATES)
    assert failures(table) == {}


def test_a_run_of_failed_requests_alone_fails_coverage(tmp_path):
    run, items = a_run(tmp_path, [None, None])
    table = gates_table([run], items, Gates())
    assert failures(table) == {("org/one", "az", "default"): "coverage 0.0 % < 90 %"}


@pytest.mark.parametrize(
    ("n_bad", "passes"), [(2, True), (3, False)], ids=["exactly at the threshold", "one answer above it"]
)
def test_a_figure_at_its_threshold_passes(tmp_path, n_bad, passes):
    run, items = a_run(tmp_path, [""] * n_bad + ["x"] * (10 - n_bad))
    table = gates_table([run], items, Gates()).set_index("gate")
    assert table.loc["empty", "passed"] == passes
    run, items = a_run(tmp_path, ["x"] * (11 - n_bad), n_items=10)
    assert gates_table([run], items, Gates()).set_index("gate").loc["coverage", "passed"] == passes


def test_the_gap_lies_between_the_runs_on_either_side(tmp_path):
    runs = []
    for model, n_empty, n_rows in (("org/a", 0, 10), ("org/b", 1, 10), ("org/c", 4, 10), ("org/d", 7, 5)):
        run, items = a_run(tmp_path, ([""] * n_empty + ["x"] * 10)[:n_rows], n_items=10, model=model)
        runs.append(run)
    table = gates_table(runs, items, Gates())
    empty = table[table["gate"] == "empty"]
    assert set(zip(empty["gap_low"], empty["gap_high"], strict=True)) == {(0.1, 0.4)}
    coverage = table[table["gate"] == "coverage"]
    assert set(zip(coverage["gap_low"], coverage["gap_high"], strict=True)) == {(0.5, 1.0)}
    echo = table[table["gate"] == "example_echo"]
    assert echo["gap_low"].tolist() == [0.0] * 4
    assert echo["gap_high"].isna().all(), "no run fails, so the gap has one end"


def test_a_failure_is_told_in_words(tmp_path):
    run, items = a_run(tmp_path, [QUESTION, "", "Qahirə\nx", "x"])
    table = gates_table([run], items, Gates())
    said = "empty 25.0 % > 20 %; example echo 25.0 % > 20 %; question echo 25.0 % > 20 %"
    assert failures(table) == {("org/one", "az", "default"): said}


def test_a_study_may_set_other_thresholds(tmp_path):
    run, items = a_run(tmp_path, ["", "x", "x", "x"])
    assert failures(gates_table([run], items, Gates(empty=0.25))) == {}


def test_without_runs_the_table_has_its_columns():
    table = gates_table([], read_items(PILOT), Gates())
    assert table.empty
    assert {"model", "gate", "share", "threshold", "passed", "gap_low", "gap_high"} <= set(table.columns)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_judged_and_a_repeated_question_is_an_echo(response, question):
    is_example_echo(response, BEFORE)
    if any(character.isalnum() for character in question) and not set("\r\n") & set(question):
        assert is_question_echo(question.strip(), question) or not question.strip()
    is_question_echo(response, question)


@pytest.mark.reference
def test_the_published_runs_pass():
    items = read_items(REFERENCE / "az_eval_v0.jsonl")
    table = gates_table(read_runs(REFERENCE / "raw_outputs"), items, Gates())
    assert len(table) == 6 * len(GATES)
    assert failures(table) == {}
    # The rows of ids that the dataset lacks count nowhere.
    assert set(table.loc[table["gate"] == "coverage", "n"]) == {356}
