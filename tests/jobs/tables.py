"""An engine whose pages hold tables, so that there is something to correct."""

from __future__ import annotations

from mineru_core.document.analysis import Block, BlockType, PageAnalysis, Part
from mineru_core.document.geometry import Box
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
