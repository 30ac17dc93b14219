"""Build the pilot dataset from facts, families and templates, and refuse to build anything doubtful."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from alifba.azeval.aliases import answer_aliases
from alifba.azeval.pilot.facts import FACTS, Fact
from alifba.azeval.pilot.mathematics import FAMILIES, PHRASINGS
from alifba.azeval.pilot.phrasing import EnglishNumber, Noun, load_yaml, render_az, render_en
from alifba.errors import InputError
from alifba.paths import write_atomic
from alifba.text.chains import CHAINS, normalise

Row = dict[str, str | list[str]]
TEMPLATES = load_yaml("templates.yaml")
ITEMS_PER_FAMILY = 13
# Computed items are made on this day: a model older than it cannot have seen them.
CREATED = "2026-11-30"
_MATHEMATICS_SOURCE = "alifba.azeval.pilot.mathematics"


def _gives(gold: str, asked: str) -> bool:
    head = gold.split()[0]
    if f" {gold} " in f" {asked} " or (len(gold) >= 4 and gold in asked):
        return True
    return len(head) >= 3 and head.isalpha() and any(word.startswith(head[:4]) for word in asked.split())


def leaks(answer: str, question: str) -> bool:
    """Whether `question` gives `answer` away: as whole words, inside a word, or by the same first four letters."""
    # Under both casings: the symbol In is ın in Azerbaijani lower case, but an English question has the word "in".
    return any(
        _gives(normalise(gold, "strict"), normalise(asked, "strict"))
        for gold, asked in ((answer, question), (answer.lower(), question.lower()))
    )


def _shuffled(template: str, concepts: Iterable[str]) -> list[str]:
    """A fixed order that follows nothing in the data, so that a cut takes no letter or region before another."""
    return sorted(concepts, key=lambda concept: hashlib.sha256(f"{template}|{concept}".encode()).hexdigest())


def _gives_away(fact: Fact, phrasings: list[dict[str, str]]) -> bool:
    answers = [fact.answer.text, *(other.text for other in fact.other_answers)]
    return any(
        any(leaks(answer, render_az(phrasing["az"], fact.az)) for answer in answers)
        or leaks(fact.answer_en, render_en(phrasing["en"], fact.en))
        for phrasing in phrasings
    )


def _selected(template: str) -> list[Fact]:
    """The facts of a template that give nothing away, at most `per_answer` with one answer and `most` in all."""
    limits = TEMPLATES[template]
    facts = {fact.concept: fact for fact in FACTS[template]()}
    taken: list[Fact] = []
    answers: Counter[str] = Counter()
    for concept in _shuffled(template, facts):
        fact = facts[concept]
        room = len(taken) < limits["most"] and answers[fact.answer.text] < limits["per_answer"]
        if room and not _gives_away(fact, limits["phrasings"]):
            taken.append(fact)
            answers[fact.answer.text] += 1
    # Numbers in the order of numbers: 9 before 10.
    return sorted(taken, key=lambda fact: fact.concept.zfill(3) if fact.concept.isdecimal() else fact.concept)


def _computed(name: str) -> Iterator[tuple[str, dict[str, int], int]]:
    """Concept, parameters and answer of the items of a family: all answers differ, and none stands in its question."""
    family, answers = FAMILIES[name], set[int]()
    grid = {"-".join(map(str, parameters.values())): dict(parameters) for parameters in family.grid()}
    for concept in _shuffled(name, grid):
        parameters = grid[concept]
        answer = family.solve(parameters)
        if answer > 1 and answer not in answers and answer not in parameters.values():
            answers.add(answer)
            yield concept, parameters, answer
        if len(answers) == ITEMS_PER_FAMILY:
            return
    raise InputError(f"the family {name} has too few items", value=len(answers), next_step="widen its grid")


def _rows() -> Iterator[Row]:
    for template in sorted(TEMPLATES):
        limits = TEMPLATES[template]
        for index, fact in enumerate(_selected(template)):
            variant = index % len(limits["phrasings"])
            phrasing = limits["phrasings"][variant]
            others = [(other.text, other.kind) for other in fact.other_answers]
            yield {
                "question_az": render_az(phrasing["az"], fact.az),
                "question_en": render_en(phrasing["en"], fact.en),
                "answer": fact.answer.text,
                "answer_en": fact.answer_en,
                "answer_aliases": answer_aliases(fact.answer.text, fact.answer.kind, others),
                "category": limits["category"],
                "source": fact.source,
                "provenance": limits["provenance"],
                "verified_by": "pending",
                "notes": f"template={template};variant={variant};concept={fact.concept}",
            }
    for name in sorted(FAMILIES):
        for index, (concept, parameters, answer) in enumerate(_computed(name)):
            variant = index % len(PHRASINGS[name])
            phrasing = PHRASINGS[name][variant]
            template_note = f"template=math_{name};variant={variant};concept={concept};created={CREATED}"
            yield {
                "question_az": render_az(phrasing["az"], {k: Noun(str(v), "number") for k, v in parameters.items()}),
                "question_en": render_en(phrasing["en"], {k: EnglishNumber(v) for k, v in parameters.items()}),
                "answer": str(answer),
                "answer_en": str(answer),
                "answer_aliases": [],
                "category": "mathematics",
                "source": _MATHEMATICS_SOURCE,
                "provenance": "computed-template",
                "verified_by": "pending",
                "notes": template_note,
            }


def _faults(row: Row) -> Iterator[str]:
    """What is wrong with one row, in words."""
    az = [str(row["question_az"]), str(row["answer"]), *row["answer_aliases"]]
    if any(
        unicodedata.normalize("NFC", text) != text for text in (*az, str(row["question_en"]), str(row["answer_en"]))
    ):
        yield "a text is not NFC"
    if any("CYRILLIC" in unicodedata.name(letter, "") for text in az for letter in text):
        yield "a Cyrillic letter in an Azerbaijani text"
    if any(not normalise(text, chain) for text in (*az, str(row["answer_en"])) for chain in CHAINS):
        yield "a text is empty after normalisation"
    if leaks(str(row["answer"]), str(row["question_az"])) or leaks(str(row["answer_en"]), str(row["question_en"])):
        yield "the answer stands in the question"
    if any(mark in f"{row['question_az']}{row['question_en']}" for mark in "{}"):
        yield "a slot was left open"


def check_rows(rows: list[Row]) -> None:
    """Raise `InputError` for the first fault: ids, questions and concepts unique, every row sound."""
    for key in ("id", "question_az", "question_en", "notes"):
        twice = [value for value, n in Counter(str(row[key]) for row in rows).items() if n > 1]
        if twice:
            raise InputError(f"{key} occurs more than once", value=twice[0], next_step="mend the templates")
    concepts = Counter(tuple(str(row["notes"]).split(";")[0::2][:2]) for row in rows)
    if concepts.most_common(1)[0][1] > 1:
        raise InputError("a concept occurs twice in one template", value=concepts.most_common(1)[0][0])
    for row in rows:
        for fault in _faults(row):
            raise InputError(fault, value=(row["id"], row["question_az"], row["question_en"], row["answer"]))


def build_pilot() -> list[Row]:
    """The rows of the pilot dataset, in the order of template and concept; every call gives the same.

    Raises:
        InputError: a mathematics answer that the second method does not confirm, or a fault of `check_rows`.
    """
    rows: list[Row] = [{"id": f"pl-{n:04d}", **row} for n, row in enumerate(_rows(), start=1)]
    check_rows(rows)
    return rows


def write_pilot(path: Path) -> None:
    """Write `build_pilot` as JSON Lines (UTF-8, NFC, one trailing newline)."""
    write_atomic(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in build_pilot()))
