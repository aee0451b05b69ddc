"""Regions and pages as people write them, on the command line and in forms alike."""

from __future__ import annotations

import re

from mineru_core.document.geometry import Box
from mineru_core.document.task import Region
from mineru_core.errors import InvalidRequest

LAST_PAGE = -1
MAX_PAGES_NAMED = 10_000

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def parse_region(text: str, page: int = 1) -> Region:
    """A region from "X0,Y0,X1,Y1" in pixels of the page, or "X0,Y0,X1,Y1,PAGE". Raises ``InvalidRequest``."""
    hint = "Write a region as X0,Y0,X1,Y1 in pixels of the page, such as 100,200,800,600; a fifth number is the page."
    parts = text.split(",")
    try:
        x0, y0, x1, y1 = (float(part) for part in parts[:4])
        page = int(parts[4]) if len(parts) == 5 else page
    except ValueError:
        parts = []
    if len(parts) not in (4, 5):
        raise InvalidRequest(f"The region {text[:80]!r} cannot be understood.", hint)
    # Written so that NaN, which compares false with everything, is refused as well.
    if not (0 <= x0 < x1 < float("inf") and 0 <= y0 < y1 < float("inf")) or page < 1:
        raise InvalidRequest(f"The region {text[:80]!r} holds nothing.", hint)
    return Region(page=page, box=Box(x0, y0, x1, y1))


def parse_pages(text: str) -> tuple[int, ...]:
    """Page numbers from "1,3-5,last", in the order written, each once; () for no text. Raises ``InvalidRequest``.

    Numbers count from 1; -1 stands for the last page.
    """
    numbers: list[int] = []
    for part in text.replace(" ", "").lower().split(",") if text.strip() else ():
        numbers += _one_range(part)
        if len(numbers) > MAX_PAGES_NAMED:
            raise InvalidRequest("Too many pages are named.", f"Name at most {MAX_PAGES_NAMED:,} pages.")
    return tuple(dict.fromkeys(numbers))


def _one_range(part: str) -> range | list[int]:
    if part == "last":
        return [LAST_PAGE]
    match = _RANGE.fullmatch(part)
    first = int(match[1]) if match else 0
    last = int(match[2] or first) if match else 0
    if first < 1 or last < first:
        raise InvalidRequest(f"The pages {part[:80]!r} cannot be understood.", "Write pages as 1,3-5 or last.")
    return range(first, min(last, first + MAX_PAGES_NAMED) + 1)
