"""Years at which lines of straight pieces have their points, whether the axis has labels there or not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mineru_core.engines.embedded.charts.lines_points import read_at
from mineru_core.engines.embedded.charts.lines_trace import Array, Trace
from mineru_core.engines.embedded.charts.scene import NumberAxis

MIN_YEAR = 4.5
"""Pixels of a year below which points of neighbouring years are not told apart."""

STRAIGHT = 0.25
"""Pixels that a line may be off the straight piece between two points, or so many times as much as it is uneven:"""
UNEVEN = 3.5

SPARED = 1.6
"""How much farther a line may be off where that spares a point: bends are blunt."""

OFF = 1.5
"""Pixels that nine tenths of a line's columns may be off the pieces: else it has points between the years."""

ON_STEP = 0.9
"""Share of the points that are on even steps where the data is given at these."""

SEEN = 0.5
"""Share of the even steps that have a bend at least; the others may happen to lie straight between their neighbours."""

STEPS = (10, 5, 4, 3, 2, 1)

BLUNT, REACH = 6.0, 14.0
"""Pixels about a point that a marker may hide, and up to which the line is looked at on both sides."""

MAX_OFF_END = 3.5
"""Pixels by which a line's end may miss its year."""

FITTED = 10.0
"""Pixels of a year from which straight pieces on both sides of a point are fitted."""


class _Track(NamedTuple):
    """A line by year: its first and last year, and its heights in the years from the first of all lines on.

    Heights are in units of what the line may be off; nan where it is not drawn.
    """

    first: int
    last: int
    heights: Array


def years_of(axis: NumberAxis, traces: Sequence[Trace]) -> list[int] | None:
    """The years at which the lines have points; None where that can not be told, as of smooth curves.

    The lines must be made of straight pieces from year to year. Where most of the bends are on even steps of years, and
    most of these have one, the points are at all of these steps; else at the ends and the bends.
    """
    wide = 1 / axis.per_pixel if axis.dates and not axis.log else 0.0
    ends = [_ends(axis, trace, wide) for trace in traces] if wide >= MIN_YEAR else []
    if not ends or any(end is None for end in ends):
        return None
    known = [end for end in ends if end is not None]
    years = range(min(first for first, _ in known), max(last for _, last in known) + 1)
    tracks = [_track(axis, trace, years, end, wide) for trace, end in zip(traces, known, strict=True)]
    chosen = sorted({year - years[0] for end in known for year in end})
    chosen = sorted({*chosen, *(i for a, b in pairwise(chosen) for i in _split(tracks, a, b))})
    chosen = _pruned(tracks, chosen, {year - years[0] for end in known for year in end})
    found = [years[i] for i in chosen]
    if len(found) < 3 or not all(_is_straight(axis, trace, found, wide) for trace in traces):
        return None
    return _on_steps(found)


def _on_steps(years: Sequence[int]) -> list[int]:
    """All steps from the first to the last of the years where these are even ones, else the years themselves."""
    first, last = years[0], years[-1]
    for step in STEPS:
        for start in range(first, first + step):
            on = [year for year in years if (year - start) % step == 0]
            every = list(range(start, last + 1, step))
            if len(on) >= max(3, ON_STEP * len(years), SEEN * len(every)):
                return sorted({*every, *years})
    return list(years)


def _ends(axis: NumberAxis, trace: Trace, wide: float) -> tuple[int, int] | None:
    """The first and the last year of a line, None where it ends between years."""
    inked = trace.columns
    if len(inked) < 2 * wide:
        return None
    at = [axis.value_at(float(trace.x[i])) for i in (inked[0], inked[-1])]
    first, last = (round(value) for value in at)
    # A marker, or the thickness of the line, goes on beyond the point; a frame may hide a little of it.
    off = max(abs(value - year) * wide for value, year in zip(at, (first, last), strict=True))
    return (first, last) if off <= max(MAX_OFF_END, 0.25 * wide) and last > first else None


