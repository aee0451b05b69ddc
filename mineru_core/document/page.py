"""One page as pixels, with what is known about where it came from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box
from mineru_core.document.table import Table

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its place in page pixels; ``confidence`` 0..1: of a PDF's own words, the share of characters whose
    meaning the file tells."""

    text: str
    box: Box
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class PageTransform:
    """From pixels of this page back to the picture or PDF page as it was uploaded.

    The uploaded page was mirrored left to right if ``mirrored`` (some EXIF orientations ask for it), then turned
    clockwise by ``quarter_turns`` × 90° and then scaled by ``scale`` (page pixels for one uploaded pixel, or for one
    PDF point). ``source_width`` and ``source_height`` are the size as uploaded.
    """

    quarter_turns: int = 0
    scale: float = 1.0
    source_width: float = 0.0
    source_height: float = 0.0
    mirrored: bool = False

    def to_source(self, box: Box) -> Box:
        """The box in units of the uploaded page (pixels, or PDF points from the top left)."""
        b = box.scaled(1 / self.scale, 1 / self.scale)
        w, h = self.source_width, self.source_height
        turns = self.quarter_turns % 4
        if turns == 1:
            b = Box(b.y0, h - b.x1, b.y1, h - b.x0)
        elif turns == 2:
            b = Box(w - b.x1, h - b.y1, w - b.x0, h - b.y0)
        elif turns == 3:
            b = Box(w - b.y1, b.x0, w - b.y0, b.x1)
        return Box(w - b.x1, b.y0, w - b.x0, b.y1) if self.mirrored else b

    def from_source(self, box: Box) -> Box:
        """The box in page pixels, given one in units of the uploaded page: the way back of ``to_source``."""
        w, h = self.source_width, self.source_height
        b = Box(w - box.x1, box.y0, w - box.x0, box.y1) if self.mirrored else box
        turns = self.quarter_turns % 4
        if turns == 1:
            b = Box(h - b.y1, b.x0, h - b.y0, b.x1)
        elif turns == 2:
            b = Box(w - b.x1, h - b.y1, w - b.x0, h - b.y0)
        elif turns == 3:
            b = Box(b.y0, w - b.x1, b.y1, w - b.x0)
        return b.scaled(self.scale, self.scale)


@dataclass(frozen=True, eq=False)
class Page:
    """One page, ready to be read.

    ``pixels`` is (height, width, 3) uint8 RGB and must not be written to. ``number`` counts from 1. ``dpi`` is None
    where the source does not say. ``text_layer`` is the PDF's own words in page pixels, None where there is none.
    ``letters`` is the height of the small letters in pixels, None where it was not measured or there are too few.
    ``natives`` are tables and charts whose data the file itself stores, each with its box in page pixels: two pages of
    the same pixels may have different ones, so they are no part of ``sha256``.
    """

    pixels: Pixels
    source: str
    number: int = 1
    dpi: float | None = None
    text_layer: tuple[Word, ...] | None = None
    transform: PageTransform = field(default_factory=PageTransform)
    sha256: str = ""
    letters: float | None = None
    natives: tuple[Table | Chart, ...] = ()

    def __post_init__(self) -> None:
        if self.pixels.ndim != 3 or self.pixels.shape[2] != 3 or self.pixels.dtype != np.uint8:
            raise ValueError(f"pixels must be (height, width, 3) uint8, not {self.pixels.shape} {self.pixels.dtype}")
        if not self.sha256:
            object.__setattr__(self, "sha256", pixel_hash(self.pixels))

    @property
    def width(self) -> int:
        """Pixels from left to right."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Pixels from top to bottom."""
        return int(self.pixels.shape[0])

    @property
    def box(self) -> Box:
        """The whole page."""
        return Box(0.0, 0.0, float(self.width), float(self.height))


def pixel_hash(pixels: Pixels) -> str:
    """sha256 of the shape and every pixel, hex: two pictures share it only if they are the same picture."""
    digest = hashlib.sha256(repr(pixels.shape).encode())
    digest.update(np.ascontiguousarray(pixels).data)
    return digest.hexdigest()
