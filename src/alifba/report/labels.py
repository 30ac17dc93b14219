"""Labels beside points: each where it covers no other label, no point and no edge of the axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

Points = Sequence[tuple[float, float]]
"""Places in data coordinates."""
# In typographic points. A label that does not touch its point gets a line to it.
_DISTANCES = (4.0, 9.0, 14.0, 20.0, 28.0, 38.0, 50.0)
_POINT_RADIUS = 3.0
_LINE_RADIUS = 0.7
# Preferred first: right, left, above, below, then what lies between.
_ANGLES = (0, 180, 90, 270, 45, 315, 135, 225, 22, 338, 158, 202, 68, 292, 112, 248)
_PLACES = tuple((distance, math.radians(angle)) for distance in _DISTANCES for angle in _ANGLES)
# A line across something is worse than its area tells.
_CROSSING = 60.0


def label_points(axes: Axes, points: Points, labels: Sequence[str], others: Points = (), lines: Points = ()) -> None:
    """Write ``labels[i]`` beside ``points[i]``, with a thin line where it had to move away.

    Where there is room, no label covers a point, one of the `others`, a text that stands in the axes already, or a
    line drawn there, given by points along it (`lines`). The layout of the figure is fixed first: what is added to the
    figure later does not move the axes. The same input gives the same places.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    figure.set_layout_engine("none")
    scale = figure.dpi / 72
    inside = axes.get_window_extent().padded(-scale)
    taken = [_around(axes.transData.transform(point), _POINT_RADIUS * scale) for point in (*points, *others)]
    taken += [text.get_window_extent() for text in axes.texts if text.get_text()]
    crossed = [_around(axes.transData.transform(point), _LINE_RADIUS * scale) for point in lines]
    # From the top down: a label that has to move does so away from the ones already placed.
    for index in sorted(range(len(points)), key=lambda i: (-points[i][1], points[i][0], labels[i])):
        text = axes.annotate(labels[index], points[index], (0, 0), textcoords="offset points", fontsize=6)
        costs = []
        for distance, angle in _PLACES:
            box = _moved(text, distance, angle)
            hidden = box.width * box.height - _overlap(box, inside) + sum(_overlap(box, other) for other in taken)
            line = _line(axes, points[index], distance, angle, scale)
            struck = sum(_overlap(piece, other) > 0 for piece in line for other in taken)
            costs.append(3 * hidden + sum(_overlap(box, other) for other in crossed) + _CROSSING * struck)
            if costs[-1] == 0:
                break
        distance, angle = _PLACES[int(np.argmin(costs))]
        taken.append(_moved(text, distance, angle))
        if line := _line(axes, points[index], distance, angle, scale):
            taken += line
            _draw_line(axes, points[index], distance, angle)


def _moved(text: Annotation, distance: float, angle: float) -> Bbox:
    """Move `text` beside its point; the place that it then takes, in pixels."""
    x, y = math.cos(angle), math.sin(angle)
    text.set_position((distance * x, distance * y))
    text.set_horizontalalignment("left" if x > 0.3 else "right" if x < -0.3 else "center")
    text.set_verticalalignment("bottom" if y > 0.6 else "top" if y < -0.6 else "center_baseline")
    return text.get_window_extent()


def _line(axes: Axes, point: tuple[float, float], distance: float, angle: float, scale: float) -> list[Bbox]:
    """The pieces of the line from a point to its label, from where the mark ends; none where the label touches it."""
    if distance <= _DISTANCES[0]:
        return []
    start, step = axes.transData.transform(point), np.array([math.cos(angle), math.sin(angle)]) * scale
    return [_around(start + step * at, _LINE_RADIUS * scale) for at in np.arange(2 * _POINT_RADIUS + 1, distance, 2)]


def _draw_line(axes: Axes, point: tuple[float, float], distance: float, angle: float) -> None:
    axes.annotate(
        "",
        point,
        (distance * math.cos(angle), distance * math.sin(angle)),
        textcoords="offset points",
        arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": "#6b6b6b", "shrinkA": 0, "shrinkB": 3},
    )


def _around(pixel: np.ndarray, radius: float) -> Bbox:
    x, y = pixel
    return Bbox.from_extents(x - radius, y - radius, x + radius, y + radius)


def _overlap(one: Bbox, two: Bbox) -> float:
    width = min(one.x1, two.x1) - max(one.x0, two.x0)
    height = min(one.y1, two.y1) - max(one.y0, two.y0)
    return width * height if width > 0 and height > 0 else 0.0
