"""The number axes of a chart: rows and columns of labels whose numbers grow with their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from mineru_core.engines.embedded.charts.grid import Ruling, Rulings, near
from mineru_core.engines.embedded.charts.scene import Label, NumberAxis
from mineru_core.engines.embedded.charts.ticks import Scale, Tick, axis_of, even_value, refitted, scale_of, ticks_of

# Labels of one axis end, begin or centre at one line, to within this share of their height.
ALIGNED = 0.5
# A tick's label lies this near to its line of the grid, in heights of a line.
MAX_OFF_GRID = 0.5
# All labels stand as far from their lines, but for this: in heights of a line, and pixels at least.
SPREAD, MIN_SPREAD = 0.1, 1.5
# A scale on the right of this share of the picture's width is the second one where there is another on the left.
RIGHT = 0.55
# Values of ticks may be rounded by this share of their step.
UNEVEN = 0.05
# Labels at the ends may be moved inwards by this share of the distance of two ticks.
MAX_MOVED = 0.4


@dataclass(frozen=True, slots=True)
class FoundAxis:
    """An axis with the labels it was read from, and the lines of the grid that stand at its ticks."""

    axis: NumberAxis
    labels: tuple[Label, ...]
    lines: tuple[Ruling, ...]
    misread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundAxes:
    """The number axes of a chart, None where there is none."""

    x: FoundAxis | None = None
    y: FoundAxis | None = None
    second_y: FoundAxis | None = None


def find_axes(labels: Sequence[Label], width: int, height: float, across: Rulings, upright: Rulings) -> FoundAxes:
    """The axes of a picture ``width`` pixels wide, whose lines of text are ``height`` pixels high.

    ``across`` are its horizontal lines, ``upright`` its vertical ones.
    """
    level = [label for label in labels if not label.turned and label.slant is None]
    candidates = _candidates(level, height, True)
    columns = [c for c in candidates if _is_outermost(c, level, across, height)]
    rows = _candidates(labels, height, False)
    y = _best(columns)
    x = _best([row for row in rows if y is None or not _inside(row, y, height)])
    if x is not None and y is not None and (shared := _shared(x, y)):
        # One label can only be at both where the axes cross; a whole column of a row's labels is no axis.
        if shared > 1 and len(y.ticks) <= len(x.ticks):
            y = _best([c for c in columns if _shared(x, c) <= 1])
        elif shared > 1:
            x = _best([r for r in rows if _shared(r, y) <= 1])
    second = None if y is None else _second(y, candidates, level, width, height)
    if y is not None and second is not None and _across(y) > RIGHT * width > _across(second):
        y, second = second, y
    found_y = None if y is None else _finished(y, labels, across, height, vertical=True)
    found_second = None if second is None else _finished(second, labels, across, height, vertical=True)
    if found_y is not None and found_second is not None and not found_second.lines:
        found_second = _moved_as(found_second, found_y)
    return FoundAxes(
        x=None if x is None else _finished(x, labels, upright, height, vertical=False),
        y=found_y,
        second_y=found_second,
    )


def _moved_as(axis: FoundAxis, other: FoundAxis) -> FoundAxis:
    """An axis without lines at its ticks, moved by as much as the labels of the other one stand beside their lines."""
    if not other.lines or other.axis.log != axis.axis.log:
        return axis
    measured = dict(other.axis.ticks)
    off = [
        tick.label.box.center[1] - measured[tick.number.value]
        for tick in ticks_of(other.labels, vertical=True)
        if tick.number.value in measured
    ]
    if not off:
        return axis
    by = median(off)
    ticks = tuple((value, pixel - by) for value, pixel in axis.axis.ticks)
    moved = replace(axis.axis, intercept=axis.axis.intercept + axis.axis.slope * by, ticks=ticks)
    return replace(axis, axis=moved)


def _candidates(labels: Sequence[Label], height: float, vertical: bool) -> list[Scale]:
    """Scales of all columns (or rows) of number labels, each set of labels once."""
    ticks = ticks_of(labels, vertical=vertical)
    seen: set[frozenset[int]] = set()
    found: list[Scale] = []
    for edges in _edges(ticks, vertical):
        for seed in edges:
            group = [i for i, edge in enumerate(edges) if abs(edge - seed) <= ALIGNED * height]
            key = frozenset(group)
            if len(group) < 2 or key in seen:
                continue
            seen.add(key)
            scale = scale_of([ticks[i] for i in group], height)
            # Two numbers always lie on a line: alone in their row they may be a scale.
            if scale is not None and (len(scale.ticks) > 2 or len(group) == 2) and _is_even(scale):
                found.append(scale)
    return found


def _is_even(scale: Scale) -> bool:
    """Whether the ticks' values are whole steps apart, as those of an axis are and measured values seldom are."""
    if scale.log or len(scale.ticks) < 3:
        return True
    values = sorted(tick.number.value for tick in scale.ticks)
    step = min(b - a for a, b in pairwise(values))
    steps = [(value - values[0]) / step for value in values] if step > 0 else [0.5]
    return all(abs(s - round(s)) <= UNEVEN for s in steps)


