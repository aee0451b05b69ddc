"""The plot area: where the marks stand, from the lines of the grid, the axes and the texts around them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isfinite
from statistics import median

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.axes import FoundAxes, FoundAxis
from mineru_core.engines.embedded.charts.grid import Ruling, Rulings
from mineru_core.engines.embedded.charts.scene import Label

# Lines of the grid are drawn together: they begin and end this near to each other, pixels.
SAME_END = 6.0
SAME_ROW = 1.0
# Half of what an axis' line may be thick, pixels.
AXIS_LINE = 3.0
# Pixels that a line of marks may be thick.
THICKEST = 12.0
# In heights of a line: how far below the plot area the labels of its axis stand at most.
AXIS_REACH = 2.2
# Pixels that the marks of ticks are long at most, and the share of the plot's width that its axis' line has at least.
TICK_MARK = 14.0
WIDE = 0.9


def plot_area(
    axes: FoundAxes, labels: Sequence[Label], size: tuple[int, int], across: Rulings, upright: Rulings
) -> Box:
    """The plot area of a picture of ``size`` (width, height); all places are in its pixels.

    Where no line and no axis tells, it reaches as far as the picture does.
    """
    width, height = size
    left, right = _ends(axes.y, across.lines) or _ends(axes.second_y, across.lines) or (None, None)
    top, bottom = _ends(axes.x, upright.lines) or (None, None)
    if top is not None and bottom is not None and not _is_grid(axes, top, bottom, upright.lines):
        top, bottom = None, None
    sides = _sides(axes, upright.lines)
    if left is None or right is None:
        left, right = _span(axes.x, 0.0, float(width))
        left, right = _between_axes(axes, left, right)
        left = max([left, *(line.at for line in sides if line.at < (left + right) / 2)])
        right = min([right, *(line.at for line in sides if line.at > (left + right) / 2)])
        if axes.x is not None and axes.y is None:  # names stand at the left of the first tick, and no marks
            left = max(left, min(pixel for _, pixel in axes.x.axis.ticks) - AXIS_LINE)
    if top is None or bottom is None or not _holds(axes.y, top, bottom):
        top, bottom = _span(axes.y, 0.0, float(height))
        if not sides and axes.y is not None:
            edges = [line for line in upright.lines if min(abs(line.at - left), abs(line.at - right)) <= AXIS_LINE]
            sides = [line for line in edges if _runs_past(line, axes.y)]
        top, bottom = _between_texts(axes, labels, Box(left, top, right, bottom), across.lines, sides)
    box = _within_axis_lines(_beside_labels(axes, Box(left, top, right, bottom)), across.lines, upright.lines)
    for found in (axes.x, axes.y):  # the ticks are a part of it in any case
        if found is not None:
            at = [pixel for _, pixel in found.axis.ticks]
            first, last = min(at), max(at)
            box = box.union(
                Box(box.x0, first, box.x1, last) if found.axis.vertical else Box(first, box.y0, last, box.y1)
            )
    return box.clipped(width, height)


def _beside_labels(axes: FoundAxes, box: Box) -> Box:
    """The box without the labels at its sides: the marks of ticks join the lines of the grid to them."""
    x0, x1, y1 = box.x0, box.x1, box.y1
    if axes.y is not None and (at := max(label.box.x1 for label in axes.y.labels)) < box.center[0]:
        x0 = max(x0, at)
    if axes.second_y is not None and (at := min(label.box.x0 for label in axes.second_y.labels)) > box.center[0]:
        x1 = min(x1, at)
    if axes.x is not None and (at := _upper(axes.x.labels)) > box.center[1]:
        y1 = min(y1, at)
    return Box(x0, box.y0, x1, y1)


def _within_axis_lines(box: Box, across: Sequence[Ruling], upright: Sequence[Ruling]) -> Box:
    """The box without the marks of ticks, which hang from the axes' lines and join the lines of the grid there."""
    level = [line.at for line in across if min(line.end, box.x1) - max(line.start, box.x0) >= WIDE * box.width]
    steep = [line.at for line in upright if min(line.end, box.y1) - max(line.start, box.y0) >= WIDE * box.height]
    return Box(
        _without_marks(box.x0, steep),
        box.y0,
        -_without_marks(-box.x1, [-at for at in steep]),
        -_without_marks(-box.y1, [-at for at in level]),
    )


def _without_marks(edge: float, lines: Sequence[float]) -> float:
    """The first of the lines after an edge that no line is at, where it is as near as marks of ticks are long."""
    if any(abs(at - edge) <= AXIS_LINE for at in lines):
        return edge
    return min((at for at in lines if edge < at <= edge + TICK_MARK), default=edge)


def _ends(axis: FoundAxis | None, lines: Sequence[Ruling]) -> tuple[float, float] | None:
    """From where to where the lines at an axis' ticks run, which marks may cover in part."""
    if axis is None or not axis.lines:
        return None
    start, end = min(line.start for line in axis.lines), max(line.end for line in axis.lines)
    alike = [line for line in lines if abs(line.start - start) <= SAME_END and abs(line.end - end) <= SAME_END]
    # What a mark parts goes on in the same row.
    rows = [line.at for line in axis.lines]
    pieces = [line for line in lines if min(abs(line.at - at) for at in rows) <= SAME_ROW]
    chosen = alike if len(alike) > 1 else pieces or list(axis.lines)
    return min(line.start for line in chosen), max(line.end for line in chosen)


def _span(axis: FoundAxis | None, start: float, end: float) -> tuple[float, float]:
    """From the first to the last tick with a step on both sides, in the bounds given."""
    if axis is None:
        return start, end
    at = sorted(pixel for _, pixel in axis.axis.ticks)
    step = median(b - a for a, b in pairwise(at))
    return max(start, at[0] - step), min(end, at[-1] + step)


