"""Pairs of a base model and its fine-tuned half: losses, excess damage, and whether a pair is damaged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from alifba.azeval.scorebook import ScoreBook, ScoredRun, row_rng
from alifba.config import Pair, Resampling, Study
from alifba.signature import UNKNOWN, Signature
from alifba.stats.bootstrap import mean_interval
from alifba.stats.multiplicity import holm
from alifba.stats.paired import exact_binary_p, exact_signflip_p
from alifba.text.chains import CHAINS, Chain
from alifba.text.cyrillic import contains_cyrillic

Failures = dict[tuple[str, str, str], str]
# Halves that differ in one of these were not measured alike.
_MUST_AGREE = ("precision", "device", "decoding", "template", "data")


@dataclass(frozen=True)
class PairRuns:
    """The four runs of one pair in one style; a run that is missing is None. `reason` says why it is not valid."""

    pair: Pair
    style: str
    base_az: ScoredRun | None
    tuned_az: ScoredRun | None
    base_en: ScoredRun | None
    tuned_en: ScoredRun | None
    reason: str

    @property
    def valid(self) -> bool:
        return not self.reason

    @property
    def runs(self) -> list[ScoredRun]:
        """Base and tuned Azerbaijani, base and tuned English; those that exist."""
        every = (self.base_az, self.tuned_az, self.base_en, self.tuned_en)
        return [run for run in every if run is not None]

    def correct(self, chain: Chain) -> tuple[NDArray[np.int64], ...]:
        """0/1 scores (base az, tuned az, base en, tuned en) on the items scored in all four, each ``(n_items,)``."""
        both = pd.concat([run.exact_match(chain) for run in self.runs], axis=1).dropna()
        return tuple(both.to_numpy().astype(np.int64).T)


def is_model(declared: str, found: str) -> bool:
    """True if a row's model is the declared one; a declared name without an organisation matches any."""
    return declared == found or ("/" not in declared and found.rsplit("/", 1)[-1] == declared)


def _find(book: ScoreBook, model: str, language: str, style: str) -> ScoredRun | None:
    return next(
        (run for run in book.runs if is_model(model, run.record.model) and run.key[1:] == (language, style)), None
    )


def pair_runs(book: ScoreBook, study: Study, failed: Failures) -> list[PairRuns]:
    """Every declared pair in every style in which at least one of its runs exists (or once, with none, to be named)."""
    styles = sorted({run.record.prompt_style for run in book.runs} & {s for rule in study.style_rules for s in rule})
    found = []
    for pair in study.pairs:
        for style in styles:
            runs = [
                _find(book, model, language, style) for language in ("az", "en") for model in (pair.base, pair.tuned)
            ]
            if any(runs):
                found.append(PairRuns(pair, style, *runs, reason=_why_invalid(pair, style, runs, failed)))
        if not any(entry.pair is pair for entry in found):
            found.append(PairRuns(pair, "", None, None, None, None, reason="no run of either half"))
    return found


def _why_invalid(pair: Pair, style: str, runs: list[ScoredRun | None], failed: Failures) -> str:
    asked = [(model, language) for language in ("az", "en") for model in (pair.base, pair.tuned)]
    reasons = [
        f"no {language} run of {model}" for (model, language), run in zip(asked, runs, strict=True) if run is None
    ]
    there = [run for run in runs if run is not None]
    reasons += [
        f"{run.record.model} {run.record.language} {style}: {failed[run.key]}" for run in there if run.key in failed
    ]
    for base, tuned in ((runs[0], runs[1]), (runs[2], runs[3])):
        if base is not None and tuned is not None:
            reasons += _measured_unlike(base, tuned)
    return "; ".join(dict.fromkeys(reasons))


def _measured_unlike(base: ScoredRun, tuned: ScoredRun) -> list[str]:
    one, two = (Signature.parse(run.record.signature) for run in (base, tuned))
    unlike = [name for name in one.differs_in(two) if name in _MUST_AGREE]
    reasons = [f"halves differ in {name} ({getattr(one, name)} and {getattr(two, name)})" for name in unlike]
    chats = {one.chat, two.chat} - {UNKNOWN}
    if len(chats) == 2 and "none" in chats:
        reasons.append("a chat template on one half only")
    return reasons


def cyrillic_share(run: ScoredRun) -> float:
    """The marker: share in [0, 1] of a run's scored answers that contain Cyrillic; NaN where none was scored."""
    answers = run.scores.loc[run.exact_match("strict").notna(), "answer"]
    return float(np.mean([contains_cyrillic(answer) for answer in answers])) if len(answers) else float("nan")


def is_damaged(ci_low: float, az_loss: float) -> bool:
    """The two-part rule: the excess interval lies above zero AND Azerbaijani itself fell.

    The excess alone is blind to which language moved: English may have risen (Luth), or fallen more (Turkish 1).
    """
    return ci_low > 0 and az_loss > 0


