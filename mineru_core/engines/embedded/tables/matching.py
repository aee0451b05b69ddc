"""Words put into the cells of a predicted structure, each into exactly one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.tables.words import Word

# Share of a word that must lie in a cell for the place alone to decide.
MIN_COVER = 0.25


def assign(words: Sequence[Word], cells: Sequence[Box]) -> list[int]:
    """The index of the cell of each word, given the cells' boxes in page pixels (at least one).

    A line goes to one cell as a whole where that covers most of it; else each of its words goes to its own.
    """
    chosen: list[int] = []
    for _, group in groupby(words, key=lambda word: word.line):
        line = list(group)
        whole = Box.around(word.box for word in line)
        best = max(range(len(cells)), key=lambda i: _fit(whole, cells[i]))
        rivals = [i for i in range(len(cells)) if i != best and _is_cut(whole, cells[i])]
        if not rivals:
            chosen.extend([best] * len(line))
            continue
        options = [best, *rivals]
        chosen.extend(max(options, key=lambda i, b=word.box: _fit(b, cells[i])) for word in line)  # type: ignore[misc]
    return chosen


def _is_cut(line: Box, cell: Box) -> bool:
    """Whether the line runs through a good part of the cell's width, at its height."""
    common = line.intersection(cell)
    return common.height > 0.5 * min(line.height, cell.height) and common.width > 0.5 * min(cell.width, line.width)


def _fit(box: Box, cell: Box) -> tuple[float, float]:
    """How well a box suits a cell: by overlap, where there is hardly any by closeness."""
    overlap = box.covered_by(cell)
    if overlap >= MIN_COVER:
        return (box.iou(cell) + overlap, 0.0)
    gap_x = max(0.0, cell.x0 - box.x1, box.x0 - cell.x1)
    gap_y = max(0.0, cell.y0 - box.y1, box.y0 - cell.y1)
    drift = abs(box.center[0] - cell.center[0]) + abs(box.center[1] - cell.center[1])
    # A line belongs to its row before its column: a step down weighs more than one aside.
    return (0.0, -(gap_x + 3 * gap_y + 0.1 * drift))
