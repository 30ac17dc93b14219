"""Twenty families of computed items: each a grid of parameters, a way to the answer, and a second, independent way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product

from alifba.azeval.pilot.phrasing import load_yaml
from alifba.errors import InputError

Parameters = Mapping[str, int]


@dataclass(frozen=True)
class Family:
    """A kind of computed question. `answer` and `check` share no step that could fail alike.

    grid: the possible parameters; names are the slots of the templates. Every answer is a non-negative integer.
    """

    grid: Callable[[], Iterable[Parameters]]
    answer: Callable[[Parameters], int]
    check: Callable[[Parameters], int]

    def solve(self, parameters: Parameters) -> int:
        """The answer; raises `InputError` when the second method disagrees."""
        first, second = self.answer(parameters), self.check(parameters)
        if first != second:
            raise InputError("two methods give different answers", value=(dict(parameters), first, second))
        return first


def _grid(**ranges: Iterable[int]) -> Callable[[], Iterator[Parameters]]:
    return lambda: (dict(zip(ranges, values, strict=True)) for values in product(*ranges.values()))


def _divisions() -> Iterator[Parameters]:
    return ({"a": b * q, "b": b} for b, q in product(range(6, 25), range(12, 60)))


def _powers() -> Iterator[Parameters]:
    return ({"a": a, "n": n} for a, n in product(range(2, 13), range(3, 11)) if a**n < 10_000)


def _pairs_with_divisor(divisors: Iterable[int], factors: Iterable[int]) -> Iterator[Parameters]:
    for g, (p, q) in product(divisors, product(factors, repeat=2)):
        if p < q and math.gcd(p, q) == 1:
            yield {"a": g * p, "b": g * q}


def _percentages() -> Iterator[Parameters]:
    percents, wholes = (5, 10, 15, 20, 25, 30, 35, 40, 45, 60, 75, 80), range(40, 900, 20)
    return ({"n": n, "p": p} for p, n in product(percents, wholes) if n * p % 100 == 0)


def _right_triangles() -> Iterator[Parameters]:
    for a, b in product(range(5, 100), range(5, 100)):
        if a < b and math.isqrt(a * a + b * b) ** 2 == a * a + b * b:
            yield {"a": a, "b": b}


def _equations() -> Iterator[Parameters]:
    return ({"a": a, "b": b, "c": a * x + b} for a, b, x in product(range(3, 13), range(4, 40, 3), range(3, 30)))


def _binaries() -> Iterator[Parameters]:
    return ({"a": int(f"{n:b}")} for n in range(17, 200))


def _means() -> Iterator[Parameters]:
    for a, b, c, d in product(range(11, 60, 7), range(12, 70, 9), range(15, 80, 11), range(10, 90, 13)):
        if (a + b + c + d) % 4 == 0 and len({a, b, c, d}) == 4:
            yield {"a": a, "b": b, "c": c, "d": d}


def _times(a: int, b: int) -> int:
    """The product by doubling and adding, without multiplication."""
    return sum(a << bit for bit in range(b.bit_length()) if b >> bit & 1)


def _count_down(a: int, b: int) -> tuple[int, int]:
    """Quotient and remainder by taking `b` away again and again."""
    taken = 0
    while a >= b:
        a, taken = a - b, taken + 1
    return taken, a


def _euclid(a: int, b: int) -> int:
    return a if b == 0 else _euclid(b, a % b)


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


def _prime_by_sieve(n: int) -> int:
    """The first prime after `n`; by Bertrand's postulate it is at most 2n."""
    sieve = [True] * (2 * n + 1)
    for d in range(2, n + 1):
        sieve[2 * d :: d] = [False] * len(sieve[2 * d :: d])
    return sieve.index(True, n + 1)


def _pascal(n: int, k: int) -> int:
    row = [1]
    for _ in range(n):
        row = [1, *(left + right for left, right in pairwise(row)), 1]
    return row[k]


def _solve_by_search(p: Parameters) -> int:
    return next(x for x in range(p["c"] + 1) if p["a"] * x + p["b"] == p["c"])


def _root_by_search(square: int) -> int:
    return next(r for r in range(square + 1) if r * r >= square)


