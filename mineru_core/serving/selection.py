"""Which pages, and which rectangles of them, a task is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from mineru_core.document.analysis import Block, Line, PageAnalysis
from mineru_core.document.chart import Chart, Point
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Page, Word
from mineru_core.document.parts import PageFrame
from mineru_core.document.table import Table
from mineru_core.document.task import Note, Region, Task
from mineru_core.errors import InvalidRequest, NoPages

MIN_REGION_PIXELS = 4
"""A region with a side below this many pixels holds no readable text and is taken for a slip of the mouse."""

MAX_REGIONS = 100
"""Each region is read as a page of its own, so a thousand of them would hold up everybody for an hour."""

_LEAST_SIDE = 32
"""Crops are padded to this many pixels a side with their own edge: models need some room."""


def choose_pages(task: Task, page_count: int, regions: Sequence[Region]) -> tuple[list[int], list[Note]]:
    """Page numbers to read, ascending, and notes on wanted pages that do not exist.

    With ``regions`` only their pages are read. Raises ``NoPages`` where none of the wanted pages exists and
    ``InvalidRequest`` where a region names a page that does not.
    """
    if page_count < 1:
        raise NoPages("The document holds no pages.")
    check_regions(regions, page_count)
    if regions:
        return sorted({region.page for region in regions}), []
    if not task.pages:
        return list(range(1, page_count + 1)), []
    wanted = {page_count + 1 + number if number < 0 else number for number in task.pages}
    there = sorted(number for number in wanted if 1 <= number <= page_count)
    if not there:
        raise NoPages(f"None of the chosen pages exists; the document has {page_count}.")
    missing = sorted(wanted - set(there))
    if not missing:
        return there, []
    listed = ", ".join(str(number) for number in missing)
    return there, [Note(code="no-such-page", message=f"The document has {page_count} pages; left out: {listed}.")]


def check_regions(regions: Sequence[Region], page_count: int) -> None:
    """Raise ``InvalidRequest`` for regions that no page is needed to refuse: too many, on a page that does not exist,
    or with a corner that is no number."""
    if len(regions) > MAX_REGIONS:
        raise InvalidRequest(
            f"There are {len(regions)} regions; at most {MAX_REGIONS} are read.", "Name fewer regions."
        )
    for region in regions:
        if region.page > page_count:
            raise InvalidRequest(
                f"A region is on page {region.page} of {page_count}.", "Draw the region on a page of this document."
            )
        if not all(np.isfinite(region.box)):
            raise InvalidRequest(
                "A region has a corner that is no number.", "Give four numbers: left, top, right, bottom."
            )


def place_region(frame: PageFrame, box: Box) -> Placement:
    """Where a region lies on its page: whole pixels, padded to a size that models can use.

    Raises ``InvalidRequest`` where the rectangle lies outside the page or is too small to hold text.
    """
    x0, y0, x1, y1 = _whole_pixels(frame, box)
    left, right = _padding(x1 - x0)
    top, bottom = _padding(y1 - y0)
    return Placement(frame, float(x0 - left), float(y0 - top), left + x1 - x0 + right, top + y1 - y0 + bottom)


def crop(page: Page, box: Box) -> tuple[Page, Placement]:
    """The rectangle as a page of its own, and where it lies; padding is filled with the pixels of its own edge.

    Raises what ``place_region`` does.
    """
    placement = place_region(PageFrame.of(page), box)
    x0, y0, x1, y1 = _whole_pixels(placement.frame, box)
    pixels = page.pixels[y0:y1, x0:x1]
    before = (y0 - int(placement.dy), x0 - int(placement.dx))
    after = (placement.height - before[0] - (y1 - y0), placement.width - before[1] - (x1 - x0))
    if any((*before, *after)):
        pixels = np.pad(pixels, ((before[0], after[0]), (before[1], after[1]), (0, 0)), mode="edge")
    part = Page(
        pixels=np.ascontiguousarray(pixels),
        source=page.source,
        number=page.number,
        dpi=page.dpi,
        text_layer=_words_inside(page, Box(x0, y0, x1, y1), -placement.dx, -placement.dy),
    )
    return part, placement


def _whole_pixels(frame: PageFrame, box: Box) -> tuple[int, int, int, int]:
    if not all(np.isfinite(box)):
        raise InvalidRequest("A region has a corner that is no number.", "Give four numbers: left, top, right, bottom.")
    clipped = box.clipped(frame.width, frame.height)
    if clipped.area <= 0:
        raise InvalidRequest(
            f"A region lies outside page {frame.number}, which is {frame.width} × {frame.height} pixels.",
            "Give left, top, right and bottom in pixels of the page, left < right and top < bottom.",
        )
    x0, y0 = int(np.floor(clipped.x0)), int(np.floor(clipped.y0))
    x1, y1 = int(np.ceil(clipped.x1)), int(np.ceil(clipped.y1))
    if min(x1 - x0, y1 - y0) < MIN_REGION_PIXELS:
        raise InvalidRequest(
            f"A region of {x1 - x0} × {y1 - y0} pixels is too small to hold text.",
            f"Draw a rectangle of at least {MIN_REGION_PIXELS} × {MIN_REGION_PIXELS} pixels.",
        )
    return x0, y0, x1, y1


def _padding(side: int) -> tuple[int, int]:
    """Pixels to add before and after a side of this length."""
    short = max(0, _LEAST_SIDE - side)
    return short // 2, short - short // 2


def _words_inside(page: Page, inside: Box, dx: float, dy: float) -> tuple[Word, ...] | None:
    if page.text_layer is None:
        return None
    words = (w for w in page.text_layer if inside.contains(*w.box.center))
    return tuple(Word(w.text, w.box.shifted(dx, dy), w.confidence) for w in words)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where what was read lies: a rectangle of a page, given by its top left corner and its size in page pixels.

    It is larger than the region that was asked for where that was padded, and may reach beyond the page.
    """

    frame: PageFrame
    dx: float
    dy: float
    width: int
    height: int

    @classmethod
    def whole(cls, frame: PageFrame) -> Self:
        """All of the page."""
        return cls(frame, 0.0, 0.0, frame.width, frame.height)

    def analysis(self, analysis: PageAnalysis) -> PageAnalysis:
        """The analysis of the rectangle, or of a reduced copy of it, in pixels of the page."""
        frame = self.frame
        facts = {"page": frame.number, "width": frame.width, "height": frame.height, "sha256": frame.sha256}
        same_size = (self.width, self.height) == (analysis.width, analysis.height)
        if same_size and (self.width, self.height) == (frame.width, frame.height):
            return analysis.model_copy(update={**facts, "readings": ()})
        move = _Move(self.dx, self.dy, self.width / analysis.width, self.height / analysis.height, frame)
        blocks = tuple(_move_block(block, move) for block in analysis.blocks)
        return analysis.model_copy(update={**facts, "blocks": blocks, "readings": ()})


