"""An engine whose pages hold tables, so that there is something to correct."""

from __future__ import annotations

from mineru_core.document.analysis import Block, BlockType, Line, PageAnalysis, Part
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.parts import PageFrame
from mineru_core.document.table import Table
from mineru_core.engines.base import Readings
from mineru_core.engines.echo import EchoEngine

ROWS = [["Item", "Sum"], ["Pen", "1O"], ["Ink", "20"]]
"""The letter O stands where a zero should."""


class TableEngine(EchoEngine):
    """Finds the same two tables on each page, besides the text; with ``first`` another text in the first cell."""

    name = "table"

    def __init__(self, first: str = "Item") -> None:
        super().__init__(capabilities=(Part.TEXT, Part.LAYOUT, Part.TABLES))
        self.first = first

    @property
    def fingerprint(self) -> str:
        return f"table {self.first}"

    def compose(self, frame: PageFrame, parts: frozenset[Part], readings: Readings) -> PageAnalysis:
        page = super().compose(frame, parts, readings)
        rows = [[self.first, *ROWS[0][1:]], *ROWS[1:]]
        box = Box(0, 0, 10, 10)
        tables = [Table.from_rows(rows, box=box, confidence=0.5), Table.from_rows([["second"]], box=box)]
        blocks = [Block(type=BlockType.TABLE, box=box, order=1 + n, table=table) for n, table in enumerate(tables)]
        return page.model_copy(update={"blocks": (*page.blocks, *blocks)})


class LinedTableEngine(EchoEngine):
    """Finds one table on each page, as engines that read parts do: its lines always, its cells where tables are asked
    for. Each cell is 100 × 20 pixels."""

    name = "lined-table"

    def __init__(self) -> None:
        super().__init__(capabilities=(Part.TEXT, Part.LAYOUT, Part.TABLES))

    @property
    def fingerprint(self) -> str:
        return self.name

    def compose(self, frame: PageFrame, parts: frozenset[Part], readings: Readings) -> PageAnalysis:
        page = super().compose(frame, parts, readings)
        places = [
            (Box(100.0 * col, 20.0 * row, 100.0 * col + 100, 20.0 * row + 20), text)
            for row, texts in enumerate(ROWS)
            for col, text in enumerate(texts)
        ]
        lines = tuple(Line(text=text, box=box, quad=Quad.from_box(box)) for box, text in places)
        box = Box.around(box for box, _ in places)
        table = None
        if Part.TABLES in parts:
            found = Table.from_rows(ROWS, box=box, page=frame.number)
            cells = zip(found.cells, places, strict=True)
            table = found.model_copy(update={"cells": tuple(c.model_copy(update={"box": b}) for c, (b, _) in cells)})
        text = "\n".join(line.text for line in lines)
        block = Block(type=BlockType.TABLE, box=box, order=1, text=text, lines=lines, table=table)
        return page.model_copy(update={"blocks": (*page.blocks, block)})
