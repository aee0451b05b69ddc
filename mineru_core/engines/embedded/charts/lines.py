"""Line charts: the lines by their colours, their names, and their values where the data has points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mineru_core.document.chart import Point, Series
from mineru_core.engines.embedded.charts.lines_axes import on_second
from mineru_core.engines.embedded.charts.lines_ink import as_drawn, ink_of, line_colors
from mineru_core.engines.embedded.charts.lines_names import names_of
from mineru_core.engines.embedded.charts.lines_places import NEAR, Place, number_name, places_on
from mineru_core.engines.embedded.charts.lines_points import Reading, bends, marker_places, read_at
from mineru_core.engines.embedded.charts.lines_printed import axis_from_printed, with_printed
from mineru_core.engines.embedded.charts.lines_steps import Steps, steps_of
from mineru_core.engines.embedded.charts.lines_trace import Trace, trace_of
from mineru_core.engines.embedded.charts.scene import RGB, CategoryAxis, NumberAxis, Scene, hex_color

MAX_THICKNESS = 0.04
"""What is thicker than this share of the plot's height is an area or a bar, not a line."""

MIN_WIDTH = 0.06
"""Share of the plot's width a line spans at least."""

WHOLE = 0.93
"""Share of its columns that a line without dashes inks at least."""

ALIKE = 40.0
"""Colours of lines farther apart than this are told apart without doubt, 0 to 441."""

MIN_DRAWN = 0.25
"""Share of its columns that a line inks at least; the most open dots ink a third."""


@dataclass(frozen=True)
class TracedLine:
    """A line of a chart: its name, colour and trace, its markers (x in pixels) and their radius, and its steps.

    ``sure`` (0..1) is how well its colour tells it from the other lines.
    """

    name: str
    color: RGB
    trace: Trace
    markers: tuple[float, ...] = ()
    radius: float = 0.0
    steps: Steps | None = None
    sure: float = 1.0


def read_lines(scene: Scene) -> list[Series] | None:
    """The lines as series, one point for each place of data; None where the chart has no lines that can be read.

    ``place`` of a point is in pixels of the scene's picture.
    """
    x = scene.x
    if x is None or isinstance(scene.y, CategoryAxis):
        return None
    lines = find_lines(scene)
    y = scene.y if lines and scene.y is not None else axis_from_printed(scene, [line.trace for line in lines])
    if y is None or not lines:
        return None
    markers = [m for line in lines for m in line.markers]
    # Dashes and what other lines hide look like bends.
    whole = [line for line in lines if line.trace.drawn > WHOLE] or lines
    corners = [b for line in whole for b in (line.steps.jumps if line.steps else bends(line.trace))]
    if _bear_markers(lines):
        places = places_on(x, markers, [])
    else:
        every = [b for line in lines for b in (line.steps.jumps if line.steps else bends(line.trace))]
        places = max(places_on(x, [], corners), places_on(x, [], every), key=len)
    if not places:
        return None
    second = on_second(scene, [line.name for line in lines], [line.color for line in lines])
    out: list[Series] = []
    for line, right in zip(lines, second, strict=True):
        axis = scene.second_y if right and scene.second_y is not None else y
        # Of two scales nobody knows which: the value is a guess.
        axis = replace(axis, confidence=0.4 * axis.confidence) if right is None else axis
        out += with_printed([_series(line, lines, places, axis)], scene, axis)
    return [series for series in out if series.points] or None


def full_trace(line: TracedLine, x: NumberAxis | CategoryAxis, y: NumberAxis) -> Series:
    """Every column of a line as a point: what is read between its data points as well."""
    points = []
    for column in line.trace.columns:
        px, py = float(line.trace.x[column]), float(line.trace.y[column])
        name = x.nearest(px) if isinstance(x, CategoryAxis) else number_name(x.value_at(px), x.per_pixel)
        points.append(Point(x=name, y=rounded(y, py), confidence=0.7, place=(px, py)))
    return Series(name=line.name, points=tuple(points), color=hex_color(line.color))


def find_lines(scene: Scene) -> list[TracedLine]:
    """The lines of a plot with their names: those of the legend, or of every colour that draws one."""
    entries = [entry for entry in scene.legend if entry.color is not None]
    told: list[RGB] = [entry.color for entry in entries if entry.color is not None]
    colors = as_drawn(scene, told) if told else line_colors(scene)
    if not colors:
        return []
    ink = ink_of(scene, colors)
    found: list[TracedLine] = []
    for index, color in enumerate(colors):
        trace = trace_of(ink.coverage[index], ink.left, ink.top)
        if trace is None or not _is_line(trace, scene):
            continue
        markers, radius = marker_places(ink.coverage[index], trace, ink.top)
        name = entries[index].name if entries else ""
        found.append(TracedLine(name, color, trace, tuple(markers), radius, steps_of(trace), _distinct(index, colors)))
    if entries and len(found) < 0.5 * len(entries):
        return []
    return found if entries else _named(scene, found)