def _is_grid(axes: FoundAxes, top: float, bottom: float, lines: Sequence[Ruling]) -> bool:
    """Whether lines at the ticks of the horizontal axis are its grid: the jumps of a line in steps stand there as well.

    Lines of a grid go down to the axis, and they are alike, or at least run past all ticks of the upright one.
    """
    if axes.x is None or _upper(axes.x.labels) - bottom > AXIS_REACH * median(la.height for la in axes.x.labels):
        return False
    same = [line for line in lines if abs(line.start - top) <= SAME_END and abs(line.end - bottom) <= SAME_END]
    # Both edges of a thick stroke look like lines.
    several = any(b.at - a.at > THICKEST for a, b in pairwise(same))
    return several or _holds(axes.y, top - AXIS_LINE, bottom + AXIS_LINE, slack=0.0)


def _holds(axis: FoundAxis | None, top: float, bottom: float, slack: float = 0.1) -> bool:
    """Whether an axis' ticks lie between two places, all but a little."""
    if axis is None:
        return True
    at = [pixel for _, pixel in axis.axis.ticks]
    most = slack * (max(at) - min(at))
    return min(at) >= top - most and max(at) <= bottom + most


def _between_axes(axes: FoundAxes, left: float, right: float) -> tuple[float, float]:
    """The part of a span that the labels of the upright axes leave."""
    if axes.y is not None:
        left = max(left, max(label.box.x1 for label in axes.y.labels) + 1)
    if axes.second_y is not None:
        right = min(right, min(label.box.x0 for label in axes.second_y.labels) - 1)
    return (left, right) if right > left else (min(left, right), max(left, right))


def _between_texts(
    axes: FoundAxes, labels: Sequence[Label], box: Box, lines: Sequence[Ruling], sides: Sequence[Ruling]
) -> tuple[float, float]:
    """The part of an upright span that ends at the axis' line below (or its labels), and below the texts above.

    ``sides`` are those of the plot area's frame.
    """
    top, bottom = box.y0, box.y1
    if axes.x is not None:
        row = _upper(axes.x.labels)
        bottom = min(bottom, row) if row > top else bottom
    if axes.y is None:
        return top, bottom
    at = sorted(pixel for _, pixel in axes.y.axis.ticks)
    taken = {id(label) for label in axes.y.labels}
    for label in labels:
        if id(label) in taken or label.turned:
            continue
        if label.box.y1 <= at[0] and label.box.width > 0.25 * box.width:
            top = max(top, label.box.y1)
    last, step = at[-1], (at[-1] - at[0]) / max(1, len(at) - 1)
    top = max([top, *(line.start for line in sides if line.start <= at[0])])
    feet = [line.end for line in sides if line.end <= last + 1.05 * step]
    row = _first_below(axes.y, labels, box, last)
    floors = [*_floors(lines, box, last, min(step, row - last)), *feet]
    # The line of the last tick is the floor where no zero can be below it.
    floors = [at for at in floors if at > last + AXIS_LINE] or _zero(axes.y, last, step, row) or floors
    bottom = min(bottom, max([last, *floors]))
    return min(top, at[0]), max(bottom, last)


def _sides(axes: FoundAxes, upright: Sequence[Ruling]) -> list[Ruling]:
    """The lines of the frame, or the edges of its ground, beside the outermost ticks of a horizontal number axis:
    upright lines that run past all ticks of the other one."""
    if axes.x is None or axes.y is None:
        return []
    across = [pixel for _, pixel in axes.x.axis.ticks]
    labels = max(label.box.x1 for label in axes.y.labels)
    # What stands at a tick may be a line of the grid.
    beside = [
        line
        for line in upright
        if (line.at < min(across) - AXIS_LINE or line.at > max(across) + AXIS_LINE)
        and (line.at >= labels or line.at > max(across))
    ]
    return [line for line in beside if _runs_past(line, axes.y)]


def _runs_past(line: Ruling, y: FoundAxis) -> bool:
    """Whether an upright line runs past all ticks of the upright axis."""
    at = [pixel for _, pixel in y.axis.ticks]
    return line.start <= min(at) + AXIS_LINE and line.end >= max(at) - AXIS_LINE


def _first_below(y: FoundAxis, labels: Sequence[Label], box: Box, last: float) -> float:
    """Where the labels below the last tick begin, such as the names at the axis; infinity where there are none."""
    taken = {id(label) for label in y.labels}
    below = [la.box for la in labels if id(la) not in taken and box.x0 < la.box.center[0] < box.x1]
    return min((b.y0 for b in below if b.center[1] > last), default=inf)


def _zero(y: FoundAxis, last: float, step: float, row: float) -> list[float]:
    """Where zero is below the last tick that was read, if by a step at most and above the labels that stand there."""
    zero = -1.0 if y.axis.log else y.axis.pixel_at(0.0)
    return [zero] if isfinite(row) and last < zero <= min(last + 1.05 * step, row) else []


def _upper(row: Sequence[Label]) -> float:
    """Where the labels of a row begin."""
    return median(label.box.y0 if label.slant is None else label.slant[1] for label in row)


def _floors(lines: Sequence[Ruling], box: Box, last: float, step: float) -> list[float]:
    """Where lines as wide as the plot area run less than a step below its last tick: the axis' line is one of them, a
    frame about what stands below the names is none."""
    return [
        line.at
        for line in lines
        if last - AXIS_LINE <= line.at < last + 1.05 * step
        and min(line.end, box.x1) - max(line.start, box.x0) >= 0.6 * box.width
        and line.length <= 1.1 * box.width + 2 * AXIS_LINE
    ]
