"""Keys: from the environment or ``.env`` in the repository (ignored by git), and out of everything that is written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable

from alifba.errors import InputError
from alifba.paths import repo_root

SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_SHORTEST = 6
"""A shorter value is no secret, and taking it out would riddle ordinary text."""
_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*")
_QUOTED = re.compile(r"(['\"])(.*)\1\s*(?:#.*)?")


def dotenv() -> dict[str, str]:
    """The variables of ``.env`` in the repository root; none where there is no such file.

    Lines are ``NAME=value``, with ``export``, quotes and a comment after a space allowed.
    """
    try:
        path = repo_root() / ".env"
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, InputError):
        return {}
    except UnicodeDecodeError:
        raise InputError("not UTF-8", file=".env", next_step="save the file as UTF-8") from None
    found = {}
    for line in text.splitlines():
        if match := _LINE.fullmatch(line):
            name, value = match.groups()
            quoted = _QUOTED.fullmatch(value)
            found[name] = quoted[2] if quoted else re.split(r"\s+#|^#", value, maxsplit=1)[0].rstrip()
    return found


def key(name: str) -> str:
    """The key in the variable `name`, from the environment or else from ``.env``.

    Raises:
        InputError: it is set in neither, or cannot stand in an HTTP header. The message never shows the value.
    """
    value = (os.environ.get(name) or dotenv().get(name) or "").strip()
    if not value:
        raise InputError(
            f"{name} is not set",
            next_step=f"export {name}=..., or write the line {name}=... into .env (git ignores that file)",
        )
    if not (value.isascii() and value.isprintable()):
        raise InputError(f"{name} holds characters that no key has", likely="a copied quotation mark or line break")
    return value


class Scrubber:
    """Takes every secret out of a text: `extra`, and all values of variables whose names end in KEY, TOKEN, SECRET or
    PASSWORD, in the environment and in ``.env``; also as JSON, JSON inside JSON, or a URL would write them."""

    def __init__(self, extra: Iterable[str] = ()) -> None:
        named = [value for name, value in {**dotenv(), **os.environ}.items() if SECRET_NAME.search(name)]
        secrets = {value for raw in [*named, *extra] if len(value := raw.strip()) >= _SHORTEST}
        # The longest first: one secret may hold another.
        alternatives = "|".join("".join(map(_any_spelling, value)) for value in sorted(secrets, key=len, reverse=True))
        self._pattern = re.compile(alternatives or r"(?!)")

    def clean(self, text: str) -> str:
        """`text` with ``[secret]`` in the place of each secret."""
        return self._pattern.sub("[secret]", text)


def _any_spelling(sign: str) -> str:
    """A pattern of one character of a secret: plain, after any number of backslashes, or escaped for a URL or JSON."""
    if sign.isascii() and sign.isalnum():
        return sign
    plain = r"\\+" if sign == "\\" else r"\\*" + re.escape(sign)
    by_url = "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "replace"))
    by_json = r"\\+" + json.dumps(sign)[1:-1].lstrip("\\") if ord(sign) < 32 else rf"\\+u{ord(sign):04x}"
    return rf"(?:{plain}|(?i:{by_url}|{by_json}))"
