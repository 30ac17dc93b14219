"""Small dictionaries, studies and models for the tests of tifinagh. Every word is made up."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from alifba.backends.base import Description, Generation
from alifba.config import Model
from alifba.tifinagh.harness import Harness
from alifba.tifinagh.records import DIALECTS, Answerer, Setup
from alifba.tifinagh.study import TifinaghStudy

_LINE = re.compile(r'^\{"id":.*\}$', re.MULTILINE)
LETTERS = "ⴰⴱⴳⴷⴼⴽⵀⵉⵊⵍⵎⵏⵓⵔⵙⵛⵜⵡⵢⵣ"


def word(number: int, length: int = 5) -> str:
    """A made-up word in Tifinagh, another one for every number below 20 ** length."""
    signs = []
    for _ in range(length):
        number, place = divmod(number, len(LETTERS))
        signs.append(LETTERS[place])
    return "".join(signs)


def write_dictionary(folder: Path, dialect: str, rows: Sequence[dict[str, Any]], /, **mapping: Any) -> Path:
    """A JSON Lines dictionary and its mapping file; returns the mapping file."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / f"{dialect}.jsonl").write_text(text, encoding="utf-8")
    settings = {
        "dialect": dialect,
        "name": f"A test dictionary of {dialect}",
        "file": f"{dialect}.jsonl",
        "columns": {name: name for name in ("id", "tifinagh", "latin", "english", "french")},
        "source": "made up for a test",
        "licence": "CC0-1.0",
    } | mapping
    path = folder / f"{dialect}.yaml"
    path.write_text(yaml.safe_dump(settings, allow_unicode=True), encoding="utf-8")
    return path


def rows_of(n: int, dialect: str = "ircam") -> list[dict[str, Any]]:
    """`n` entries with English and Latin."""
    return [
        {
            "id": f"{dialect}-{number:05}",
            "tifinagh": word(number),
            "latin": f"{dialect[0]}aw{number}",
            "english": f"thing {number}",
            "french": f"chose {number}",
        }
        for number in range(n)
    ]


def study_of(folder: Path, n: int = 12, **keys: Any) -> TifinaghStudy:
    """A study of three dictionaries of `n` entries each; `keys` replace its keys."""
    mappings = [str(write_dictionary(folder / "dictionaries", d, rows_of(n, d))) for d in DIALECTS]
    settings = {"name": "small", "title": "Small", "dictionaries": mappings, "runs": str(folder / "runs")}
    return TifinaghStudy.model_validate(settings | {"sample": "all", "batch_size": 5} | keys)


def setup_for(study: TifinaghStudy) -> Setup:
    from alifba.tifinagh.running import open_study

    return open_study(study)[1]


def asked_in(prompt: str) -> list[dict[str, Any]]:
    """The items of a prompt, as a model reads them."""
    return [json.loads(line) for line in _LINE.findall(prompt)]


def says(rows: Sequence[dict[str, Any]], name: str = "answers") -> str:
    return json.dumps({name: list(rows)}, ensure_ascii=False)


Reply = Callable[[str, list[dict[str, Any]]], str | None]


class ScriptedBackend:
    """A model by a function of prompt and items; None is an error. `order` shuffles in which order replies come, and
    after `dies_after` replies it breaks off, as a kill would."""

    description = Description("scripted-1", "none", "none", "none", 1)

    def __init__(self, reply: Reply, order: int | None = None, dies_after: int | None = None) -> None:
        self._reply, self._order, self._dies_after = reply, order, dies_after
        self.prompts: list[str] = []

    def generate(
        self,
        prompts: Sequence[str],
        max_new_tokens: int,
        answered: frozenset[int] = frozenset(),
        stop: str | None = None,
    ) -> Iterator[Generation]:
        places = [place for place in range(len(prompts)) if place not in answered]
        if self._order is not None:
            random.Random(self._order).shuffle(places)
        for place in places:
            if self._dies_after is not None and len(self.prompts) >= self._dies_after:
                raise KeyboardInterrupt
            self.prompts.append(prompts[place])
            text = self._reply(prompts[place], asked_in(prompts[place]))
            yield Generation(
                place, text, None if text is None else "end", error="told to fail" if text is None else None
            )


def harness_of(backend: ScriptedBackend, name: str = "test/scripted", slug: str = "scripted") -> Harness:
    made = backend.description
    answerer = Answerer(
        slug=slug,
        name=name,
        label="Scripted",
        harness="fake",
        revision=made.revision,
        precision=made.precision,
        device=made.device,
        chat_template=made.chat_template,
    )
    return Harness(backend, lambda text: text, answerer, 512)


def model_of(slug: str = "scripted") -> Model:
    return Model(slug=slug, name="test/scripted", label="Scripted", backend="fake")


def constant(prompt: str, items: list[dict[str, Any]]) -> str:
    """Answers every item by its own text: the same question gets the same answer in any batch."""
    return says([{"id": item["id"], "answer": f"answer to {item['input']}"} for item in items])


def clumsy(prompt: str, items: list[dict[str, Any]]) -> str | None:
    """As `constant`, but it leaves out, repeats, breaks or fails: the same batch, the same fault."""
    rng = random.Random(prompt)
    if rng.random() < 0.15:
        return None
    rows = [{"id": item["id"], "answer": f"answer to {item['input']}"} for item in items if rng.random() < 0.8]
    rows += rows[:1] if rng.random() < 0.3 else []
    text = says(rows)
    return text[: rng.randrange(len(text))] if rng.random() < 0.3 else text