def _distinct(index: int, colors: Sequence[RGB]) -> float:
    """How sure a line is by its colour: 1 where no other is like it, 0.2 where another has the same."""
    apart = [float(np.linalg.norm(np.subtract(colors[index], other))) for other in colors]
    nearest = min((d for i, d in enumerate(apart) if i != index), default=441.0)
    return min(1.0, max(0.2, (nearest - 8) / ALIKE))


def _is_line(trace: Trace, scene: Scene) -> bool:
    inked = trace.columns
    wide = trace.x[inked[-1]] - trace.x[inked[0]]
    heights = (trace.bottom - trace.top)[inked]
    thin = min(trace.thickness, float(np.median(heights))) <= max(7.0, MAX_THICKNESS * scene.plot.height)
    return bool(thin and wide >= MIN_WIDTH * scene.plot.width and trace.drawn >= MIN_DRAWN)


def _named(scene: Scene, lines: list[TracedLine]) -> list[TracedLine]:
    names = names_of(scene, [line.trace for line in lines], [line.color for line in lines])
    if len(lines) > 1 and any(names):
        # Where lines have names, what has none is a rule, an arrow or a band, unless it spans as much as the others.
        widths = [len(line.trace.columns) for line in lines]
        least = 0.5 * max(width for width, name in zip(widths, names, strict=True) if name)
        keep = [bool(name) or width >= least for width, name in zip(widths, names, strict=True)]
    else:
        keep = [True] * len(lines)
    return [replace(line, name=name) for line, name, kept in zip(lines, names, keep, strict=True) if kept]


def _bear_markers(lines: Sequence[TracedLine]) -> bool:
    return sum(len(line.markers) >= 2 for line in lines) >= 0.6 * len(lines)


def _series(line: TracedLine, lines: Sequence[TracedLine], places: Sequence[Place], y: NumberAxis) -> Series:
    pixels = [place.pixel for place in places]
    gaps = np.diff(sorted(pixels))
    points = []
    for index, place in enumerate(places):
        if not _has_point(line, lines, place.pixel):
            continue
        around = [abs(other - place.pixel) for j, other in enumerate(pixels) if j != index]
        reach = min(14.0, max(3.0, min(around, default=14.0) - 1.0))
        if line.steps is not None:
            half = float(np.median(gaps)) / 2 if len(gaps) else 8.0
            reading = line.steps.read(line.trace, place.pixel, half)
        else:
            blunt = line.radius + 0.8 if line.markers else 0.0
            reading = read_at(line.trace, place.pixel, reach=reach, blunt=min(blunt, 0.45 * reach))
        if reading is not None:
            points.append(_point(line, place, reading, y))
    return Series(name=line.name, points=tuple(points), color=hex_color(line.color))


def _has_point(line: TracedLine, lines: Sequence[TracedLine], pixel: float) -> bool:
    """Whether a line with markers has one here, or may have one that another line hides."""
    if not line.markers or not _bear_markers(lines):
        return True
    if min(abs(m - pixel) for m in line.markers) <= line.radius + NEAR:
        return True
    here = _height(line.trace, pixel)
    others = [_height(other.trace, pixel) for other in lines if other is not line]
    near = 2.5 * max(line.radius, 2.0) + 1.0
    return here is None or any(other is not None and abs(other - here) <= near for other in others)


def _height(trace: Trace, pixel: float) -> float | None:
    column = int(np.argmin(np.abs(trace.x - pixel)))
    return float(trace.y[column]) if np.isfinite(trace.y[column]) else None


def _point(line: TracedLine, place: Place, reading: Reading, y: NumberAxis) -> Point:
    length = abs(y.ticks[0][1] - y.ticks[-1][1]) if len(y.ticks) > 1 else 200.0
    off = reading.spread / max(50.0, length)
    sure = 1.0 / (1.0 + (off / 0.012) ** 2) * y.confidence * min(1.0, 0.6 + 0.6 * line.trace.drawn) * line.sure
    return Point(
        x=place.name,
        y=rounded(y, reading.y),
        confidence=round(min(1.0, max(0.0, sure)), 3),
        place=(float(place.pixel), float(reading.y)),
    )


def rounded(axis: NumberAxis, pixel: float) -> float:
    """The value at a place without digits that are finer than a fiftieth of a pixel."""
    value = axis.value_at(pixel)
    step = axis.per_pixel * (abs(value) * np.log(10) if axis.log else 1.0) / 50
    if step <= 0 or not np.isfinite(value):
        return value
    return round(value, int(min(12, max(-12, np.ceil(-np.log10(step))))))
