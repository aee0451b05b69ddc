"""Reading order by recursive XY-cut: a page is cut into columns where there is evidence of columns, else into bands.

A band is a run of rows that share a vertical gap; a row that crosses every gap (a title over two columns) ends it. A
gap counts as a column border only where the text on both sides flows: receipts, forms and tables have gaps as well,
and they are read row by row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from mineru_core.document.geometry import Box

# All in line heights, so that resolution does not matter.
MIN_COLUMN_GAP = 0.6
# Newspapers set columns closer than that; through many full rows a narrow gap is no accident either.
MIN_NARROW_GAP = 0.2
MIN_NARROW_ROWS = 4
MIN_NARROW_FILL = 0.75
MIN_COLUMN_WIDTH = 6.0
MIN_LOOSE_COLUMN_WIDTH = 3.0
# Detected boxes are grown a little beyond the ink; neighbours would touch without this.
LINE_MARGIN_Y = 0.18
LINE_MARGIN_X = 0.1
MIN_ROW_FILL = 0.6
MAX_ALIGNED_ROWS = 0.35
ROW_OVERLAP = 0.5

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Item:
    """Something to be put in order: a text line, or (``solid``) a picture, table or formula that is read as one."""

    box: Box
    solid: bool = False


def reading_order(items: Sequence[Item]) -> list[list[int]]:
    """Indexes of the items in reading order, in groups: a group is one flow that is read row by row.

    Every index occurs exactly once, and the order of the items does not matter (but for equal ones).
    """
    if not items:
        return []
    indexes = sorted(range(len(items)), key=lambda i: (items[i].box.y0, items[i].box.x0, items[i].box, items[i].solid))
    return _Cutter(items).flows(indexes)


def visual_rows(boxes: Sequence[Box]) -> list[list[int]]:
    """Indexes of boxes grouped to visual rows from top to bottom, each from left to right.

    Boxes share a row where they overlap vertically by half of the lower one's height and do not stand over each other.
    """
    rows: list[_Row] = []
    for index in sorted(range(len(boxes)), key=lambda i: (boxes[i].center[1], boxes[i].x0, boxes[i])):
        box = boxes[index]
        fitting = [(row.overlap(box), -n) for n, row in enumerate(rows) if row.fits(box)]
        if fitting:
            rows[-max(fitting)[1]].add(index, box)
        else:
            rows.append(_Row(index, box))
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

    def fits(self, box: Box) -> bool:
        if self.overlap(box) < ROW_OVERLAP:
            return False
        # A box that is much higher than the row belongs to no row but its own.
        if max(box.height, self.y1 - self.y0) > 3 * min(box.height, self.y1 - self.y0):
            return False
        return all(_overlap((b.x0, b.x1), (box.x0, box.x1)) < 0.5 * min(b.width, box.width) + 1e-9 for b in self.boxes)

    def add(self, index: int, box: Box) -> None:
        """Take the box in; the row's height stays a mean, so that a slope does not let it grow."""
        n = len(self.boxes)
        self.y0 = (self.y0 * n + box.y0) / (n + 1)
        self.y1 = (self.y1 * n + box.y1) / (n + 1)
        self.indexes.append(index)
        self.boxes.append(box)


@dataclass(slots=True)
class _Band:
    """Rows of items that share the free intervals ``free``."""

    indexes: list[int]
    free: list[Interval]


