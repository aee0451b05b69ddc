"""Values printed at the points of lines: they win over what is measured, and give a scale where no axis is printed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from mineru_core.document.chart import Point, PointSource, Series
from mineru_core.engines.embedded.charts.lines_trace import Trace
from mineru_core.engines.embedded.charts.numbers import printed
from mineru_core.engines.embedded.charts.scene import Label, NumberAxis, Scene

NEAR = 2.2
"""Heights of a text from a point within which its value is printed."""

AGREES = 0.05
"""Share of the axis by which a printed value may differ from where its point is."""

FITS = 0.025
"""The same for values that a scale is made of."""

MIN_VALUES = 4
"""Printed values that a scale is made of at least."""

MAX_PAIRS = 600
"""Pairs of values that are tried as a scale at most."""


def with_printed(series: Sequence[Series], scene: Scene, axis: NumberAxis) -> list[Series]:
    """The series with printed values in place of measured ones where both are and agree."""
    numbers = _numbers(scene)
    if not numbers:
        return list(series)
    length = _length(axis, scene)
    offers: list[tuple[float, int, int, int]] = []
    for s, one in enumerate(series):
        for p, point in enumerate(one.points):
            for n, (label, value) in enumerate(numbers):
                cost = _cost(point, label, value, axis, length)
                if cost is not None:
                    offers.append((cost, s, p, n))
    taken: dict[tuple[int, int], int] = {}
    used: set[int] = set()
    for _, s, p, n in sorted(offers):
        if (s, p) not in taken and n not in used:
            taken[s, p] = n
            used.add(n)
    out = []
    for s, one in enumerate(series):
        points = [
            _printed(point, numbers[taken[s, p]][1]) if (s, p) in taken else point for p, point in enumerate(one.points)
        ]
        out.append(one.model_copy(update={"points": tuple(points)}))
    return out


def _printed(point: Point, value: float) -> Point:
    sure = max(0.97, point.confidence)
    return point.model_copy(update={"y": value, "confidence": sure, "source": PointSource.PRINTED})


def axis_from_printed(scene: Scene, traces: Sequence[Trace]) -> NumberAxis | None:
    """The scale that values printed at lines tell, None where there are too few or they agree on none.

    Each number is joined with the nearest line above or below it; the scale is the one that most of them fit.
    """
    pairs = []
    for label, value in _numbers(scene):
        height = max(6.0, label.height)
        x, y = label.box.center
        ys = [float(trace.y[i]) for trace in traces for i in [int(np.argmin(np.abs(trace.x - x)))]]
        near = min((v for v in ys if np.isfinite(v)), key=lambda v: abs(v - y), default=None)
        if near is not None and abs(near - y) <= NEAR * height:
            pairs.append((near, value))
    best: tuple[int, float, float] = (0, 0.0, 0.0)
    if len(pairs) < MIN_VALUES:
        return None
    at, values = np.array([p for p, _ in pairs]), np.array([v for _, v in pairs])
    reach = float(np.ptp(values))
    for i, j in list(combinations(range(len(pairs)), 2))[:MAX_PAIRS]:
        if abs(at[i] - at[j]) < 8 or values[i] == values[j]:
            continue
        slope = float((values[i] - values[j]) / (at[i] - at[j]))
        if slope >= 0:
            continue
        start = float(values[i] - slope * at[i])
        fits = int((np.abs(slope * at + start - values) <= FITS * reach).sum())
        best = max(best, (fits, slope, start))
    if best[0] < max(MIN_VALUES, 0.6 * len(pairs)):
        return None
    fitting = np.abs(best[1] * at + best[2] - values) <= FITS * reach
    slope, start = (float(v) for v in np.polyfit(at[fitting], values[fitting], 1))
    if slope >= 0:
        return None
    ticks = tuple(sorted((float(v), float(p)) for p, v in zip(at[fitting], values[fitting], strict=True)))
    return NumberAxis(True, slope, start, ticks=ticks, confidence=0.7)


def _numbers(scene: Scene) -> list[tuple[Label, float]]:
    found = [(label, printed(label.text)) for label in scene.free if not label.turned]
    return [(label, number.value) for label, number in found if number is not None]


def _cost(point: Point, label: Label, value: float, axis: NumberAxis, length: float) -> float | None:
    """How little a number looks like that of a point; None where it cannot be."""
    if point.place is None:
        return None
    height = max(6.0, label.height)
    px, py = point.place
    aside = max(0.0, abs(label.box.center[0] - px) - 0.25 * label.box.width) / height
    above = max(0.0, label.box.y0 - py, py - label.box.y1) / height
    off = abs(axis.pixel_at(value) - py) / length
    if aside > NEAR or above > NEAR or not off <= AGREES:
        return None
    return aside + above + off / (AGREES / 2)


def _length(axis: NumberAxis, scene: Scene) -> float:
    places = [pixel for _, pixel in axis.ticks]
    return max(40.0, max(places) - min(places)) if len(places) > 1 else max(40.0, scene.plot.height)
