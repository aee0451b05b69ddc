"""Pages for files that have none of their own: paragraphs, tables and charts one under the other, drawn plainly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from PIL import Image

from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page, PageTransform, Pixels, Word
from mineru_core.document.table import Cell, Table
from mineru_core.intake.office.canvas import GREY, Canvas, TextStyle, edges
from mineru_core.intake.office.charts import ChartData
from mineru_core.intake.office.drawn_charts import draw_chart
from mineru_core.intake.office.fonts import text_width
from mineru_core.intake.office.text import Paragraph, Run, TextBlock, set_text

PIXELS_A_POINT = 150 / 72
WIDTH, HEIGHT, MARGIN = 1240, 1754, 100
"""A sheet of A4 at 150 dpi."""
MAX_WIDTH, MAX_HEIGHT = 3500, 8000
"""A page grows as far as this around a table; what lies beyond is in the table without a place on the page."""
_TABLE_SIZE = 20
_PAD = 8
_NARROWEST, _WIDEST = 40.0, 420.0
_MEASURED_ROWS = 200
_GAP = 16
_CHART_HEIGHT = 560


@dataclass(frozen=True, slots=True)
class FlowPicture:
    """A picture of ``width`` × ``height`` pixels on the page; ``part`` is where the file keeps it."""

    part: str
    width: float
    height: float


Shelf = Callable[[str], Image.Image | None]
"""Gives the picture of a part; None where it cannot be drawn."""


FlowItem = Paragraph | Table | ChartData | FlowPicture


@dataclass(frozen=True)
class FlowPage:
    """What stands on one page, each item with its height in pixels; ``width`` is that of the page."""

    items: Sequence[tuple[FlowItem, float]]
    width: int

    def draw(self, source: str, number: int, max_pixels: int, shelf: Shelf) -> Page:
        """The page drawn, reduced where it would have more than ``max_pixels``."""
        height = sum(high + _GAP for _, high in self.items) + 2 * MARGIN
        canvas = Canvas(self.width, min(max(HEIGHT, math.ceil(height)), MAX_HEIGHT))
        natives: list[Table | Chart] = []
        y = float(MARGIN)
        for item, high in self.items:
            box = Box(float(MARGIN), y, float(self.width - MARGIN), y + high)
            if isinstance(item, Paragraph):
                set_text([item], box.width).write(canvas, box)
            elif isinstance(item, Table):
                natives.append(_TableLayout(item, box.width).draw(canvas, box))
            elif isinstance(item, ChartData):
                natives.append(draw_chart(canvas, item, box, (), PIXELS_A_POINT))
            else:
                place = Box(box.x0, y, box.x0 + item.width, y + item.height)
                image = shelf(item.part)
                if image is None:
                    canvas.rectangle(place, None, GREY)
                else:
                    canvas.picture(image, place)
            y += high + _GAP
        return _page(canvas, natives, source, number, max_pixels)


def flow(items: Iterable[FlowItem], room: float = HEIGHT - 2 * MARGIN) -> Iterator[FlowPage]:
    """The items on pages of ``room`` pixels between the margins: each item whole, a page for itself where it is higher
    than one."""
    page: list[tuple[FlowItem, float]] = []
    used, width = 0.0, WIDTH
    for item in items:
        wide, high = _size(item)
        if page and used + high > room:
            yield FlowPage(page, width)
            page, used, width = [], 0.0, WIDTH
        page.append((item, high))
        used += high + _GAP
        width = max(width, min(math.ceil(wide) + 2 * MARGIN, MAX_WIDTH))
    if page:
        yield FlowPage(page, width)


def _size(item: FlowItem) -> tuple[float, float]:
    """Width and height that an item asks for."""
    room = float(WIDTH - 2 * MARGIN)
    if isinstance(item, Paragraph):
        return room, set_text([item], room).height + item.before + item.after
    if isinstance(item, Table):
        layout = _TableLayout(item, room)
        return sum(layout.widths), min(sum(layout.heights), float(MAX_HEIGHT))
    return room, float(_CHART_HEIGHT) if isinstance(item, ChartData) else item.height


class _TableLayout:
    """Widths of columns and heights of rows, in pixels, of a table drawn in about ``room`` pixels."""

    def __init__(self, table: Table, room: float) -> None:
        self._table = table
        self._style = TextStyle(_TABLE_SIZE)
        self.widths = self._widths(room)
        self._texts: dict[tuple[int, int], TextBlock] = {}
        self.heights = self._heights()

    def draw(self, canvas: Canvas, box: Box) -> Table:
        """Draw what fits the page; cells that do not have no place."""
        xs, ys = edges(box.x0, self.widths), edges(box.y0, self.heights)
        right, bottom = canvas.size[0] - MARGIN / 2, canvas.size[1] - MARGIN / 2
        cells: list[Cell] = []
        for cell in self._table.cells:
            around = Box(xs[cell.col], ys[cell.row], xs[cell.col + cell.colspan], ys[cell.row + cell.rowspan])
            if around.x1 > right or around.y1 > bottom:
                cells.append(cell)
                continue
            canvas.rectangle(around, None, GREY)
            inside = Box(around.x0 + _PAD, around.y0 + _PAD / 2, around.x1 - _PAD, around.y1 - _PAD / 2)
            block = self._texts.get((cell.row, cell.col))
            if block is not None:
                block.write(canvas, inside, "ctr")
            cells.append(cell.model_copy(update={"box": around}))
        place = Box(box.x0, box.y0, min(xs[-1], right), min(ys[-1], bottom))
        return self._table.model_copy(update={"cells": tuple(cells), "box": place})

    def _widths(self, room: float) -> list[float]:
        widths = [_NARROWEST] * self._table.n_cols
        for cell in self._table.cells:
            if cell.row < _MEASURED_ROWS and cell.colspan == 1:
                longest = max(cell.text.split("\n"), key=len)[:80]
                widths[cell.col] = max(widths[cell.col], text_width(longest, _TABLE_SIZE, False) + 2 * _PAD + 2)
        cut = [min(width, _WIDEST) for width in widths]
        return cut if sum(widths) > room else widths

    def _heights(self) -> list[float]:
        """Rows beyond the page are not measured: nobody sees them."""
        least = 1.2 * _TABLE_SIZE + _PAD
        heights = [least] * self._table.n_rows
        drawn = 0.0
        for cell in self._table.cells:
            drawn = least * cell.row
            if drawn > MAX_HEIGHT or not cell.text:
                continue
            width = sum(self.widths[cell.col : cell.col + cell.colspan])
            lines = cell.text[:2000].split("\n")
            paragraphs = [Paragraph((Run(line, self._style),), size=_TABLE_SIZE) for line in lines]
            block = set_text(paragraphs, width - 2 * _PAD)
            self._texts[cell.row, cell.col] = block
            last = cell.row + cell.rowspan - 1
            heights[last] += max(0.0, block.height + _PAD - sum(heights[cell.row : last + 1]))
        return heights


def _page(canvas: Canvas, natives: Sequence[Table | Chart], source: str, number: int, max_pixels: int) -> Page:
    width, height = canvas.size
    pixels, words = canvas.pixels(), canvas.words
    factor = min(1.0, 0.99 * math.sqrt(max_pixels / (width * height)))
    if factor < 1:
        size = (max(1, int(width * factor)), max(1, int(height * factor)))
        pixels = _reduced(pixels, size)
        sx, sy = size[0] / width, size[1] / height
        words = tuple(Word(word.text, word.box.scaled(sx, sy)) for word in words)
        natives = [_scaled(native, sx, sy) for native in natives]
    return Page(
        pixels=pixels,
        source=source,
        number=number,
        dpi=150.0 * factor,
        text_layer=words or None,
        transform=PageTransform(
            scale=PIXELS_A_POINT * factor, source_width=width / PIXELS_A_POINT, source_height=height / PIXELS_A_POINT
        ),
        natives=tuple(natives),
    )


def _reduced(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    import numpy as np

    reduced: Pixels = np.array(Image.fromarray(pixels).resize(size, Image.Resampling.BOX))
    reduced.flags.writeable = False
    return reduced


def _scaled(native: Table | Chart, sx: float, sy: float) -> Table | Chart:
    box = None if native.box is None else native.box.scaled(sx, sy)
    if isinstance(native, Table):
        cells = tuple(c if c.box is None else c.model_copy(update={"box": c.box.scaled(sx, sy)}) for c in native.cells)
        return native.model_copy(update={"box": box, "cells": cells})
    series = tuple(
        one.model_copy(
            update={
                "points": tuple(
                    p if p.place is None else p.model_copy(update={"place": (p.place[0] * sx, p.place[1] * sy)})
                    for p in one.points
                )
            }
        )
        for one in native.series
    )
    return native.model_copy(update={"box": box, "series": series})
