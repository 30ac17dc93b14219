"""What people said, counted: acceptance, a second annotator's agreement, the human baseline, and samples for both."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri

from alifba.azeval.dataset.drafts import Draft
from alifba.azeval.dataset.verdicts import Decisions, acceptance, verdict
from alifba.azeval.scorebook import ScoreBook
from alifba.azeval.scoring import golds, score
from alifba.decisions import SKIP, Decision, text_sha
from alifba.errors import InputError
from alifba.items import Item
from alifba.stats.paired import exact_binary_p
from alifba.stats.proportions import wilson_interval
from alifba.text.chains import CHAINS, Chain
from alifba.text.extraction import extract

# Which fields a sample for a task keeps. A second annotator must not see what the first one said or rested on; who
# answers as a human baseline must not see the answer.
SAMPLED = {
    "second": ("id", "question_az", "question_en", "answer", "answer_en", "answer_aliases", "category"),
    "baseline": ("id", "question_az", "category"),
}


class Kappa(NamedTuple):
    """Cohen's kappa of two raters with its interval; NaN where one of them gave every item the same label."""

    n: int
    agreement: float
    kappa: float
    low: float
    high: float


def cohens_kappa(first: Sequence[str], second: Sequence[str], level: float = 0.95) -> Kappa:
    """Kappa of the labels that two raters gave the same items, in order; agreement is the share in [0, 1].

    Interval: normal, with the large-sample standard error of Fleiss, Cohen & Everitt (Psychological Bulletin 72, 1969).
    Estimand: agreement beyond chance of these two raters on further items of the kind. A rater who gave one label only
    leaves nothing to agree on beyond chance: NaN, never 0 or 1.

    Source: Cohen, Educational and Psychological Measurement 20 (1960).
    """
    if len(first) != len(second):
        raise InputError("two raters must have rated the same items", value=(len(first), len(second)))
    n, names = len(first), sorted({*first, *second})
    place = {name: index for index, name in enumerate(names)}
    table = np.zeros((len(names), len(names)))
    for one, two in zip(first, second, strict=True):
        table[place[one], place[two]] += 1
    agreement = float(np.trace(table)) / n if n else math.nan
    if len(set(first)) < 2 or len(set(second)) < 2:
        return Kappa(n, agreement, math.nan, math.nan, math.nan)
    shares = table / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    chance = float(rows @ columns)
    kappa = (agreement - chance) / (1 - chance)
    on = np.diag(shares) @ (1 - (rows + columns) * (1 - kappa)) ** 2
    off_weights = (columns[:, None] + rows[None, :]) ** 2
    off = (1 - kappa) ** 2 * (float((shares * off_weights).sum()) - float(np.diag(shares) @ np.diag(off_weights)))
    variance = (float(on) + off - (kappa - chance * (1 - kappa)) ** 2) / ((1 - chance) ** 2 * n)
    half = float(ndtri((1 + level) / 2)) * math.sqrt(max(variance, 0.0))
    return Kappa(n, agreement, kappa, kappa - half, kappa + half)


def _standing(items: Iterable[Item], decisions: Decisions, task: str) -> dict[str, dict[str, Decision]]:
    """Annotator → item id → decision, where it was made on just the text that the item has now; skips left out."""
    shas = {item.id: text_sha(task, item.model_dump()) for item in items}
    return {
        who: {id_: said for id_, said in log.items() if shas.get(id_) == said.text_sha and said.decision != SKIP}
        for who, log in decisions.items()
    }


def acceptance_table(items: Iterable[Item], review: Decisions, level: float = 0.95) -> pd.DataFrame:
    """Drafts by template and what became of them in review; see `acceptance`."""
    drafts = [Draft("", 0, item.model_dump()) for item in items]
    return acceptance(((draft.template, verdict(draft, review).outcome) for draft in drafts), level)


_SECOND = ["annotator", "n", "correct", "wrong", "unsure", "share_correct", "ci_low", "ci_high"]
_REJECTION = ["share_wrong", "wrong_low", "wrong_high"]


def agreement_table(items: Sequence[Item], second: Decisions, level: float = 0.95) -> pd.DataFrame:
    """One row a second annotator: how many items they call correct, wrong or unsure, and the shares with Wilson
    intervals. "unsure" is neither agreement nor rejection but counts in `n`."""
    rows = []
    for who, log in _standing(items, second, "second").items():
        said = Counter(decision.decision for decision in log.values())
        n = sum(said.values())
        correct, wrong = (wilson_interval(said[name], n, level) for name in ("correct", "wrong"))
        shares = [said[name] / n if n else math.nan for name in ("correct", "wrong")]
        counts = [said[name] for name in ("correct", "wrong", "unsure")]
        rows.append([who, n, *counts, shares[0], *correct, shares[1], *wrong])
    return pd.DataFrame(rows, columns=[*_SECOND, *_REJECTION])


def kappa_table(items: Sequence[Item], review: Decisions, second: Decisions, level: float = 0.95) -> pd.DataFrame:
    """Cohen's kappa of every pair of raters on the items that both judged; "unsure" and disputes are left out.

    kind "review-second" is asymmetric: the first rater saw the draft with its source and may have mended it, the second
    sees the item alone and blind. Where the sample was drawn from accepted items, the first rater has one label and
    kappa is undefined; `agreement` then is the share that the second calls correct. kind "second-second" compares two
    blind raters, and is symmetric.
    """
    blind = {
        who: {id_: said.decision for id_, said in log.items() if said.decision != "unsure"}
        for who, log in _standing(items, second, "second").items()
    }
    pairs = [("review-second", "review", _first_labels(items, review), who, log) for who, log in blind.items()]
    names = sorted(blind)
    pairs += [
        ("second-second", one, blind[one], two, blind[two]) for i, one in enumerate(names) for two in names[i + 1 :]
    ]
    rows: list[list[Any]] = []
    for kind, one, left, two, right in pairs:
        shared = sorted(left.keys() & right.keys())
        rows.append([kind, one, two, *cohens_kappa([left[i] for i in shared], [right[i] for i in shared], level)])
    return pd.DataFrame(rows, columns=["kind", "first", "second", "n", "agreement", "kappa", "ci_low", "ci_high"])


