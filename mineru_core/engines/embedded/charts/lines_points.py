"""The height of a line at a place, to a fraction of a pixel, and the places where it bends or bears markers.

At a data point a line usually bends, and the pixels of the bend itself are blunt. So the straight pieces to the left
and to the right are fitted, and where they meet is the point.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.engines.embedded.charts.lines_ink import Floats
from mineru_core.engines.embedded.charts.lines_trace import Array, Trace
from mineru_core.engines.embedded.intervals import spans_of

REACH = 14.0
"""Pixels to each side of a point that are fitted at most."""

STRAIGHT = 0.45
"""Mean distance in pixels of a piece from its fit up to which it is straight."""

STEEP = 4.0
"""Rows by which a line rises from one column to the next, from which it is steep."""

AT_END = 4.0
"""Columns from its ink's end up to which a place is the end of a steep line: letters of names are that far off."""

MEETS = 2.5
"""Two fitted pieces meet in a point where they cross within this many pixels of it."""

APART = 5
"""Columns within which a line bends but once."""

DOUBLE = 1.45
"""Ink so many times as thick as the line is a marker."""


class Reading(NamedTuple):
    """A place ``y`` on a line in pixels, and how far it may be off (pixels, about one standard deviation)."""

    y: float
    spread: float


class _Piece(NamedTuple):
    """A straight piece y = slope × x + start (x from the point on), its mean distance from the ink, its length."""

    slope: float
    start: float
    off: float
    length: float


def read_at(trace: Trace, x: float, *, reach: float = REACH, blunt: float = 0.0, slack: float = 2.5) -> Reading | None:
    """Where the line is at ``x``; None where it is not drawn there.

    ``reach`` bounds what is looked at on each side: half-way to the next point. Pixels nearer than ``blunt`` are left
    out, such as those of a marker. At its ends the line goes on by ``slack`` pixels at most.
    """
    inked = trace.columns
    if not len(inked) or not trace.x[inked[0]] - slack - blunt <= x <= trace.x[inked[-1]] + slack + blunt:
        return None
    skip = max(0.6 * trace.thickness, blunt)
    before = _piece(trace, x, -1, skip, max(reach, skip + 3.0))
    after = _piece(trace, x, 1, skip, max(reach, skip + 3.0))
    there = _nearest(trace, x, max(2.5, blunt + 1.0))
    if before is None and after is None:
        return Reading(there, 1.0) if there is not None else _over_gap(trace, x)
    if before is None or after is None:
        piece = before or after
        assert piece is not None
        return _steep_end(trace, x, piece, 1 if before is None else -1) or _one_sided(trace, piece, there)
    return _two_sided(before, after, there)


def _two_sided(before: _Piece, after: _Piece, there: float | None) -> Reading:
    middle = (before.start + after.start) / 2
    apart = abs(before.start - after.start)
    slopes = before.slope - after.slope
    spread = 0.3 + (before.off + after.off) / 2
    if abs(slopes) > 0.08:
        # The data's place and the pixel's differ by a fraction: the bend itself is the point.
        meets = (after.start - before.start) / slopes
        if abs(meets) <= MEETS:
            return Reading(before.start + before.slope * meets, spread)
    if apart <= 2.0:
        return Reading(middle, spread + apart / 2)
    return Reading(there if there is not None else middle, 0.5 + apart / 3)


def _one_sided(trace: Trace, piece: _Piece, there: float | None) -> Reading:
    """At an end of the line: the piece goes on to it; where the ink stops short, to where that is."""
    far = there is not None and abs(there - piece.start) > 3.0 + trace.thickness + abs(piece.slope)
    # A straight piece that leads there is surer than the blunt end itself.
    if far and there is not None and (piece.off > STRAIGHT or piece.length < 4.0):
        return Reading(there, 1.0 + abs(there - piece.start) / 4)
    return Reading(piece.start, 0.4 + piece.off + 0.1 * abs(piece.slope))


