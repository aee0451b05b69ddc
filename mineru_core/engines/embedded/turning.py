"""Pages turned upright by quarter turns, and what was found on them turned back."""

from __future__ import annotations

import numpy as np

from mineru_core.document.analysis import Block, Line, LineWord
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
