"""Which areas of a page are tables: those the layout model names, or the whole picture where it is a table's crop."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from mineru_core.document.analysis import BlockType, Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.engines.embedded.rows import visual_rows
from mineru_core.engines.embedded.tables.bands import bands
from mineru_core.engines.embedded.tables.columns import is_broken, is_in_columns

# A crop shows hardly anything but its table: the text fills at least these shares of the picture.
MIN_CROP_WIDTH = 0.8
MIN_CROP_HEIGHT = 0.65
# A picture with this many lines may be a page; it is one where the layout model finds more than this share in text.
MIN_PAGE_LINES = 25
MAX_RUNNING = 0.3
MAX_FLUSH = 0.5
RUNNING_TYPES = frozenset({BlockType.TEXT, BlockType.TITLE, BlockType.LIST, BlockType.REFERENCE, BlockType.EQUATION})
# A long line, in heights, and how close the edges of two must be to count as flush.
MIN_LONG = 8.0
EDGE = 0.7
# A line belongs to the table whose box covers this share of it.
MIN_CUT = 0.3
SAME_TABLE = 0.7
# A picture beside a table that the layout model is this sure of, and this share of the page, tells of a whole page.
MIN_SURE = 0.9
MIN_PICTURE = 0.1
# Rows further away than this, in heights of a line, do not go on with a table.
MAX_ROW_GAP = 1.5


def table_boxes(width: int, height: int, regions: Sequence[LayoutRegion], lines: Sequence[Line]) -> list[Box]:
    """The areas of a page of this size that are tables, in page pixels, from top to bottom.

    ``regions`` are the layout model's, ``lines`` all text lines of the page.
    """
    page = Box(0.0, 0.0, float(width), float(height))
    named = _distinct([r for r in regions if r.type is BlockType.TABLE])
    if not lines:
        return [box.intersection(page) for box in named]
    is_page = _is_running_text(regions, lines) or _has_picture_beside(page, regions)
    if len(named) <= 1 and not is_page and is_table_crop(width, height, lines):
        return [page]
    if not named and not is_page:
        return [box.intersection(page) for box in bands(regions, lines)]
    grown = [_grown(box, named, lines).intersection(page) for box in named]
    return sorted(grown, key=lambda box: (box.y0, box.x0))


def is_table_crop(width: int, height: int, lines: Sequence[Line]) -> bool:
    """Whether a picture of this size shows one table and little else: text in columns over all of its height."""
    boxes = [line.box for line in lines]
    hull = Box.around(boxes)
    if hull.width < MIN_CROP_WIDTH * width or hull.height < MIN_CROP_HEIGHT * height:
        return False
    return is_in_columns(lines)


def _distinct(regions: Sequence[LayoutRegion]) -> list[Box]:
    """The boxes of the surest regions; one that lies within a surer one is left out."""
    kept: list[Box] = []
    for region in sorted(regions, key=lambda r: -r.confidence):
        if all(region.box.covered_by(box) < SAME_TABLE for box in kept):
            kept = [box for box in kept if box.covered_by(region.box) < SAME_TABLE]
            kept.append(region.box)
    return kept


def _is_running_text(regions: Sequence[LayoutRegion], lines: Sequence[Line]) -> bool:
    """Whether much of many lines is text, as the layout model sees it or as paragraphs stand.

    Of a few lines the model often takes a small table for text, too, and a wrapped cell looks like a paragraph.
    """
    if len(lines) < MIN_PAGE_LINES:
        return False
    texts = [region.box for region in regions if region.type in RUNNING_TYPES]
    named = sum(any(box.contains(*line.box.center) for box in texts) for line in lines)
    flush = _in_paragraphs([line.box for line in lines])
    return named > MAX_RUNNING * len(lines) or flush > MAX_FLUSH * len(lines)


def _has_picture_beside(page: Box, regions: Sequence[LayoutRegion]) -> bool:
    """Whether a large picture or chart stands beside a table the layout model is sure of, as on a report's page."""
    tables = [r.box for r in regions if r.type is BlockType.TABLE and r.confidence >= MIN_SURE]
    pictures = [r.box for r in regions if r.type in (BlockType.IMAGE, BlockType.CHART)]
    large = [box for box in pictures if box.area >= MIN_PICTURE * page.area]
    return bool(tables) and any(all(box.covered_by(table) < MIN_CUT for table in tables) for box in large)


def _in_paragraphs(boxes: Sequence[Box]) -> int:
    """How many lines are long and end exactly below or above another one on both sides."""
    inside: set[int] = set()
    ordered = sorted(range(len(boxes)), key=lambda i: boxes[i].y0)
    for n, i in enumerate(ordered):
        upper = boxes[i]
        for j in ordered[n + 1 :]:
            lower = boxes[j]
            if lower.y0 - upper.y1 > upper.height:
                break
            height = min(upper.height, lower.height)
            flush = abs(upper.x0 - lower.x0) < EDGE * height and abs(upper.x1 - lower.x1) < EDGE * height
            if flush and upper.width >= MIN_LONG * height and lower.center[1] > upper.y1:
                inside.update((i, j))
    return len(inside)


def _grown(box: Box, others: Sequence[Box], lines: Sequence[Line]) -> Box:
    """The box with the lines it cuts and the rows that go on with it, none of another table's."""
    free = [line.box for line in lines if not any(line.box.covered_by(o) > MIN_CUT for o in others if o is not box)]
    grown = Box.around([box, *(b for b in free if b.covered_by(box) >= MIN_CUT)])
    rows = [[free[i] for i in row] for row in visual_rows(free)]
    held = [row for row in rows if any(b.covered_by(grown) >= MIN_CUT for b in row)]
    if not held:
        return grown
    height = median(b.height for row in held for b in row)
    # Upwards first, then downwards: the rows next to the table, as long as they are broken as its own are.
    for direction in (reversed(rows), rows):
        for row in direction:
            around = Box.around(row)
            gap = max(around.y0 - grown.y1, grown.y0 - around.y1)
            beside = around.x0 >= grown.x0 - 2 * height and around.x1 <= grown.x1 + 2 * height
            if -height < gap <= MAX_ROW_GAP * height and beside and is_broken(row):
                grown = grown.union(around)
    return grown
