"""Pairs of a base model and its fine-tuned half: losses, excess damage, and whether a pair is damaged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from alifba.azeval.scorebook import ScoreBook, ScoredRun, row_rng
from alifba.config import Pair, Resampling, Study
from alifba.errors import InputError
from alifba.runs import Run
from alifba.signature import UNKNOWN, Signature
from alifba.stats.bootstrap import mean_interval
from alifba.stats.multiplicity import holm_by_family
from alifba.stats.paired import exact_binary_p, exact_signflip_p
from alifba.text.chains import CHAINS, Chain
from alifba.text.cyrillic import contains_cyrillic

RunKey = tuple[str, str, str]
"""(model, language, prompt style)"""
# Halves that differ in one of these were not measured alike. What they were asked is compared prompt by prompt.
_MUST_AGREE = ("precision", "device", "decoding")


@dataclass(frozen=True)
class PairRuns:
    """The four runs of one pair in one style: base and tuned Azerbaijani, base and tuned English; None if missing.

    `reason` says why the pair is not valid; it is empty where the pair is.
    """

    pair: Pair
    style: str
    four: tuple[ScoredRun | None, ...]
    reason: str

    @property
    def valid(self) -> bool:
        return not self.reason

    @property
    def runs(self) -> list[ScoredRun]:
        """Those of the four that exist."""
        return [run for run in self.four if run is not None]

    @property
    def signature(self) -> str:
        first, *others = (Signature.parse(run.record.signature) for run in self.runs)
        # Halves first, then languages: each field shows each of its values once.
        return str(first.joined(others[0]).joined(others[1].joined(others[2])))

    def correct(self, chain: Chain) -> tuple[NDArray[np.int64], ...]:
        """0/1 scores (base az, tuned az, base en, tuned en) on the items scored in all four, each ``(n_items,)``."""
        both = pd.concat([run.exact_match(chain) for run in self.runs], axis=1).dropna()
        return tuple(both.to_numpy().astype(np.int64).T)


def is_model(declared: str, found: str) -> bool:
    """True if a row's model is the declared one; a declared name without an organisation matches any."""
    return declared == found or ("/" not in declared and found.rsplit("/", 1)[-1] == declared)


def pair_runs(book: ScoreBook, study: Study, failed: Mapping[RunKey, str], raw: Mapping[RunKey, Run]) -> list[PairRuns]:
    """Every declared pair in every style that it declares or has a run in (once, without a style, if there is none).

    `failed` says of a run why it is no measurement (`gates.failures`); `raw` holds the prompts that each run was sent.
    """
    ran = {run.record.prompt_style for run in book.runs} & {style for rule in study.style_rules for style in rule}
    styles = sorted(ran.union(*(pair.styles for pair in study.pairs)))
    found: list[PairRuns] = []
    for pair in study.pairs:
        before = len(found)
        for style in styles:
            four = tuple(_find(book, model, language, style) for model, language in _asked(pair))
            if any(four) or style in pair.styles:
                found.append(PairRuns(pair, style, four, _why_invalid(pair, style, four, failed, raw)))
        if len(found) == before:
            found.append(PairRuns(pair, "", (None,) * 4, "no run of either half"))
    return found


def _asked(pair: Pair) -> list[tuple[str, str]]:
    """(model, language) of the four runs that a pair needs."""
    return [(model, language) for language in ("az", "en") for model in (pair.base, pair.tuned)]


def _find(book: ScoreBook, model: str, language: str, style: str) -> ScoredRun | None:
    found = [run for run in book.runs if run.key[1:] == (language, style) and is_model(model, run.record.model)]
    if len(found) > 1:
        raise InputError(
            f"the declared model {model!r} matches several runs in {language} {style}",
            value=[run.record.model for run in found],
            next_step="give the pair's model with its organisation, as the rows have it",
        )
    return found[0] if found else None


def _why_invalid(
    pair: Pair,
    style: str,
    four: tuple[ScoredRun | None, ...],
    failed: Mapping[RunKey, str],
    raw: Mapping[RunKey, Run],
) -> str:
    asked = zip(_asked(pair), four, strict=True)
    reasons = [f"no {language} {style} run of {model}" for (model, language), run in asked if run is None]
    there = [run for run in four if run is not None]
    reasons += [f"{' '.join(run.key)}: {failed[run.key]}" for run in there if run.key in failed]
    for base, tuned in (four[:2], four[2:]):
        if base is not None and tuned is not None:
            reasons += _measured_unlike(base, tuned)
            reasons += _asked_unlike(raw[base.key], raw[tuned.key])
    return "; ".join(dict.fromkeys(reasons))


def _measured_unlike(base: ScoredRun, tuned: ScoredRun) -> list[str]:
    one, two = (Signature.parse(run.record.signature) for run in (base, tuned))
    unlike = [name for name in one.differs_in(two) if name in _MUST_AGREE]
    reasons = [f"the halves differ in {name} ({getattr(one, name)} and {getattr(two, name)})" for name in unlike]
    chats = {one.chat, two.chat} - {UNKNOWN}
    if len(chats) == 2 and "none" in chats:
        with_template = base if two.chat == "none" else tuned
        reasons.append(f"a chat template on one half only ({with_template.record.model})")
    return reasons


def _asked_unlike(base: Run, tuned: Run) -> list[str]:
    shared = base.rows.keys() & tuned.rows.keys()
    unlike = sum(base.rows[id_].prompt != tuned.rows[id_].prompt for id_ in shared)
    if not unlike:
        return []
    return [f"the halves were sent different {base.key[1]} prompts ({unlike} of {len(shared)})"]