FAMILIES: dict[str, Family] = {
    "addition": Family(
        _grid(a=range(123, 990, 17), b=range(117, 980, 19)),
        lambda p: p["a"] + p["b"],
        lambda p: reduce(lambda total, _: total + 1, range(p["b"]), p["a"]),
    ),
    "subtraction": Family(
        _grid(a=range(510, 999, 13), b=range(101, 500, 11)),
        lambda p: p["a"] - p["b"],
        lambda p: len(range(p["b"], p["a"])),
    ),
    "multiplication": Family(
        _grid(a=range(12, 49), b=range(13, 42)), lambda p: p["a"] * p["b"], lambda p: _times(p["a"], p["b"])
    ),
    "division": Family(_divisions, lambda p: p["a"] // p["b"], lambda p: _count_down(p["a"], p["b"])[0]),
    "remainder": Family(
        _grid(a=range(103, 990, 7), b=range(7, 24)), lambda p: p["a"] % p["b"], lambda p: _count_down(p["a"], p["b"])[1]
    ),
    "power": Family(_powers, lambda p: p["a"] ** p["n"], lambda p: reduce(_times, [p["a"]] * (p["n"] - 1), p["a"])),
    "square_root": Family(
        lambda: ({"a": r * r} for r in range(11, 60)), lambda p: math.isqrt(p["a"]), lambda p: _root_by_search(p["a"])
    ),
    "greatest_common_divisor": Family(
        lambda: _pairs_with_divisor(range(6, 31), range(2, 10)),
        lambda p: _euclid(p["a"], p["b"]),
        lambda p: max(d for d in range(1, p["a"] + 1) if p["a"] % d == 0 and p["b"] % d == 0),
    ),
    "least_common_multiple": Family(
        lambda: _pairs_with_divisor(range(2, 13), range(2, 10)),
        lambda p: p["a"] * p["b"] // _euclid(p["a"], p["b"]),
        lambda p: next(m for m in range(p["b"], p["a"] * p["b"] + 1, p["b"]) if m % p["a"] == 0),
    ),
    "percentage": Family(_percentages, lambda p: p["n"] * p["p"] // 100, lambda p: int(Fraction(p["p"], 100) * p["n"])),
    "next_prime": Family(
        _grid(n=range(20, 600)),
        lambda p: next(m for m in range(p["n"] + 1, 2 * p["n"]) if _is_prime(m)),
        lambda p: _prime_by_sieve(p["n"]),
    ),
    "sum_of_first_numbers": Family(
        _grid(n=range(12, 90)), lambda p: p["n"] * (p["n"] + 1) // 2, lambda p: sum(range(1, p["n"] + 1))
    ),
    "combinations": Family(
        _grid(n=range(5, 13), k=range(2, 5)), lambda p: math.comb(p["n"], p["k"]), lambda p: _pascal(p["n"], p["k"])
    ),
    "triangle_angle": Family(
        lambda: ({"a": a, "b": b} for a, b in product(range(22, 88, 3), range(31, 90, 4)) if a != b),
        lambda p: 180 - p["a"] - p["b"],
        lambda p: next(c for c in range(1, 180) if p["a"] + p["b"] + c == 180),
    ),
    "rectangle_area": Family(
        lambda: ({"a": b + more, "b": b} for b, more in product(range(6, 30), range(1, 20))),
        lambda p: p["a"] * p["b"],
        lambda p: sum(1 for _ in product(range(p["a"]), range(p["b"]))),
    ),
    "hypotenuse": Family(
        _right_triangles,
        lambda p: math.isqrt(p["a"] ** 2 + p["b"] ** 2),
        lambda p: next(c for c in range(p["b"], p["a"] + p["b"]) if (c - p["a"]) * (c + p["a"]) == p["b"] ** 2),
    ),
    "linear_equation": Family(_equations, lambda p: (p["c"] - p["b"]) // p["a"], _solve_by_search),
    "arithmetic_progression": Family(
        _grid(a=range(3, 30), d=range(3, 15), n=range(8, 30)),
        lambda p: p["a"] + (p["n"] - 1) * p["d"],
        lambda p: reduce(lambda term, _: term + p["d"], range(p["n"] - 1), p["a"]),
    ),
    "binary_to_decimal": Family(
        _binaries,
        lambda p: int(str(p["a"]), 2),
        lambda p: reduce(lambda value, digit: 2 * value + int(digit), str(p["a"]), 0),
    ),
    "mean_of_four": Family(
        _means,
        lambda p: sum(p.values()) // 4,
        # The mean is the number from which the differences add up to nothing.
        lambda p: next(m for m in range(100) if sum(value - m for value in p.values()) == 0),
    ),
}

PHRASINGS: dict[str, list[dict[str, str]]] = load_yaml("mathematics.yaml")
