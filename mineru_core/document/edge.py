"""A document as it was read at the edge, on the machine of whoever asks: what was recognised, without any pixels.

It travels in place of the document, and whoever gets it puts the pages together as if it had read them itself. Every
place of a reading is in pixels of the upright picture that the engine saw, as in any ``PartReading``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, field_serializer, model_validator

from mineru_core.document.analysis import PageFailure
from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box
from mineru_core.document.model import Model
from mineru_core.document.parts import BlockType, Part, PartReading
from mineru_core.document.table import Table

MOST_LINES, MOST_AREAS, MOST_ELEMENTS = 3_000, 300, 200
"""Lines, areas, and tables or charts of one reading."""
MOST_ABREAST = 300
"""Lines that may stand at the same height: a wide table has a hundred, and putting rows together compares each with
each."""
MOST_PICTURES = 2_000
LARGEST_PLACE = 1e6
"""Pixels from the page's corner that anything may lie at."""

EngineName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Side = Annotated[int, Field(ge=1, le=1_000_000)]


class EdgeReading(Model):
    """What was read of one picture: a page, or a region of it.

    ``x`` and ``y`` are its top left corner, ``width`` and ``height`` its size in page pixels: it may reach beyond the
    page, as a region that was padded does. ``seen_width`` and ``seen_height`` are the pixels of the picture that the
    engine saw, after any reduction. ``readings`` are all parts that were read, each once. ``natives`` are tables and
    charts that the file stores as data, with their places in page pixels.
    """

    x: float = Field(ge=-LARGEST_PLACE, le=LARGEST_PLACE)
    y: float = Field(ge=-LARGEST_PLACE, le=LARGEST_PLACE)
    width: Side
    height: Side
    seen_width: Side
    seen_height: Side
    readings: tuple[PartReading, ...] = Field(max_length=len(Part))
    natives: tuple[Table | Chart, ...] = Field(default=(), max_length=MOST_ELEMENTS)

    @property
    def by_part(self) -> dict[Part, PartReading]:
        """The readings by the part they are of."""
        return {reading.part: reading for reading in self.readings}

    @model_validator(mode="after")
    def _check_readings(self) -> Self:
        if len(self.by_part) < len(self.readings):
            raise ValueError("a part was read twice")
        for reading in self.readings:
            if len(reading.lines) > MOST_LINES or len(reading.areas) > MOST_AREAS:
                raise ValueError(f"more than {MOST_LINES} lines or {MOST_AREAS} areas")
            if _most_abreast([line.box for line in reading.lines]) > MOST_ABREAST:
                raise ValueError(f"more than {MOST_ABREAST} lines at the same height")
            if max(len(reading.tables), len(reading.charts)) > MOST_ELEMENTS or len(reading.contents) > MOST_AREAS:
                raise ValueError(f"more than {MOST_ELEMENTS} tables or charts, or {MOST_AREAS} contents")
        return self


class EdgePage(Model):
    """One page: its number (from 1), its size in pixels, the sha256 of its pixels, and what was read of it, whole or in
    regions."""

    number: int = Field(ge=1)
    width: Side
    height: Side
    sha256: Sha256
    read: tuple[EdgeReading, ...] = ()


class EdgePicture(Model):
    """A picture that came along: of a whole page, or of one block, whose sort is then ``block``: one that the server's
    own engine is to read. ``box`` is what it shows, in pixels of page ``page``; it may have fewer pixels than that.
    ``dpi`` is the page's resolution, None where it is not known."""

    page: int = Field(ge=1)
    box: Box
    block: BlockType | None = None
    dpi: float | None = Field(default=None, gt=0.0, le=10_000.0)


class EdgeDocument(Model):
    """A document read at the edge.

    ``engine`` is the name of what read it, ``fingerprint`` its whole version, ``capabilities`` the parts it can read.
    ``sha256``, ``media_type`` and ``page_count`` are those of the document itself. ``pages`` are those that were read,
    ``failures`` those that could not be. ``pictures`` come along in this order.
    """

    version: Literal[1] = 1
    engine: EngineName
    fingerprint: str = Field(min_length=1, max_length=300)
    capabilities: frozenset[Part]
    sha256: Sha256
    media_type: str = Field(max_length=200)
    page_count: int = Field(ge=1)
    pages: tuple[EdgePage, ...] = ()
    failures: tuple[PageFailure, ...] = ()
    pictures: tuple[EdgePicture, ...] = Field(default=(), max_length=MOST_PICTURES)

    @field_serializer("capabilities", when_used="json")
    def _capabilities_in_order(self, parts: frozenset[Part]) -> list[Part]:
        return sorted(parts)

    @model_validator(mode="after")
    def _check_pages(self) -> Self:
        sizes = {page.number: page for page in self.pages}
        if len(sizes) < len(self.pages):
            raise ValueError("a page is there twice")
        if max([*sizes, *(failure.page for failure in self.failures)], default=0) > self.page_count:
            raise ValueError("there is a page after the last")
        for picture in self.pictures:
            page, box = sizes.get(picture.page), picture.box
            if page is None:
                raise ValueError(f"a picture is of page {picture.page}, which is not there")
            if not (0 <= box.x0 < box.x1 <= page.width and 0 <= box.y0 < box.y1 <= page.height):
                raise ValueError(f"a picture lies outside page {picture.page}")
            if picture.block is None and box != Box(0, 0, page.width, page.height):
                raise ValueError(f"the picture of page {picture.page} does not show all of it")
        whole = Counter(picture.page for picture in self.pictures if picture.block is None)
        if any(count > 1 for count in whole.values()):
            raise ValueError("a page has two pictures")
        return self

    def page(self, number: int) -> EdgePage | None:
        """The page of that number, if it was read."""
        return next((page for page in self.pages if page.number == number), None)


def _most_abreast(boxes: Sequence[Box]) -> int:
    """How many of the boxes stand at the height of the middle of one of them, at most."""
    tops, bottoms = sorted(box.y0 for box in boxes), sorted(box.y1 for box in boxes)
    middles = [box.center[1] for box in boxes]
    return max((bisect_right(tops, y) - bisect_left(bottoms, y) for y in middles), default=0)
