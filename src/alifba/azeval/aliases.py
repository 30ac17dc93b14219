"""Accepted Azerbaijani forms of an answer, generated from its known stem."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from alifba.errors import InputError
from alifba.text.morphology import CASES, inflect, ordinal

Kind = Literal["word", "name", "possessed", "code", "number", "year"]

_YEAR_FORMS = ("il", "ildə", "ilin", "ildir")


def _forms(answer: str, kind: Kind) -> list[str]:
    if kind in ("code", "number"):
        return []
    if kind == "year":
        if not answer.isdecimal():
            raise InputError("a year is written in digits", value=answer, next_step="give the kind of this answer")
        return [f"{ordinal(int(answer))} {form}" for form in _YEAR_FORMS]
    if kind == "possessed":
        cases = [case for case in CASES if case not in ("plural", "possessive")]
        return [inflect(answer, case, possessed=True) for case in cases]
    plain = [inflect(answer, case) for case in CASES]
    if kind == "name":
        return plain
    # Writers soften loanwords unevenly, so both spellings of a common noun count.
    return plain + [inflect(answer, case, softening=True) for case in CASES]


def answer_aliases(answer: str, kind: Kind, variants: Iterable[tuple[str, Kind]] = ()) -> list[str]:
    """Case, plural, possessive and copula forms of `answer`, then `variants` (other spellings) with theirs.

    kind: "word" (common noun, softened and unsoftened), "name" (proper name, never softened), "possessed" (ends in a
    third person possessive: ``alman dili``), "year" (``1918-ci il``), "code" and "number" (no forms: a number is no
    year). The result has no duplicate, no empty form, and not `answer` itself.

    >>> answer_aliases("1918", "year")
    ['1918-ci il', '1918-ci ildə', '1918-ci ilin', '1918-ci ildir']
    """
    forms = _forms(answer, kind)
    for variant, variant_kind in variants:
        forms += [variant, *_forms(variant, variant_kind)]
    unique = dict.fromkeys(forms)
    unique.pop(answer, None)
    if "" in unique:
        raise InputError("an alias is empty", value=answer)
    return list(unique)