def _edges(ticks: Sequence[Tick], vertical: bool) -> list[list[float]]:
    """Where labels may be aligned: right and left edges and middles of a column, middles or upper ends of a row."""
    boxes = [tick.label.box for tick in ticks]
    if vertical:
        return [[b.x1 for b in boxes], [b.x0 for b in boxes], [b.center[0] for b in boxes]]
    return [[tick.label.place[1] for tick in ticks]]


def _best(scales: Sequence[Scale]) -> Scale | None:
    """The scale that most labels bear out; of equal ones the outermost. Two labels are enough only for want of more."""

    def rank(scale: Scale) -> tuple[int, float]:
        first = scale.ticks[0].label.box
        vertical = all(tick.at == tick.label.box.center[1] for tick in scale.ticks)
        return len(scale.ticks), -first.x0 if vertical else first.y0

    return max(scales, key=rank, default=None)


def _inside(row: Scale, y: Scale, height: float) -> bool:
    """Whether a row of numbers stands amid the ticks of the other axis, as printed values do."""
    at = median(tick.label.place[1] for tick in row.ticks)
    return min(tick.at for tick in y.ticks) - 0.3 * height < at < max(tick.at for tick in y.ticks) + 0.3 * height


def _is_outermost(column: Scale, labels: Sequence[Label], across: Rulings, height: float) -> bool:
    """Whether a column of numbers can be an axis: nothing stands left of it, or lines of the grid lead to it.

    Values printed at the ends of bars may happen to stand in a column and to grow evenly; names stand left of these.
    """
    left = min(tick.label.box.x0 for tick in column.ticks)
    top, bottom = min(tick.at for tick in column.ticks), max(tick.at for tick in column.ticks)
    beside = [
        label
        for label in labels
        if label.box.x1 <= left + 0.5 * height and top - height < label.box.center[1] < bottom + height
    ]
    if len(beside) < max(2, 0.5 * len(column.ticks)):  # the title, if anything
        return True
    lines = sum(near(across.lines, tick.at, MAX_OFF_GRID * height) is not None for tick in column.ticks)
    return len(column.ticks) >= 3 and lines >= 0.6 * len(column.ticks)


def _second(y: Scale, columns: Sequence[Scale], labels: Sequence[Label], width: int, height: float) -> Scale | None:
    """The scale on the other side of the plot: a column of three numbers or more beside which nothing else stands."""
    taken = {id(tick.label) for tick in y.ticks}
    others = [c for c in columns if not any(id(tick.label) in taken for tick in c.ticks) and len(c.ticks) >= 3]
    apart = [c for c in others if abs(_across(c) - _across(y)) > 0.3 * width]
    at_edge = [c for c in apart if _is_at_edge(c, labels, height, right=_across(c) > _across(y))]
    return _best([c for c in at_edge if not _are_values(c, y, height)])


def _are_values(column: Scale, y: Scale, height: float) -> bool:
    """Whether numbers agree with the other side's scale and are not its ticks: they are printed at ends of lines."""
    if column.log or y.log:
        return False
    off = [abs((tick.number.value - y.intercept) / y.slope - tick.at) for tick in column.ticks]
    ticks = {tick.number.value for tick in y.ticks}
    return max(off) <= height and any(tick.number.value not in ticks for tick in column.ticks)


def _is_at_edge(column: Scale, labels: Sequence[Label], height: float, *, right: bool) -> bool:
    """Whether nothing stands on the outer side of a column but perhaps a title."""
    boxes = [tick.label.box for tick in column.ticks]
    edge = max(box.x1 for box in boxes) if right else min(box.x0 for box in boxes)
    top, bottom = min(box.y0 for box in boxes), max(box.y1 for box in boxes)
    beyond = [
        label
        for label in labels
        if top - height < label.box.center[1] < bottom + height
        and (label.box.x0 >= edge - 0.5 * height if right else label.box.x1 <= edge + 0.5 * height)
    ]
    return len(beyond) < 2


def _across(scale: Scale) -> float:
    return median(tick.label.box.center[0] for tick in scale.ticks)


def _shared(a: Scale, b: Scale) -> int:
    return len({id(tick.label) for tick in a.ticks} & {id(tick.label) for tick in b.ticks})


