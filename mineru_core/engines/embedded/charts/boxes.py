"""Box plots and error bars: what stands at each category, from the ends of its whiskers to its middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mineru_core.document.chart import Point, Series
from mineru_core.engines.embedded.charts.colors import channel_max
from mineru_core.engines.embedded.charts.lines import rounded
from mineru_core.engines.embedded.charts.lines_ink import MIN_CONTRAST, is_busy, legend_boxes, plot_part
from mineru_core.engines.embedded.charts.scene import CategoryAxis, NumberAxis, Scene
from mineru_core.engines.embedded.intervals import spans_of

BOX_NAMES = ("minimum", "lower quartile", "median", "upper quartile", "maximum")
ERROR_NAMES = ("value", "low", "high")

MIN_MEDIAN = 25.0
"""How much a median differs from the filling of its box, 0 to 255; bars have none."""

RIM = 5.0
"""Pixels that the rim of a marker is thick at most."""

EDGE = 3
MIN_EDGE = 0.8
"""Within so many rows of a box's end this share of its width is inked."""

AROUND = 0.46
"""Share of the distance between categories that is looked at to each side of one."""

MIN_BOX = 7
"""Pixels across from which a shape is a box, and not a marker with whiskers."""

FAINT = 70.0
"""Grid lines have less contrast, or go through from side to side without a gap."""

MAX_WHISKER = 5
"""Pixels across up to which a whisker is a line."""

MIN_WHISKER = 3
"""Pixels it reaches beyond the marker on both sides."""

Mask = NDArray[np.bool_]


class _Shape(NamedTuple):
    """What stands at a category: places along the value axis in pixels, from the low end to the high end, its width."""

    places: tuple[float, ...]
    names: tuple[str, ...]
    confidence: float
    wide: float = 0.0


@dataclass(frozen=True)
class _Band:
    """The pixels about one category, turned so that values run along the rows.

    ``ink`` (rows, columns) is what differs from the ground, ``contrast`` by how much; ``middle`` is the column of the
    category, ``first`` the picture's pixel of row 0.
    """

    ink: Mask
    contrast: NDArray[np.float32]
    picture: NDArray[np.float32]
    middle: int
    first: int


def read_boxes(scene: Scene) -> list[Series] | None:
    """Series minimum, lower quartile, median, upper quartile and maximum of box plots; None where there are none.

    Points with a range (error bars) give series value, low and high. ``place`` is in pixels of the scene's picture.
    Points beyond the whiskers of a box are left out.
    """
    lying = isinstance(scene.x, NumberAxis) and isinstance(scene.y, CategoryAxis)
    names, values = (scene.y, scene.x) if lying else (scene.x, scene.y)
    if not isinstance(names, CategoryAxis) or not isinstance(values, NumberAxis) or not names.categories:
        return None
    if is_busy(scene):
        return None
    shapes = [_shape(_band(scene, names, pixel, lying)) for _, pixel in names.categories]
    seen = [shape for shape in shapes if shape is not None]
    if not seen or len(seen) < 0.6 * len(shapes):
        return None
    kinds = [shape.names for shape in seen]
    kind = max(set(kinds), key=kinds.count)
    if kind == BOX_NAMES and all(_is_marker(shape) for shape in seen if shape.names == kind):
        return None
    if kinds.count(kind) < 0.8 * len(kinds):
        return None
    # Values grow against the rows on an upright axis, along them on a lying one.
    swapped = values.slope > 0
    out: dict[str, list[Point]] = {name: [] for name in kind}
    for (name, pixel), shape in zip(names.categories, shapes, strict=True):
        if shape is None or shape.names != kind:
            continue
        for what, place in zip(kind, _in_order(shape, swapped), strict=True):
            at = (place, pixel) if lying else (pixel, place)
            sure = round(shape.confidence * values.confidence, 3)
            out[what].append(Point(x=name, y=rounded(values, place), confidence=sure, place=at))
    return [Series(name=name, points=tuple(points)) for name, points in out.items()]


def _is_marker(shape: _Shape) -> bool:
    """Whether a box without whiskers is as high as wide: an open ring or square, and no box."""
    lowest, lower, _, upper, highest = shape.places
    height = abs(upper - lower)
    bare = abs(lowest - lower) <= RIM and abs(highest - upper) <= RIM
    return bare and 0.7 * shape.wide <= height + RIM <= 1.4 * shape.wide