def _steep_end(trace: Trace, x: float, piece: _Piece, side: int) -> Reading | None:
    """At an end of a steep line, the outermost row of its ink: a pixel to the side is many along it; None elsewhere.

    ``side`` is 1 where the line goes on to the right, else -1.
    """
    ends = trace.columns[:4] if side > 0 else trace.columns[-4:]
    outermost = trace.x[ends[0 if side > 0 else -1]]
    if abs(piece.slope) < STEEP or abs(outermost - x) > AT_END:
        return None
    y = float(trace.top[ends].min() if piece.slope * side > 0 else trace.bottom[ends].max())
    agrees = abs(y - piece.start) <= AT_END * abs(piece.slope) + trace.thickness
    return Reading(y, 1.0) if agrees else None


def _nearest(trace: Trace, x: float, within: float) -> float | None:
    """The line's middle in the column nearest to x."""
    off = np.where(np.isfinite(trace.y), np.abs(trace.x - x), np.inf)
    best = int(np.argmin(off))
    return float(trace.y[best]) if off[best] <= within else None


def _over_gap(trace: Trace, x: float) -> Reading | None:
    """Between the ends of the ink on both sides of a gap, where another mark may hide the line."""
    inked = trace.columns
    xs = trace.x[inked]
    at = int(np.searchsorted(xs, x))
    if not 0 < at < len(xs) or xs[at] - xs[at - 1] > 0.06 * len(trace.x):
        return None
    y = float(np.interp(x, xs[at - 1 : at + 1], trace.y[inked[at - 1 : at + 1]]))
    return Reading(y, 0.5 + 0.2 * float(xs[at] - xs[at - 1]))


def _piece(trace: Trace, x: float, side: int, skip: float, reach: float) -> _Piece | None:
    """The longest straight piece that begins at a point and goes to one side of it."""
    away = (trace.x - x) * side
    usable = np.flatnonzero(np.isfinite(trace.y) & (away >= skip) & (away <= reach))
    if len(usable) < 2:
        return None
    order = usable[np.argsort(away[usable])]
    # What begins far from the point says little about it.
    if away[order[0]] > skip + 5.0:
        return None
    best: _Piece | None = None
    for length in _lengths(reach - skip):
        chosen = order[away[order] <= away[order[0]] + length]
        if len(chosen) < 2:
            continue
        piece = _fit(trace, chosen, x, length)
        if best is None or piece.off <= max(STRAIGHT, 0.08 * abs(piece.slope)):
            best = piece
        if piece.off <= max(STRAIGHT, 0.08 * abs(piece.slope)):
            break
    return best


def _lengths(most: float) -> list[float]:
    """Lengths to try, the longest first."""
    return [length for length in (most, 0.7 * most, 0.5 * most, 0.35 * most, 3.0, 2.0) if 1.0 <= length <= most]


def _fit(trace: Trace, chosen: NDArray[np.intp], x: float, length: float) -> _Piece:
    dx, y = trace.x[chosen] - x, trace.y[chosen]
    weights = np.ones(len(dx))
    slope, start = 0.0, float(np.median(y))
    for _ in range(3):
        total = weights.sum()
        mx, my = (weights * dx).sum() / total, (weights * y).sum() / total
        square = (weights * (dx - mx) ** 2).sum()
        slope = float((weights * (dx - mx) * (y - my)).sum() / square) if square > 0 else 0.0
        start = float(my - slope * mx)
        off = np.abs(y - slope * dx - start)
        weights = 1.0 / (0.3 + off)
    return _Piece(slope, start, float(np.average(off, weights=weights)), length)


