"""Rebuild the packed data files: ``python -m alifba.text.confusion.build_data TESSDATA ANNOTATIONS``.

TESSDATA is the folder of ``*.traineddata`` files that Debian's ``tesseract-ocr-{aze,tur,eng,rus,ukr,kaz}`` packages
install (Apache-2.0). The programs ``combine_tessdata`` and ``dawg2wordlist`` of the package ``tesseract-ocr`` unpack
the word list inside each. ANNOTATIONS is the folder ``annotations`` of the npm package ``cldr-annotations-full``
48.2.0 (Unicode licence). Nothing here is needed to use the detectors.
"""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
import tempfile
import tomllib
from bisect import bisect_left
from importlib.resources import files
from pathlib import Path

from alifba.paths import write_atomic
from alifba.text.azerbaijani import lower as turkic_lower

_AFTER_ALL = "\U0010ffff"
ANNOTATION_LANGUAGES = ("en", "az", "tr", "ru", "uk", "kk", "ky", "uz", "tk", "de", "fr")


def unpack(tessdata: Path, name: str) -> list[str]:
    """The words inside ``<name>.traineddata``, cased as they are."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = f"{folder}/{name}."
        subprocess.run(["combine_tessdata", "-u", tessdata / f"{name}.traineddata", prefix], check=True)
        words = Path(folder) / "words"
        subprocess.run(["dawg2wordlist", prefix + "lstm-unicharset", prefix + "lstm-word-dawg", words], check=True)
        return words.read_text(encoding="utf-8").splitlines()


def clean(words: list[str], alphabet: str, *, turkic: bool, lower_case_only: bool) -> set[str]:
    """Lower-case words of two letters or more written in `alphabet`.

    With `lower_case_only` a word that the list holds only capitalised is left out: it is a name, and names are no
    evidence of a language.
    """
    letters = set(alphabet)
    kept = set()
    for word in words:
        small = turkic_lower(word) if turkic else word.lower()
        if len(small) > 1 and letters.issuperset(small) and (small == word or not lower_case_only):
            kept.add(small)
    return kept


def _family(sorted_words: list[str], stem: str) -> int:
    """How many words begin with `stem`."""
    return bisect_left(sorted_words, stem + _AFTER_ALL) - bisect_left(sorted_words, stem)


def without_strangers(words: set[str], others: list[set[str]], ratio: float) -> set[str]:
    """Drop words of `words` that belong to another language.

    The lists come from web text, so the Azerbaijani one holds "deniz" and "kitap". A word in both lists stays only
    if the words that begin with it number at least `ratio` times those of the other list: "kitap" begins 1
    Azerbaijani and 101 Turkish words, "kitab" 130 and 2.
    """
    own = sorted(words)
    kept = set(words)
    for other in others:
        theirs = sorted(other)
        kept -= {w for w in words & other if _family(own, w) < ratio * _family(theirs, w)}
    return kept


def build_lexicons(tessdata: Path, data: Path) -> None:
    """Write ``lexicon-<code>.txt.xz`` for every entry of ``lexicons.toml``."""
    table = tomllib.loads((data / "lexicons.toml").read_text(encoding="utf-8"))
    lists = {
        code: clean(
            unpack(tessdata, entry["traineddata"]),
            entry["alphabet"],
            turkic=entry.get("casing") == "turkic",
            lower_case_only=entry["lower_case_only"],
        )
        for code, entry in table["lexicon"].items()
    }
    for code, entry in table["lexicon"].items():
        others = [lists[other] for other in entry.get("strangers", [])]
        words = without_strangers(lists[code], others, table["ratio"])
        _write_packed(data / f"lexicon-{code}.txt.xz", "\n".join(sorted(words)))


def build_annotations(annotations: Path, data: Path) -> None:
    """Write ``annotations.tsv.xz``: emoji with a short name in English (two words at most) and Azerbaijani (three)."""
    tables = {}
    for code in ANNOTATION_LANGUAGES:
        content = json.loads((annotations / code / "annotations.json").read_text(encoding="utf-8"))
        tables[code] = content["annotations"]["annotations"]
    lines = ["\t".join(["emoji", *ANNOTATION_LANGUAGES])]
    for emoji in tables["az"]:
        names = [tables[code].get(emoji, {}).get("tts", [""])[0] for code in ANNOTATION_LANGUAGES]
        english, azerbaijani = len(names[0].split()), len(names[1].split())
        if 0 < english <= 2 and 0 < azerbaijani <= 3:
            lines.append("\t".join([emoji, *names]))
    _write_packed(data / "annotations.tsv.xz", "\n".join(lines) + "\n")


def _write_packed(path: Path, content: str) -> None:
    write_atomic(path, lzma.compress(content.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    folder = Path(str(files("alifba.text.confusion") / "data"))
    build_lexicons(Path(sys.argv[1]), folder)
    build_annotations(Path(sys.argv[2]), folder)
