"""Labels that are no text: dashes, dots and crossings of lines that were read as letters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import common_color, distance
from mineru_core.engines.embedded.charts.labels import SIGNS, text_height
from mineru_core.engines.embedded.charts.scene import Label

# A single character is so many times as high as other texts at least, and at most.
LOWEST, HIGHEST = 0.5, 1.5
# Digits and letters are narrower than high but for this, and have ground above and below in the box of their text.
NARROW, LOOSE = 0.9, 0.75
# Several digits are so wide each at least, in heights of their text.
TIGHTEST = 0.25
# What is written from corner to corner, as a stroke goes, or with as few strokes as a crossing of lines.
LIKE_STROKES = SIGNS | frozenset("17IlT/\\vVxXyYzZoO0cCsS")
MIN_CONTRAST = 25.0


def without_strokes(pixels: Pixels, labels: Sequence[Label]) -> list[Label]:
    """The labels without those that are pieces of lines: no character has such a size or shape."""
    usual = text_height(labels)
    return [label for label in labels if not _is_stroke(pixels, label, usual)]


def _is_stroke(pixels: Pixels, label: Label, usual: float) -> bool:
    text = label.text.strip()
    box = label.box
    if len(text) != 1:
        level = not label.turned and label.slant is None
        return level and text.isdigit() and box.width < TIGHTEST * len(text) * box.height
    # Of a single character nobody can tell which way it runs.
    if not LOWEST * usual <= max(box.width, box.height) or min(box.width, box.height) > HIGHEST * usual:
        return True
    if text not in LIKE_STROKES:
        return False
    wide, high = _inked(pixels, label, usual)
    return wide >= NARROW * high and high >= LOOSE * box.height


def _inked(pixels: Pixels, label: Label, usual: float) -> tuple[int, int]:
    """The width and the height of what is drawn in a label's box, pixels; paler grid lines are no part of it."""
    height, width = pixels.shape[:2]
    around = label.box.expanded(usual / 2).clipped(width, height)
    ground = common_color(pixels[int(around.y0) : int(around.y1), int(around.x0) : int(around.x1)])
    box = label.box.expanded(1.0).clipped(width, height)
    away = distance(pixels[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1], ground)
    inked = away > max(MIN_CONTRAST, 0.5 * float(away.max(initial=0)))
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    return (int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1) if len(rows) else (0, 0)
