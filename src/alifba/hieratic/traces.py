"""Find private texts in other files: whole or in part, as they are or escaped.

Texts are compared by their words: runs of letters and digits without marks, in lower case. White space, punctuation,
emphasis, line breaks and the escapes of JSON, HTML and URLs make no difference.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

_WORD = re.compile(r"[^\W_]+")
_CODE = re.compile(r"\\+u([0-9a-fA-F]{4})")
_SHORT = re.compile(r"\\+[nrtbfv]")
_ESCAPE = re.compile(r"\\|&#?\w+;|%[0-9A-Fa-f]{2}")


def words(text: str) -> list[str]:
    """The words of `text` as they are compared."""
    folded = text if text.isascii() else _without_marks(text)
    return _WORD.findall(folded.lower())


def _without_marks(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def unescaped(text: str) -> str:
    """`text` with the escapes of JSON (at any depth), HTML and URLs undone."""
    decoded = _CODE.sub(lambda found: chr(int(found[1], 16)), unquote(html.unescape(text)))
    joined = decoded.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _SHORT.sub(" ", joined)


@dataclass(frozen=True)
class Trace:
    """A piece of a private text: `n_words` of it begin in `line` of what was searched; `origin` names the text."""

    line: int
    n_words: int
    origin: str


class Traces:
    """Private texts to look for, as pieces of so many words in a row. A piece that is harmless is no trace."""

    def __init__(self) -> None:
        self._pieces: dict[tuple[str, ...], str] = {}
        self._vocabulary: set[str] = set()
        self._lengths: list[int] = []

    def __len__(self) -> int:
        return len(self._pieces)

    def add(self, origin: str, text: str, n_words: int, *, letters: int = 0, whole: int | None = None) -> None:
        """Look for every `n_words` words in a row of `text`, if together they have at least `letters`.

        A text of fewer words, but at least `whole`, is looked for as a whole. `origin` names the text in what is found.
        """
        said = words(text)
        n = n_words if len(said) >= n_words else len(said)
        if n and n >= (n_words if whole is None else min(whole, n_words)):
            self._take(origin, said, n, letters)

    def _take(self, origin: str, said: list[str], n: int, letters: int) -> None:
        for piece in _runs(said, n):
            if sum(map(len, piece)) >= letters:
                self._pieces.setdefault(piece, origin)
                self._vocabulary.update(piece)
        self._lengths = sorted({len(piece) for piece in self._pieces})

    def excuse(self, text: str) -> None:
        """What stands in `text` is no secret: its pieces are not looked for."""
        said = words(text)
        for place, n in self._hits(said):
            self._pieces.pop(tuple(said[place : place + n]), None)

    def find(self, text: str) -> list[Trace]:
        """Every trace in `text`, as it is and with its escapes undone; pieces that overlap are one."""
        if not self._pieces:
            return []
        found = list(self._find(text))
        if _ESCAPE.search(text):
            # An escaped line break has become a space, so lines are still those of the file.
            known = {(trace.line, trace.origin) for trace in found}
            found += [trace for trace in self._find(unescaped(text)) if (trace.line, trace.origin) not in known]
        return sorted(found, key=lambda trace: trace.line)

    def _find(self, text: str) -> Iterator[Trace]:
        said = words(text)
        hits = list(self._hits(said))
        lines = _Lines(text)
        for first, last, origin in self._merged(hits, said):
            yield Trace(lines.of_word(first), last - first, origin)

    def _hits(self, said: list[str]) -> Iterator[tuple[int, int]]:
        """(place, length) of each piece. Only runs of words that the private texts have are looked at."""
        known = [word in self._vocabulary for word in said]
        for n in self._lengths:
            run = 0
            for place, in_vocabulary in enumerate(known):
                run = run + 1 if in_vocabulary else 0
                if run >= n and tuple(said[place - n + 1 : place + 1]) in self._pieces:
                    yield place - n + 1, n

    def _merged(self, hits: list[tuple[int, int]], said: list[str]) -> Iterator[tuple[int, int, str]]:
        begin = end = -1
        origin = ""
        for place, n in sorted(hits):
            if place > end:
                if origin:
                    yield begin, end, origin
                begin, origin = place, self._pieces[tuple(said[place : place + n])]
                end = place + n
            end = max(end, place + n)
        if origin:
            yield begin, end, origin


def _runs(said: list[str], n: int) -> Iterator[tuple[str, ...]]:
    for i in range(len(said) - n + 1):
        yield tuple(said[i : i + n])


class _Lines:
    """In which line of a text a word stands; lines and words are counted only when asked."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []

    def of_word(self, number: int) -> int:
        """The line, from 1, of word `number`, from 0."""
        if not self._starts:
            counts = [len(words(line)) for line in self._text.split("\n")]
            total = 0
            for count in counts:
                self._starts.append(total)
                total += count
        return bisect_right(self._starts, number)
