"""Gates: a run that fails one is not a measurement. It is reported as excluded, with the figure; never deleted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

import pandas as pd

from alifba.azeval.scoring import answer_key, given_answer
from alifba.config import Gates
from alifba.items import Item, ItemSet
from alifba.runs import Row, Run
from alifba.text.chains import normalise

Gate = Literal["coverage", "empty", "example_echo", "question_echo", "extraction"]
GATES: tuple[Gate, ...] = get_args(Gate)
_LINE_END = re.compile(r"[\r\n]")
# A reply that the token budget cut off may hold only the beginning of the question.
_CUT_ECHO_SHARE = 0.5


class Posed(NamedTuple):
    """One prompt, split where its question begins: what stood before it, and the question."""

    before: str
    question: str


def posed(prompt: str, question: str) -> Posed:
    """Split `prompt` at the last place of `question`.

    A run may have been asked in another wording than the dataset has now. The question is then what the last block of
    the prompt says after its label ("Sual: ...") and before the line that waits for an answer ("Cavab:").
    """
    place = prompt.rfind(question)
    if place >= 0:
        return Posed(prompt[:place], question)
    before, blank, block = prompt.rstrip().rpartition("\n\n")
    first_line = block.split("\n", 1)[0]
    label, colon, rest = first_line.partition(":")
    return Posed(f"{before}{blank}{label}{colon}", rest.strip() if colon else first_line.strip())


def is_example_echo(response: str, before: str) -> bool:
    """More than one line, and the first one stands, as whole words, in what the prompt showed before the question.

    A single letter or digit is no echo: as an answer ("B" of four options, "O" for oxygen) it looks the same.
    """
    lines = _LINE_END.split(response.strip(), maxsplit=1)
    return len(lines) == 2 and len(normalise(lines[0], "strict")) > 1 and _stands_in(lines[0].strip(), before)


def _stands_in(part: str, text: str) -> bool:
    """True if `part` occurs in `text` and is not the inside of a longer word there ("a" in "Qahirə")."""
    start = text.find(part) if part else -1
    while start >= 0:
        end = start + len(part)
        if not (text[start - 1 : start].isalnum() and part[0].isalnum()) and not (
            text[end : end + 1].isalnum() and part[-1].isalnum()
        ):
            return True
        start = text.find(part, start + 1)
    return False


def is_question_echo(response: str, question: str) -> bool:
    """The first line repeats the question posed, whole, or its beginning where the reply was cut off."""
    line = _LINE_END.split(response.strip(), maxsplit=1)[0]
    asked = normalise(question, "strict")
    if _says(normalise(line, "strict"), asked):
        return True
    label, _, rest = line.partition(":")
    begun = [normalise(text, "strict") for text in ([line] if " " in label.strip() else [line, rest])]
    return any(len(said) >= _CUT_ECHO_SHARE * len(asked) and asked.startswith(said) for said in begun if said)


def _says(text: str, part: str) -> bool:
    """True if the words of `part` stand in `text` one after another (both normalised)."""
    return bool(part) and f" {part} " in f" {text} "


def _gold_stands_in(response: str, item: Item, language: str, accepted: frozenset[str]) -> bool:
    """An accepted answer stands, as whole words, somewhere in the raw text."""
    raw = normalise(response, "strict")
    # Single words of a longer English answer are accepted as answers; found in a sentence they prove nothing.
    whole = accepted if language == "az" else {normalise(item.answer_en, "strict")}
    return any(_says(raw, form) for form in whole)


def gate_values(run: Run, items: ItemSet) -> dict[Gate, tuple[float, int]]:
    """The figure of each gate, a share in [0, 1] (NaN where nothing can be told), and the number of items behind it."""
    language = run.key[1]
    key = zip(items, answer_key(items, language), strict=True)
    asked = [(run.rows[item.id], item, strict.forms) for item, (strict, *_) in key if item.id in run.rows]
    answered = [(row, row.raw_response, item, forms) for row, item, forms in asked if row.raw_response is not None]
    echoes = [_echoes(row, response, item) for row, response, item, _ in answered]
    wrong = [
        (response, item, forms)
        for row, response, item, forms in answered
        if normalise(given_answer(item, row, response), "strict") not in forms
    ]
    return {
        "coverage": (len(answered) / len(items), len(items)) if len(items) else (float("nan"), 0),
        "empty": _share(not response.strip() for _, response, _, _ in answered),
        "example_echo": _share(example for example, _ in echoes),
        "question_echo": _share(question for _, question in echoes),
        "extraction": _share(_gold_stands_in(response, item, language, forms) for response, item, forms in wrong),
    }


def _echoes(row: Row, response: str, item: Item) -> tuple[bool, bool]:
    shown = posed(row.prompt, item.question(row.language))
    return is_example_echo(response, shown.before), is_question_echo(response, shown.question)


def _share(hits: Iterable[bool]) -> tuple[float, int]:
    found = list(hits)
    return (sum(found) / len(found) if found else float("nan")), len(found)


def gates_table(runs: Iterable[Run], items: ItemSet, thresholds: Gates) -> pd.DataFrame:
    """One row per run and gate: figure, threshold, passed (1/0), and the gap in the distribution of all runs.

    `gap_low` and `gap_high` are the figures nearest to the threshold on either side, over all runs of the study: a
    threshold means something where they are far apart. A figure that cannot be told (no wrong answer, say) passes.
    """
    rows = []
    for run in runs:
        model, language, style = run.key
        for gate, (value, n) in gate_values(run, items).items():
            threshold = getattr(thresholds, gate)
            failed = value < threshold if gate == "coverage" else value > threshold
            rows.append((model, language, style, gate, n, value, threshold, int(not failed), str(run.signature)))
    columns = ["model", "language", "prompt_style", "gate", "n", "share", "threshold", "passed", "signature"]
    table = pd.DataFrame(rows, columns=columns).assign(gap_low=float("nan"), gap_high=float("nan"))
    for gate in GATES:
        chosen = table["gate"] == gate
        values, passed = table.loc[chosen, "share"], table.loc[chosen, "passed"] == 1
        good, bad = values[passed], values[~passed]
        # Empty where no run lies on that side.
        low, high = (bad, good) if gate == "coverage" else (good, bad)
        table.loc[chosen, "gap_low"], table.loc[chosen, "gap_high"] = low.max(), high.min()
    return table


def failures(gates: pd.DataFrame) -> dict[tuple[str, str, str], str]:
    """(model, language, style) of every run that failed, with the reason in words: gate, figure and threshold."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for row in gates[gates["passed"] == 0].to_dict("records"):
        sign = "<" if row["gate"] == "coverage" else ">"
        said = f"{str(row['gate']).replace('_', ' ')} {100 * row['share']:.1f} % {sign} {100 * row['threshold']:.0f} %"
        found.setdefault((row["model"], row["language"], row["prompt_style"]), []).append(said)
    return {key: "; ".join(reasons) for key, reasons in found.items()}
