"""Line charts: the lines by their colours, their names, and their values where the data has points."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mineru_core.document.chart import Point, Series
from mineru_core.engines.embedded.charts.colors import chroma_of
from mineru_core.engines.embedded.charts.lines_axes import on_second
from mineru_core.engines.embedded.charts.lines_ink import Floats, as_drawn, ink_of, is_busy, line_colors, on_one_ray
from mineru_core.engines.embedded.charts.lines_names import names_of, sample_name
from mineru_core.engines.embedded.charts.lines_places import NEAR, Place, number_name, places_on
from mineru_core.engines.embedded.charts.lines_points import Reading, bends, marker_places, read_at
from mineru_core.engines.embedded.charts.lines_printed import axis_from_printed, with_printed
from mineru_core.engines.embedded.charts.lines_steps import Steps, alike, steps_of
from mineru_core.engines.embedded.charts.lines_thinned import thinned, thinned_steps
from mineru_core.engines.embedded.charts.lines_trace import Trace, trace_of
from mineru_core.engines.embedded.charts.scene import RGB, CategoryAxis, NumberAxis, Scene, hex_color

MAX_THICKNESS = 0.04
"""What is thicker than this share of the plot's height is an area or a bar, not a line."""

MIN_WIDTH = 0.06
"""Share of the plot's width a line spans at least."""

WHOLE = 0.93
"""Share of its columns that a line without dashes inks at least."""

OTHER = 70.0
"""A colour that is farther from all of the legend is not one of them."""

ALIKE = 40.0
"""Colours of lines farther apart than this are told apart without doubt, 0 to 441."""

MUCH_NEARER = 0.2
"""Years by which one of two sets of places is nearer to whole ones, so that the data has its points there."""

INKED, AT_LINE = 0.5, 3.0
"""From which coverage on a pixel is ink, and how far from a line's own it belongs to it."""

OFF_LINE = 0.55
"""A line has so much ink of its colour elsewhere, where others hide it or mix with it, for each that is at it."""

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

    def corners_on(self, x: NumberAxis | CategoryAxis) -> list[float]:
        """The x in pixels where its data may have points: bends; of a line in steps its jumps, and half-way on.

        Of steps over years it is only those of the two that are at whole years.
        """
        if self.steps is None:
            return bends(self.trace)
        jumps = self.steps.jumps
        half = min((b - a for a, b in itertools.pairwise(jumps) if b - a > 8), default=0.0) / 2
        halves = [jump + half for jump in jumps]
        if isinstance(x, NumberAxis) and x.dates:
            off = [float(np.median([abs(v - round(v)) for v in map(x.value_at, at)] or [1])) for at in (jumps, halves)]
            if abs(off[0] - off[1]) > MUCH_NEARER:
                return list(jumps) if off[0] < off[1] else halves
        return [*jumps, *halves]


def read_lines(scene: Scene) -> list[Series] | None:
    """The lines as series, one point for each place of data; None where the chart has no lines that can be read.

    ``place`` of a point is in pixels of the scene's picture.
    """
    x = scene.x
    if x is None or isinstance(scene.y, CategoryAxis) or is_busy(scene):
        return None
    lines = find_lines(scene)
    y = scene.y if lines and scene.y is not None else axis_from_printed(scene, [line.trace for line in lines])
    if y is None or not lines:
        return None
    markers = [m for line in lines for m in line.markers]
    # Dashes and what other lines hide look like bends.
    whole = [line for line in lines if line.trace.drawn > WHOLE] or lines
    corners = [b for line in whole for b in line.corners_on(x)]
    if _bear_markers(lines):
        places = places_on(x, markers, [])
    else:
        straight = [line.trace for line in whole if line.steps is None]
        places = places_on(x, [], corners, straight if len(straight) == len(whole) else [])
        if whole != lines and len(places) == len(places_on(x, [], [])):
            every = [b for line in lines for b in line.corners_on(x)]
            places = places_on(x, [], every, straight if len(straight) == len(whole) else [])
    if not places:
        return None
    second = on_second(scene, [line.name for line in lines], [line.color for line in lines])
    out: list[Series] = []
    for line, right in zip(lines, second, strict=True):
        axis = scene.second_y if right and scene.second_y is not None else y
        # Of two scales nobody knows which: the value is a guess.
        axis = replace(axis, confidence=0.4 * axis.confidence) if right is None else axis
        series = _series(line, lines, places, axis, scene.text_height)
        out += with_printed([series.model_copy(update={"on_second_axis": bool(right)})], scene, axis)
    out = [series for series in out if series.points]
    # A marker, a name of the axis or a year says that the data has a point.
    if isinstance(x, CategoryAxis) or x.dates or any(line.markers for line in lines):
        return out or None
    steps = [line.steps is not None for line in lines]
    return (thinned_steps(out) if all(steps) else out if any(steps) else thinned(out)) or None


