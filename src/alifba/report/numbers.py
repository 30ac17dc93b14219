"""The one place where a value becomes the text that a reader sees, for facts and for table cells alike."""

from __future__ import annotations

import datetime
import math
import numbers
import re
import unicodedata
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal, get_args

from alifba.errors import InputError, closest

Unit = Literal["points", "percent", "count", "number", "p", "seconds", "date", "text"]
Value = int | float | str | None

NOT_AVAILABLE = "not available"
_MINUS, _THIN, _NO_BREAK = "\u2212", "\u202f", "\u00a0"
_STORED_DIGITS = 10  # of a float: below what differs between two machines' summation order
_SMALLEST_P = Decimal("0.001")


def clean(value: object) -> Value:
    """`value` as it is stored: a plain int, float (10 significant digits) or NFC string; NaN is None."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, datetime.date):
        return value.isoformat()[:10]
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError("not a number, a text or a date", value=value, likely="a whole row or a flag was passed")
    if isinstance(value, numbers.Integral):
        return int(value)
    number = float(value)
    if math.isinf(number):
        raise InputError("a value is infinite", value=number, likely="a division by zero that should be undefined")
    return None if math.isnan(number) else float(f"{number:.{_STORED_DIGITS}g}")


def format_value(value: object, unit: str, digits: int = 0, *, signed: bool = False, bare: bool = False) -> str:
    """The text of `value`, rounded half up on its decimal form.

    Units: ``points`` and ``percent`` take a share (0.125 reads 12.5 and 12.5%), ``count`` groups thousands by a
    narrow no-break space, ``p`` reads ``= 0.043`` or ``< 0.001``, ``seconds`` and ``number`` are plain, ``date`` takes
    YYYY-MM-DD, ``text`` is itself. `signed` puts a plus before a positive number; `bare` leaves out %, s and =, for a
    table whose header names the unit. None and NaN read "not available".

    Raises InputError for an unknown unit and for a value that the unit cannot hold.
    """
    if unit not in get_args(Unit):
        raise InputError("unknown unit", value=unit, likely=closest(unit, get_args(Unit)))
    value = clean(value)
    if value is None:
        return NOT_AVAILABLE
    if unit == "text":
        return re.sub(r"\s*[\r\n]\s*", " ", _string(value, unit))
    if unit == "date":
        return _date(_string(value, unit))
    if isinstance(value, str):
        raise InputError(f"a text where the unit {unit!r} needs a number", value=value)
    exact = Decimal(str(value))
    if unit == "p":
        return _p(exact, digits, bare)
    if unit == "count":
        if exact != exact.to_integral_value():
            raise InputError("a count is not a whole number", value=value, likely="the unit 'number' was meant")
        digits = 0
    text = _decimal(exact * 100 if unit in ("points", "percent") else exact, digits, signed)
    if bare:
        return text
    return text + {"percent": "%", "seconds": f"{_NO_BREAK}s"}.get(unit, "")


def _string(value: Value, unit: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"a number where the unit {unit!r} needs a text", value=value)
    return value


def _rounded(number: Decimal, digits: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)


def _decimal(number: Decimal, digits: int, signed: bool) -> str:
    rounded = _rounded(number, digits)
    sign = "" if rounded == 0 else _MINUS if rounded < 0 else "+" if signed else ""
    return sign + f"{abs(rounded):,f}".replace(",", _THIN)


def _p(p: Decimal, digits: int, bare: bool) -> str:
    if not 0 <= p <= 1:
        raise InputError("a p value outside 0 to 1", value=float(p))
    relation = "" if bare else f"={_NO_BREAK}"
    if p < _SMALLEST_P:
        return f"<{'' if bare else _NO_BREAK}{_SMALLEST_P}"
    return relation + str(_rounded(p, digits or 3))


def _date(text: str) -> str:
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        raise InputError("not a date", value=text, next_step="write YYYY-MM-DD") from None
    return f"{day.day}{_NO_BREAK}{day:%B}{_NO_BREAK}{day.year}"