def cyrillic_share(run: ScoredRun) -> float:
    """The marker: share in [0, 1] of a run's scored answers that contain Cyrillic; NaN where none was scored."""
    answers = run.scores.loc[run.exact_match("strict").notna(), "answer"]
    return float(np.mean([contains_cyrillic(answer) for answer in answers])) if len(answers) else float("nan")


def is_damaged(ci_low: float, az_loss: float) -> bool:
    """The two-part rule: the excess interval lies above zero AND Azerbaijani itself fell.

    The excess alone is blind to which language moved: English may have risen (Luth), or fallen more (Turkish 1).
    """
    return ci_low > 0 and az_loss > 0


def preferred(found: Iterable[PairRuns], rule: Iterable[str]) -> set[tuple[str, str]]:
    """(pair, style) of each pair in the first style of `rule` in which it is valid."""
    chosen: dict[str, str] = {}
    valid = {(entry.pair.name, entry.style) for entry in found if entry.valid}
    for style in rule:
        for name in sorted({name for name, other in valid if other == style}):
            chosen.setdefault(name, style)
    return set(chosen.items())


def _family(entry: PairRuns, confirmatory: set[tuple[str, str]]) -> str:
    if not entry.valid:
        return "none"
    return "confirmatory" if (entry.pair.name, entry.style) in confirmatory else "other style"


def pairs_table(found: list[PairRuns], study: Study) -> pd.DataFrame:
    """One row per pair, style and chain; shares in [0, 1].

    ``excess = (az base - az tuned) - (en base - en tuned)`` per item, with its bootstrap interval over items and exact
    sign-flip p. `p_holm` runs over a family: "confirmatory" holds each valid pair once, in the style that the study's
    first rule prefers; "other style" the rest. A pair that is not valid has its reason, no family and no verdict.
    """
    confirmatory = preferred(found, study.style_rules[0])
    rows = [
        _pair_row(entry, chain, study.bootstrap) | {"family": _family(entry, confirmatory)}
        for entry in found
        for chain in CHAINS
    ]
    table = pd.DataFrame(rows, columns=[*_PAIR_COLUMNS, "family", "signature"])
    p = table["p"].astype(float).where(table["valid"] == 1)
    table.insert(len(_PAIR_COLUMNS), "p_holm", holm_by_family(p, table["family"].astype(str)))
    return table


_PAIR_COLUMNS = [
    *("pair", "style", "chain", "n", "az_base", "az_tuned", "en_base", "en_tuned", "az_loss", "en_loss", "excess"),
    *("ci_low", "ci_high", "p", "damaged", "cyrillic_share", "valid", "reason", "cyrillic_share_base"),
    *("base", "tuned", "target", "related", "script", "base_family"),
]


def _pair_row(entry: PairRuns, chain: Chain, sampling: Resampling) -> dict[str, Any]:
    pair = entry.pair
    row: dict[str, Any] = pair.model_dump(exclude={"name"}) | {"pair": pair.name, "style": entry.style, "chain": chain}
    row |= {"related": int(pair.related), "valid": int(entry.valid), "reason": entry.reason, "n": 0}
    if len(entry.runs) < 4:
        return row
    row |= {
        "cyrillic_share": cyrillic_share(entry.runs[1]),
        "cyrillic_share_base": cyrillic_share(entry.runs[0]),
        "signature": entry.signature,
    }
    base_az, tuned_az, base_en, tuned_en = entry.correct(chain)
    if not len(base_az):
        return row
    excess = (base_az - tuned_az) - (base_en - tuned_en)
    rng = row_rng(sampling.seed, pair.name, entry.style, chain, "excess")
    interval = mean_interval(excess, rng, resamples=sampling.resamples, level=sampling.level)
    az_loss = (base_az - tuned_az).mean()
    return row | {
        "n": len(excess),
        "az_base": base_az.mean(),
        "az_tuned": tuned_az.mean(),
        "en_base": base_en.mean(),
        "en_tuned": tuned_en.mean(),
        "az_loss": az_loss,
        "en_loss": (base_en - tuned_en).mean(),
        "excess": interval.mean,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "p": exact_signflip_p(excess),
        "damaged": int(is_damaged(interval.low, az_loss)) if entry.valid else np.nan,
    }


def losses_table(found: list[PairRuns], study: Study) -> pd.DataFrame:
    """Each valid pair's loss in each language under each chain, exact McNemar p.

    The confirmatory family holds each pair once (pairs x chains x languages) and is corrected alone, so neither the
    exploratory sweep nor a further prompt style can move it.
    """
    confirmatory = preferred(found, study.style_rules[0])
    columns = ["pair", "style", "chain", "language", "n", "base_em", "tuned_em", "loss", "p", "family", "signature"]
    rows = []
    for entry in found:
        for chain in CHAINS if entry.valid else ():
            base_az, tuned_az, base_en, tuned_en = entry.correct(chain)
            for language, base, tuned in (("az", base_az, tuned_az), ("en", base_en, tuned_en)):
                means = (base.mean(), tuned.mean(), (base - tuned).mean())
                key = (entry.pair.name, entry.style, chain, language, len(base))
                family = _family(entry, confirmatory)
                rows.append((*key, *means, exact_binary_p(base, tuned), family, entry.signature))
    table = pd.DataFrame(rows, columns=columns)
    table.insert(9, "p_holm", holm_by_family(table["p"].astype(float), table["family"].astype(str)))
    return table
