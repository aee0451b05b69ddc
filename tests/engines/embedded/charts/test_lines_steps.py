"""Lines in steps: where a value is told by a short upright piece at an end of the line alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mineru_core.engines.embedded.charts.lines_ink import Floats
from mineru_core.engines.embedded.charts.lines_steps import Steps, alike, steps_of
from mineru_core.engines.embedded.charts.lines_trace import Trace, trace_of

PLACES = (20, 60, 100, 140, 180)


def _trace(heights: Sequence[int], before: bool, thick: int = 4) -> Trace:
    """A line that jumps at its places: a value holds up to its place (``before``), or from it on."""
    ink: Floats = np.zeros((200, 220), np.float32)
    half = thick // 2
    for i in range(len(PLACES) - 1):
        level = heights[i + 1] if before else heights[i]
        ink[level - half : level + half, PLACES[i] - half : PLACES[i + 1] + half] = 1
        jump = PLACES[i] if before else PLACES[i + 1]
        low, high = sorted((heights[i], heights[i + 1]))
        ink[low - half : high + half, jump - half : jump + half] = 1
    trace = trace_of(ink, 0, 0)
    assert trace is not None
    return trace


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("first", [-3, 4, 30])
def test_a_short_upright_piece_at_an_end_says_which_way_values_hold(before: bool, first: int) -> None:
    heights = [100 + first, 100, 150, 60, 120]
    heights = heights if before else [*heights[:0:-1], heights[0]]
    trace = _trace(heights, before)
    steps = steps_of(trace)
    assert steps is not None
    assert (steps.starts_upright, steps.ends_upright) == (before, not before)
    found = [steps.read(trace, place, 20) for place in PLACES]
    assert [one.y if one else None for one in found] == pytest.approx(heights, abs=2.1)


def test_lines_of_one_chart_are_in_steps_of_one_kind() -> None:
    told, untold = Steps((20.0, 60.0), starts_upright=True), Steps((20.0, 60.0))
    assert alike([told, None, untold]) == [told, None, told]
    other = Steps((20.0, 60.0), ends_upright=True)
    assert alike([told, other, untold]) == [told, other, untold]
    assert alike([untold, untold]) == [untold, untold]