def _in_order(shape: _Shape, swapped: bool) -> tuple[float, ...]:
    """The places in the order of the names; rows grow downwards, where the low values are on an upright axis."""
    if not swapped:
        return shape.places
    if shape.names == BOX_NAMES:
        return shape.places[::-1]
    value, low, high = shape.places
    return value, high, low


def _band(scene: Scene, names: CategoryAxis, pixel: float, lying: bool) -> _Band:
    part, left, top = plot_part(scene, margin=-1.5)
    picture = part.astype(np.float32)
    contrast = channel_max(np.abs(picture - np.array(scene.background, np.float32)))
    for box in legend_boxes(scene):
        inside = box.shifted(-left, -top).clipped(part.shape[1], part.shape[0])
        contrast[int(inside.y0) : int(np.ceil(inside.y1)), int(inside.x0) : int(np.ceil(inside.x1))] = 0
    first = left if lying else top
    if lying:
        contrast, picture = contrast.T, picture.transpose(1, 0, 2)
    contrast = _without_grid(contrast)
    across = pixel - (top if lying else left)
    half = AROUND * (names.step or contrast.shape[1])
    a, b = max(0, int(across - half)), min(contrast.shape[1], int(np.ceil(across + half)))
    inner = contrast[:, a:b]
    return _Band(inner > MIN_CONTRAST, inner, picture[:, a:b], int(across) - a, first)


def _without_grid(contrast: NDArray[np.float32]) -> NDArray[np.float32]:
    """The contrast without rules from side to side, which are grid lines; what is darker on them stays."""
    out = contrast.copy()
    through, half = np.percentile(contrast, 2, axis=1), np.median(contrast, axis=1)
    # Across the categories a faint rule may be dashed, or hidden by half of the boxes.
    usual = np.where(half < FAINT, half, through)
    out[(usual > 8)[:, None] & (np.abs(contrast - usual[:, None]) < 12)] = 0
    through = np.percentile(contrast, 2, axis=0)
    out[(through > 8)[None] & (np.abs(contrast - through[None]) < 12)] = 0
    return out


def _shape(band: _Band) -> _Shape | None:
    """The box or the point with whiskers at the middle of a band, None where there is neither."""
    rows = _main_stretch(band)
    if rows is None:
        return None
    top, bottom = rows
    widths = np.array([_extent(band.ink[row], band.middle) for row in range(top, bottom)])
    widest = int(np.percentile(widths, 95))
    if widest < MIN_BOX:
        return _point(band, top, bottom, widths)
    box = _widest_stretch(widths, widest)
    # Caps are as wide as markers, but only as high as a line.
    if box[1] - box[0] >= 3:
        whole = _box(band, top, bottom, top + box[0], top + box[1], widest)
        if whole is not None:
            return whole
    return _point(band, top, bottom, widths)


def _main_stretch(band: _Band) -> tuple[int, int] | None:
    """The rows (start, end) of the longest unbroken ink about the middle column."""
    middle = slice(max(0, band.middle - 1), band.middle + 2)
    sides = _sides(band.ink, band.middle)
    inked = band.ink[:, middle].any(axis=1) | sides
    best: tuple[int, int] | None = None
    for start, end in spans_of(inked):
        if best is None or end - start > best[1] - best[0]:
            best = (start, end)
    return best if best is not None and best[1] - best[0] >= 6 else None


def _sides(ink: Mask, middle: int) -> Mask:
    """Rows that have ink left and right of the middle, about as far: the sides of a box that is not filled."""
    reach = np.arange(ink.shape[1]) - middle
    left = np.where(ink & (reach < -1), -reach, 0).max(axis=1)
    right = np.where(ink & (reach > 1), reach, 0).max(axis=1)
    even: Mask = (left > 2) & (right > 2) & (np.abs(left - right) <= np.maximum(3, 0.2 * np.maximum(left, right)))
    return even


def _extent(row: Mask, middle: int) -> int:
    """How many pixels the ink about the middle of a row spans, evenly to both sides."""
    at = np.flatnonzero(row)
    if not len(at):
        return 0
    left, right = middle - at[0], at[-1] - middle
    return int(2 * min(left, right) + 1) if min(left, right) >= 0 else 1


def _widest_stretch(widths: NDArray[np.integer], widest: int) -> tuple[int, int]:
    """The rows (start, end) of the longest stretch as wide as a box."""
    wide = widths >= 0.85 * widest - 1
    return max(spans_of(wide), key=lambda span: span[1] - span[0])


