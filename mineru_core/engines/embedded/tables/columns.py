"""Columns of text, and whether lines stand in some as those of a table do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.joining import starts_item
from mineru_core.engines.embedded.rows import visual_rows

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


def is_in_columns(lines: Sequence[Line]) -> bool:
    """Whether the lines stand in columns over all of their height, as a table's do and running text does not."""
    boxes = [line.box for line in lines]
    columns = [column for column in columns_of(lines) if not column.is_list_markers]
    if len(columns) < 2 or all(column.is_paragraph for column in columns if len(column.lines) > 1):
        return False
    text_height = median(min(box.width, box.height) for box in boxes)
    aligned = sum(column.aligned(text_height) for column in columns)
    occupancy = _occupancy(columns, boxes)
    needed = MIN_ALIGNED if occupancy < FULL_OCCUPANCY else MIN_ALIGNED_IF_FULL
    return aligned >= needed * len(lines) and occupancy >= MIN_OCCUPANCY


@dataclass(frozen=True, slots=True)
class TextColumn:
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


def columns_of(lines: Sequence[Line]) -> list[TextColumn]:
    """The columns that gutters cut the text into; one where there is no gutter."""
    boxes = [box_of_words(line) for line in lines]
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
    found: list[TextColumn] = []
    for x0, x1 in pairwise(edges):
        inside = [x0 <= box.x0 < x1 and box.center[0] < x1 for box in boxes]
        held = tuple(line for line, is_held in zip(lines, inside, strict=True) if is_held)
        if held:
            found.append(TextColumn(x0, max(line.box.x1 for line in held), held))
    return found


def box_of_words(line: Line) -> Box:
    """The box from the first to the last word: that of a line is grown by the detector."""
    if not line.words or line.box.height > line.box.width:
        return line.box
    words = Box.around(word.box for word in line.words)
    return Box(max(line.box.x0, words.x0), line.box.y0, min(line.box.x1, words.x1), line.box.y1)


def _occupancy(columns: Sequence[TextColumn], boxes: Sequence[Box]) -> float:
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


def is_broken(row: Sequence[Box]) -> bool:
    """Whether a row is parted by a gap wider than between words."""
    ordered = sorted(row)
    height = min(box.height for box in ordered)
    return any(b.x0 - a.x1 > height for a, b in pairwise(ordered))