def full_trace(line: TracedLine, x: NumberAxis | CategoryAxis, y: NumberAxis) -> Series:
    """Every column of a line as a point: what is read between its data points as well."""
    points = []
    for column in line.trace.columns:
        px, py = float(line.trace.x[column]), float(line.trace.y[column])
        name = x.nearest(px) if isinstance(x, CategoryAxis) else number_name(x.value_at(px), x.per_pixel)
        points.append(Point(x=name, y=rounded(y, py), confidence=0.7, place=(px, py)))
    return Series(name=line.name, points=tuple(points), color=hex_color(line.color))


def find_lines(scene: Scene) -> list[TracedLine]:
    """The lines of a plot with their names: those of the legend and of every other colour that draws one."""
    return _named(scene, traced_lines(scene))


def traced_lines(scene: Scene) -> list[TracedLine]:
    """The lines of a plot, as ``find_lines``, with the names that a legend gives them alone."""
    entries = [entry for entry in scene.legend if entry.color is not None]
    told = as_drawn(scene, [entry.color for entry in entries if entry.color is not None]) if entries else []
    others = [color for color in line_colors(scene) if all(_apart(color, known) > OTHER for known in told)]
    colors = [*told, *(others if told else whole_colors(scene, others))]
    if not colors:
        return []
    ink = ink_of(scene, colors)
    found: list[TracedLine] = []
    for index, color in enumerate(colors):
        trace = trace_of(ink.coverage[index], ink.left, ink.top)
        if trace is None or not _is_line(trace, scene) or (index >= len(told) and _is_rule(trace, scene, color)):
            continue
        markers, radius = marker_places(ink.coverage[index], trace, ink.top)
        markers = [*markers, *_hidden_ends(markers, radius, trace, scene)]
        name = entries[index].name if index < len(told) else ""
        sure = _distinct(index, colors) * _alone(ink.coverage[index], trace, ink.top, radius)
        found.append(TracedLine(name, color, trace, tuple(markers), radius, steps_of(trace), sure))
    if sum(bool(line.name) for line in found) < 0.5 * len(entries):
        return []
    steps = alike([line.steps for line in found])
    return [replace(line, steps=one) for line, one in zip(found, steps, strict=True)]


def whole_colors(scene: Scene, colors: list[RGB]) -> list[RGB]:
    """The colours without those that are only another one's where its line lies between two rows of pixels.

    Such a colour is on the other's ray, and is there where the other is not.
    """
    if len(colors) < 2:
        return colors
    ink = ink_of(scene, colors)
    reach = [np.flatnonzero((coverage > 0.5).any(axis=0)) for coverage in ink.coverage]
    pale = {
        a
        for a, b in itertools.permutations(range(len(colors)), 2)
        if on_one_ray(colors[b], colors[a], scene.background)
        and len(np.intersect1d(reach[a], reach[b])) < 0.1 * min(len(reach[a]), len(reach[b]))
    }
    return [color for index, color in enumerate(colors) if index not in pale]


def _hidden_ends(markers: Sequence[float], radius: float, trace: Trace, scene: Scene) -> list[float]:
    """Ends of a line with markers at which none is seen, for its name hides it; at a tick where one is near."""
    if not markers:
        return []
    ticks: list[float] = []
    if isinstance(scene.x, NumberAxis):
        ticks = [scene.x.pixel_at(value) for value, _ in scene.x.ticks]
    elif scene.x is not None:
        ticks = [pixel for _, pixel in scene.x.categories]
    out = []
    for end in (float(trace.x[trace.columns[0]]), float(trace.x[trace.columns[-1]])):
        if min(abs(marker - end) for marker in markers) <= 2 * radius + 3:
            continue
        near = min(ticks, key=lambda tick: abs(tick - end), default=end)
        out.append(near if abs(near - end) <= 0.6 * scene.text_height else end)
    return out