def _track(axis: NumberAxis, trace: Trace, years: range, ends: tuple[int, int], wide: float) -> _Track:
    heights = np.full(len(years), np.nan)
    for year in range(ends[0], ends[1] + 1):
        height = _height(trace, axis.pixel_at(year), wide)
        if height is not None:
            heights[year - years[0]] = height
    return _Track(ends[0], ends[1], heights / max(STRAIGHT, UNEVEN * _unevenness(trace)))


def _height(trace: Trace, pixel: float, wide: float) -> float | None:
    """How high a line is at a place, pixels; without a marker that may be there where years are ``wide`` enough."""
    if wide >= FITTED:
        reach = min(REACH, wide - 1.0)
        reading = read_at(trace, pixel, reach=reach, blunt=min(BLUNT, 0.43 * reach), slack=MAX_OFF_END + 1)
        return None if reading is None else reading.y
    near = np.isfinite(trace.y) & (np.abs(trace.x - pixel) <= 1.5)
    if near.any():
        return float(trace.y[near].mean())
    inked = trace.columns
    end = inked[0] if pixel < trace.x[inked[0]] else inked[-1]
    return float(trace.y[end]) if abs(float(trace.x[end]) - pixel) <= MAX_OFF_END + 1 else None


def _unevenness(trace: Trace) -> float:
    """By how many pixels the line is off itself, the usual amount."""
    y = trace.y[trace.columns[0] : trace.columns[-1] + 1]
    off = np.abs(y[4:-4] - (y[:-8] + y[8:]) / 2)
    known = off[np.isfinite(off)]
    return float(np.median(known)) if len(known) else 0.0


def _split(tracks: Sequence[_Track], first: int, last: int) -> set[int]:
    """The years (counted from the first of all) between two of them at which the lines bend."""
    off = _off(tracks, first, last)
    if not off.size or not off.max(initial=0.0) > 1.0:
        return set()
    middle = first + 1 + int(np.argmax((off**2).sum(axis=0)))
    return {middle} | _split(tracks, first, middle) | _split(tracks, middle, last)


def _off(tracks: Sequence[_Track], first: int, last: int) -> Array:
    """(lines, years between) how far each line is off the straight piece between two years; 0 where it has none."""
    at = np.arange(first + 1, last)
    out = np.zeros((len(tracks), len(at)))
    for i, track in enumerate(tracks):
        heights = track.heights
        if not np.isfinite(heights[[first, last]]).all():
            continue
        rise = abs(heights[last] - heights[first]) / (last - first)
        off = np.abs(heights[at] - np.interp(at, [first, last], heights[[first, last]]))
        # The steeper the piece, the more a fraction of a pixel to the side is worth.
        out[i] = np.nan_to_num(np.maximum(0.0, off - 0.02 * rise))
    return out


def _pruned(tracks: Sequence[_Track], chosen: list[int], kept: set[int]) -> list[int]:
    """The years without those that the lines are as well described without."""
    left = list(chosen)
    while True:
        costs = [
            (float(_off(tracks, left[i - 1], left[i + 1]).max(initial=0.0)), left[i])
            for i in range(1, len(left) - 1)
            if left[i] not in kept
        ]
        if not costs or min(costs)[0] > SPARED:
            return left
        left.remove(min(costs)[1])


def _is_straight(axis: NumberAxis, trace: Trace, years: Sequence[int], wide: float) -> bool:
    """Whether a line is straight between the years, all but what markers and bends hide."""
    inked = trace.columns
    values = np.array([axis.value_at(float(x)) for x in trace.x[inked]])
    at = np.array([year for year in years if values[0] - 1 < year < values[-1] + 1], float)
    heights = np.array([_height(trace, axis.pixel_at(year), wide) for year in at], float)
    known = np.isfinite(heights)
    if known.sum() < 2:
        return False
    off = np.abs(trace.y[inked] - np.interp(values, at[known], heights[known]))
    away = np.abs(values[:, None] - at[None, :]).min(axis=1) * wide
    clear = off[away > min(BLUNT, 0.3 * wide)]
    return not len(clear) or float(np.quantile(clear, 0.9)) <= OFF
