"""The lines of one page as they are searched for labels and values: boxes set upright, rows and columns at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from mineru_core.document.analysis import Line, PageAnalysis
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.table import Cell, Table
from mineru_core.instruct.find import block_lines
from mineru_core.instruct.normalize import Key, letters
from mineru_core.instruct.places import placed_words, span_box


@dataclass(frozen=True, slots=True)
class Item:
    """One line (or table cell) with its box as seen when the page stands upright, in pixels, and its letters."""

    line: Line
    box: Box
    page: int
    letters: Key

    @property
    def text(self) -> str:
        """The line's text."""
        return self.line.text


class Sheet:
    """The lines and tables of one page."""

    def __init__(self, page: PageAnalysis) -> None:
        self.page = page.page
        self.width = float(page.width if page.rotation % 180 == 0 else page.height)
        self._page = page
        self.items = tuple(self.item(line) for block in page.blocks for line in block_lines(block))
        self.tables = tuple(
            (table, tuple((cell, self.cell_item(cell, table)) for cell in table.cells)) for table in page.tables
        )

    def item(self, line: Line) -> Item:
        """A line with its upright box."""
        return Item(line, self.upright(line.box), self.page, letters(line.text))

    def upright(self, box: Box) -> Box:
        """The box in the frame of the page as it was set upright for reading."""
        width, height = float(self._page.width), float(self._page.height)
        turns = self._page.rotation // 90 % 4
        if turns == 1:
            return Box(height - box.y1, box.x0, height - box.y0, box.x1)
        if turns == 2:
            return Box(width - box.x1, height - box.y1, width - box.x0, height - box.y0)
        if turns == 3:
            return Box(box.y0, width - box.x1, box.y1, width - box.x0)
        return box

    def span(self, item: Item, start: int, end: int) -> Box:
        """The upright box of a part of a line."""
        return self.upright(span_box(item.line, start, end))

    def right_of(self, item: Item) -> list[Item]:
        """Lines on the same visual row that begin where this one ends or later, left to right."""
        box = item.box
        found = [
            other
            for other in self.items
            if other is not item
            and other.box.x0 >= box.x1 - 0.5 * box.height
            and min(other.box.y1, box.y1) - max(other.box.y0, box.y0) >= 0.5 * min(other.box.height, box.height)
        ]
        return sorted(found, key=lambda other: other.box.x0)

    def below(self, item: Item, label: Box) -> list[Item]:
        """Lines under ``label`` within about three line heights, nearest first."""
        height = label.height or 1.0
        found = [
            other
            for other in self.items
            if other is not item
            and -0.3 * height <= other.box.y0 - label.y1 <= 2.5 * height
            and _same_column(label, other.box)
        ]
        return sorted(found, key=lambda other: (other.box.y0, abs(other.box.x0 - label.x0)))

    def cell_item(self, cell: Cell, table: Table) -> Item:
        """A table cell as a line; the table's box where the cell has no place of its own."""
        box = cell.box or table.box or Box(0, 0, 0, 0)
        text = " ".join(cell.text.split())
        return self.item(Line(text=text, box=box, quad=Quad.from_box(box), confidence=cell.confidence))


def _same_column(label: Box, other: Box) -> bool:
    common = min(label.x1, other.x1) - max(label.x0, other.x0)
    overlaps = common >= 0.3 * min(label.width, other.width)
    return overlaps or abs(label.x0 - other.x0) <= label.height


def column_end(line: Line, start: int) -> int:
    """Where the text that begins at ``start`` ends before a gap as wide as between columns; the line's end else."""
    words = [word for word in placed_words(line) if word[1] >= start]
    across = line.box.width >= line.box.height
    thickness = min(line.box.width, line.box.height)
    for (_, _, box), (_, at, following) in pairwise(words):
        gap = following.x0 - box.x1 if across else max(following.y0 - box.y1, box.y0 - following.y1)
        if gap > 2.0 * thickness:
            return at
    return len(line.text)


def following_lines(sheet: Sheet, item: Item, left: float) -> Iterator[Item]:
    """Lines that go on directly under ``item``, each beginning near ``left`` (upright pixels)."""
    box = item.box
    while True:
        height = box.height or 1.0
        under = [
            other
            for other in sheet.items
            if -0.4 * height <= other.box.y0 - box.y1 <= 0.9 * height
            and abs(other.box.x0 - left) <= 1.5 * height
            and other.box.y0 > box.y0 + 0.3 * height
        ]
        if not under:
            return
        nearest = min(under, key=lambda other: other.box.y0)
        yield nearest
        box = nearest.box
