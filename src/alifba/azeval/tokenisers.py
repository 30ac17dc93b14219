"""Tokeniser control: did fine-tuning change how text is cut, and how finely does each half cut each language?

A pair whose halves cut text alike differs in its weights alone. Vocabularies are compared by content: two of the same
size with different entries are different.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from alifba.azeval.pairs import is_model
from alifba.config import Pair, Study
from alifba.errors import InputError
from alifba.items import ItemSet
from alifba.paths import resolve, shown

_FILE = "tokenizer.json"
# Markup such as <think> or [INST] steers the model and is no piece of a word, even where it is not marked as special.
_MARKUP = re.compile(r"[<\[].*[>\]]", re.DOTALL)
_NO_LIBRARY = "tokens per word need the package tokenizers: make local"
Split = list[list[str]]


@dataclass(frozen=True)
class Tokeniser:
    """What a tokenizer.json holds: word pieces, control tokens, and the rules that put pieces together."""

    path: Path
    word_pieces: frozenset[str]
    control_tokens: frozenset[str]
    rules: tuple[object, ...]
    """Kind of model and its merges (BPE) or scores (Unigram), in order."""

    def cuts_like(self, other: Tokeniser) -> bool:
        """True if both have the same word pieces and the same rules; control tokens may differ."""
        return self.word_pieces == other.word_pieces and self.rules == other.rules


def tokeniser_file(given: str | Path) -> Path:
    """The tokenizer.json that `given` is, or that lies in the folder `given`."""
    path = resolve(given)
    file = path / _FILE if path.is_dir() else path
    if file.is_file():
        return file
    raise InputError(
        f"no {_FILE} in this folder" if path.is_dir() else "no such tokenizer file or folder",
        file=shown(path),
        likely="a tokenizer saved in an older format" if path.is_dir() else None,
        next_step="save it by transformers: AutoTokenizer.from_pretrained(...).save_pretrained(folder)",
    )


@lru_cache(maxsize=64)
def read_tokeniser(given: str | Path) -> Tokeniser:
    """Read a tokenizer.json (Hugging Face tokenizers: BPE, Unigram, WordPiece, WordLevel), or the folder of one.

    Raises:
        InputError: no such file, not JSON, or no vocabulary in it.
    """
    path = tokeniser_file(given)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as fault:
        line = fault.lineno if isinstance(fault, json.JSONDecodeError) else None
        raise InputError(f"not JSON ({fault})", file=shown(path), line=line) from None
    try:
        model = content["model"]
        vocabulary = model["vocab"]
        # Unigram lists [piece, score]; the others map a piece to its number.
        pieces = set(vocabulary) if isinstance(vocabulary, dict) else {piece for piece, _ in vocabulary}
        added = {entry["content"]: _is_control(entry) for entry in content.get("added_tokens") or []}
        rules = _rules(model)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            "no vocabulary where a tokenizer.json has it",
            file=shown(path),
            likely="another JSON file of the model, such as tokenizer_config.json",
            next_step=f"give the model's {_FILE}",
        ) from None
    control = {token for token, steers in added.items() if steers}
    return Tokeniser(path, frozenset((pieces | added.keys()) - control), frozenset(control), rules)


def _is_control(entry: dict[str, Any]) -> bool:
    return bool(entry.get("special")) or _MARKUP.fullmatch(entry["content"]) is not None


def _rules(model: dict[str, Any]) -> tuple[object, ...]:
    # A merge is written "a b" by older versions and ["a", "b"] by newer ones.
    merges = [
        tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in model.get("merges") or []
    ]
    scores = [tuple(entry) for entry in model["vocab"]] if isinstance(model["vocab"], list) else []
    return (model.get("type") or "BPE", *merges, *scores)


def has_library() -> bool:
    """Whether text can be cut here: the package tokenizers is installed."""
    return find_spec("tokenizers") is not None


def split(given: str | Path, texts: Iterable[str]) -> Split:
    """The tokens of each text, without control tokens that a prompt would add. Needs the package tokenizers."""
    from tokenizers import Tokenizer

    path = tokeniser_file(given)
    try:
        encodings = Tokenizer.from_file(str(path)).encode_batch(list(texts), add_special_tokens=False)
    except Exception as fault:
        # The library raises bare exceptions for a file that it does not understand.
        raise InputError(f"the tokenizers library cannot use this file ({fault})", file=shown(path)) from None
    return [list(encoding.tokens) for encoding in encodings]


def fertility(tokens: Split, texts: Iterable[str]) -> float:
    """Tokens per word (by white space) over all texts; NaN where there is no word."""
    words = sum(len(text.split()) for text in texts)
    return len(list(chain.from_iterable(tokens))) / words if words else float("nan")


def tokenisers_table(study: Study, items: ItemSet) -> pd.DataFrame:
    """One row per declared pair: word pieces and control tokens added and removed, and fertility on the questions.

    `identical` (1/0): same word pieces and same rules. `fertility_<language>_<half>` is in tokens per word;
    `same_split_<language>` is the share of questions that both halves cut alike. Empty where the study declares no
    tokeniser for a half, or where the package tokenizers is missing; `reason` says which.
    """
    texts = {language: [item.question(language) for item in items] for language in ("az", "en")}

    @cache
    def cut(given: str, language: str) -> Split:
        return split(given, texts[language])

    rows = [_row(pair, study.tokenizers, texts, cut) for pair in study.pairs]
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = [
    *("pair", "base", "tuned", "identical", "word_pieces_base", "word_pieces_tuned"),
    *("word_pieces_added", "word_pieces_removed", "control_tokens_added", "control_tokens_removed"),
    *("fertility_az_base", "fertility_az_tuned", "fertility_en_base", "fertility_en_tuned"),
    *("same_split_az", "same_split_en", "reason"),
]


def _row(
    pair: Pair, declared: Mapping[str, str], texts: Mapping[str, list[str]], cut: Callable[[str, str], Split]
) -> dict[str, Any]:
    row: dict[str, Any] = {"pair": pair.name, "base": pair.base, "tuned": pair.tuned}
    base, tuned = (_declared(model, declared) for model in (pair.base, pair.tuned))
    if base is None or tuned is None:
        lacking = [model for model, path in ((pair.base, base), (pair.tuned, tuned)) if path is None]
        return row | {"reason": "no tokeniser declared for " + " and ".join(lacking)}
    one, two = read_tokeniser(base), read_tokeniser(tuned)
    row |= {
        "identical": int(one.cuts_like(two)),
        "word_pieces_base": len(one.word_pieces),
        "word_pieces_tuned": len(two.word_pieces),
        "word_pieces_added": len(two.word_pieces - one.word_pieces),
        "word_pieces_removed": len(one.word_pieces - two.word_pieces),
        "control_tokens_added": len(two.control_tokens - one.control_tokens),
        "control_tokens_removed": len(one.control_tokens - two.control_tokens),
        "reason": "" if has_library() else _NO_LIBRARY,
    }
    for language, questions in texts.items() if has_library() else ():
        first, second = cut(base, language), cut(tuned, language)
        row[f"fertility_{language}_base"] = fertility(first, questions)
        row[f"fertility_{language}_tuned"] = fertility(second, questions)
        alike = sum(a == b for a, b in zip(first, second, strict=True))
        row[f"same_split_{language}"] = alike / len(questions) if questions else float("nan")
    return row


def _declared(model: str, tokenizers: Mapping[str, str]) -> str | None:
    return next((path for name, path in tokenizers.items() if is_model(name, model) or is_model(model, name)), None)