def _apart(a: RGB, b: RGB) -> float:
    return float(np.linalg.norm(np.subtract(a, b)))


def _is_line(trace: Trace, scene: Scene) -> bool:
    inked = trace.columns
    wide = trace.x[inked[-1]] - trace.x[inked[0]]
    heights = (trace.bottom - trace.top)[inked]
    thin = min(trace.thickness, float(np.median(heights))) <= max(7.0, MAX_THICKNESS * scene.plot.height)
    return bool(thin and wide >= MIN_WIDTH * scene.plot.width and trace.drawn >= MIN_DRAWN)


def _is_rule(trace: Trace, scene: Scene, color: RGB) -> bool:
    """Whether it is level from side to side and pale or grey, as axes and grid lines are."""
    y = trace.y[trace.columns]
    level = float(np.percentile(y, 97) - np.percentile(y, 3)) < 0.6 and len(y) > 0.5 * scene.plot.width
    return level and (chroma_of(color) < 60 or _apart(color, scene.background) < 120)


def _named(scene: Scene, lines: list[TracedLine]) -> list[TracedLine]:
    """The lines with names for those that have none; what then has none is dropped, if it is not as wide as others."""
    unnamed = [line for line in lines if not line.name]
    told = len(unnamed) < len(lines)
    beside = names_of(scene, [line.trace for line in unnamed], [line.color for line in unnamed])
    used = {line.name for line in lines}
    named: dict[int, str] = {}
    for line, name in zip(unnamed, beside, strict=True):
        named[id(line)] = name if name and name not in used else sample_name(scene, line.color, used)
        used.add(named[id(line)])
    names = [line.name or named[id(line)] for line in lines]
    if len(lines) == 1 or not any(names):
        return lines
    widths = [len(line.trace.columns) for line in lines]
    least = max(width for width, name in zip(widths, names, strict=True) if name)
    # Beside lines with names, what has none is a rule, an arrow, or the rim of another line.
    keep = [bool(name) or (not told and width >= 0.5 * least) for width, name in zip(widths, names, strict=True)]
    return [replace(line, name=name) for line, name, kept in zip(lines, names, keep, strict=True) if kept]


def _distinct(index: int, colors: Sequence[RGB]) -> float:
    """How sure a line is by its colour: 1 where no other is like it, 0.2 where another has the same."""
    nearest = min((_apart(colors[index], other) for i, other in enumerate(colors) if i != index), default=441.0)
    return min(1.0, max(0.2, (nearest - 8) / ALIKE))


def _alone(coverage: Floats, trace: Trace, top: int, radius: float) -> float:
    """How sure it is that a line is the only one of its colour: less where more of its ink is off it than at it."""
    columns = trace.columns
    inked = coverage[:, columns] > INKED
    rows = np.arange(len(coverage))[:, np.newaxis] + 0.5 + top
    reach = np.maximum(trace.thickness, (trace.bottom - trace.top)[columns]) / 2 + radius + AT_LINE
    at_line = np.abs(rows - trace.y[columns]) <= reach
    share = float((inked & ~at_line).sum() / max(1, (inked & at_line).sum()))
    return min(1.0, (OFF_LINE / share) ** 2) if share > 0 else 1.0


def _bear_markers(lines: Sequence[TracedLine]) -> bool:
    return sum(len(line.markers) >= 2 for line in lines) >= 0.6 * len(lines)


def _series(
    line: TracedLine, lines: Sequence[TracedLine], places: Sequence[Place], y: NumberAxis, text_height: float
) -> Series:
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
            # Its name may hide the end of a line.
            slack = max(2.5, min(0.35 * min(around, default=10.0), 3.0 + 0.5 * text_height))
            reading = read_at(line.trace, place.pixel, reach=reach, blunt=min(blunt, 0.45 * reach), slack=slack)
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
