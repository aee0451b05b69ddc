"""Page furniture: running headers and footers, and page numbers, by wording and place."""

from __future__ import annotations

import re

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box

# Shares of the page's height where furniture can stand; a header further down is a mistake of the layout model.
HEAD_SHARE = 0.15
FOOT_SHARE = 0.85

_PAGE_NUMBER = re.compile(
    r"^[\s\-–—·.|/•]*"
    r"(?:\d{1,4}|[ivxlc]{1,6}|[IVXLC]{1,6}"
    r"|(?:page|p\.?)\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?"
    r"|\d{1,4}\s*(?:of|/)\s*\d{1,4}"
    r"|第\s*\d{1,4}\s*页(?:\s*[,，]?\s*[共/]\s*\d{1,4}\s*页)?)"
    r"[\s\-–—·.|/•]*$",
    re.IGNORECASE,
)


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
