"""Which areas of a page may be charts: pictures that the layout names, or the whole picture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mineru_core.document.analysis import BlockType, Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.layout import LayoutRegion

# A picture smaller than this share of the page, or than so many pixels, is an icon.
MIN_AREA = 0.01
MIN_SIDE = 60
# A page of running text is no chart: this share of its lines is long and stands in paragraphs.
MAX_LINES = 220
MAX_IN_PARAGRAPHS = 0.35
LONG = 14.0
# The labels of a chart stand this near to the picture that the layout names, in heights of a line.
AROUND = 2.0
# The layout's pictures are parts of the page's one chart where they cover so much of each other's rows and the page.
MIN_PICTURES = 2
SAME = 0.7
# Of a page's area, for the page to be a table.
MIN_TABLE = 0.5


def chart_areas(width: int, height: int, regions: Sequence[LayoutRegion], lines: Sequence[Line]) -> list[Box]:
    """The areas of a page of this size that may be charts, in its pixels, from top to bottom.

    Where the page is no page of text, the whole of it comes first: what is found there makes the others needless. A
    page on which the layout sees a large table and no picture has none.
    """
    page = Box(0.0, 0.0, float(width), float(height))
    named = [r.box for r in regions if r.type in (BlockType.IMAGE, BlockType.CHART) and _is_large(r.box, page)]
    at_table = any(r.type is BlockType.TABLE and r.box.area >= MIN_TABLE * page.area for r in regions)
    if at_table and not named:
        return []
    apart = _distinct(named)
    areas = [_with_labels(box, lines).clipped(width, height) for box in apart]
    several = len(apart) >= MIN_PICTURES and all(box.area < 0.6 * page.area for box in apart)
    if not several and not is_text_page(lines):
        return [page, *(box for box in areas if box.area < SAME * page.area)]
    return sorted(areas, key=lambda box: (box.y0, box.x0))


def is_text_page(lines: Sequence[Line]) -> bool:
    """Whether much of a page is running text: long lines one below the other."""
    if len(lines) > MAX_LINES:
        return True
    long = [line.box for line in lines if line.box.width >= LONG * line.box.height]
    long.sort(key=lambda box: (round(box.x0 / 20), box.y0))
    in_paragraphs = sum(
        lower.y0 - upper.y1 < upper.height and abs(lower.x0 - upper.x0) < upper.height
        for upper, lower in pairwise(long)
    )
    return in_paragraphs >= 6 and in_paragraphs > MAX_IN_PARAGRAPHS * len(lines)


def _is_large(box: Box, page: Box) -> bool:
    return box.area >= MIN_AREA * page.area and min(box.width, box.height) >= MIN_SIDE


def _distinct(boxes: Sequence[Box]) -> list[Box]:
    """The boxes without those that others hold for the most part."""
    kept: list[Box] = []
    for box in sorted(boxes, key=lambda b: -b.area):
        if all(box.covered_by(other) < 0.5 for other in kept):
            kept.append(box)
    return kept


def _with_labels(box: Box, lines: Sequence[Line]) -> Box:
    """The box with the lines that it cuts or that stand close to it, as titles and labels of axes do."""
    grown = box
    for line in lines:
        near = line.box.covered_by(box.expanded(AROUND * line.box.height)) >= 0.5
        if near and line.box.width < LONG * line.box.height:
            grown = grown.union(line.box)
    return grown.expanded(2.0)
