"""Reading order by recursive XY-cut: a page is cut into columns where there is evidence of columns, else into bands.

A band is a run of rows that share a vertical gap; a row that crosses every gap (a title over two columns) ends it. A
gap counts as a column border only where the text on both sides flows: receipts, forms and tables have gaps as well,
and they are read row by row.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.intervals import Interval, apart, complement, intersect
from mineru_core.engines.embedded.rows import visual_rows

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
# Ragged text (headings, lists, dialogue between paragraphs) is told by a few rows that are full.
MIN_FULL_FILL = 0.85
MIN_FULL_ROWS = 3
MIN_RAGGED_COLUMN_WIDTH = 10.0
MAX_ALIGNED_ROWS = 0.35
MIN_HEADLINE = 1.7
MIN_CUT_ITEMS = 10
MAX_CROSSING_SHARE = 0.1
MAX_CUT_TRIALS = 4
# A large grid has dozens of gaps; where the widest are no column borders, neither are the others.
MAX_GAP_TRIALS = 8
MAX_MARGIN_WIDTH = 0.5
MAX_MARGIN_FILL = 0.5
MAX_NOTE_GAP = 1.0


@dataclass(frozen=True, slots=True)
class Item:
    """Something to be put in order: a text line, or (``solid``) a picture, table or formula that is read as one.

    ``vertical`` marks a line whose text runs from top to bottom.
    """

    box: Box
    solid: bool = False
    vertical: bool = False


def reading_order(items: Sequence[Item]) -> list[list[int]]:
    """Indexes of the items in reading order, in groups: a group is one flow that is read row by row.

    Every index occurs exactly once, and the order of the items does not matter (but for equal ones).
    """
    if not items:
        return []
    indexes = sorted(range(len(items)), key=lambda i: (items[i].box.y0, items[i].box.x0, items[i].box, items[i].solid))
    return _Cutter(items).flows(indexes)


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
        self.spans_y = [self._shrunk(i, i.box.y0, i.box.y1, LINE_MARGIN_Y) for i in items]
        self.spans_x = [self._shrunk(i, i.box.x0, i.box.x1, LINE_MARGIN_X) for i in items]

        self.centers_x = [item.box.center[0] for item in items]

    def flows(self, indexes: list[int]) -> list[list[int]]:
        """Flows of these items in reading order."""
        if all(self.items[i].vertical for i in indexes):
            # Vertical lines follow each other from right to left.
            return [[i for row in self._rows(indexes) for i in reversed(row)]]
        result: list[list[int]] = []
        pending: list[int] = []
        for band in self._bands(indexes):
            sides = self._border(band.indexes, band.free)
            parts = self._cut_at_headlines(band.indexes) if sides is None else self._with_margin_notes(*sides)
            if sides is None and parts is None:
                pending += band.indexes
                continue
            if pending:
                result.append(self._by_rows(pending))
                pending = []
            for part in parts or sides or ():
                result += self.flows(part)
        if pending:
            result.append(self._by_rows(pending))
        return result

    def _shrunk(self, item: Item, low: float, high: float, margin: float) -> Interval:
        """An extent of the item without the margin that detection adds, which grows with the height of the text."""
        cut = min(margin * (self.unit if item.solid else _line_height(item.box)), (high - low) / 3)
        return low + cut, high - cut

    def _bands(self, indexes: list[int]) -> list[_Band]:
        """Cut at horizontal gaps, then join neighbours that share a vertical gap."""
        left = min(self.spans_x[i][0] for i in indexes)
        right = max(self.spans_x[i][1] for i in indexes)
        bands: list[_Band] = []
        for segment in self._segments(indexes):
            free = complement([self.spans_x[i] for i in segment], left, right)
            common = self._common_gaps(bands[-1], segment, free) if bands else []
            if common:
                bands[-1].indexes += segment
                bands[-1].free = common
            else:
                bands.append(_Band(list(segment), free))
        return bands

    def _common_gaps(self, band: _Band, segment: list[int], free: list[Interval]) -> list[Interval]:
        """Gaps that go on from a band through the segment under it; none where the band should end before it."""
        common = [gap for gap in intersect(band.free, free) if gap[1] - gap[0] >= MIN_NARROW_GAP * self.unit]
        if not common or self._starts_anew(band, segment, common):
            return []
        if self._sides([*band.indexes, *segment], common) < 2 <= self._sides(segment, free):
            # What they share is an empty edge, while columns may begin here.
            return []
        lost = apart(band.free, common)
        if self._border(band.indexes, lost) is not None and self._border(band.indexes, common) is None:
            return []
        return common

    def _starts_anew(self, band: _Band, segment: list[int], gaps: list[Interval]) -> bool:
        """Whether a segment under a band begins with a headline that stands on one side of the gaps only."""
        if self._sides(band.indexes, gaps) < 2 or self._sides(segment, gaps) > 1:
            return False
        top = min(segment, key=lambda i: self.spans_y[i])
        return not self.items[top].solid and _line_height(self.items[top].box) >= MIN_HEADLINE * self.unit

    def _sides(self, indexes: list[int], gaps: list[Interval]) -> int:
        """On how many sides of the gaps these items stand."""
        starts = sorted(gap[0] for gap in gaps)
        return len({bisect_left(starts, self.centers_x[i]) for i in indexes})

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

    def _border(
        self, indexes: list[int], gaps: list[Interval], *, strict: bool = False
    ) -> tuple[list[int], list[int]] | None:
        """The two sides of the widest of the gaps that is a column border; None where there is none.

        ``strict`` asks of every gap the evidence that a narrow one needs.
        """
        for gap in sorted(gaps, key=lambda g: g[0] - g[1])[:MAX_GAP_TRIALS]:
            middle = (gap[0] + gap[1]) / 2
            left = [i for i in indexes if self.centers_x[i] < middle]
            right = [i for i in indexes if self.centers_x[i] >= middle]
            narrow = strict or gap[1] - gap[0] < MIN_COLUMN_GAP * self.unit
            if left and right and self._is_border(left, right, narrow=narrow):
                return (right, left) if self._is_vertical_headline(right) else (left, right)
        return None

    def _is_vertical_headline(self, side: list[int]) -> bool:
        """Whether the side holds nothing but large vertical lines: read first wherever they stand."""
        items = [self.items[i] for i in side]
        return all(item.vertical and _line_height(item.box) >= MIN_HEADLINE * self.unit for item in items)

    def _cut_at_headlines(self, indexes: list[int]) -> list[list[int]] | None:
        """Items cut above and below the few that stand across a column border; None where that shows no border.

        For pages set so close that no horizontal gap parts a headline from the columns beneath it.
        """
        if len(indexes) < MIN_CUT_ITEMS:
            return None
        crossing = self._crossing(indexes)
        if not crossing:
            return None
        levels = sorted((self.items[i].box.center[1], i) for i in crossing)
        parts: list[list[int]] = [[] for _ in range(2 * len(levels) + 1)]
        for n, (_, i) in enumerate(levels):
            parts[2 * n + 1].append(i)
        for i in indexes:
            if i not in crossing:
                parts[2 * sum(self.items[i].box.center[1] > y for y, _ in levels)].append(i)
        return [part for part in parts if part]

    def _crossing(self, indexes: list[int]) -> set[int]:
        """The fewest items without which the others stand in two columns; empty where there is no such border."""
        starts = sorted(self.spans_x[i][0] for i in indexes)
        ends = sorted(self.spans_x[i][1] for i in indexes)
        most = max(1, int(MAX_CROSSING_SHARE * len(indexes)))
        candidates: list[tuple[int, float]] = []
        for edge in sorted(set(ends))[:-1]:
            x = edge + MIN_NARROW_GAP * self.unit / 2
            count = bisect_left(starts, x) - bisect_right(ends, x)
            if 0 < count <= most:
                candidates.append((count, edge))
        for _, edge in sorted(candidates)[:MAX_CUT_TRIALS]:
            x = edge + MIN_NARROW_GAP * self.unit / 2
            crossing = {i for i in indexes if self.spans_x[i][0] < x < self.spans_x[i][1]}
            rest = [i for i in indexes if i not in crossing]
            free = complement([self.spans_x[i] for i in rest], edge, max(self.spans_x[i][1] for i in indexes))
            gaps = [gap for gap in free if gap[0] == edge and gap[1] - gap[0] >= MIN_NARROW_GAP * self.unit]
            if self._border(rest, gaps, strict=True) is not None:
                return crossing
        return set()

    def _with_margin_notes(self, left: list[int], right: list[int]) -> list[list[int]] | None:
        """The main text cut where margin notes are to be read, with the notes between; None where a side is no margin.

        A margin is narrow and mostly empty; a note is read after the paragraph that it stands beside.
        """
        notes, main = sorted((left, right), key=self._width)
        narrow = self._width(notes) < MAX_MARGIN_WIDTH * self._width(main)
        if not narrow or self._has_solid(notes) or self._ink_height(notes) > MAX_MARGIN_FILL * self._ink_height(main):
            return None
        rows = self._rows(main)
        ends = self._paragraph_ends(rows)
        parts: list[list[int]] = []
        done = 0
        for note in self._note_groups(notes):
            top = self.items[note[0]].box.center[1]
            above = sum(self._level(row) <= top for row in rows)
            end = next((e for e in ends if e >= above), len(rows)) if above else 0
            if end > done:
                parts.append([i for row in rows[done:end] for i in row])
                done = end
            parts.append(note)
        if done < len(rows):
            parts.append([i for row in rows[done:] for i in row])
        return parts

    def _note_groups(self, notes: list[int]) -> list[list[int]]:
        """Notes from top to bottom: rows with little space between them."""
        groups: list[list[int]] = []
        bottom = -math.inf
        for row in self._rows(notes):
            if min(self.items[i].box.y0 for i in row) - bottom > MAX_NOTE_GAP * self.unit:
                groups.append([])
            groups[-1] += row
            bottom = max(self.items[i].box.y1 for i in row)
        return groups

    def _paragraph_ends(self, rows: list[list[int]]) -> list[int]:
        """How many rows lie above each place where a paragraph ends."""
        boxes = [Box.around(self.items[i].box for i in row) for row in rows]
        right = max(box.x1 for box in boxes)
        ends = [
            n
            for n, (box, below) in enumerate(pairwise(boxes), start=1)
            if right - box.x1 > 2 * self.unit or below.y0 - box.y1 > self.unit or below.x0 - box.x0 > self.unit
        ]
        return [*ends, len(rows)]

    def _ink_height(self, side: list[int]) -> float:
        """Pixels of height in which the side has something."""
        spans = [(self.items[i].box.y0, self.items[i].box.y1) for i in side]
        low, high = min(s[0] for s in spans), max(s[1] for s in spans)
        return high - low - sum(end - start for start, end in complement(spans, low, high))

    def _is_border(self, left: list[int], right: list[int], *, narrow: bool) -> bool:
        """Whether these are two columns, not the cells of rows."""
        rows_left, rows_right = self._rows(left), self._rows(right)
        if narrow:
            return all(
                all(self.items[i].solid for i in side)
                or (len(rows) >= MIN_NARROW_ROWS and median(self._fills(side, rows)) >= MIN_NARROW_FILL)
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
        fills = self._fills(side, rows)
        if median(fills) >= MIN_ROW_FILL:
            return True
        full = sum(fill >= MIN_FULL_FILL for fill in fills)
        return full >= MIN_FULL_ROWS and width >= MIN_RAGGED_COLUMN_WIDTH * self.unit

    def _fills(self, side: list[int], rows: list[list[int]]) -> list[float]:
        """How much of the side's width each row takes."""
        width = max(1.0, self._width(side))
        return [sum(self.items[i].box.width for i in row) / width for row in rows]

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
