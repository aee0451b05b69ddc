"""The marks of ticks below the plot area: where names stand exactly, which their letters tell to a pixel or two."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import distance
from mineru_core.engines.embedded.charts.scene import RGB, CategoryAxis
from mineru_core.engines.embedded.intervals import spans_of

MIN_CONTRAST = 40
# Rows below the axis that a mark goes through at least, how far below the plot area's end they may begin, and how wide
# a mark is at most, pixels.
ROWS = 3
BELOW = 8
WIDEST = 5
# A name stands this near to its mark, a share of the distance of two names.
NEAR = 0.2


def at_tick_marks(axis: CategoryAxis, pixels: Pixels, plot: Box, background: RGB) -> CategoryAxis:
    """A level axis with its names at their marks; as it was unless every name has one mark, and every mark a name."""
    places = [pixel for _, pixel in axis.categories]
    if axis.vertical or len(places) < 2:
        return axis
    marks = _marks(pixels, plot, background)
    if len(marks) != len(places):
        return axis
    step = min(b - a for a, b in pairwise(sorted(places)))
    moved = sorted(zip(sorted(range(len(places)), key=places.__getitem__), sorted(marks), strict=True))
    if any(abs(mark - places[index]) > NEAR * step for index, mark in moved):
        return axis
    return replace(axis, categories=tuple((axis.categories[index][0], mark) for index, mark in moved))


def _marks(pixels: Pixels, plot: Box, background: RGB) -> list[float]:
    """The middles of the short strokes that stand in one row just below the plot area; empty where there are none."""
    x0, x1 = max(0, round(plot.x0) - 2), min(pixels.shape[1], round(plot.x1) + 2)
    first = round(plot.y1) + 1
    for top in range(first, min(first + BELOW, pixels.shape[0] - ROWS)):
        faintest = distance(pixels[top : top + ROWS, x0:x1], background).min(axis=0)
        runs = spans_of(faintest > MIN_CONTRAST)
        if len(runs) >= 2 and all(b - a <= WIDEST for a, b in runs):
            return [x0 + _middle(pixels[top : top + ROWS, x0 + a : x0 + b], background) + a for a, b in runs]
    return []


def _middle(stroke: Pixels, background: RGB) -> float:
    weights = distance(stroke, background).mean(axis=0)
    return float(np.average(np.arange(len(weights)) + 0.5, weights=weights))
