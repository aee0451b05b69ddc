"""Pages turned upright by quarter turns, and what was found on them turned back."""

from __future__ import annotations

import numpy as np

from mineru_core.document.analysis import Block, Line, LineWord
from mineru_core.document.chart import Axis, Chart, Point
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import PageTransform, Pixels
from mineru_core.document.table import Table


def turned(pixels: Pixels, degrees: int) -> Pixels:
    """The picture turned clockwise by a multiple of 90 degrees; a view's copy, so that rows lie in memory in order."""
    turns = (degrees // 90) % 4
    return pixels if turns == 0 else np.ascontiguousarray(np.rot90(pixels, k=-turns))


class TurnBack:
    """From pixels of a page that was turned clockwise by ``degrees`` to pixels of the page as given.

    ``width`` and ``height`` are the size of the page as given.
    """

    def __init__(self, degrees: int, width: int, height: int) -> None:
        self.degrees = degrees % 360
        self._transform = PageTransform(self.degrees // 90, 1.0, float(width), float(height))

    def box(self, box: Box) -> Box:
        """The box on the page as given."""
        return self._transform.to_source(box)

    def quad(self, quad: Quad) -> Quad:
        """The corners on the page as given; the first is still where the first character begins."""
        corners = (self._transform.to_source(Box(x, y, x, y)) for x, y in quad)
        return Quad(*((c.x0, c.y0) for c in corners))

    def block(self, block: Block) -> Block:
        """The block with every box in it turned back, and its angle on the page as given."""
        if self.degrees == 0:
            return block
        return block.model_copy(
            update={
                "box": self.box(block.box),
                "angle": (block.angle - self.degrees) % 360,
                "lines": tuple(self._line(line) for line in block.lines),
                "table": None if block.table is None else self._table(block.table),
                "chart": None if block.chart is None else self._chart(block.chart),
            }
        )

    def _line(self, line: Line) -> Line:
        words = tuple(LineWord(text=w.text, box=self.box(w.box), confidence=w.confidence) for w in line.words)
        return line.model_copy(update={"box": self.box(line.box), "quad": self.quad(line.quad), "words": words})

    def _table(self, table: Table) -> Table:
        cells = tuple(
            cell if cell.box is None else cell.model_copy(update={"box": self.box(cell.box)}) for cell in table.cells
        )
        box = None if table.box is None else self.box(table.box)
        return table.model_copy(update={"cells": cells, "box": box})

    def _chart(self, chart: Chart) -> Chart:
        series = tuple(
            one.model_copy(update={"points": tuple(self._point(point) for point in one.points)}) for one in chart.series
        )
        box = None if chart.box is None else self.box(chart.box)
        axes = {"x_axis": self._axis(chart.x_axis), "y_axis": self._axis(chart.y_axis)}
        if chart.second_y_axis is not None:
            axes["second_y_axis"] = self._axis(chart.second_y_axis)
        return chart.model_copy(update={"series": series, "box": box, **axes})

    def _axis(self, axis: Axis) -> Axis:
        """The axis on the page as given, where it may run the other way."""
        if axis.vertical is None:
            return axis
        marks = []
        for mark in axis.marks:
            point = Box(0.0, mark.place, 0.0, mark.place) if axis.vertical else Box(mark.place, 0.0, mark.place, 0.0)
            there = self._transform.to_source(point)
            place = there.y0 if axis.vertical == (self.degrees % 180 == 0) else there.x0
            marks.append(mark.model_copy(update={"place": place}))
        vertical = axis.vertical if self.degrees % 180 == 0 else not axis.vertical
        return axis.model_copy(update={"vertical": vertical, "marks": tuple(marks)})

    def _point(self, point: Point) -> Point:
        if point.place is None:
            return point
        x, y = point.place
        there = self._transform.to_source(Box(x, y, x, y))
        return point.model_copy(update={"place": (there.x0, there.y0)})
