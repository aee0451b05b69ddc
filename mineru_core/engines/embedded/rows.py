"""Boxes grouped to visual rows."""

from __future__ import annotations

from collections.abc import Sequence

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.intervals import overlap

ROW_OVERLAP = 0.5
# A box that is this many times higher than a row belongs to no row but its own.
MAX_ROW_HEIGHT_RATIO = 3.0


def visual_rows(boxes: Sequence[Box]) -> list[list[int]]:
    """Indexes of boxes grouped to visual rows from top to bottom, each from left to right.

    Boxes share a row where they overlap vertically by half of the lower one's height and do not stand over each other.
    """
    rows: list[_Row] = []
    within_reach: list[_Row] = []
    for index in sorted(range(len(boxes)), key=lambda i: (boxes[i].center[1], boxes[i].x0, boxes[i])):
        box = boxes[index]
        within_reach = [row for row in within_reach if row.reaches(box.center[1])]
        best = max((row for row in within_reach if row.fits(box)), key=lambda row: row.overlap(box), default=None)
        if best is not None:
            best.add(index, box)
        else:
            within_reach.append(_Row(index, box))
            rows.append(within_reach[-1])
    rows.sort(key=lambda row: row.center)
    return [sorted(row.indexes, key=lambda i: (boxes[i].x0, boxes[i])) for row in rows]


class _Row:
    """A visual row under construction."""

    def __init__(self, index: int, box: Box) -> None:
        self.indexes = [index]
        self.boxes = [box]
        self.y0, self.y1 = box.y0, box.y1

    @property
    def center(self) -> float:
        return (self.y0 + self.y1) / 2

    def overlap(self, box: Box) -> float:
        """Shared height as a share of the lower one's."""
        lower = min(box.y1 - box.y0, self.y1 - self.y0)
        shared = min(box.y1, self.y1) - max(box.y0, self.y0)
        return shared / lower if lower > 0 else float(shared >= 0)

    def reaches(self, center: float) -> bool:
        """Whether a box with its centre there, or further down, can still belong to the row."""
        return center <= self.y1 + MAX_ROW_HEIGHT_RATIO / 2 * (self.y1 - self.y0)

    def fits(self, box: Box) -> bool:
        if self.overlap(box) < ROW_OVERLAP:
            return False
        if max(box.height, self.y1 - self.y0) > MAX_ROW_HEIGHT_RATIO * min(box.height, self.y1 - self.y0):
            return False
        return all(overlap((b.x0, b.x1), (box.x0, box.x1)) < 0.5 * min(b.width, box.width) + 1e-9 for b in self.boxes)

    def add(self, index: int, box: Box) -> None:
        """Take the box in; the row's height stays a mean, so that a slope does not let it grow."""
        n = len(self.boxes)
        self.y0 = (self.y0 * n + box.y0) / (n + 1)
        self.y1 = (self.y1 * n + box.y1) / (n + 1)
        self.indexes.append(index)
        self.boxes.append(box)
