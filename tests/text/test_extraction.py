"""From raw text to the answer: the published rules one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.text.extraction import extract, unclosed_thought

LONG = "bir iki üç dörd beş altı yeddi səkkiz doqquz on"


@pytest.mark.parametrize(
    ("raw", "answer"),
    [
        # strip, first line
        ("", ""),
        (" \n\t ", ""),
        ("  Bakı \n", "Bakı"),
        ("Bakı\nGəncə", "Bakı"),
        ("\n\nBakı\r\nGəncə", "Bakı"),
        ("Bakı\rGəncə", "Bakı"),
        # reasoning
        ("<think>Bakı? Gəncə?</think>\n\nBakı", "Bakı"),
        ("<think>bir\niki</think>Bakı<think></think>", "Bakı"),
        ("<think>Bakı", ""),
        ("Bakı <think> ", ""),
        ("<think>bir</think> Bakı <think>iki", ""),
        # one label, only with its mark, either case
        ("Cavab: Bakı", "Bakı"),
        ("Cavab - Bakı", "Bakı"),
        ("Cavab—Bakı", "Bakı"),
        ("Cavabı: Bakı", "Bakı"),
        ("CAVABI: Bakı", "Bakı"),
        ("Answer: Baku", "Baku"),
        ("answer : Baku", "Baku"),
        ("A: Baku", "Baku"),
        ("Cavab budur Bakı", "Bakı"),
        ("Cavab budur: Bakı", "Bakı"),
        ("The answer is Baku.", "Baku"),
        ("the ANSWER is: Baku", "Baku"),
        ("Cavab: Answer: Baku", "Answer: Baku"),
        ("Cavab Bakı", "Cavab Bakı"),
        ("Answering", "Answering"),
        ("A Baku", "A Baku"),
        ("Ana", "Ana"),
        ("Cavab:\nBakı", ""),
        # emphasis, then quotes
        ("**Bakı**", "Bakı"),
        ("_Bakı_ `şəhəri`", "Bakı şəhəri"),
        ("“Bakı”", "Bakı"),
        ("«Bakı»", "Bakı"),
        ("'Bakı'", "Bakı"),
        ('"**Bakı**"', "Bakı"),
        ("Cavab: **«Bakı»**.", "Bakı»"),
        # twelve words stay, of thirteen the first sentence
        (f"{LONG}. Bakı şəhəri", f"{LONG}. Bakı şəhəri"),
        (f"{LONG}. Bakı şəhəri budur", LONG),
        (f"Bakı! {LONG} {LONG}", "Bakı"),
        (f"{LONG} {LONG}", f"{LONG} {LONG}"),
        # trailing marks
        ("Bakı.", "Bakı"),
        ("Bakı ?!;:, .", "Bakı"),
        ("3.14", "3.14"),
        ("U.S.A.", "U.S.A"),
    ],
)
def test_rules(raw, answer):
    assert extract(raw) == answer


@given(st.text(st.characters()))
def test_any_text_gives_one_trimmed_line(raw):
    answer = extract(raw)
    assert answer == answer.strip()
    assert "\n" not in answer
    assert "\r" not in answer
    assert not answer.endswith(tuple(".!?,;:"))


@given(st.text(), st.text())
def test_a_thought_that_never_closes_is_no_answer(before, thought):
    raw = f"{before.replace('<think>', '')}<think>{thought.replace('</think>', '')}"
    assert unclosed_thought(raw)
    assert extract(raw) == ""


@given(st.text(), st.text())
def test_what_was_thought_never_reaches_the_answer(thought, answer):
    plain = answer.replace("<think>", "")
    assert extract(f"<think>{thought.replace('</think>', '')}</think>{plain}") == extract(plain)
