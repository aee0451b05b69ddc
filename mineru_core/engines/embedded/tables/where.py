"""Which areas of a page are tables: those the layout model names, or the whole picture where it is a table's crop."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mineru_core.document.analysis import BlockType, Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.engines.embedded.rows import visual_rows

# Share of the rows of text that must be broken into cells for a picture to be a table as a whole.
MIN_BROKEN_ROWS = 0.6
MIN_ROWS = 2


def table_boxes(width: int, height: int, regions: Sequence[LayoutRegion], lines: Sequence[Line]) -> list[Box]:
    """The areas of a page of this size that are tables, in page pixels."""
    if is_table_crop(lines):
        return [Box(0.0, 0.0, float(width), float(height))]
    return [region.box.clipped(width, height) for region in regions if region.type is BlockType.TABLE]


def is_table_crop(lines: Sequence[Line]) -> bool:
    """Whether the lines stand as those of one table do: most rows broken at gaps wider than between words."""
    boxes = [line.box for line in lines]
    rows = visual_rows(boxes)
    if len(rows) < MIN_ROWS:
        return False
    return sum(_is_broken([boxes[i] for i in row]) for row in rows) >= MIN_BROKEN_ROWS * len(rows)


def _is_broken(row: Sequence[Box]) -> bool:
    ordered = sorted(row)
    height = min(box.height for box in ordered)
    return any(b.x0 - a.x1 > height for a, b in pairwise(ordered))
