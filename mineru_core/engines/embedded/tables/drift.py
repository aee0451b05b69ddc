"""Predicted rows moved to the rows of text they mean.

In a tall table the model's boxes drift: far down they may lie a row off. The order of the rows is right far more often
than their places, so rows of text are given to predicted rows in order, at the least cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.rows import visual_rows
from mineru_core.engines.embedded.tables.structure import Structure

# Cost of a predicted row without text, and of two rows of text in one predicted row that is not high enough for both;
# a change of the offset between text and prediction costs its share of the distance between rows.
SKIPPED_ROW = 3.0
SHARED_ROW = 3.0
OFFSET_WEIGHT = 0.02
MIN_ROWS = 4
# At most this many predicted rows are passed over from one row of text to the next.
MAX_STEP = 4
_NONE = float("inf")

Extent = tuple[float, float]


def follow_text(structure: Structure, texts: Sequence[Box]) -> Structure | None:
    """The structure with the cells of each row moved to the rows of text given to it; None where rows cannot be told.

    ``texts`` are the boxes of the lines, in the same pixels as the structure's boxes.
    """
    extents = _extents(structure)
    if extents is None or len(texts) < MIN_ROWS:
        return None
    rows = [Box.around(texts[i] for i in row) for row in visual_rows(texts)]
    if len(rows) < structure.n_rows * 0.8:
        return None
    given = _align(rows, extents)
    held: dict[int, list[Box]] = {}
    for box, row in zip(rows, given, strict=True):
        held.setdefault(row, []).append(box)
    moved = [_moved(extents[row], held.get(row)) for row in range(structure.n_rows)]
    cells = tuple(
        replace(cell, box=Box(cell.box.x0, moved[cell.row][0], cell.box.x1, moved[cell.row + cell.rowspan - 1][1]))
        for cell in structure.cells
    )
    return replace(structure, cells=cells)


def _extents(structure: Structure) -> list[Extent] | None:
    """Top and bottom of each predicted row by the middle of its cells; None where a row has no cell of its own."""
    if structure.n_rows < MIN_ROWS:
        return None
    extents: list[Extent] = []
    for row in range(structure.n_rows):
        boxes = [cell.box for cell in structure.cells if cell.row == row and cell.rowspan == 1]
        if not boxes:
            return None
        extents.append((median(box.y0 for box in boxes), median(box.y1 for box in boxes)))
    return extents


def _moved(extent: Extent, boxes: Sequence[Box] | None) -> Extent:
    if not boxes:
        return extent
    return min(box.y0 for box in boxes), max(box.y1 for box in boxes)


def _align(texts: Sequence[Box], extents: Sequence[Extent]) -> list[int]:
    """For each row of text the predicted row, never going back; the cheapest way by dynamic programming."""
    centres = [box.center[1] for box in texts]
    middles = [(top + bottom) / 2 for top, bottom in extents]
    pitch = max(1.0, median([b - a for a, b in pairwise(centres)] or [1.0]))
    count = len(extents)
    offset = [[(y - m) / pitch for m in middles] for y in centres]
    cost = [SKIPPED_ROW * row + OFFSET_WEIGHT * abs(offset[0][row]) for row in range(count)]
    origins: list[list[int]] = []
    for index in range(1, len(texts)):
        following = [_NONE] * count
        origin = [0] * count
        for row in range(count):
            for before in range(max(0, row - MAX_STEP), row + 1):
                if before == row:
                    top, bottom = extents[row]
                    roomy = bottom - top > centres[index] - centres[index - 1]
                    step = 0.0 if roomy else SHARED_ROW
                else:
                    step = SKIPPED_ROW * (row - before - 1)
                    step += abs(offset[index][row] - offset[index - 1][before])
                total = cost[before] + step
                if total < following[row]:
                    following[row], origin[row] = total, before
            following[row] += OFFSET_WEIGHT * abs(offset[index][row])
        cost = following
        origins.append(origin)
    row = min(range(count), key=lambda r: cost[r] + SKIPPED_ROW * (count - 1 - r))
    path = [row]
    for origin in reversed(origins):
        row = origin[row]
        path.append(row)
    return path[::-1]
