"""The charts of a page: its areas that may be one, each read by itself."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from math import ceil

import cv2
import numpy as np

from mineru_core.document.analysis import Line, LineWord
from mineru_core.document.chart import Axis, Chart, Point
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.reading import ChartReading, NotAChart, Reread, read_chart
from mineru_core.engines.embedded.charts.where import chart_areas
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.runtime.context import RunContext

_log = logging.getLogger(__name__)

# A line or a table belongs to an area that holds this share of it.
MIN_COVERED = 0.5
# Where a table was read, a chart must be this sure to be taken for what is there.
SURER_THAN_TABLE = 0.5


def charts_of_page(
    pixels: Pixels,
    regions: Sequence[LayoutRegion],
    lines: Sequence[Line],
    tables: Sequence[Box],
    ctx: RunContext,
    reread: Reread,
) -> list[ChartReading]:
    """The charts of a page (height, width, 3; uint8 RGB) with their boxes and places in its pixels.

    ``tables`` are the boxes of the tables that were read on it; of the two that a place may be, the surer one stays.
    Raises what ``ctx.check()`` and ``reread`` raise.
    """
    height, width = pixels.shape[:2]
    found: list[ChartReading] = []
    for area in chart_areas(width, height, regions, lines):
        ctx.check()
        if any(area.covered_by(_box(one)) > MIN_COVERED or _box(one).covered_by(area) > MIN_COVERED for one in found):
            continue
        x0, y0 = int(area.x0), int(area.y0)
        part = np.ascontiguousarray(pixels[y0 : ceil(area.y1), x0 : ceil(area.x1)])
        inside = [_moved(line, -x0, -y0) for line in lines if line.box.covered_by(area) >= MIN_COVERED]
        # Texts are read again for a chart's sake: not of what looks like none, unless one is read there all the same.
        no_chart = not regions or any(table.intersection(area).area > MIN_COVERED * area.area for table in tables)
        reading = _read(part, inside, ctx, None if no_chart else reread)
        if no_chart and isinstance(reading, ChartReading) and reading.chart.confidence >= SURER_THAN_TABLE:
            reading = _read(part, inside, ctx, reread)
        if isinstance(reading, NotAChart):
            continue
        placed = ChartReading(_on_page(reading.chart, x0, y0, width, height), reading.warnings)
        at_table = any(table.covered_by(_box(placed)) > MIN_COVERED for table in tables)
        if not at_table or placed.chart.confidence >= SURER_THAN_TABLE:
            found.append(placed)
    return found


def _read(pixels: Pixels, lines: Sequence[Line], ctx: RunContext, reread: Reread | None) -> ChartReading | NotAChart:
    """The chart of an area; a picture that a reader of marks breaks on is none, and its page is read all the same."""
    try:
        return read_chart(pixels, lines, ctx, reread)
    except (ArithmeticError, LookupError, ValueError, cv2.error):
        _log.exception("reading an area of %d × %d pixels as a chart broke", pixels.shape[1], pixels.shape[0])
        return NotAChart("The reading of its marks broke.")


def _box(reading: ChartReading) -> Box:
    return reading.chart.box or Box(0.0, 0.0, 0.0, 0.0)


def _moved(line: Line, dx: float, dy: float) -> Line:
    if not dx and not dy:
        return line
    words = tuple(LineWord(text=w.text, box=w.box.shifted(dx, dy), confidence=w.confidence) for w in line.words)
    quad = Quad(*((x + dx, y + dy) for x, y in line.quad))
    return line.model_copy(update={"box": line.box.shifted(dx, dy), "quad": quad, "words": words})


def _on_page(chart: Chart, dx: float, dy: float, width: float, height: float) -> Chart:
    series = tuple(
        one.model_copy(update={"points": tuple(_point_on_page(point, dx, dy) for point in one.points)})
        for one in chart.series
    )
    box = None if chart.box is None else chart.box.shifted(dx, dy).clipped(width, height)
    axes = {"x_axis": _axis_on_page(chart.x_axis, dx, dy), "y_axis": _axis_on_page(chart.y_axis, dx, dy)}
    if chart.second_y_axis is not None:
        axes["second_y_axis"] = _axis_on_page(chart.second_y_axis, dx, dy)
    return chart.model_copy(update={"series": series, "box": box, **axes})


def _axis_on_page(axis: Axis, dx: float, dy: float) -> Axis:
    by = dy if axis.vertical else dx
    marks = tuple(mark.model_copy(update={"place": mark.place + by}) for mark in axis.marks)
    return axis.model_copy(update={"marks": marks})


def _point_on_page(point: Point, dx: float, dy: float) -> Point:
    if point.place is None:
        return point
    return point.model_copy(update={"place": (point.place[0] + dx, point.place[1] + dy)})
