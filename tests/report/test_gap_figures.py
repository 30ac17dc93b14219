"""The figures of the gap show what the tables say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from alifba.report.drawing import save
from alifba.report.gap_figures import gap_dumbbell, recovery_bars

GAPS = pd.DataFrame(
    [
        ("org/a", "strict", 0.1, 0.3, 0.2, 0.15, 0.25),
        ("org/b", "strict", 0.4, 0.3, -0.1, -0.2, 0.0),
        ("org/a", "morph", 0.9, 0.9, 0.0, 0.0, 0.0),
    ],
    columns=["model", "chain", "az", "en", "gap", "ci_low", "ci_high"],
)
SCORES = pd.DataFrame(
    [
        (model, language, "strict", share - 0.05, share + 0.05)
        for model, language, share in (
            ("org/a", "az", 0.1),
            ("org/a", "en", 0.3),
            ("org/b", "az", 0.4),
            ("org/b", "en", 0.3),
        )
    ],
    columns=["model", "language", "chain", "ci_low", "ci_high"],
)
LABELS = {"org/a": "Modəl A", "org/b": "Modəl B"}
CHAINS = ("strict", "morph", "lenient", "translit")
RECOVERY = pd.DataFrame(
    [
        (model, language, chain, share)
        for model, shares in {"org/a": (0.1, 0.02, 0.01, 0.0), "org/b": (0.05, 0.0, 0.0, 0.2)}.items()
        for language in ("az", "en")
        for chain, share in zip(CHAINS, shares, strict=True)
    ],
    columns=["model", "language", "chain", "first_right"],
)


def test_the_dumbbell_shows_strict_alone_largest_gap_on_top(tmp_path):
    figure = gap_dumbbell(GAPS, SCORES, LABELS, None)
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Modəl B", "Modəl A"]
    lines = [line.get_xdata().tolist() for line in axes.lines if len(line.get_xdata()) == 2]
    assert [pytest.approx([40, 30]), pytest.approx([10, 30])] == lines
    words = [text.get_text() for text in axes.texts]
    assert words == ["−10.0 [−20.0, 0.0]", "+20.0 [15.0, 25.0]"]
    save(figure, tmp_path, "gap")


def test_the_bars_are_stacked_in_the_order_of_the_chains(tmp_path):
    figure = recovery_bars(RECOVERY, LABELS, None)
    widths = np.array([[bar.get_width() for bar in group] for group in figure.axes[0].containers])
    # By total: org/a 13 points, org/b 25.
    assert widths.T.tolist() == [pytest.approx([10, 2, 1, 0]), pytest.approx([5, 0, 0, 20])]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["Modəl A", "Modəl B"]
    save(figure, tmp_path, "recovery")


def test_a_study_without_a_pairing_has_figures_all_the_same(tmp_path):
    save(gap_dumbbell(GAPS[:0], SCORES[:0], {}, None), tmp_path, "gap")
    save(recovery_bars(RECOVERY[:0], {}, None), tmp_path, "recovery")
    assert len(list(tmp_path.iterdir())) == 4


def test_both_say_that_the_items_are_not_verified():
    for figure in (gap_dumbbell(GAPS, SCORES, LABELS, "pilot items"), recovery_bars(RECOVERY, LABELS, "pilot items")):
        assert figure.get_supxlabel() == "pilot items"
