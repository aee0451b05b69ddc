"""Long straight lines of a chart: the lines of its grid and of its axes, solid or dotted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import channel_max

# A line differs from the pixels this far away on both sides by more than this (0..255, one channel at least).
SIDE = 2
MIN_CONTRAST = 5
# Dots of a line stand this close, pixels.
MAX_DOT_GAP = 9
# A line is at least this long: a share of the picture, and pixels.
MIN_SHARE = 0.2
MIN_LENGTH = 40
# Pieces of a line that marks cover add up to this many pixels, and this share of the picture.
MIN_COUNT = 12
MIN_COUNT_SHARE = 0.04


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


@dataclass(frozen=True, slots=True, eq=False)
class Rulings:
    """The lines of one direction in the order of their places, and how many pixels of thin lines each row has.

    ``counts`` has one number for each row of pixels (column, for vertical lines): marks may cover all but short pieces
    of a line, which its row still tells of.
    """

    lines: tuple[Ruling, ...]
    counts: NDArray[np.int64]
    across: int

    def near(self, at: float, reach: float) -> float | None:
        """The place of the line nearest to a place along the axis, None where there is none within ``reach`` pixels."""
        line = near(self.lines, at, reach)
        if line is not None:
            return line.at
        first, last = max(0, round(at - reach)), min(len(self.counts), round(at + reach) + 1)
        window = self.counts[first:last]
        if len(window) < 3:
            return None
        row = int(window.argmax())
        peak, usual = int(window[row]), float(np.median(window))
        clear = peak >= max(MIN_COUNT, MIN_COUNT_SHARE * self.across) and peak >= 3 * usual
        return first + row + 0.5 if clear else None


def rulings(pixels: Pixels, *, vertical: bool) -> Rulings:
    """The vertical or the horizontal lines of a picture (height, width, 3).

    Of a vertical line ``at`` is an x and the ends are y; of a horizontal one the other way round.
    """
    picture = np.ascontiguousarray(pixels.transpose(1, 0, 2)) if vertical else pixels
    thin = _thin_rows(picture)
    shortest = max(MIN_LENGTH, round(MIN_SHARE * picture.shape[1]))
    counts = thin.sum(axis=1, dtype=np.int64)
    if picture.shape[1] < shortest:
        return Rulings((), counts, picture.shape[1])
    joined = cv2.morphologyEx(thin, cv2.MORPH_CLOSE, np.ones((1, MAX_DOT_GAP), np.uint8))
    long = cv2.morphologyEx(joined, cv2.MORPH_OPEN, np.ones((1, shortest), np.uint8))
    count, _, stats, centers = cv2.connectedComponentsWithStats(long, connectivity=8)
    found = [
        Ruling(float(centers[i][1]) + 0.5, float(stats[i][0]), float(stats[i][0] + stats[i][2]))
        for i in range(1, count)
        if stats[i][3] <= 4
    ]
    lines = tuple(sorted(found, key=lambda ruling: (ruling.at, ruling.start)))
    return Rulings(lines, counts, picture.shape[1])


def near(lines: Sequence[Ruling], at: float, reach: float) -> Ruling | None:
    """The line closest to a place, None where none is within ``reach`` pixels."""
    best = min(lines, key=lambda line: abs(line.at - at), default=None)
    return best if best is not None and abs(best.at - at) <= reach else None


def _thin_rows(picture: Pixels) -> NDArray[np.uint8]:
    """1 where a pixel differs from those above and below it: (height, width) uint8."""
    thin = np.zeros(picture.shape[:2], np.uint8)
    if picture.shape[0] <= 2 * SIDE:
        return thin
    middle = picture[SIDE:-SIDE]
    above = channel_max(cv2.absdiff(middle, picture[: -2 * SIDE]))
    below = channel_max(cv2.absdiff(middle, picture[2 * SIDE :]))
    thin[SIDE:-SIDE] = np.minimum(above, below) > MIN_CONTRAST
    return thin