def _box(band: _Band, top: int, bottom: int, first: int, last: int, wide: int) -> _Shape | None:
    """Whiskers, box and median; ``first`` and ``last`` are the rows of the box."""
    half = max(1, int(0.3 * wide))
    inner = slice(max(0, band.middle - half), band.middle + half + 1)
    line = _line_width(band, first, last)
    median, contrast = _median_row(band.picture[first:last, inner], line)
    if contrast < MIN_MEDIAN or not (_is_crossed(band, first, wide) and _is_crossed(band, last, wide)):
        return None
    upper = first if first - top < 3 else top
    lower = last if bottom - last < 3 else bottom
    ends = (lower - line / 2, last - line / 2, first + median, first + line / 2, upper + line / 2)
    places = tuple(float(end) + band.first for end in ends)
    return _Shape(places, BOX_NAMES, 0.9, float(wide))


def _is_crossed(band: _Band, row: int, wide: int) -> bool:
    """Whether an edge runs level across at about a row, as those of boxes do, and not the strokes of a steep line."""
    half = max(1, int(0.4 * wide))
    edge = band.ink[max(0, row - EDGE) : row + EDGE + 1, max(0, band.middle - half) : band.middle + half + 1]
    return bool(edge.size) and float(edge.mean(axis=1).max()) >= MIN_EDGE


def _line_width(band: _Band, first: int, last: int) -> float:
    """The thickness of the box's outline: how many of its rows from the top are as dark as the first."""
    column = band.contrast[first:last, max(0, band.middle - 2) : band.middle + 3].mean(axis=1)
    peak = float(column[: max(2, len(column) // 4)].max())
    rows = np.flatnonzero(column < 0.6 * peak)
    return float(min(rows[0] if len(rows) else 1, 4)) or 1.0


def _median_row(inside: NDArray[np.float32], line: float) -> tuple[float, float]:
    """The row of the line across a box that differs most from its filling, to a fraction of a pixel, and how much."""
    margin = int(np.ceil(line)) + 1
    usual = np.median(inside.reshape(-1, 3), axis=0)
    off = channel_max(np.abs(inside - usual))
    # All of a line across differs, whatever of a word or of the grid does.
    level = np.percentile(off, 20, axis=1)
    # The outline is at the ends, and may be thicker than it looks against the ground.
    above, below = (max(margin, _leading(rows) + 1) for rows in (level, level[::-1]))
    if len(level) > above + below + 1:
        level[:above] = 0
        level[-below:] = 0
    best = int(level.argmax())
    near = slice(max(0, best - 2), best + 3)
    weights = np.where(level[near] > 0.25 * level[best], level[near], 0.0)
    rows = np.arange(len(level))[near] + 0.5
    at = float((weights * rows).sum() / weights.sum()) if weights.sum() > 0 else len(level) / 2
    return at, float(level[best])


def _leading(level: NDArray[np.floating]) -> int:
    """How many rows from the first on are of a line, up to a third of all."""
    low = np.flatnonzero(level < 0.3 * float(level.max(initial=0.0)))
    return min(int(low[0]) if len(low) else 0, len(level) // 3)


def _point(band: _Band, top: int, bottom: int, widths: NDArray[np.integer]) -> _Shape | None:
    """A marker on an upright line: its middle, and the ends of the line, with caps or without."""
    line = max(1, int(np.percentile(widths, 25)))
    if line > MAX_WHISKER:
        return None
    thick = widths >= line + 3
    spans = spans_of(thick)
    # Caps are at the ends; the marker is the highest thick place between.
    caps = [span for span in spans if span[0] <= 1 or span[1] >= len(widths) - 1]
    inner = [span for span in spans if span not in caps and span[1] - span[0] >= 3]
    if not inner:
        return None
    a, b = max(inner, key=lambda span: span[1] - span[0])
    if a < MIN_WHISKER or len(widths) - b < MIN_WHISKER:
        return None
    thickness = float(np.median([end - start for start, end in caps])) if caps else 0.0
    weights = widths[a:b].astype(float)
    value = top + float((weights * (np.arange(a, b) + 0.5)).sum() / weights.sum())
    places = (value, bottom - thickness / 2, top + thickness / 2)
    return _Shape(tuple(place + band.first for place in places), ERROR_NAMES, 0.9)
