"""A chart's picture to its data: the scene first, then the reader of marks that they fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from mineru_core.document.analysis import Line
from mineru_core.document.chart import Axis, AxisMark, Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box
from mineru_core.document.notices import Notice
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.areas import read_areas
from mineru_core.engines.embedded.charts.bars import bars_of
from mineru_core.engines.embedded.charts.boxes import read_boxes
from mineru_core.engines.embedded.charts.build import scene_of
from mineru_core.engines.embedded.charts.colors import faded, near_color, surfaces
from mineru_core.engines.embedded.charts.combined import lines_over, on_their_axes, without_lines
from mineru_core.engines.embedded.charts.doubt import MOSTLY_THICK, absent, doubted, doubts, is_short, thick_share
from mineru_core.engines.embedded.charts.end_names import with_end_names
from mineru_core.engines.embedded.charts.glued import parted_ticks
from mineru_core.engines.embedded.charts.labels import labels_of
from mineru_core.engines.embedded.charts.lines import read_lines
from mineru_core.engines.embedded.charts.names_beside import with_missed_names
from mineru_core.engines.embedded.charts.numbers import printed
from mineru_core.engines.embedded.charts.pie import pie_title, read_pie
from mineru_core.engines.embedded.charts.polish import (
    at_labels,
    named,
    near_zero,
    short_title,
    without_grid,
    without_unit,
)
from mineru_core.engines.embedded.charts.scatter import read_scatter
from mineru_core.engines.embedded.charts.scene import AnyAxis, CategoryAxis, Label, NumberAxis, Scene
from mineru_core.engines.embedded.charts.second_look import with_missed_ticks
from mineru_core.engines.embedded.charts.small_names import with_small_names
from mineru_core.engines.embedded.charts.turned import turned_labels
from mineru_core.engines.embedded.charts.units import unit_in, whole_unit
from mineru_core.runtime.context import RunContext

# A picture whose longer side is below this is read a second time at twice its size; more finds no more.
SMALL_SIDE = 500
ENLARGED = 2.0
# A larger picture is reduced: a chart's marks are as well measured then.
LARGE_SIDE = 1800
MIN_SIDE = 40
# A colour this near to the legend's is the very same.
SAME_FILL = 12
# Printed values may happen to look like an axis of so few ticks.
FEW_TICKS = 4
# Two readings of one text cover each other by this much.
SAME_PLACE, SAME_BOX = 0.3, 0.6
# What only the reading of the small picture found is this sure.
MIN_SURE = 0.95
# What looks like a short line, or lies among thick shapes, may be markers, if there are more of these and so many.
MIN_SPOTS = 3
# A chart of less than this confidence is none.
MIN_CONFIDENCE = 0.2
MAX_SERIES = 60

Reread = Callable[[Pixels], Sequence[Line]]
"""Reads the lines of text of a picture, as the text stage does; places in its pixels."""


@dataclass(frozen=True, slots=True)
class NotAChart:
    """Why a picture is not read as a chart."""

    reason: str


@dataclass(frozen=True, slots=True)
class ChartReading:
    """A chart with what there is to tell about it; its places are in pixels of the picture it was read from."""

    chart: Chart
    warnings: tuple[str, ...] = ()


def read_chart(
    pixels: Pixels, lines: Sequence[Line], ctx: RunContext, reread: Reread | None = None
) -> ChartReading | NotAChart:
    """The chart that a picture (height, width, 3; uint8 RGB) shows, or why there is none.

    ``lines`` are the texts of the picture. A small picture is enlarged, and its texts are read again by ``reread``
    where that is given; a large one is reduced. Raises what ``ctx.check()`` raises.
    """
    height, width = pixels.shape[:2]
    if min(height, width) < MIN_SIDE:
        return NotAChart("The picture is too small.")
    if not lines:
        return NotAChart("There is no text that could name values.")
    side = max(height, width)
    times = ENLARGED if side < SMALL_SIDE else min(1.0, LARGE_SIDE / side)
    labels = labels_of(lines)
    if times != 1.0:
        pixels = resized(pixels, times)
        labels = tuple(_scaled(label, times) for label in labels)
    if times > 1.0 and reread is not None:
        labels = _surer(labels_of(reread(pixels)), labels)
    ctx.check()
    scene = scene_of(pixels, labels)
    if reread is not None:
        looks = (turned_labels, with_small_names) if times > 1.0 else (with_missed_ticks,)
        for look in (*looks, with_missed_names, with_end_names):
            more = look(scene, reread)
            scene = scene if more is None else scene_of(pixels, more)
            ctx.check()
    return _chart_in(scene, ctx, times)


def chart_of(pixels: Pixels, labels: Sequence[Label], ctx: RunContext, times: float = 1.0) -> ChartReading | NotAChart:
    """The chart that a picture with these labels shows, or why there is none.

    Places in the result are in pixels of a picture ``times`` smaller. Raises what ``ctx.check()`` raises.
    """
    return _chart_in(scene_of(pixels, labels), ctx, times)


def _chart_in(scene: Scene, ctx: RunContext, times: float) -> ChartReading | NotAChart:
    parted = parted_ticks(scene)
    if parted is not None:
        scene = scene_of(scene.pixels, parted)
    ctx.check()
    found = _marks(scene)
    if found is None:
        return NotAChart("No marks were found that an axis or printed values give a meaning to.")
    return _reading(scene, found, times)


def resized(pixels: Pixels, times: float) -> Pixels:
    """The picture with both sides ``times`` as long."""
    size = (max(1, round(pixels.shape[1] * times)), max(1, round(pixels.shape[0] * times)))
    way = cv2.INTER_CUBIC if times > 1 else cv2.INTER_AREA
    return cv2.resize(pixels, size, interpolation=way).astype(np.uint8, copy=False)


def _surer(labels: Sequence[Label], before: Sequence[Label]) -> tuple[Label, ...]:
    """The labels of the second reading with the texts of the first one where these were surer, and what it missed."""
    found = []
    for label in labels:
        same = max(before, key=lambda other: other.box.iou(label.box), default=None)
        # A text of another length may be that of two labels.
        least = SAME_PLACE if same is not None and len(same.text) == len(label.text) else SAME_BOX
        is_same = same is not None and same.box.iou(label.box) >= least
        better = is_same and same is not None and same.confidence > label.confidence
        found.append(replace(label, text=same.text, confidence=same.confidence) if better and same else label)
    apart = [la for la in before if all(la.box.intersection(other.box).area <= 0 for other in labels)]
    missed = [label for label in apart if label.confidence >= MIN_SURE]
    return tuple(sorted([*found, *missed], key=lambda label: (label.box.y0, label.box.x0)))


def _scaled(label: Label, times: float) -> Label:
    slant = None if label.slant is None else (label.slant[0] * times, label.slant[1] * times)
    return replace(label, box=label.box.scaled(times, times), slant=slant)


@dataclass(frozen=True, slots=True)
class _Marks:
    """What was read of the marks: ``vertical`` is False where the values run to the right."""

    kind: ChartKind
    series: tuple[Series, ...]
    vertical: bool = True
    share: float = 1.0
    warnings: tuple[str, ...] = ()
    stacked: bool = False


def _marks(scene: Scene) -> _Marks | None:
    """The first of the readings that suits the marks."""
    has_scale = isinstance(scene.y, NumberAxis) or isinstance(scene.x, NumberAxis)
    pie = None if has_scale else _pie(scene)
    if pie is not None:
        return pie
    bars = bars_of(without_lines(scene))
    if bars is not None and bars.tiles:
        return None
    if bars is not None and (has_scale or _are_printed(bars.series)):
        upright = bars.series if bars.stacked else on_their_axes(scene, bars.series)
        return _Marks(
            ChartKind.BAR, (*upright, *lines_over(scene, bars)), bars.vertical, bars.share, bars.warnings, bars.stacked
        )
    if not isinstance(scene.y, NumberAxis):
        return _pie(scene) if has_scale else None
    for kind, read in (
        (ChartKind.OTHER, read_boxes),
        (ChartKind.AREA, read_areas),
        (ChartKind.LINE, read_lines),
        (ChartKind.SCATTER, read_scatter),
    ):
        series = read(_with_fills(scene) if kind is ChartKind.AREA else scene)
        if series and any(one.points for one in series):
            doubtful = kind is ChartKind.LINE and (is_short(series, scene) or thick_share(scene) > MOSTLY_THICK)
            spots = read_scatter(scene) if doubtful else None
            if spots and _count(spots) > max(MIN_SPOTS, _count(series)):
                return _Marks(ChartKind.SCATTER, tuple(spots))
            return _Marks(kind, tuple(series))
    return _pie(scene) if len(scene.y.ticks) < FEW_TICKS else None


def _count(series: Sequence[Series]) -> int:
    return sum(len(one.points) for one in series)


def _pie(scene: Scene) -> _Marks | None:
    slices = read_pie(scene.pixels, scene.labels_outside_legend, scene.legend)
    return _Marks(ChartKind.PIE, tuple(slices)) if slices else None


def _with_fills(scene: Scene) -> Scene:
    """The scene with the legend's colours as areas show them, which are often drawn translucent."""
    x0, y0, x1, y1 = (round(v) for v in scene.plot)
    part = np.ascontiguousarray(scene.pixels[y0:y1, x0:x1])
    if not scene.legend or part.size == 0:
        return scene
    found = [surface.color for surface in surfaces(part, scene.background)]
    entries = []
    for entry in scene.legend:
        away = near_color(entry.color, found)[1] if entry.color is not None else 0.0
        shown = faded(entry.color, found, scene.background) if entry.color is not None and away > SAME_FILL else None
        entries.append(entry if shown is None else replace(entry, color=shown))
    return replace(scene, legend=tuple(entries))


