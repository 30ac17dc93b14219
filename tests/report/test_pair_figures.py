"""Figures of pairs and gates: they show what the tables say, every label can be read, and twice is the same bytes."""

from __future__ import annotations

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pypdf import PdfReader

from alifba.azeval.between import compared_table, published
from alifba.report import pair_figures
from alifba.report.drawing import COLUMN, save, statement_in, style
from alifba.report.gate_figure import gates
from alifba.report.labels import label_points
from alifba.report.tidy import PUBLISHED

NAMES = ("design", "forest", "losses", "marker")
RULE = ["default", "oneshot"]
_DAMAGED, _UNHARMED = "#D55E00", "#0072B2"


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return compared_table(published("data/published/azeval-v2-pairs.csv"))


def crowd(n: int, seed: int) -> pd.DataFrame:
    """As many own pairs as a study may have, most of them near zero, two excluded."""
    rng = np.random.default_rng(seed)
    scripts = ["Cyrillic", "Latin", "mixed"]
    table = pd.DataFrame(
        {
            "pair": [f"Pair {i}" for i in range(n)],
            "script": [scripts[i % 3] for i in range(n)],
            "base_family": ["Qwen" if i % 2 else "Gemma" for i in range(n)],
            "related": [i % 2 for i in range(n)],
            "az_loss": rng.normal(0.02, 0.03, n),
            "en_loss": rng.normal(0.0, 0.03, n),
            "cyrillic_share": rng.uniform(0, 0.01, n),
        }
    ).assign(style="default", valid=1)
    table["excess"] = table["az_loss"] - table["en_loss"]
    table["ci_low"], table["ci_high"] = table["excess"] - 0.03, table["excess"] + 0.03
    table["damaged"] = ((table["ci_low"] > 0) & (table["az_loss"] > 0)).astype(float)
    table.loc[[0, 1], ["valid", "damaged", "excess"]] = [0, np.nan, np.nan]
    return table


def drawn(name: str, table: pd.DataFrame, notice: str | None = None) -> Figure:
    return getattr(pair_figures, name)(table, RULE, notice)


def marks(figure: Figure) -> list[tuple[str, bool, float, float]]:
    """(colour, filled, x, y) of every mark of a pair."""
    lines = [line for line in figure.axes[0].lines if line.get_marker() not in ("None", "", None)]
    return [
        (line.get_color(), line.get_markerfacecolor() == line.get_color(), *line.get_xydata()[0])
        for line in lines
        if len(line.get_xdata()) == 1
    ]