def _finished(scale: Scale, labels: Sequence[Label], lines: Rulings, height: float, *, vertical: bool) -> FoundAxis:
    """The axis of a scale, measured by the lines of the grid where most of its ticks have one."""
    reach = MAX_OFF_GRID * height
    at_ticks = [lines.near(tick.at, reach) for tick in scale.ticks]
    held = [(tick, at) for tick, at in zip(scale.ticks, at_ticks, strict=True) if at is not None]
    if len(held) >= max(2, (len(scale.ticks) + 1) // 2) and len({at for _, at in held}) == len(held):
        kept = Scale(scale.slope, scale.intercept, scale.log, tuple(tick for tick, _ in held))
        measured = refitted(kept, [at for _, at in held])
        offs = [at - tick.at for tick, at in held]
        level = median(abs(off - median(offs)) for off in offs) <= max(MIN_SPREAD, SPREAD * height)
        if level and measured.slope and _agree(scale, measured, height):
            scale = Scale(measured.slope, measured.intercept, scale.log, _with_places(scale, measured))
    scale = _with_ends(scale, labels, height, vertical=vertical)
    thrown = _misread(scale, labels, height, vertical=vertical)
    axis = axis_of(scale, vertical=vertical, thrown_out=len(thrown))
    rulings = tuple(line for tick in scale.ticks if (line := near(lines.lines, tick.at, reach)) is not None)
    return FoundAxis(axis, tuple(tick.label for tick in scale.ticks), rulings, tuple(thrown))


def _with_ends(scale: Scale, labels: Sequence[Label], height: float, *, vertical: bool) -> Scale:
    """The scale with the labels at its ends that were moved inwards, so that they do not stand out beyond the plot."""
    if scale.log or len(scale.ticks) < 3:
        return scale
    ordered = sorted(scale.ticks, key=lambda tick: tick.at)
    steps = [b.number.value - a.number.value for a, b in pairwise(ordered)]
    step, distance = median(steps), median(b.at - a.at for a, b in pairwise(ordered))
    row = median(tick.label.place[1] if not vertical else tick.label.box.center[0] for tick in ordered)
    added = []
    for tick in ticks_of(labels, vertical=vertical):
        across = tick.label.box.center[0] if vertical else tick.label.place[1]
        at = (tick.number.value - scale.intercept) / scale.slope
        beyond = min(
            abs(tick.number.value - ordered[0].number.value + step),
            abs(tick.number.value - ordered[-1].number.value - step),
        )
        moved = abs(tick.at - at) <= MAX_MOVED * distance
        if moved and beyond <= 0.01 * abs(step) and abs(across - row) <= ALIGNED * height:
            added.append(Tick(tick.label, tick.number, at))
    taken = {id(tick.label) for tick in scale.ticks}
    fresh = tuple(tick for tick in added if id(tick.label) not in taken)
    return Scale(scale.slope, scale.intercept, scale.log, (*scale.ticks, *fresh))


def _agree(scale: Scale, measured: Scale, height: float) -> bool:
    """Whether lines of the grid lie on a straight line as well as the labels do; else they are other lines."""
    off = [
        abs((scale.slope * tick.at + scale.intercept - measured.intercept) / measured.slope - tick.at)
        for tick in scale.ticks
    ]
    fits = [abs(even_value(tick, scale.log) - measured.slope * tick.at - measured.intercept) for tick in measured.ticks]
    residual = median(fits) / abs(measured.slope)
    # Marks of ticks between the labels lie near these as well.
    return max(off) <= MAX_OFF_GRID * height and residual <= 1.0


def _with_places(scale: Scale, measured: Scale) -> tuple[Tick, ...]:
    """All ticks of a scale, those that have a line of the grid at its place."""
    moved = {id(tick.label): tick for tick in measured.ticks}
    return tuple(moved.get(id(tick.label), tick) for tick in scale.ticks)


def _misread(scale: Scale, labels: Sequence[Label], height: float, *, vertical: bool) -> list[str]:
    """Texts of labels that stand in the row of the ticks and do not agree with the scale."""
    taken = {id(tick.label) for tick in scale.ticks}
    boxes = [tick.label.box for tick in scale.ticks]
    lower = min(tick.at for tick in scale.ticks) - height
    upper = max(tick.at for tick in scale.ticks) + height
    found = []
    for tick in ticks_of(labels, vertical=vertical):
        if id(tick.label) in taken or not lower <= tick.at <= upper:
            continue
        box = tick.label.box
        aligned = (
            any(abs(box.x1 - b.x1) <= ALIGNED * height for b in boxes)
            if vertical
            else any(abs(tick.label.place[1] - t.label.place[1]) <= ALIGNED * height for t in scale.ticks)
        )
        if aligned:
            found.append(tick.label.text)
    return found
