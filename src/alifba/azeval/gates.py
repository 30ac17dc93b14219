"""Gates: a run that fails one is not a measurement. It is reported as excluded, with the figure; never deleted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, get_args

import pandas as pd

from alifba.azeval.scoring import golds
from alifba.config import Gates
from alifba.items import Item, ItemSet
from alifba.runs import Row, Run
from alifba.text.chains import normalise
from alifba.text.extraction import extract

Gate = Literal["coverage", "empty", "example_echo", "question_echo", "extraction"]
GATES: tuple[Gate, ...] = get_args(Gate)
# A reply that the token budget cut off may hold only the beginning of the question.
_CUT_ECHO_SHARE = 0.5


def _says(text: str, part: str) -> bool:
    """True if the words of `part` stand in `text` one after another (both normalised)."""
    return bool(part) and f" {part} " in f" {text} "


def shown_before(row: Row, question: str) -> str:
    """What the run's own prompt showed before the question it posed: instruction and examples."""
    place = row.prompt.rfind(question)
    return row.prompt[:place] if place >= 0 else row.prompt.rpartition("\n\n")[0]


def is_example_echo(row: Row, item: Item) -> bool:
    """More than one line, and the first one stands, as whole words, in what the prompt showed before the question."""
    lines = (row.raw_response or "").strip().split("\n")
    if len(lines) < 2 or not (first := lines[0].strip()):
        return False
    return re.search(rf"(?<!\w){re.escape(first)}(?!\w)", shown_before(row, item.question(row.language))) is not None


def is_question_echo(row: Row, item: Item) -> bool:
    """The first line repeats the question posed, whole, or its beginning where the reply was cut off."""
    said = normalise((row.raw_response or "").strip().split("\n", 1)[0], "strict")
    question = normalise(item.question(row.language), "strict")
    return _says(said, question) or (len(said) >= _CUT_ECHO_SHARE * len(question) and question.startswith(said))


def gold_stands_in(row: Row, item: Item) -> bool:
    """An accepted answer stands, as whole words, somewhere in the raw text."""
    raw = normalise(row.raw_response or "", "strict")
    accepted = golds(item, row.language, "strict").forms
    # Single words of a longer English answer are accepted as answers; found in a sentence they prove nothing.
    whole = accepted if row.language == "az" else {normalise(item.answer_en, "strict")}
    return any(_says(raw, form) for form in whole)


def gate_values(run: Run, items: ItemSet) -> dict[Gate, tuple[float, int]]:
    """The figure of each gate, a share in [0, 1] (NaN where nothing can be told), and the number of items behind it."""
    asked = [(run.rows[item.id], item) for item in items if item.id in run.rows]
    answered = [(row, item) for row, item in asked if row.raw_response is not None]
    wrong = [
        (row, item)
        for row, item in answered
        if normalise(extract(row.raw_response or ""), "strict") not in golds(item, row.language, "strict").forms
    ]
    return {
        "coverage": (len(answered) / len(items), len(items)),
        "empty": _share(not (row.raw_response or "").strip() for row, _ in answered),
        "example_echo": _share(is_example_echo(row, item) for row, item in answered),
        "question_echo": _share(is_question_echo(row, item) for row, item in answered),
        "extraction": _share(gold_stands_in(row, item) for row, item in wrong),
    }


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
    columns = ["model", "language", "prompt_style", "gate", "n", "value", "threshold", "passed", "signature"]
    table = pd.DataFrame(rows, columns=columns)
    for gate in GATES:
        chosen = table["gate"] == gate
        values, threshold = table.loc[chosen, "value"].dropna(), getattr(thresholds, gate)
        # Empty where no run lies on that side.
        table.loc[chosen, "gap_low"] = values[values <= threshold].max()
        table.loc[chosen, "gap_high"] = values[values > threshold].min()
    return table


def failures(gates: pd.DataFrame) -> dict[tuple[str, str, str], str]:
    """(model, language, style) of every run that failed, with the reason in words: gate, figure and threshold."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for row in gates[gates["passed"] == 0].to_dict("records"):
        sign = "<" if row["gate"] == "coverage" else ">"
        said = f"{str(row['gate']).replace('_', ' ')} {100 * row['value']:.1f} % {sign} {100 * row['threshold']:.0f} %"
        found.setdefault((row["model"], row["language"], row["prompt_style"]), []).append(said)
    return {key: "; ".join(reasons) for key, reasons in found.items()}
