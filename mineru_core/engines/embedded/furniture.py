"""Page furniture: running headers and footers, and page numbers, by wording and place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.rows import visual_rows

# Shares of the page's height where furniture can stand; a header further down is a mistake of the layout model.
HEAD_SHARE = 0.15
FOOT_SHARE = 0.85
# A row that nobody called furniture is taken for it only at the very edge of a full page, well away from the text.
EDGE_SHARE = 0.08
MIN_EDGE_GAP = 1.5
MAX_EDGE_TEXT = 1.15
MIN_PAGE_ROWS = 10

_PAGE_NUMBER = re.compile(
    r"^[\s\-–—·.|/•]*"
    r"(?:\d{1,4}|[ivxlc]{1,6}|[IVXLC]{1,6}"
    r"|(?:page|p\.?)\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?"
    r"|\d{1,4}\s*(?:of|/)\s*\d{1,4}"
    r"|第\s*\d{1,4}\s*页(?:\s*[,，]?\s*[共/]\s*\d{1,4}\s*页)?)"
    r"[\s\-–—·.|/•]*$",
    re.IGNORECASE,
)


_FORMULA_NUMBER = re.compile(r"^[(（]\s*(?:[A-Z]\.?)?\d{1,3}(?:[.-]\d{1,3})*[a-z]?\s*[)）]$")


def is_formula_number(text: str) -> bool:
    """Whether the text is the number beside a formula, in parentheses: (3), (5.25), (A.1), (2b)."""
    return _FORMULA_NUMBER.match(text.strip()) is not None


def is_page_number(text: str) -> bool:
    """Whether the text is worded like a page number and nothing else."""
    return _PAGE_NUMBER.match(text) is not None


def furniture_type(box: Box, label: BlockType | None, page_height: float) -> BlockType | None:
    """``HEADER`` or ``FOOTER`` for a line that the layout model called so, where it stands at that end of the page."""
    y = box.center[1]
    if label is BlockType.HEADER and y <= HEAD_SHARE * page_height:
        return BlockType.HEADER
    if label is BlockType.FOOTER and y >= FOOT_SHARE * page_height:
        return BlockType.FOOTER
    return None


def edge_rows(
    boxes: Sequence[Box], obstacles: Sequence[Box], page_height: float, line_height: float
) -> tuple[list[int], list[int]]:
    """Indexes of the text boxes that are a running header, and of those that are a running footer, by place alone.

    ``obstacles`` are pictures and tables of the page. Either list is empty where no row stands apart at that edge.
    """
    rows = visual_rows(boxes)
    if len(rows) < MIN_PAGE_ROWS:
        return [], []

    def apart(row: list[int], edge: float) -> bool:
        box = Box.around(boxes[i] for i in row)
        others = [boxes[i] for other in rows if other is not row for i in other] + list(obstacles)
        low = max(min(boxes[i].height, boxes[i].width) for i in row) <= MAX_EDGE_TEXT * line_height
        gap = min(max(other.y0 - box.y1, box.y0 - other.y1) for other in others)
        return low and gap >= MIN_EDGE_GAP * line_height and abs(box.center[1] - edge) <= EDGE_SHARE * page_height

    return (rows[0] if apart(rows[0], 0.0) else []), (rows[-1] if apart(rows[-1], page_height) else [])
