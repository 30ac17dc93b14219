"""Find private texts in other files: whole or in part, as they are or escaped.

Texts are compared by their words: runs of letters and digits without marks, in lower case. White space, punctuation,
emphasis, line breaks, invisible signs and the escapes of JSON, HTML and URLs make no difference.
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
_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]+")
_CODE = re.compile(r"\\u([0-9a-fA-F]{4})")
_SHORT = re.compile(r"\\[nrtbfv]")
_BACKSLASHES = re.compile(r"\\{2,}")


def words(text: str) -> list[str]:
    """The words of `text` as they are compared, escapes undone."""
    plain = unescaped(text)
    folded = plain if plain.isascii() else _MARKS.sub("", unicodedata.normalize("NFKD", _INVISIBLE.sub("", plain)))
    return _WORD.findall(folded.lower())


def unescaped(text: str) -> str:
    """`text` with the escapes of JSON (at any depth), HTML and URLs undone.

    An escaped line break becomes a space, so that lines are still those of the file.
    """
    if "&" in text:
        text = html.unescape(text).replace("\r", " ")
    if "%" in text:
        text = unquote(text)
    if "\\" not in text:
        return text
    text = _BACKSLASHES.sub(r"\\", text)
    if _CODE.search(text):
        text = _CODE.sub(lambda found: chr(int(found[1], 16)), text)
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _SHORT.sub(" ", text)


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
        """Every trace in `text`; pieces that overlap are one."""
        said = words(text) if self._pieces else []
        hits = list(self._hits(said))
        lines = _Lines(text)
        return [Trace(lines.of_word(first), last - first, origin) for first, last, origin in self._merged(hits, said)]

    def _hits(self, said: list[str]) -> Iterator[tuple[int, int]]:
        """(place, length) of each piece. Only runs of words that the private texts have are looked at."""
        vocabulary = self._vocabulary
        known = [place for place, word in enumerate(said) if word in vocabulary]
        begin = 0
        for i, place in enumerate(known):
            if i + 1 == len(known) or known[i + 1] != place + 1:
                yield from self._in_run(said, known[begin], place + 1)
                begin = i + 1

    def _in_run(self, said: list[str], first: int, end: int) -> Iterator[tuple[int, int]]:
        for n in self._lengths:
            for place in range(first, end - n + 1):
                if tuple(said[place : place + n]) in self._pieces:
                    yield place, n

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
