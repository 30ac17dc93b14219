"""Every computed answer again, from the numbers in the text of the question: by sympy and by the second method."""

from __future__ import annotations

import json
import re
import string

import pytest
import sympy

from alifba.azeval.pilot.mathematics import FAMILIES, PHRASINGS, Family
from alifba.errors import InputError
from alifba.paths import repo_root

ROWS = [
    row
    for line in (repo_root() / "data" / "azeval" / "pilot.jsonl").read_text(encoding="utf-8").splitlines()
    if (row := json.loads(line))["category"] == "mathematics"
]
X = sympy.Symbol("x")

SYMPY = {
    "addition": lambda a, b: sympy.Add(a, b),
    "subtraction": lambda a, b: sympy.Add(a, -b),
    "multiplication": lambda a, b: sympy.Mul(a, b),
    "division": lambda a, b: sympy.Rational(a, b),
    "remainder": lambda a, b: sympy.Mod(a, b),
    "power": lambda a, n: sympy.Pow(a, n),
    "square_root": lambda a: sympy.sqrt(a),
    "greatest_common_divisor": lambda a, b: sympy.gcd(a, b),
    "least_common_multiple": lambda a, b: sympy.lcm(a, b),
    "percentage": lambda n, p: sympy.Rational(p, 100) * n,
    "next_prime": lambda n: sympy.nextprime(n),
    "sum_of_first_numbers": lambda n: sympy.summation(X, (X, 1, n)),
    "combinations": lambda n, k: sympy.binomial(n, k),
    "triangle_angle": lambda a, b: sympy.solve(a + b + X - 180, X)[0],
    "rectangle_area": lambda a, b: sympy.Polygon((0, 0), (a, 0), (a, b), (0, b)).area,
    "hypotenuse": lambda a, b: sympy.Point(a, 0).distance(sympy.Point(0, b)),
    "linear_equation": lambda a, b, c: sympy.solve(sympy.Eq(a * X + b, c), X)[0],
    "arithmetic_progression": lambda a, d, n: sympy.SeqFormula(a + d * X, (X, 0, sympy.oo)).coeff(n - 1),
    "binary_to_decimal": lambda a: sympy.Poly([int(digit) for digit in str(a)], X).eval(2),
    "mean_of_four": lambda a, b, c, d: sympy.Matrix([a, b, c, d]).dot(sympy.ones(1, 4)) / 4,
}


def numbers_in(question: str, template: str) -> dict[str, int]:
    """The values of the slots, read back from the finished question."""
    pattern = ""
    for literal, slot, form, _ in string.Formatter().parse(template):
        pattern += re.escape(literal)
        if slot:
            pattern += f"(?P<{slot}>\\d+)" + (r"(-?[^\W\d]+)" if form else "")
    found = re.fullmatch(pattern, question)
    assert found, (question, template)
    return {slot: int(value) for slot, value in found.groupdict().items()}


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_the_answer_follows_from_the_text_of_the_question(row):
    notes = dict(part.split("=", 1) for part in row["notes"].split(";"))
    name = notes["template"].removeprefix("math_")
    phrasing = PHRASINGS[name][int(notes["variant"])]
    az, en = (numbers_in(row[f"question_{language}"], phrasing[language]) for language in ("az", "en"))
    assert az == en
    assert row["answer"] == row["answer_en"] == str(SYMPY[name](**az))
    assert row["answer"] == str(FAMILIES[name].check(az))
    assert notes["created"] >= "2026-11-30"


def test_there_are_twenty_families_with_four_phrasings_each():
    assert set(FAMILIES) == set(PHRASINGS) == set(SYMPY)
    assert len(FAMILIES) == 20
    assert all(len(phrasings) == 4 for phrasings in PHRASINGS.values())


def test_a_disagreement_of_the_two_methods_stops_the_build():
    wrong = Family(lambda: [{"a": 2}], answer=lambda p: p["a"], check=lambda p: p["a"] + 1)
    with pytest.raises(InputError, match="two methods"):
        wrong.solve({"a": 2})