def _move_block(block: Block, move: _Move) -> Block:
    update: dict[str, object] = {"box": move.box(block.box), "lines": tuple(move.line(line) for line in block.lines)}
    if block.table is not None:
        update["table"] = move.table(block.table)
    if block.chart is not None:
        update["chart"] = move.chart(block.chart)
    return block.model_copy(update=update)


@dataclass(frozen=True, slots=True)
class _Move:
    """Moves places of a rectangle to the page it is part of; what lay in the rectangle's padding is clipped."""

    dx: float
    dy: float
    sx: float
    sy: float
    frame: PageFrame

    def box(self, box: Box) -> Box:
        moved = box.scaled(self.sx, self.sy).shifted(self.dx, self.dy)
        return moved.clipped(self.frame.width, self.frame.height)

    def point(self, point: tuple[float, float]) -> tuple[float, float]:
        x, y = point[0] * self.sx + self.dx, point[1] * self.sy + self.dy
        return min(max(x, 0.0), float(self.frame.width)), min(max(y, 0.0), float(self.frame.height))

    def line(self, line: Line) -> Line:
        words = tuple(word.model_copy(update={"box": self.box(word.box)}) for word in line.words)
        quad = Quad(*(self.point(corner) for corner in line.quad))
        return line.model_copy(update={"box": self.box(line.box), "quad": quad, "words": words})

    def table(self, table: Table) -> Table:
        cells = tuple(
            cell if cell.box is None else cell.model_copy(update={"box": self.box(cell.box)}) for cell in table.cells
        )
        box = None if table.box is None else self.box(table.box)
        return table.model_copy(update={"cells": cells, "box": box, "page": self.frame.number})

    def chart(self, chart: Chart) -> Chart:
        series = tuple(s.model_copy(update={"points": tuple(map(self._chart_point, s.points))}) for s in chart.series)
        box = None if chart.box is None else self.box(chart.box)
        return chart.model_copy(update={"series": series, "box": box, "page": self.frame.number})

    def _chart_point(self, point: Point) -> Point:
        return point if point.place is None else point.model_copy(update={"place": self.point(point.place)})
