"""Words put into the cells of a predicted structure, each into exactly one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.tables.words import Word

# Share of a word that must lie in a cell for the place alone to decide.
MIN_COVER = 0.25

Floats = NDArray[np.float64]


def assign(words: Sequence[Word], cells: Sequence[Box]) -> list[int]:
    """The index of the cell of each word, given the cells' boxes in page pixels (at least one).

    A line goes to one cell as a whole where that covers most of it; else each of its words goes to its own.
    """
    # A full page has hundreds of lines and of cells: each line is compared with all cells at once.
    places = np.array(cells, np.float64)
    chosen: list[int] = []
    for _, group in groupby(words, key=lambda word: word.line):
        line = list(group)
        whole = Box.around(word.box for word in line)
        best = _best(whole, places)
        rivals = [i for i in np.flatnonzero(_are_cut(whole, places)).tolist() if i != best]
        if not rivals:
            chosen.extend([best] * len(line))
            continue
        options = [best, *rivals]
        chosen.extend(options[_best(word.box, places[options])] for word in line)
    return chosen


def _sizes(boxes: Floats) -> tuple[Floats, Floats]:
    """Widths and heights of boxes (n, 4), never negative."""
    return np.maximum(0.0, boxes[:, 2] - boxes[:, 0]), np.maximum(0.0, boxes[:, 3] - boxes[:, 1])


def _common(box: Box, cells: Floats) -> tuple[Floats, Floats]:
    """Widths and heights of what a box has in common with each cell (n, 4)."""
    corner = np.maximum(cells[:, :2], box[:2]), np.minimum(cells[:, 2:], box[2:])
    return _sizes(np.concatenate(corner, axis=1))


def _are_cut(line: Box, cells: Floats) -> NDArray[np.bool_]:
    """Whether the line runs through a good part of each cell's width, at its height."""
    width, height = _common(line, cells)
    cell_width, cell_height = _sizes(cells)
    return (height > 0.5 * np.minimum(line.height, cell_height)) & (width > 0.5 * np.minimum(cell_width, line.width))


def _best(box: Box, cells: Floats) -> int:
    """The cell (n, 4) that suits a box best, the first of equals: by overlap, by closeness where that is scant."""
    width, height = _common(box, cells)
    common = width * height
    covered = common / box.area if box.area > 0 else np.zeros(len(cells))
    enough = covered >= MIN_COVER
    if enough.any():
        cell_width, cell_height = _sizes(cells)
        both = box.area + cell_width * cell_height - common
        iou = np.divide(common, both, out=np.zeros(len(cells)), where=both > 0)
        return int(np.argmax(np.where(enough, iou + covered, 0.0)))
    x0, y0, x1, y1 = cells.T
    gap_x = np.maximum(0.0, np.maximum(x0 - box.x1, box.x0 - x1))
    gap_y = np.maximum(0.0, np.maximum(y0 - box.y1, box.y0 - y1))
    drift = np.abs(box.center[0] - (x0 + x1) / 2) + np.abs(box.center[1] - (y0 + y1) / 2)
    # A line belongs to its row before its column: a step down weighs more than one aside.
    return int(np.argmin(gap_x + 3 * gap_y + 0.1 * drift))