def _first_labels(items: Iterable[Item], review: Decisions) -> dict[str, str]:
    """What the review says of each item in the words of the second task: an item that entered is "correct".

    A built item may have another text than its draft, so its ``verified_by`` speaks for it; a draft has its verdict.
    """
    labels = {"accepted": "correct", "edited": "correct", "rejected": "wrong"}
    said = {item.id: verdict(Draft("", 0, item.model_dump()), review).outcome for item in items}
    verified = {item.id: "correct" for item in items if item.verified_by == "human"}
    return {id_: labels[outcome] for id_, outcome in said.items() if outcome in labels} | verified


def baseline_table(
    items: Sequence[Item], baseline: Decisions, book: ScoreBook, level: float = 0.95, chains: Sequence[Chain] = CHAINS
) -> pd.DataFrame:
    """People and models on the same items: one row per annotator and chain, then one per Azerbaijani run beside it.

    Multiple-choice runs are left out: people were given no options. A blank answer is an error, as it is for a model;
    an item that the annotator has not answered is not among theirs. `n` items that the annotator answered (and the run
    scored); `exact_match` share with Wilson interval; `human` the annotator's share on these same items; `p` exact
    McNemar, two-sided, on them.
    """
    by_id = {item.id: item for item in items}
    rows: list[dict[str, Any]] = []
    for who, log in _standing(items, baseline, "baseline").items():
        answers = {id_: extract(said.answer or "") for id_, said in log.items()}
        blank = sum(not answer for answer in answers.values())
        for chain in chains:
            right = {
                id_: score(answer, golds(by_id[id_], "az", chain), chain)[0] if answer else 0
                for id_, answer in answers.items()
            }
            known = {"annotator": who, "chain": chain}
            human = {"kind": "human", "model": who, "n_blank": blank} | _share(list(right.values()), level)
            rows += [known | row for row in (human, *_models_beside(right, book, chain, level))]
    measured = ["n", "n_blank", "exact_match", "ci_low", "ci_high", "human", "p", "signature"]
    return pd.DataFrame(rows, columns=["annotator", "kind", "model", "prompt_style", "chain", *measured])


def _models_beside(right: Mapping[str, int], book: ScoreBook, chain: Chain, level: float) -> Iterator[dict[str, Any]]:
    """One row per Azerbaijani short-answer run, on those of the items in `right` (id → 0/1) that it scored."""
    for run in book.runs:
        if run.record.language != "az" or run.record.prompt_style == "choice":
            continue
        scores = run.exact_match(chain).reindex(list(right)).dropna()
        human, model = np.array([right[id_] for id_ in scores.index], dtype=np.int64), scores.to_numpy(dtype=np.int64)
        yield {
            "kind": "model",
            "model": run.record.model,
            "prompt_style": run.record.prompt_style,
            "signature": run.record.signature,
            **_share(list(model), level),
            "human": human.mean() if len(human) else math.nan,
            "p": exact_binary_p(human, model),
        }


def _share(right: Sequence[int], level: float) -> dict[str, Any]:
    low, high = wilson_interval(sum(right), len(right), level)
    share = sum(right) / len(right) if right else math.nan
    return {"n": len(right), "exact_match": share, "ci_low": low, "ci_high": high}


def allocate(sizes: Mapping[tuple[str, str], int], n: int) -> dict[tuple[str, str], int]:
    """How many of `n` fall to each stratum of these sizes: proportional, at least one, never more than it has.

    One each, then each further one to the stratum that is furthest below its proportional share.

    Raises:
        InputError: fewer than one each, or more than there are.
    """
    total = sum(sizes.values())
    if not len(sizes) <= n <= total:
        raise InputError(
            f"{n} items cannot be drawn with at least one from each of {len(sizes)} strata of {total} items",
            next_step=f"ask for {len(sizes)} to {total}",
        )
    taken = dict.fromkeys(sorted(sizes), 1)
    for _ in range(n - len(sizes)):
        open_ = [stratum for stratum in taken if taken[stratum] < sizes[stratum]]
        furthest = max(open_, key=lambda stratum: n * sizes[stratum] / total - taken[stratum])
        taken[furthest] += 1
    return taken


def stratified_sample(items: Sequence[Item], n: int, rng: np.random.Generator) -> list[Item]:
    """`n` items by category and template (see `allocate`), in an order that tells nothing of either."""
    strata: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        strata.setdefault((item.category, item.template), []).append(item)
    counts = allocate({stratum: len(members) for stratum, members in strata.items()}, n)
    drawn = [
        strata[stratum][index]
        for stratum, count in counts.items()
        for index in rng.choice(len(strata[stratum]), count, replace=False)
    ]
    return [drawn[index] for index in rng.permutation(len(drawn))]


def blind_rows(items: Iterable[Item], task: str) -> list[dict[str, Any]]:
    """The rows of a sample with what `task` may show and nothing else."""
    if task not in SAMPLED:
        raise InputError("no sample for this task", value=task, next_step=f"one of {', '.join(SAMPLED)}")
    return [{name: value for name, value in item.model_dump().items() if name in SAMPLED[task]} for item in items]