def pairs_table(found: Iterable[PairRuns], sampling: Resampling) -> pd.DataFrame:
    """One row per pair, style and chain; shares in [0, 1].

    ``excess = (az base - az tuned) - (en base - en tuned)`` per item, with its bootstrap interval over items and exact
    sign-flip p; `p_holm` over the valid rows of this table. A pair that is not valid has its reason and no verdict.
    """
    rows = [_pair_row(entry, chain, sampling) for entry in found for chain in CHAINS]
    table = pd.DataFrame(rows, columns=[*_PAIR_COLUMNS, "signature"])
    table["p_holm"] = holm(table["p"].where(table["valid"] == 1)) if len(table) else np.nan
    return table[[*_PAIR_COLUMNS, "p_holm", "signature"]]


_PAIR_COLUMNS = (
    "pair style chain n az_base az_tuned en_base en_tuned az_loss en_loss excess ci_low ci_high p damaged "
    "cyrillic_share cyrillic_share_base valid reason base tuned target related script base_family"
).split()


def _pair_row(entry: PairRuns, chain: Chain, sampling: Resampling) -> dict[str, Any]:
    pair = entry.pair
    row: dict[str, Any] = pair.model_dump(exclude={"name"}) | {"pair": pair.name, "style": entry.style, "chain": chain}
    row |= {"related": int(pair.related), "valid": int(entry.valid), "reason": entry.reason, "n": 0}
    if len(entry.runs) < 4:
        return row
    base_az, tuned_az, base_en, tuned_en = entry.correct(chain)
    excess = (base_az - tuned_az) - (base_en - tuned_en)
    rng = row_rng(sampling.seed, pair.name, entry.style, chain, "excess")
    interval = mean_interval(excess, rng, resamples=sampling.resamples, level=sampling.level)
    az_loss, en_loss = (base_az - tuned_az).mean(), (base_en - tuned_en).mean()
    return row | {
        "n": len(excess),
        "az_base": base_az.mean(),
        "az_tuned": tuned_az.mean(),
        "en_base": base_en.mean(),
        "en_tuned": tuned_en.mean(),
        "az_loss": az_loss,
        "en_loss": en_loss,
        "excess": interval.mean,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "p": exact_signflip_p(excess),
        "damaged": int(is_damaged(interval.low, az_loss)) if entry.valid else np.nan,
        "cyrillic_share": cyrillic_share(entry.runs[1]),
        "cyrillic_share_base": cyrillic_share(entry.runs[0]),
        "signature": str(
            Signature.parse(entry.runs[0].record.signature).joined(Signature.parse(entry.runs[1].record.signature))
        ),
    }


def exact_excess(entry: PairRuns, chain: Chain) -> Fraction:
    """The excess damage of a valid pair as an exact fraction, so that ties between pairs are ties."""
    base_az, tuned_az, base_en, tuned_en = entry.correct(chain)
    return Fraction(int(((base_az - tuned_az) - (base_en - tuned_en)).sum()), len(base_az))


def losses_table(found: Iterable[PairRuns]) -> pd.DataFrame:
    """The confirmatory family: each valid declared pair's loss in each language under each chain, exact McNemar p.

    Holm runs over this table alone (pairs x chains x languages), so the exploratory sweep cannot move it.
    """
    rows = []
    for entry in found:
        for chain in CHAINS if entry.valid else ():
            scores = entry.correct(chain)
            for language, base, tuned in (("az", *scores[:2]), ("en", *scores[2:])):
                p = exact_binary_p(base, tuned)
                rows.append(
                    (
                        entry.pair.name,
                        entry.style,
                        chain,
                        language,
                        len(base),
                        base.mean(),
                        tuned.mean(),
                        (base - tuned).mean(),
                        p,
                    )
                )
    table = pd.DataFrame(rows, columns=["pair", "style", "chain", "language", "n", "base_em", "tuned_em", "loss", "p"])
    return table.assign(p_holm=holm(table["p"]) if len(table) else np.nan)


def pairwise_table(book: ScoreBook) -> pd.DataFrame:
    """The exploratory sweep: every two models in the same language and style, exact McNemar p, Holm over this table."""
    rows = []
    for a, b in combinations(book.runs, 2):
        if a.key[1:] != b.key[1:]:
            continue
        for chain in CHAINS:
            both = pd.concat([a.exact_match(chain), b.exact_match(chain)], axis=1).dropna().to_numpy().astype(np.int64)
            first, second = both.T
            means = (first.mean(), second.mean(), (first - second).mean()) if len(both) else (np.nan,) * 3
            rows.append(
                (a.record.model, b.record.model, *a.key[1:], chain, len(both), *means, exact_binary_p(first, second))
            )
    columns = ["model_a", "model_b", "language", "prompt_style", "chain", "n", "em_a", "em_b", "difference", "p"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(p_holm=holm(table["p"]) if len(table) else np.nan)