def boxes(figure: Figure):
    """The place of every text in the axes, in pixels, once the figure is drawn."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return {text.get_text(): text.get_window_extent() for text in figure.axes[0].texts if text.get_text()}


@pytest.mark.parametrize("name", NAMES)
def test_the_same_table_is_the_same_bytes(name, rows, tmp_path):
    for folder in ("a", "b"):
        save(drawn(name, rows, PUBLISHED), tmp_path / folder, name)
    for kind in ("png", "pdf"):
        assert (tmp_path / "a" / f"{name}.{kind}").read_bytes() == (tmp_path / "b" / f"{name}.{kind}").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_figures_from_published_numbers_say_so(name, rows, tmp_path):
    _, pdf = save(drawn(name, rows, PUBLISHED), tmp_path, name)
    assert statement_in(pdf) == PUBLISHED
    assert PUBLISHED in PdfReader(pdf).pages[0].extract_text()


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_one_column_wide_and_names_every_pair(name, rows, tmp_path):
    _, pdf = save(drawn(name, rows, None), tmp_path, name)
    page = PdfReader(pdf).pages[0]
    # savefig crops to what is drawn, plus 0.03 inches on either side.
    assert float(page.mediabox.width) / 72 <= COLUMN + 0.08
    for pair in rows["pair"].unique():
        assert pair in page.extract_text()


def test_the_forest_shows_every_excess_with_its_interval(rows):
    figure = drawn("forest", rows)
    assert sorted(x for *_, x, _ in marks(figure)) == pytest.approx(sorted(100 * rows["excess"]))
    drawn_intervals = sorted(
        tuple(line.get_xdata())
        for line in figure.axes[0].lines
        if len(line.get_xdata()) == 2 and line.get_color() == "#6b6b6b"
    )
    expected = sorted(zip(100 * rows["ci_low"], 100 * rows["ci_high"], strict=True))
    assert np.allclose(drawn_intervals, expected)
    plt.close(figure)


def test_only_damaged_pairs_are_filled(rows):
    figure = drawn("forest", rows)
    filled = sorted(x for _, full, x, _ in marks(figure) if full)
    # Four pairs of the published ten are damaged: Kazakh 1 and 2, Russian 1, and Russian 2 with one example alone.
    assert filled == pytest.approx([6.0, 8.3, 9.2, 9.8, 10.1, 10.7])
    assert {colour for colour, full, *_ in marks(figure) if full} == {_DAMAGED}
    assert {colour for colour, full, *_ in marks(figure) if not full} == {_UNHARMED}
    plt.close(figure)


def test_both_blind_spots_are_annotated_and_no_other_pair(rows):
    figure = drawn("forest", rows)
    notes = [text.get_text() for text in figure.axes[0].texts]
    assert notes == ["AZ rose 4.2, EN rose 10.2", "AZ fell 10.9, EN fell 26.9"]
    plt.close(figure)


def test_pairs_stand_under_the_script_of_their_target_largest_excess_first(rows):
    figure = drawn("forest", rows)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [
        *("Cyrillic target", "Kazakh 2", "Kazakh 1", "Russian 1", "Russian 2", "Cyrillic 3"),
        *("Latin target", "Latin 5", "Turkish 2", "Latin 3", "Turkish 1", "mixed target", "SEA"),
    ]
    plt.close(figure)


def test_the_design_tells_damage_in_one_style_from_damage_in_all(rows):
    figure = drawn("design", rows)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["damaged", "damaged in one prompt style", "not damaged", "Qwen base", "another base"]
    names = [text.get_text() for text in figure.axes[0].texts]
    assert {"Kazakh 1 (Qwen)", "Cyrillic 3 (Gemma)", "SEA (Qwen)"} <= set(names)
    plt.close(figure)


def test_the_design_shows_excluded_pairs_too():
    figure = drawn("design", crowd(13, 0))
    assert "excluded" in [text.get_text() for text in figure.legends[0].get_texts()]
    assert sum("Pair" in text.get_text() for text in figure.axes[0].texts) == 13
    plt.close(figure)


def test_losses_are_drawn_english_across_and_azerbaijani_up(rows):
    figure = drawn("losses", rows)
    places = sorted((x, y) for *_, x, y in marks(figure))
    expected = sorted(zip(100 * rows["en_loss"], 100 * rows["az_loss"], strict=True))
    assert np.allclose(places, expected)
    names = {text.get_text() for text in figure.axes[0].texts}
    assert {"only AZ fell", "both fell", "both rose", "only EN fell"} <= names
    plt.close(figure)


def test_a_pair_whose_share_is_not_known_is_named_and_not_drawn_at_zero(rows):
    figure = drawn("marker", rows)
    known = rows[rows["cyrillic_share"].notna()]
    assert sorted(x for *_, x, _ in marks(figure)) == pytest.approx(sorted(100 * known["cyrillic_share"]))
    assert "share not known: Latin 5" in [text.get_text() for text in figure.axes[0].texts]
    plt.close(figure)


@pytest.mark.parametrize("name", ["losses", "marker"])
@pytest.mark.parametrize("table", ["published", 0, 1, 2])
def test_no_label_covers_another_or_leaves_the_axes(name, table, rows):
    figure = drawn(name, rows if table == "published" else crowd(13, table))
    found = boxes(figure)
    for (one, a), (two, b) in combinations(found.items(), 2):
        width, height = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        hidden = max(width, 0) * max(height, 0)
        assert hidden <= 0.1 * min(a.width * a.height, b.width * b.height), (one, two)
    inside = figure.axes[0].get_window_extent()
    for text, box in found.items():
        assert box.x0 >= inside.x0 - 1, text
        assert box.x1 <= inside.x1 + 1, text
    plt.close(figure)


@pytest.mark.parametrize("name", NAMES)
def test_one_pair_alone_can_be_drawn(name, rows, tmp_path):
    save(drawn(name, rows.head(1)), tmp_path, name)


def test_labels_move_away_from_points_and_from_each_other():
    with style():
        figure, axes = plt.subplots(figsize=(3, 3))
        axes.set(xlim=(0, 10), ylim=(0, 10))
        points = [(5.0, 5.0), (5.05, 5.02), (5.1, 4.98), (5.0, 5.1)]
        label_points(axes, points, ["first one", "second one", "third one", "fourth one"])
        found = list(boxes(figure).values())
        pixels = axes.transData.transform(points)
    for a, b in combinations(found, 2):
        assert not a.overlaps(b)
    for box in found:
        assert not any(box.contains(*pixel) for pixel in pixels)
    plt.close(figure)


def gate_rows() -> pd.DataFrame:
    """Two models in two languages under five gates; the second model repeats the question in Azerbaijani."""
    rows = []
    for gate, threshold in (
        ("coverage", 0.9),
        ("empty", 0.2),
        ("example_echo", 0.2),
        ("question_echo", 0.2),
        ("extraction", 0.3),
    ):
        for model in ("org/a", "org/b"):
            for language in ("az", "en"):
                share = 1.0 if gate == "coverage" else 0.02
                if (gate, model, language) == ("question_echo", "org/b", "az"):
                    share = 0.684
                failed = share < threshold if gate == "coverage" else share > threshold
                low, high = {"question_echo": (0.02, 0.684), "coverage": (np.nan, 1.0)}.get(gate, (0.02, np.nan))
                rows.append((model, language, "default", gate, 100, share, threshold, int(not failed), low, high))
    columns = ["model", "language", "prompt_style", "gate", "n", "share", "threshold", "passed", "gap_low", "gap_high"]
    return pd.DataFrame(rows, columns=columns)


def test_the_gates_show_every_run_threshold_and_gap(tmp_path):
    figure = gates(gate_rows(), {"org/b": "Modəl B"}, "pilot items, not verified by a person")
    axes = figure.axes[0]
    spots = [tuple(xy) for line in axes.lines if line.get_marker() in ("o", "D") for xy in line.get_xydata()]
    assert len(spots) == 5 * 4
    black = [line for line in axes.lines if line.get_color() == "black" and len(line.get_xdata()) == 2]
    thresholds = [line.get_xdata()[0] for line in black]
    # Coverage is drawn as its complement, so that more is worse everywhere.
    assert thresholds == pytest.approx([10, 20, 20, 20, 30])
    bands = [path.get_extents() for band in axes.collections for path in band.get_paths()]
    assert [(band.x0, band.x1) for band in bands if band.width] == [pytest.approx((2.0, 68.4))]
    names = [text.get_text() for text in axes.texts]
    assert "Modəl B" in names
    assert names.count("Modəl B") == 1
    save(figure, tmp_path, "gates")


def test_gates_without_a_failure_have_no_band_and_no_name(tmp_path):
    table = gate_rows()
    figure = gates(table[table["model"] == "org/a"].assign(gap_high=np.nan), {}, None)
    assert "gap" not in [text.get_text() for text in figure.legends[0].get_texts()]
    save(figure, tmp_path, "gates")


def test_a_share_that_cannot_be_told_is_left_out(tmp_path):
    table = gate_rows()
    table.loc[table["gate"] == "extraction", ["share", "gap_low"]] = np.nan
    figure = gates(table, {}, None)
    spots = [xy for line in figure.axes[0].lines if line.get_marker() in ("o", "D") for xy in line.get_xydata()]
    assert len(spots) == 4 * 4
    save(figure, tmp_path, "gates")
