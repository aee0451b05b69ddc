"""The table stage: which areas of a page are tables, and what each of them holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.document.table import Cell, Table
from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.engines.embedded.tables.matching import assign
from mineru_core.engines.embedded.tables.structure import Structure, StructureModel
from mineru_core.engines.embedded.tables.where import table_boxes
from mineru_core.engines.embedded.tables.words import Word, text_of, words_of
from mineru_core.errors import EngineUnavailable
from mineru_core.runtime.context import RunContext
from mineru_core.settings import available_cores


class TableReader:
    """Reads tables with the installed structure model. ``read`` may be called from several threads at once.

    ``engine_calls`` is the number of concurrent calls the cores are shared between.
    """

    def __init__(self, models_dir: Path, *, engine_calls: int) -> None:
        self._models_dir = models_dir
        self._threads = max(1, available_cores() // engine_calls)
        self._model: StructureModel | None = None

    def load(self) -> None:
        """Load the model; calling it again does nothing. Raises ``ModelMissing``."""
        if self._model is None:
            path = weights.require(self._models_dir, weights.TABLE_STRUCTURE)
            self._model = StructureModel(path, threads=self._threads)

    def close(self) -> None:
        """Free the model; calling it again does nothing."""
        self._model = None

    def table_boxes(
        self,
        width: int,
        height: int,
        regions: Sequence[LayoutRegion],
        lines: Sequence[Line],
        pixels: Pixels,  # noqa: ARG002
    ) -> list[Box]:
        """Which areas of a page are tables, in page pixels."""
        return table_boxes(width, height, regions, lines)

    def read(self, pixels: Pixels, box: Box, lines: Sequence[Line], ctx: RunContext) -> Table | None:
        """The table in an area of the page, None where nothing in it looks like one.

        ``pixels`` is the page, (height, width, 3) uint8 RGB; ``lines`` are those in the area. Boxes of the cells are
        in page pixels. Raises ``EngineUnavailable`` before ``load()``.
        """
        model = self._model
        if model is None:
            raise EngineUnavailable("The table reader is not loaded.", "Call load() first.")
        ctx.check()
        area = box.clipped(pixels.shape[1], pixels.shape[0])
        x0, y0, x1, y1 = int(area.x0), int(area.y0), int(np.ceil(area.x1)), int(np.ceil(area.y1))
        if x1 - x0 < 2 or y1 - y0 < 2:
            return None
        structure = model.predict(np.ascontiguousarray(pixels[y0:y1, x0:x1]))
        return _fill(structure, lines, x0, y0, area)


def _fill(structure: Structure, lines: Sequence[Line], dx: int, dy: int, area: Box) -> Table | None:
    if not structure.cells:
        return None
    lines = sorted(lines, key=lambda line: (line.box.center[1], line.box.x0))
    words = words_of(lines)
    boxes = [cell.box.shifted(dx, dy) for cell in structure.cells]
    held: list[list[Word]] = [[] for _ in boxes]
    for word, index in zip(words, assign(words, boxes), strict=True):
        held[index].append(word)
    cells = tuple(
        Cell(
            row=cell.row,
            col=cell.col,
            rowspan=cell.rowspan,
            colspan=cell.colspan,
            text=text_of(content, lines),
            confidence=min([cell.probability, *(w.confidence for w in content)]),
            box=box,
            header=cell.header,
        )
        for cell, box, content in zip(structure.cells, boxes, held, strict=True)
    )
    return Table(n_rows=structure.n_rows, n_cols=structure.n_cols, cells=cells, box=area)
