"""Lines and areas without the points that their axis has ticks for and their data has not.

An axis may have a tick at every half or fifth while the data has whole numbers: then the points between lie straight
between their neighbours, and the others do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mineru_core.document.chart import PointSource, Series

STRAIGHT = 1.3
"""Pixels up to which a point lies straight between two others."""

SHARPER = 8.0
"""A line bends at its data by so many times as much as it is off between; any smooth curve by 4 times."""

CLEAN, CROSSED = 0.85, 3.0
"""Share of the points that are as straight as that; where lines cross they may be off by so many times as much."""

UNEVEN = 0.1
"""Share of their distance by which places may stand uneven."""

LEAST = 5
"""Places below which nothing can be told: three of the data and two between them."""

MOST = 0.6
"""Share of the steps of a line that are at another height than the one before."""

FEW = 4
"""Places between those of the data that are too many to lie straight by chance; fewer have to be surer."""


def thinned(series: Sequence[Series]) -> list[Series]:
    """The series with the points of their data alone, where that stands at every second tick, or a wider step.

    They are as they were where any of them has values that are printed, or gaps.
    """
    at = _even_places(series)
    if at is None:
        return list(series)
    heights = _heights(series, at)
    for step in range((len(at) - 1) // 2, 1, -1):
        if (len(at) - 1) % step == 0 and _is_all(heights, step):
            return _kept(series, set(at[::step].tolist()))
    return list(series)


def thinned_steps(series: Sequence[Series]) -> list[Series]:
    """Lines in steps without the points between jumps, where all lines are level from every second place, or wider."""
    at = _even_places(series)
    if at is None:
        return list(series)
    heights = _heights(series, at)
    for step in range((len(at) - 1) // 2, 1, -1):
        blocks = [heights[:, start : start + step] for start in range(0, len(at), step)]
        level = all(float(np.ptp(block, axis=1).max()) <= STRAIGHT for block in blocks)
        if level and np.isfinite(heights).all() and (len(at) - 1) % step == 0 and _jump(blocks):
            return _kept(series, set(at[::step].tolist()))
    return list(series)


def _jump(blocks: Sequence[NDArray[np.float64]]) -> bool:
    """Whether most blocks are at another height than the one before; the last one is where the line ends."""
    jumps = [float(np.abs(b[:, 0] - a[:, 0]).max()) > 2 * STRAIGHT for a, b in pairwise(blocks[:-1])]
    return len(jumps) >= 1 and sum(jumps) >= MOST * len(jumps)


def _even_places(series: Sequence[Series]) -> NDArray[np.float64] | None:
    """The places of all points along the axis, if these are measured, enough, and even."""
    points = [point for one in series for point in one.points]
    if any(point.place is None or point.source is PointSource.PRINTED for point in points):
        return None
    at = np.array(sorted({point.place[0] for point in points if point.place is not None}))
    gaps = np.diff(at)
    return at if len(at) >= LEAST and float(np.ptp(gaps)) <= UNEVEN * float(np.median(gaps)) else None


def _kept(series: Sequence[Series], places: set[float]) -> list[Series]:
    return [
        one.model_copy(update={"points": tuple(p for p in one.points if p.place and p.place[0] in places)})
        for one in series
    ]


def _heights(series: Sequence[Series], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """(series, places) the y of each point in pixels, nan where there is none."""
    heights = np.full((len(series), len(at)), np.nan)
    for row, one in enumerate(series):
        for point in one.points:
            if point.place is not None:
                heights[row, int(np.searchsorted(at, point.place[0]))] = point.place[1]
    return heights


def _is_all(heights: NDArray[np.float64], step: int) -> bool:
    """Whether every ``step``-th place has all that the lines tell: they are straight between, and bend there."""
    if not np.isfinite(heights).all():
        return False
    kept = heights[:, ::step]
    every = np.arange(heights.shape[1])
    between = np.array([np.interp(every, every[::step], row) for row in kept])
    left_out = np.arange(heights.shape[1]) % step != 0
    away = np.abs(heights - between)[:, left_out]
    off = float(np.quantile(away, CLEAN))
    bends = np.abs(kept[:, 1:-1] - (kept[:, :-2] + kept[:, 2:]) / 2).max(axis=0)
    surer = 1.0 if heights.shape[1] - kept.shape[1] >= FEW else 2.0
    return (
        off <= STRAIGHT
        and float(away.max()) <= CROSSED * STRAIGHT
        and float(np.median(bends)) >= max(SHARPER * surer * off, 2 * STRAIGHT * surer)
    )