class _Cutter:
    """Cuts one page; holds the items and the line height that everything is measured in."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        heights = [_line_height(item.box) for item in items if not item.solid]
        self.unit = max(1.0, median(heights)) if heights else 16.0
        self.spans_y = [self._shrunk(i.box.y0, i.box.y1, i.solid, LINE_MARGIN_Y) for i in items]
        self.spans_x = [self._shrunk(i.box.x0, i.box.x1, i.solid, LINE_MARGIN_X) for i in items]

    def flows(self, indexes: list[int]) -> list[list[int]]:
        """Flows of these items in reading order."""
        result: list[list[int]] = []
        pending: list[int] = []
        for band in self._bands(indexes):
            sides = self._columns(band)
            if sides is None:
                pending += band.indexes
                continue
            if pending:
                result.append(self._by_rows(pending))
                pending = []
            for side in sides:
                result += self.flows(side)
        if pending:
            result.append(self._by_rows(pending))
        return result

    def _shrunk(self, low: float, high: float, solid: bool, margin: float) -> Interval:
        cut = min(margin * (self.unit if solid else min(high - low, self.unit)), (high - low) / 3)
        return low + cut, high - cut

    def _bands(self, indexes: list[int]) -> list[_Band]:
        """Cut at horizontal gaps, then join neighbours that share a vertical gap."""
        left = min(self.spans_x[i][0] for i in indexes)
        right = max(self.spans_x[i][1] for i in indexes)
        bands: list[_Band] = []
        for segment in self._segments(indexes):
            free = _complement([self.spans_x[i] for i in segment], left, right)
            if bands:
                common = [
                    gap for gap in _intersect(bands[-1].free, free) if gap[1] - gap[0] >= MIN_NARROW_GAP * self.unit
                ]
                if common:
                    bands[-1].indexes += segment
                    bands[-1].free = common
                    continue
            bands.append(_Band(list(segment), free))
        return bands

    def _segments(self, indexes: list[int]) -> list[list[int]]:
        """Groups of items with a horizontal gap between them, from top to bottom."""
        groups: list[list[int]] = []
        bottom = -math.inf
        for index in sorted(indexes, key=lambda i: self.spans_y[i]):
            y0, y1 = self.spans_y[index]
            if y0 >= bottom:
                groups.append([])
            groups[-1].append(index)
            bottom = max(bottom, y1)
        return groups

    def _columns(self, band: _Band) -> tuple[list[int], list[int]] | None:
        """The two sides of the widest gap that is a column border; None where there is none."""
        for gap in sorted(band.free, key=lambda g: g[0] - g[1]):
            narrow = gap[1] - gap[0] < MIN_COLUMN_GAP * self.unit
            middle = (gap[0] + gap[1]) / 2
            left = [i for i in band.indexes if self.items[i].box.center[0] < middle]
            right = [i for i in band.indexes if self.items[i].box.center[0] >= middle]
            if left and right and self._is_border(left, right, narrow=narrow):
                return left, right
        return None

    def _is_border(self, left: list[int], right: list[int], *, narrow: bool) -> bool:
        """Whether these are two columns, not the cells of rows."""
        rows_left, rows_right = self._rows(left), self._rows(right)
        if narrow:
            return all(
                len(rows) >= MIN_NARROW_ROWS and self._fill(side, rows) >= MIN_NARROW_FILL
                for side, rows in ((left, rows_left), (right, rows_right))
            )
        if self._flows_like_text(left, rows_left) and self._flows_like_text(right, rows_right):
            return max(len(rows_left), len(rows_right)) >= 3 or self._has_solid(left + right)
        if min(len(rows_left), len(rows_right)) < 3:
            return False
        wide = all(self._width(side) >= MIN_LOOSE_COLUMN_WIDTH * self.unit for side in (left, right))
        return wide and self._aligned(rows_left, rows_right) <= MAX_ALIGNED_ROWS

    def _flows_like_text(self, side: list[int], rows: list[list[int]]) -> bool:
        """Whether rows fill the width of the side, as running text does, or a picture or table stands in it."""
        width = self._width(side)
        if self._has_solid(side):
            return True
        if len(rows) < 2 or width < MIN_COLUMN_WIDTH * self.unit:
            return False
        return self._fill(side, rows) >= MIN_ROW_FILL

    def _fill(self, side: list[int], rows: list[list[int]]) -> float:
        """How much of the side's width its rows take, in the median."""
        width = max(1.0, self._width(side))
        return median(sum(self.items[i].box.width for i in row) / width for row in rows)

    def _aligned(self, first: list[list[int]], second: list[list[int]]) -> float:
        """Share of the shorter side's rows that stand level with a row of the other side."""
        few, many = sorted(([self._level(row) for row in rows] for rows in (first, second)), key=len)
        level = sum(min(abs(y - other) for other in many) <= 0.25 * self.unit for y in few)
        return level / len(few)

    def _level(self, row: list[int]) -> float:
        return sum(self.items[i].box.center[1] for i in row) / len(row)

    def _width(self, side: list[int]) -> float:
        return max(self.items[i].box.x1 for i in side) - min(self.items[i].box.x0 for i in side)

    def _has_solid(self, side: list[int]) -> bool:
        return any(self.items[i].solid for i in side)

    def _rows(self, indexes: list[int]) -> list[list[int]]:
        rows = visual_rows([self.items[i].box for i in indexes])
        return [[indexes[n] for n in row] for row in rows]

    def _by_rows(self, indexes: list[int]) -> list[int]:
        return [i for row in self._rows(indexes) for i in row]


def _line_height(box: Box) -> float:
    """Height of the text; a vertical line's is its width."""
    return min(box.width, box.height)


def _overlap(a: Interval, b: Interval) -> float:
    return min(a[1], b[1]) - max(a[0], b[0])


def _complement(intervals: Sequence[Interval], low: float, high: float) -> list[Interval]:
    """What of [low, high] no interval covers."""
    free: list[Interval] = []
    at = low
    for start, end in sorted(intervals):
        if start > at:
            free.append((at, start))
        at = max(at, end)
    if at < high:
        free.append((at, high))
    return free


def _intersect(a: Sequence[Interval], b: Sequence[Interval]) -> list[Interval]:
    """Common parts of two lists of intervals."""
    return [(max(x[0], y[0]), min(x[1], y[1])) for x in a for y in b if _overlap(x, y) > 0]
