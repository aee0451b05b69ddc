"""Boxes of text lines on a page that is slightly skewed, as if it were level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box, Quad
from mineru_core.engines.embedded.joining import is_cjk

MAX_SKEW = math.radians(15)
# Short lines say little about the slope.
MIN_ASPECT = 4.0


def page_skew(lines: Sequence[Line]) -> float:
    """The slope of the text in radians, positive where lines fall to the right; 0 where too little text tells."""
    slopes = [slope for line in lines if (slope := _slope(line.quad)) is not None and abs(slope) <= MAX_SKEW]
    return median(slopes) if len(slopes) >= 3 else 0.0


def text_angle(lines: Sequence[Line]) -> int:
    """Clockwise quarter turn in degrees of most of the text: 0 runs to the right, 90 down, 180 to the left, 270 up.

    CJK text that runs down counts as upright: its characters are not turned.
    """
    lengths = {0: 0, 90: 0, 180: 0, 270: 0}
    for line in lines:
        (x0, y0), (x1, y1) = line.quad.top_left, line.quad.top_right
        angle = round(math.degrees(math.atan2(y1 - y0, x1 - x0)) / 90) * 90 % 360
        stacked = angle == 90 and any(map(is_cjk, line.text))
        lengths[0 if stacked else angle] += len(line.text)
    return max(lengths, key=lengths.__getitem__)


def level_box(quad: Quad, skew: float) -> Box:
    """The box around the corners after the page has been turned back by ``skew`` radians about its origin."""
    if skew == 0.0:
        return quad.box
    cos, sin = math.cos(skew), math.sin(skew)
    xs = [x * cos + y * sin for x, y in quad]
    ys = [y * cos - x * sin for x, y in quad]
    return Box(min(xs), min(ys), max(xs), max(ys))


def _slope(quad: Quad) -> float | None:
    """Slope of a line's middle axis; None for one that is too short or upright."""
    x0 = (quad.top_left[0] + quad.bottom_left[0]) / 2
    y0 = (quad.top_left[1] + quad.bottom_left[1]) / 2
    x1 = (quad.top_right[0] + quad.bottom_right[0]) / 2
    y1 = (quad.top_right[1] + quad.bottom_right[1]) / 2
    height = math.dist(quad.top_left, quad.bottom_left)
    if x1 - x0 < MIN_ASPECT * max(height, 1.0):
        return None
    return math.atan2(y1 - y0, x1 - x0)
