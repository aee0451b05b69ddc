"""Scatter charts: markers by their colours, each at its middle; those that touch are told apart by their size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.chart import Point, Series
from mineru_core.engines.embedded.charts.lines import rounded
from mineru_core.engines.embedded.charts.lines_ink import Floats, ink_of, is_busy, line_colors
from mineru_core.engines.embedded.charts.lines_places import number_name
from mineru_core.engines.embedded.charts.scene import RGB, AnyAxis, CategoryAxis, NumberAxis, Scene, hex_color

LARGEST = 0.09
"""Share of the plot's shorter side up to which a spot is a marker."""

SMALLEST = 2.0
"""Pixels across from which a spot is one, and no speck."""

GAP = 5
"""Pixels from which on parts of markers are apart."""

SQUARE = 1.3
"""A marker is not longer than wide by more."""

SURE, TOUCHING = 0.95, 0.6
"""Confidence of a marker by itself, and of one of several that touch."""

SMALL = 120.0
"""Square pixels of a marker from half of which on its colour is beyond doubt."""

ALIKE = 1.7
"""A spot with so many times the usual ink is several markers that touch."""

ON_STEP = 1.5
"""Pixels that a marker may be off the step that its data is on."""

MOST = 0.85
"""Share of the markers that are on the steps; others may be off by twice as much."""

PARTS = (1, 2, 4, 5, 10)
"""Into how many parts the steps of data may divide those of ticks."""

BY_CHANCE = 1e-3
"""Markers are on steps where they would be by chance in no more than this share of charts."""


class Spot(NamedTuple):
    """A marker at (x, y) in pixels of the part it was looked for in, and how sure it is one of its colour, 0..1."""

    x: float
    y: float
    sure: float


def read_scatter(scene: Scene) -> list[Series] | None:
    """The clouds of points as series; None where the chart has no markers that can be read.

    A point's ``x`` is the number or the category; ``place`` is in pixels of the scene's picture.
    """
    x, y = scene.x, scene.y
    if x is None or y is None or (isinstance(x, CategoryAxis) and isinstance(y, CategoryAxis)):
        return None
    if is_busy(scene):
        return None
    entries = [entry for entry in scene.legend if entry.color is not None]
    colors: list[RGB] = [entry.color for entry in entries if entry.color is not None] or spot_colors(scene)
    if not colors:
        return None
    ink = ink_of(scene, colors)
    largest = LARGEST * min(scene.plot.width, scene.plot.height) + 4
    found = []
    for index in range(len(colors)):
        inner = scene.plot.expanded(3.0).shifted(-ink.left, -ink.top)
        # Beside the plot are ticks.
        spots = [spot for spot in spots_of(ink.coverage[index], largest) if inner.contains(spot.x, spot.y)]
        found.append([Spot(spot.x + ink.left, spot.y + ink.top, spot.sure) for spot in spots])
    out = []
    steps = _steps(x, [spot.x for spots in found for spot in spots])
    for index, (color, spots) in enumerate(zip(colors, found, strict=True)):
        points = tuple(_point(spot, x, y, steps) for spot in spots)
        name = entries[index].name if entries else ""
        if points:
            out.append(Series(name=name, points=points, color=hex_color(color)))
    return out or None


def spot_colors(scene: Scene) -> list[RGB]:
    """Colours of markers: those that make spots, of the colours that the plot has."""
    colors = line_colors(scene, least=0.0)
    if not colors:
        return []
    ink = ink_of(scene, colors)
    largest = LARGEST * min(scene.plot.width, scene.plot.height) + 4
    pairs = zip(colors, ink.coverage, strict=True)
    return [color for color, coverage in pairs if len(spots_of(coverage, largest)) >= 2]


def spots_of(coverage: Floats, largest: float) -> list[Spot]:
    """The markers that the coverage of one colour (height, width) shows, each not wider than ``largest`` pixels."""
    mask = (coverage > 0.3).astype(np.uint8)
    filled = _without_holes(_mended(mask, largest))
    count, names, boxes, _ = cv2.connectedComponentsWithStats(filled, connectivity=8)
    sizes = boxes[1:, cv2.CC_STAT_AREA].astype(float)
    wide = boxes[1:, cv2.CC_STAT_WIDTH].astype(float)
    high = boxes[1:, cv2.CC_STAT_HEIGHT].astype(float)
    proper = (np.maximum(wide, high) >= SMALLEST) & (np.minimum(wide, high) >= SMALLEST)
    if not proper.any():
        return []
    usual = _usual_size(sizes[proper], wide[proper], high[proper], largest)
    if usual is None:
        return []
    out: list[Spot] = []
    for index in range(1, count):
        if not proper[index - 1] or sizes[index - 1] < 0.35 * usual:
            continue
        left, top, w, h = (int(v) for v in boxes[index, :4])
        part = names[top : top + h, left : left + w] == index
        if max(w, h) > 2.2 * min(w, h) + 1 and max(w, h) <= largest:
            # A tick, a dash, or a stroke of a letter.
            continue
        if sizes[index - 1] <= ALIKE * usual and max(w, h) <= largest:
            weights = np.where(part, np.maximum(coverage[top : top + h, left : left + w], 0.3), 0.0)
            sure = SURE * min(1.0, 0.5 + usual / SMALL)
            out.append(_middle(weights, part, left, top)._replace(sure=sure))
        else:
            out += _parted(part, left, top, usual)
    return out


