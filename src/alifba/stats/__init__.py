"""Exact and resampling statistics on per-item scores. No files, no global random state.

Everything is paired on items by the caller: row ``i`` of two arrays is the same item. Undefined results are NaN.
"""

from alifba.stats.bootstrap import Interval, cluster_mean_interval, mean_interval, mean_intervals
from alifba.stats.multiplicity import holm, holm_by_family
from alifba.stats.paired import (
    exact_binary_family,
    exact_binary_p,
    exact_signflip_family,
    exact_signflip_p,
    signflip_monte_carlo_p,
)
from alifba.stats.permutation import LabelPermutation, label_permutation, predictions_right
from alifba.stats.proportions import Retention, RetentionContrast, retention, retention_contrast, wilson_interval

__all__ = [
    "Interval",
    "LabelPermutation",
    "Retention",
    "RetentionContrast",
    "cluster_mean_interval",
    "exact_binary_family",
    "exact_binary_p",
    "exact_signflip_family",
    "exact_signflip_p",
    "holm",
    "holm_by_family",
    "label_permutation",
    "mean_interval",
    "mean_intervals",
    "predictions_right",
    "retention",
    "retention_contrast",
    "signflip_monte_carlo_p",
    "wilson_interval",
]