def marker_places(coverage: Floats, trace: Trace, top: int) -> tuple[list[float], float]:
    """The x of the markers on a line, in pixels of the picture, and their radius; none where the line has none.

    A marker is where the ink along the line is much thicker than the line itself.
    """
    size = 2
    upper = max(0, int(np.nanmin(trace.top)) - top - 8)
    lower = int(np.nanmax(trace.bottom)) - top + 8
    big = cv2.resize(coverage[upper:lower], None, fx=size, fy=size, interpolation=cv2.INTER_LINEAR)
    depth = cv2.distanceTransform((big > 0.5).astype(np.uint8), cv2.DIST_L2, 5) / size
    along = np.zeros(len(trace.x))
    for column in trace.columns:
        a = int((trace.top[column] - top - upper) * size)
        b = int(np.ceil((trace.bottom[column] - top - upper) * size))
        along[column] = depth[max(0, a) : b + 1, column * size : (column + 1) * size].max(initial=0.0)
    inked = along[trace.columns]
    if not len(inked):
        return [], 0.0
    usual = max(0.5, float(np.percentile(inked, 45)))
    # Dots and dashes are thick in their middles and thin at their ends.
    times = DOUBLE if trace.drawn > 0.85 else 2.4
    thick = along > max(times * usual, usual + 0.6)
    places, radii = [], []
    for a, b in spans_of(thick):
        deepest = float(along[a:b].max())
        core = np.flatnonzero(along[a:b] >= 0.85 * deepest)
        places.append(float(trace.x[a + core].mean()))
        radii.append(deepest)
    if len(places) < 2:
        return [], 0.0
    # Noise and sharp bends are thick as well, but less so.
    largest = float(np.percentile(radii, 85))
    kept = [(place, radius) for place, radius in zip(places, radii, strict=True) if radius > 0.65 * largest]
    places, radii = [place for place, _ in kept], [radius for _, radius in kept]
    if not _alike(places, radii):
        return [], 0.0
    radius = float(np.median(radii))
    ends = trace.x[trace.columns[[0, -1]]]
    # Where a line has markers, its ends do; what is thick elsewhere are sharp bends.
    if all(min(abs(place - end) for place in places) > 2 * radius + 3 for end in ends):
        return [], 0.0
    return places, radius


def _alike(places: list[float], radii: list[float]) -> bool:
    """Whether thick places are markers: at least two, about as big as each other."""
    if len(places) < 2:
        return False
    middle = float(np.median(radii))
    return sum(0.7 * middle <= radius <= 1.4 * middle for radius in radii) >= 0.6 * len(radii)


def bends(trace: Trace, least: float = 0.07) -> list[float]:
    """The x where the line bends, in pixels of the picture, by more than ``least`` radians."""
    xs, ys = trace.x[trace.columns], trace.y[trace.columns]
    half = 5
    if len(xs) < 2 * half + 3:
        return []
    angles = _angles(xs, ys, half + 1)
    # The piece that begins at a column, less that which ends there.
    turn = np.zeros(len(xs))
    turn[half:-half] = np.abs(angles[half:] - angles[:-half])
    out = []
    while (best := int(np.argmax(turn))) and turn[best] > least:
        about = slice(max(0, best - 3), best + 4)
        at = float(np.average(xs[about], weights=turn[about]))
        if _bends_at(trace, at, least):
            out.append(at)
        turn[max(0, best - APART) : best + APART + 1] = 0.0
    return sorted(out)


def _bends_at(trace: Trace, x: float, least: float) -> bool:
    """Whether straight pieces on both sides of a place meet there at an angle; noise and crossings are not straight."""
    before, after = (_piece(trace, x, side, 0.5 * trace.thickness + 1.0, 14.0) for side in (-1, 1))
    if before is None or after is None or min(before.length, after.length) < 5:
        return False
    straight = all(piece.off <= max(STRAIGHT, 0.08 * abs(piece.slope)) for piece in (before, after))
    turn = abs(np.arctan(after.slope) - np.arctan(before.slope))
    meets = (after.start - before.start) / (before.slope - after.slope) if before.slope != after.slope else 9.0
    noise = before.off + after.off
    return bool(straight and turn > max(least, 0.04 + 0.2 * noise) and abs(meets) <= 3.0)


def _angles(xs: Array, ys: Array, size: int) -> Array:
    """The angle of the line through each ``size`` neighbouring points, in radians."""
    wx = np.lib.stride_tricks.sliding_window_view(xs, size)
    wy = np.lib.stride_tricks.sliding_window_view(ys, size)
    dx = wx - wx.mean(axis=1, keepdims=True)
    slopes = (dx * (wy - wy.mean(axis=1, keepdims=True))).sum(axis=1) / np.maximum((dx**2).sum(axis=1), 1e-9)
    angles: Array = np.arctan(slopes)
    return angles
