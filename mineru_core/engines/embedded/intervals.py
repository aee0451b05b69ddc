"""Intervals on a line: what two share, what none of them covers, and the unbroken runs of a mask."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]


def overlap(a: Interval, b: Interval) -> float:
    """Length of the common part; negative where there is a gap between them, by its length."""
    return min(a[1], b[1]) - max(a[0], b[0])


def complement(intervals: Sequence[Interval], low: float, high: float) -> list[Interval]:
    """What of [low, high] no interval covers."""
    free: list[Interval] = []
    at = low
    for start, end in sorted(intervals):
        if start > at:
            free.append((at, start))
        at = max(at, end)
    if at < high:
        free.append((at, high))
    return free


def intersect(a: Sequence[Interval], b: Sequence[Interval]) -> list[Interval]:
    """Common parts of two lists of intervals."""
    return [(max(x[0], y[0]), min(x[1], y[1])) for x in a for y in b if overlap(x, y) > 0]


def apart(a: Sequence[Interval], b: Sequence[Interval]) -> list[Interval]:
    """Those of a that share nothing with b, whose intervals lie one behind the other."""
    starts = [start for start, _ in b]
    before = (bisect_left(starts, interval[1]) for interval in a)  # the last that begins before its end ends last, too
    return [x for x, count in zip(a, before, strict=True) if not count or overlap(x, b[count - 1]) <= 0]


def spans_of(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(start, end) of each run of True in a mask of one dimension, in order; end exclusive."""
    edges = np.diff(np.concatenate([[0], mask.astype(np.int8), [0]]))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))
