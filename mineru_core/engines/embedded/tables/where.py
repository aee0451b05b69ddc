"""Which areas of a page are tables: those the layout model names, or the whole picture where it is a table's crop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from mineru_core.document.analysis import BlockType, Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.joining import starts_item
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.engines.embedded.rows import visual_rows

# A crop shows hardly anything but its table: the text fills at least these shares of the picture.
MIN_CROP_WIDTH = 0.8
MIN_CROP_HEIGHT = 0.65
# Columns of a table are parted by gutters, in heights of a line; headings may run across some of them.
MIN_GUTTER = 0.5
MAX_CROSSING_ROWS = 0.2
# Texts of a column begin, end or centre at one place, and few places are empty; labels of a chart or form stand freely.
MIN_ALIGNED = 0.65
MIN_OCCUPANCY = 0.45
# Where nearly every place holds text, loose alignment is made up for: values of mixed width under a wide heading.
FULL_OCCUPANCY = 0.75
MIN_ALIGNED_IF_FULL = 0.55
# Lines of running text fill their column; those of cells mostly do not.
PARAGRAPH_FILL = 0.85
MIN_PARAGRAPH_LINES = 8
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
    grown = [_grown(box, named, lines).intersection(page) for box in named]
    return sorted(grown, key=lambda box: (box.y0, box.x0))


def is_table_crop(width: int, height: int, lines: Sequence[Line]) -> bool:
    """Whether a picture of this size shows one table and little else: text in columns over all of its height."""
    boxes = [line.box for line in lines]
    hull = Box.around(boxes)
    if hull.width < MIN_CROP_WIDTH * width or hull.height < MIN_CROP_HEIGHT * height:
        return False
    columns = [column for column in _columns(lines) if not column.is_list_markers]
    if len(columns) < 2 or all(column.is_paragraph for column in columns if len(column.lines) > 1):
        return False
    text_height = median(min(box.width, box.height) for box in boxes)
    aligned = sum(column.aligned(text_height) for column in columns)
    occupancy = _occupancy(columns, boxes)
    needed = MIN_ALIGNED if occupancy < FULL_OCCUPANCY else MIN_ALIGNED_IF_FULL
    return aligned >= needed * len(lines) and occupancy >= MIN_OCCUPANCY


@dataclass(frozen=True, slots=True)
class _Column:
    """The lines that stand between two gutters."""

    x0: float
    x1: float
    lines: tuple[Line, ...]

    @property
    def is_paragraph(self) -> bool:
        """Whether its lines are running text."""
        fills = [line.box.width / (self.x1 - self.x0) for line in self.lines]
        return len(fills) >= MIN_PARAGRAPH_LINES and median(fills) >= PARAGRAPH_FILL

    def aligned(self, height: float) -> int:
        """How many of its lines share a left edge, a right edge or a middle, to within half a line's ``height``."""
        edges = (
            [line.box.x0 for line in self.lines],
            [line.box.x1 for line in self.lines],
            [line.box.center[0] for line in self.lines],
        )
        return max(sum(abs(x - other) < 0.5 * height for x in edge) for edge in edges for other in edge)

    @property
    def is_list_markers(self) -> bool:
        """Whether it holds nothing but bullets and numbers of list items, or too little to be a column."""
        return all(len(line.text) <= 3 and starts_item(f"{line.text} x") for line in self.lines)


def _columns(lines: Sequence[Line]) -> list[_Column]:
    """The columns that gutters cut the text into; one where there is no gutter."""
    boxes = [_of_words(line) for line in lines]
    rows = visual_rows(boxes)
    height = median(min(box.width, box.height) for box in boxes)
    allowed = MAX_CROSSING_ROWS * len(rows)
    spans = sorted((box.x0, box.x1) for box in boxes)
    stops = sorted({x for span in spans for x in span})
    starts = [stops[0]]
    gutter_from: float | None = None
    for left, right in pairwise(stops):
        crossing = sum(any(boxes[i].x0 < right and boxes[i].x1 > left for i in row) for row in rows)
        if crossing <= allowed and gutter_from is None:
            gutter_from = left
        elif crossing > allowed and gutter_from is not None:
            if left - gutter_from >= MIN_GUTTER * height:
                starts.append(left)
            gutter_from = None
    edges = [*starts, stops[-1] + 1]
    found: list[_Column] = []
    for x0, x1 in pairwise(edges):
        inside = [x0 <= box.x0 < x1 and box.center[0] < x1 for box in boxes]
        held = tuple(line for line, is_held in zip(lines, inside, strict=True) if is_held)
        if held:
            found.append(_Column(x0, max(line.box.x1 for line in held), held))
    return found


def _of_words(line: Line) -> Box:
    """The box from the first to the last word: that of a line is grown by the detector."""
    if not line.words or line.box.height > line.box.width:
        return line.box
    words = Box.around(word.box for word in line.words)
    return Box(max(line.box.x0, words.x0), line.box.y0, min(line.box.x1, words.x1), line.box.y1)


def _occupancy(columns: Sequence[_Column], boxes: Sequence[Box]) -> float:
    """Share of the places (visual row, column) that hold text."""
    rows = visual_rows(boxes)
    taken = {
        (n, m)
        for n, row in enumerate(rows)
        for i in row
        for m, column in enumerate(columns)
        if column.x0 <= boxes[i].center[0] < column.x1
    }
    return len(taken) / (len(rows) * len(columns))


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


def is_broken(row: Sequence[Box]) -> bool:
    """Whether a row is parted by a gap wider than between words."""
    ordered = sorted(row)
    height = min(box.height for box in ordered)
    return any(b.x0 - a.x1 > height for a, b in pairwise(ordered))