def _middle(weights: NDArray[np.floating], part: NDArray[np.bool_], left: int, top: int) -> Spot:
    """The middle by coverage; a hollow marker is filled, so that the thickness of its rim does not count."""
    inner = cv2.erode(part.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.bool_)
    solid = np.where(inner, 1.0, weights)
    ys, xs = np.mgrid[0 : part.shape[0], 0 : part.shape[1]] + 0.5
    total = float(solid.sum())
    return Spot(left + float((solid * xs).sum()) / total, top + float((solid * ys).sum()) / total, SURE)


def _mended(mask: NDArray[np.uint8], largest: float) -> NDArray[np.uint8]:
    """The mask with the markers that lines of the grid cut apart in one piece again."""
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((GAP, GAP), np.uint8))
    count, names, boxes, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    whole = np.zeros(count, np.uint8)
    for index in range(1, count):
        w, h = int(boxes[index, cv2.CC_STAT_WIDTH]), int(boxes[index, cv2.CC_STAT_HEIGHT])
        whole[index] = max(w, h) <= min(largest, SQUARE * min(w, h) + 1)
    mended: NDArray[np.uint8] = mask | whole[names]
    return mended


def _without_holes(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The mask with what it encloses: rings become discs."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = mask.copy()
    cv2.drawContours(filled, contours, -1, 1, thickness=cv2.FILLED)
    return filled


def _usual_size(sizes: Floats, wide: Floats, high: Floats, largest: float) -> float | None:
    """The usual area of one marker; None where the spots are no markers: strokes, areas, or letters of all sizes."""
    square = (np.maximum(wide, high) <= 1.6 * np.minimum(wide, high) + 1) & (np.maximum(wide, high) <= largest)
    if square.sum() < 0.4 * len(sizes):
        return None
    chosen = sizes[square]
    # Specks are many where a picture is noisy; markers have most of the ink.
    order = np.sort(chosen)
    weight = np.cumsum(order) / order.sum()
    return float(order[int(np.searchsorted(weight, 0.5))])


def _parted(part: NDArray[np.bool_], left: int, top: int, usual: float) -> list[Spot]:
    """The markers in one spot of several: the deepest places, each as far from the others as markers can be."""
    depth = cv2.distanceTransform(np.pad(part, 1).astype(np.uint8), cv2.DIST_L2, 5)[1:-1, 1:-1]
    radius = float(np.sqrt(usual / np.pi))
    most = max(1, round(float(part.sum()) / usual) + 1)
    left_over = depth.copy()
    out: list[Spot] = []
    ys, xs = np.mgrid[0 : part.shape[0], 0 : part.shape[1]]
    while len(out) < most:
        row, column = np.unravel_index(int(left_over.argmax()), left_over.shape)
        if left_over[row, column] < 0.6 * radius:
            break
        out.append(Spot(left + float(column) + 0.5, top + float(row) + 0.5, TOUCHING))
        left_over[(ys - row) ** 2 + (xs - column) ** 2 < (1.1 * radius) ** 2] = 0.0
    return out


class _Steps(NamedTuple):
    """Even places on an axis: the value of one, their distance in its units, and how far markers are off, pixels."""

    first: float
    step: float
    shift: float

    def value_near(self, axis: NumberAxis, pixel: float) -> float:
        """The value of the step that is nearest to a place."""
        count = round((axis.value_at(pixel - self.shift) - self.first) / self.step)
        return round(self.first + count * self.step, 9)


def _steps(axis: AnyAxis, pixels: Sequence[float]) -> _Steps | None:
    """The widest steps that all places along an axis are on, a tick's or an even part of one, if any.

    All may be off by the same little. What could as well be chance is none.
    """
    if not isinstance(axis, NumberAxis) or axis.log or len(axis.ticks) < 2 or not pixels:
        return None
    values = sorted({value for value, _ in axis.ticks})
    tick = float(np.median(np.diff(values)))
    for parts in PARTS:
        wide = tick / parts / axis.per_pixel
        chance = 2 * ON_STEP / wide
        if chance >= 1.0:
            return None
        at = (np.array(pixels) - axis.pixel_at(values[0])) / wide
        off = (at - np.round(at)) * wide
        shift = float(np.median(off))
        on = np.abs(off - shift) <= ON_STEP
        # A marker that an axis or another one hides in part is not quite at its place.
        if abs(shift) <= ON_STEP and on.mean() >= MOST and bool((np.abs(off - shift) <= 2 * ON_STEP).all()):
            places = len({round(pixel) for pixel in np.array(pixels)[on]})
            return _Steps(values[0], tick / parts, shift) if chance**places <= BY_CHANCE else None
    return None


def _point(spot: Spot, x: AnyAxis, y: AnyAxis, steps: _Steps | None) -> Point:
    px, py = spot.x, spot.y
    sure = min(x.confidence, y.confidence) * spot.sure
    if isinstance(y, NumberAxis):
        if isinstance(x, CategoryAxis):
            name = x.nearest(px)
        else:
            name = number_name(steps.value_near(x, px) if steps else x.value_at(px), x.per_pixel)
        return Point(x=name, y=rounded(y, py), confidence=round(sure, 3), place=(px, py))
    assert isinstance(x, NumberAxis)
    return Point(x=y.nearest(py), y=rounded(x, px), confidence=round(sure, 3), place=(px, py))
