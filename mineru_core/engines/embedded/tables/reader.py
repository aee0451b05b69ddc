"""The table stage: which areas of a page are tables, and what each of them holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from statistics import median

import numpy as np

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.document.header_depth import with_whole_header
from mineru_core.document.page import Pixels
from mineru_core.document.table import Cell, Table
from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.joining import join
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.engines.embedded.rows import visual_rows
from mineru_core.engines.embedded.tables.columns import is_broken
from mineru_core.engines.embedded.tables.consistency import Faults, find_faults
from mineru_core.engines.embedded.tables.doubts import with_doubts
from mineru_core.engines.embedded.tables.drift import follow_text
from mineru_core.engines.embedded.tables.matching import assign
from mineru_core.engines.embedded.tables.repair import merge_up, spanned_rows
from mineru_core.engines.embedded.tables.rulings import ruled_limits, ruled_structure
from mineru_core.engines.embedded.tables.structure import Structure, StructureModel
from mineru_core.engines.embedded.tables.tidy import idle_columns, idle_rows, without
from mineru_core.engines.embedded.tables.where import table_boxes
from mineru_core.engines.embedded.tables.words import Word, text_of, words_of
from mineru_core.errors import EngineUnavailable
from mineru_core.runtime.context import RunContext
from mineru_core.settings import available_cores

MIN_SIDE = 2
# Less than this is a paragraph or a row of labels that was taken for a table.
MIN_COLUMNS = 2
MIN_ROWS = 2
# Margins about the text, in heights of a line, of the views the model is shown. A tight one leaves out what a crop cut
# through at its edges; which one the model reads best differs from table to table.
VIEW_MARGINS = (0.4, 1.0, 0.2, 0.7)
# Not worth another view; and, once two were read, not worth further ones.
GOOD_ENOUGH = 0.02
FAIR = 0.06
MIN_VIEWS = 2
PARTLY_RULED = 0.05
# A structure that had to be repaired is taken only if no other view is nearly as good without.
REPAIRED = 0.03
MAX_CAPTION_ROWS = 3
# In heights of a line.
RULE_MARGIN = 0.6


@dataclass(frozen=True, slots=True)
class Fitted:
    """A structure on the page with the index of a cell for each word, and what speaks against it."""

    structure: Structure
    lines: tuple[Line, ...]
    words: tuple[Word, ...]
    chosen: tuple[int, ...]
    faults: Faults
    badness: float


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
        area = box.clipped(pixels.shape[1], pixels.shape[0])
        if area.width < MIN_SIDE or area.height < MIN_SIDE or not lines:
            return None
        inside, caption = _without_caption(pixels, area, lines)
        fitted = _Attempts(model, pixels, area, inside, ctx).best()
        if fitted is None or fitted.structure.n_cols < MIN_COLUMNS or fitted.structure.n_rows < MIN_ROWS:
            return None
        return _table(fitted, area, caption)


class _Attempts:
    """Structures of one table from its rules and from views of the model; the one that suits its words is taken."""

    def __init__(
        self, model: StructureModel, pixels: Pixels, area: Box, lines: Sequence[Line], ctx: RunContext
    ) -> None:
        self._model = model
        self._pixels = pixels
        self._area = area
        self._ctx = ctx
        # In rows from top to bottom, so that the texts of a cell are joined in reading order.
        self._lines = [lines[i] for row in visual_rows([line.box for line in lines]) for i in row]
        self._words = words_of(self._lines)
        self._text_height = _text_height(lines)
        self._hull = Box.around(line.box for line in lines)

    def best(self) -> Fitted | None:
        """The best fitting structure; None where there is none at all. Further views are read only while in doubt."""
        best: Fitted | None = None
        views: list[Callable[[], Fitted | None]] = [partial(self._view, margin) for margin in VIEW_MARGINS]
        for count, attempt in enumerate([self._ruled, *views]):
            self._ctx.check()
            fitted = attempt()
            if fitted is not None and (best is None or fitted.badness < best.badness):
                best = fitted
            if best is not None and best.badness <= (GOOD_ENOUGH if count < MIN_VIEWS else FAIR):
                break
        return best

    def _ruled(self) -> Fitted | None:
        # The outermost rules may lie on the very edge of the area, or just beyond it.
        around = self._area.expanded(RULE_MARGIN * self._text_height)
        cut, x, y = _cut(self._pixels, around.clipped(self._pixels.shape[1], self._pixels.shape[0]))
        texts = [line.box.shifted(-x, -y) for line in self._lines]
        structure = ruled_structure(cut, texts, self._text_height)
        if structure is None:
            return None
        # A grid drawn in full is what its author meant, empty rows included; a partial one is a weak hint.
        whole = len(structure.cells) == structure.n_rows * structure.n_cols
        fitted = self._fit(structure, x, y)
        if not whole:
            return replace(fitted, badness=fitted.badness + PARTLY_RULED)
        faults = replace(fitted.faults, empty=0, stacked=0, torn=())
        return replace(fitted, badness=faults.badness)

    def _view(self, margin: float) -> Fitted | None:
        around = self._hull.expanded(margin * self._text_height).intersection(self._area)
        cut, x, y = _cut(self._pixels, around)
        structure = self._model.predict(cut)
        if not structure.cells:
            return None
        fitted = self._levelled(self._fit(structure, x, y))
        torn = spanned_rows(fitted.structure, fitted.faults.torn)
        if torn:
            fitted = self._fit(merge_up(fitted.structure, torn), 0, 0)
        return self._tidied(fitted)

    def _tidied(self, fitted: Fitted) -> Fitted:
        """The structure without rows and columns that have no text of their own; nothing drew them either."""
        rows = idle_rows(fitted.structure, fitted.chosen)
        cols = idle_columns(fitted.structure, fitted.words, fitted.chosen)
        if not rows and not cols:
            return fitted
        tidied = self._fit(without(fitted.structure, rows, cols), 0, 0)
        return replace(tidied, badness=tidied.badness + REPAIRED)

    def _levelled(self, fitted: Fitted) -> Fitted:
        """The structure, or the same with its rows moved to the text where that suits better."""
        if fitted.badness <= GOOD_ENOUGH:
            return fitted
        moved = follow_text(fitted.structure, [line.box for line in self._lines])
        if moved is None:
            return fitted
        other = self._fit(moved, 0, 0)
        return other if other.badness < fitted.badness else fitted

    def _fit(self, structure: Structure, x: int, y: int) -> Fitted:
        placed = structure.shifted(x, y)
        chosen = assign(self._words, [cell.box for cell in placed.cells])
        faults = find_faults(placed, self._lines, self._words, chosen)
        return Fitted(placed, tuple(self._lines), tuple(self._words), tuple(chosen), faults, faults.badness)


def _without_caption(pixels: Pixels, area: Box, lines: Sequence[Line]) -> tuple[Sequence[Line], str]:
    """The lines of the table itself, and the text of a caption or note outside its rules."""
    cut, x, y = _cut(pixels, area)
    texts = [line.box.shifted(-x, -y) for line in lines]
    limits = ruled_limits(cut, texts, _text_height(lines))
    if limits is None:
        return lines, ""
    top, bottom = limits
    outside = [n for n, box in enumerate(texts) if not top <= box.center[1] <= bottom]
    rows = visual_rows([texts[n] for n in outside])
    broken = any(is_broken([texts[outside[n]] for n in row]) for row in rows)
    if not outside or broken or len(rows) > MAX_CAPTION_ROWS or len(outside) == len(lines):
        return lines, ""
    caption = ""
    for row in rows:
        for n in row:
            caption = join(caption, lines[outside[n]].text)
    return [line for n, line in enumerate(lines) if n not in outside], caption


def _text_height(lines: Sequence[Line]) -> float:
    """Height of a line of text in pixels; of a line written downwards, its width."""
    return median(min(line.box.width, line.box.height) for line in lines)


def _cut(pixels: Pixels, box: Box) -> tuple[Pixels, int, int]:
    """The part of the page in a box, and where its top left corner is on the page."""
    x0, y0 = max(0, int(box.x0)), max(0, int(box.y0))
    return np.ascontiguousarray(pixels[y0 : ceil(box.y1), x0 : ceil(box.x1)]), x0, y0


def _table(fitted: Fitted, area: Box, caption: str) -> Table:
    """The table of a fitted structure."""
    held: list[list[Word]] = [[] for _ in fitted.structure.cells]
    for word, index in zip(fitted.words, fitted.chosen, strict=True):
        held[index].append(word)
    cells = tuple(
        Cell(
            row=cell.row,
            col=cell.col,
            rowspan=cell.rowspan,
            colspan=cell.colspan,
            text=text_of(content, fitted.lines),
            confidence=min([cell.probability, *(word.confidence for word in content)]),
            box=cell.box,
            header=cell.header,
        )
        for cell, content in zip(fitted.structure.cells, held, strict=True)
    )
    confidence = max(0.0, fitted.structure.probability * (1 - fitted.badness))
    table = with_whole_header(
        Table(
            n_rows=fitted.structure.n_rows,
            n_cols=fitted.structure.n_cols,
            cells=cells,
            box=area,
            caption=caption,
            confidence=confidence,
        )
    )
    return with_doubts(table)
