"""Long straight lines of a chart: the lines of its grid and of its axes, solid or dotted."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.page import Pixels

# A line differs from the pixels this far away on both sides by more than this (0..255, one channel at least).
SIDE = 2
MIN_CONTRAST = 5
# Dots of a line stand this close, pixels.
MAX_DOT_GAP = 9
# A line is at least this long: a share of the picture, and pixels.
MIN_SHARE = 0.2
MIN_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Ruling:
    """A straight line: where it lies across (its middle), and from where to where it runs; pixels."""

    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        """Pixels from end to end."""
        return self.end - self.start


def rulings(pixels: Pixels, *, vertical: bool) -> list[Ruling]:
    """The vertical or the horizontal lines of a picture (height, width, 3), in the order of their places.

    Of a vertical line ``at`` is an x and the ends are y; of a horizontal one the other way round.
    """
    picture = np.ascontiguousarray(pixels.transpose(1, 0, 2)) if vertical else pixels
    thin = _thin_rows(picture)
    shortest = max(MIN_LENGTH, round(MIN_SHARE * picture.shape[1]))
    if picture.shape[1] < shortest:
        return []
    joined = cv2.morphologyEx(thin, cv2.MORPH_CLOSE, np.ones((1, MAX_DOT_GAP), np.uint8))
    long = cv2.morphologyEx(joined, cv2.MORPH_OPEN, np.ones((1, shortest), np.uint8))
    count, _, stats, centers = cv2.connectedComponentsWithStats(long, connectivity=8)
    found = [
        Ruling(float(centers[i][1]) + 0.5, float(stats[i][0]), float(stats[i][0] + stats[i][2]))
        for i in range(1, count)
        if stats[i][3] <= 4
    ]
    return sorted(found, key=lambda ruling: (ruling.at, ruling.start))


def near(lines: list[Ruling], at: float, reach: float) -> Ruling | None:
    """The line closest to a place, None where none is within ``reach`` pixels."""
    best = min(lines, key=lambda line: abs(line.at - at), default=None)
    return best if best is not None and abs(best.at - at) <= reach else None


def _thin_rows(picture: Pixels) -> NDArray[np.uint8]:
    """1 where a pixel differs from those above and below it: (height, width) uint8."""
    thin = np.zeros(picture.shape[:2], np.uint8)
    if picture.shape[0] <= 2 * SIDE:
        return thin
    middle = picture[SIDE:-SIDE].astype(np.int16)
    above = np.abs(middle - picture[: -2 * SIDE]).max(axis=2)
    below = np.abs(middle - picture[2 * SIDE :]).max(axis=2)
    thin[SIDE:-SIDE] = np.minimum(above, below) > MIN_CONTRAST
    return thin