def _are_printed(series: Sequence[Series]) -> bool:
    """Whether bars without an axis have names and printed values, most of them and at least two."""
    points = [point for one in series for point in one.points]
    good = sum(point.y is not None and bool(point.x) for point in points)
    return good >= 2 and good >= 0.7 * len(points)


def _reading(scene: Scene, marks: _Marks, times: float) -> ChartReading | NotAChart:
    series = tuple(s for s in marks.series if s.points)[:MAX_SERIES]
    if not series:
        return NotAChart("The marks have no values that can be read.")
    # Of bars drawn at a slant it is told already, and that their sides are unexplained would be no news.
    share = 1.0 if Notice.RAISED_BARS.told() in marks.warnings else marks.share
    against = doubts(marks.kind, series, scene, share)
    series = tuple(doubted(series)) if against else series
    lacking = [] if marks.kind is ChartKind.PIE else absent(marks.kind, series, scene)
    points = [point for one in series for point in one.points]
    confidence = marks.share * sum(point.confidence for point in points) / len(points)
    if confidence < MIN_CONFIDENCE:
        return NotAChart("The values of the marks are too uncertain.")
    names, values = (scene.x, scene.y) if marks.vertical else (scene.y, scene.x)
    titles = (scene.x_title, scene.y_title) if marks.vertical else (scene.y_title, scene.x_title)
    names_are_numbers = isinstance(names, NumberAxis) and not names.dates
    pie = marks.kind is ChartKind.PIE
    title = scene.title or (pie_title(scene, series) if pie else "")
    if marks.kind in (ChartKind.LINE, ChartKind.AREA):
        series = at_labels(without_grid(series, scene), scene)
    series = near_zero(series, values, scene.second_y)
    series = named(series, short_title(title) if pie or not titles[1] else without_unit(titles[1]))
    chart = Chart(
        kind=marks.kind,
        title=title,
        x_axis=Axis() if pie else _axis(names, titles[0], times, unit_in(titles[0]) if names_are_numbers else ""),
        y_axis=Axis() if pie else _axis(values, titles[1], times, _told(titles[1], title), _unit(scene)),
        series=tuple(_placed(one, times) for one in series),
        box=_extent(scene, whole=pie).scaled(1 / times, 1 / times),
        confidence=min(1.0, confidence),
        second_y_axis=_axis(scene.second_y, "", times) if any(one.on_second_axis for one in series) else None,
        stacked=marks.stacked or (marks.kind is ChartKind.AREA and len(series) > 1),
    )
    return ChartReading(chart, (*scene.warnings, *marks.warnings, *against, *lacking))


