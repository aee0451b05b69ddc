"""Lines that go in steps: level pieces, and jumps between them at the data's places or half-way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mineru_core.engines.embedded.charts.lines_points import Reading
from mineru_core.engines.embedded.charts.lines_trace import Array, Trace
from mineru_core.engines.embedded.intervals import spans_of

LEVEL = 0.9
"""Share of a step line's columns that are level with the next one."""


SHORT = 2.0
"""Pixels by which a short upright piece at an end of a line is higher than the line."""


@dataclass(frozen=True)
class Steps:
    """``jumps`` are the x of the upright pieces in pixels, those at the ends of the line among them.

    ``starts_upright`` and ``ends_upright`` say whether the line begins or ends with one: in the first case a value
    holds up to its place, in the second from its place on.
    """

    jumps: tuple[float, ...]
    starts_upright: bool = False
    ends_upright: bool = False

    def read(self, trace: Trace, pixel: float, half: float) -> Reading | None:
        """The value at a place. ``half`` is half the distance between places, in pixels."""
        at_jump = min(abs(jump - pixel) for jump in self.jumps) < 0.3 * half
        if not at_jump:
            return _level(trace, pixel - 0.3 * half, pixel + 0.3 * half)
        side = -1 if self.starts_upright and not self.ends_upright else 1
        reading = _level(trace, *sorted((pixel + side * 0.4 * half, pixel + side * 1.2 * half)))
        if reading is not None:
            return reading
        return self._at_end(trace, pixel, side, half)

    def _at_end(self, trace: Trace, pixel: float, side: int, half: float) -> Reading | None:
        """The far end of the upright piece a line ends with."""
        near = np.flatnonzero(np.isfinite(trace.y) & (np.abs(trace.x - pixel) < max(3.0, 0.3 * half)))
        before = _level(trace, *sorted((pixel - side * 0.4 * half, pixel - side * 1.2 * half)))
        if not len(near) or before is None:
            return before
        half_line = trace.thickness / 2
        top, bottom = float(trace.top[near].min()) + half_line, float(trace.bottom[near].max()) - half_line
        far = top if abs(top - before.y) > abs(bottom - before.y) else bottom
        return Reading(far, 0.8)


def steps_of(trace: Trace) -> Steps | None:
    """The steps of a line, None for a line that is not made of steps."""
    inked = trace.columns
    if len(inked) < 20:
        return None
    heights = (trace.bottom - trace.top)[inked]
    tall = heights > 2.2 * trace.thickness + 3
    y = trace.y[inked]
    flat = ~tall[:-1] & ~tall[1:] & (np.abs(np.diff(y)) < 0.25)
    spans = spans_of(tall)
    # An upright piece is as wide as the line; what is wider is a steep one.
    narrow = all(b - a <= 2.2 * trace.thickness + 3 for a, b in spans)
    beside = sum(min(len(tall), b + 2) - max(0, a - 2) for a, b in spans)
    if len(spans) < 2 or not narrow or flat.sum() < LEVEL * (len(inked) - beside - 1):
        return None
    # Markers are tall as well; the line goes on at their height.
    inner = [(a, b) for a, b in spans if a > 1 and b < len(y) - 2]
    jumping = [abs(y[a - 2] - y[b + 1]) > trace.thickness + 1.5 for a, b in inner]
    if sum(jumping) < 0.6 * len(inner):
        return None
    jumps = [float(trace.x[inked[a:b]].mean()) for a, b in spans]
    edge = 2 * trace.thickness + 2
    starts, ends = spans[0][0] <= edge, spans[-1][1] >= len(inked) - edge
    wide = round(trace.thickness)
    if not starts and _is_upright(heights[:wide], heights[2 * wide : 4 * wide]):
        starts, jumps = True, [float(trace.x[inked[0]]) + trace.thickness / 2, *jumps]
    if not ends and _is_upright(heights[-wide:], heights[-4 * wide : -2 * wide]):
        ends, jumps = True, [*jumps, float(trace.x[inked[-1]]) - trace.thickness / 2]
    return Steps(tuple(jumps), bool(starts), bool(ends))


def _is_upright(end: Array, beside: Array) -> bool:
    """Whether the ink at an end of a line is a short upright piece, higher than that beside it."""
    return len(beside) > 0 and float(np.median(end)) >= float(np.max(beside)) + SHORT


def alike(steps: Sequence[Steps | None]) -> list[Steps | None]:
    """Lines of one chart are in steps of one kind: where some begin upright and none ends so, or the other way round,
    that is known of all."""
    known = [one for one in steps if one is not None]
    starts, ends = any(one.starts_upright for one in known), any(one.ends_upright for one in known)
    if starts == ends:
        return list(steps)
    return [None if one is None else replace(one, starts_upright=starts, ends_upright=ends) for one in steps]


def _level(trace: Trace, start: float, end: float) -> Reading | None:
    """The usual height between two x, None where the line has no ink there."""
    inside = np.isfinite(trace.y) & (trace.x >= start) & (trace.x <= end)
    inside &= (trace.bottom - trace.top) <= 2.2 * trace.thickness + 3
    if not inside.any():
        return None
    ys = trace.y[inside]
    return Reading(float(np.median(ys)), 0.3 + float(np.std(ys)))