def _told(title: str, chart_title: str) -> str:
    """The unit that the title of the axis tells, or else the chart's."""
    return unit_in(title) or unit_in(chart_title, multiples_only=True)


def _axis(axis: AnyAxis | None, title: str, times: float, told: str = "", beside: str = "") -> Axis:
    """The axis as part of a chart, its places in pixels of a picture ``times`` smaller than the scene's. ``told`` is
    the unit that a title tells, ``beside`` that of the values printed in the plot, for an axis that has none."""
    unit = whole_unit((axis.unit if isinstance(axis, NumberAxis) else "") or beside, told)
    if isinstance(axis, NumberAxis):
        scale = "log" if axis.log else "date" if axis.dates else "linear"
        printed_values = [value for value, _ in axis.ticks]
        ends = sorted({min(printed_values), max(printed_values)}) if axis.ticks else []
        marks = tuple(AxisMark(place=axis.pixel_at(value) / times, value=value) for value in ends)
        return Axis(label=title, unit=unit, scale=scale, vertical=axis.vertical, marks=marks)
    if isinstance(axis, CategoryAxis):
        scale = "date" if axis.numbers else "category"
        return Axis(label=title, unit=unit, scale=scale, vertical=axis.vertical)
    return Axis(label=title, unit=unit)


def _extent(scene: Scene, *, whole: bool) -> Box:
    """Where the chart is in its picture: the plot area, its axes' labels and the legend; of a pie the whole picture."""
    height, width = scene.pixels.shape[:2]
    if whole:
        return Box(0.0, 0.0, float(width), float(height))
    parts = [scene.plot, *(label.box for label in (*scene.x_labels, *scene.y_labels))]
    parts += [entry.box for entry in scene.legend if entry.box is not None]
    outside = {id(label) for label in scene.labels_outside_legend}
    parts += [label.box for label in scene.labels if id(label) not in outside]
    return Box.around(parts).expanded(2.0).clipped(width, height)


def _unit(scene: Scene) -> str:
    """The unit that printed values have where the axis has none."""
    units = [number.unit for label in scene.free if (number := printed(label.text)) is not None and number.unit]
    return max(sorted(set(units)), key=units.count, default="")


def _placed(series: Series, times: float) -> Series:
    if times == 1.0:
        return series
    points = tuple(_at_scale(point, times) for point in series.points)
    return series.model_copy(update={"points": points})


def _at_scale(point: Point, times: float) -> Point:
    if point.place is None:
        return point
    return point.model_copy(update={"place": (point.place[0] / times, point.place[1] / times)})
