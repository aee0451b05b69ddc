from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mineru_core.document.chart import Point, PointSource, Series
from mineru_core.engines.embedded.charts.lines_thinned import CROSSED, SHARPER, STRAIGHT, thinned, thinned_steps


def _series(heights: Sequence[float], source: PointSource = PointSource.MEASURED) -> Series:
    """A line with points at even places; their names are their numbers."""
    return Series(
        points=tuple(
            Point(x=str(i), y=400 - y, place=(50 + 20.0 * i, float(y)), source=source) for i, y in enumerate(heights)
        )
    )


def _names(series: Sequence[Series]) -> list[list[str]]:
    return [[point.x for point in one.points] for one in series]


def _between(corners: Sequence[float], step: int) -> list[float]:
    every = np.arange((len(corners) - 1) * step + 1)
    return [float(y) for y in np.interp(every, every[::step], corners)]


@given(st.lists(st.floats(0, 400), min_size=4, max_size=9), st.integers(2, 5))
def test_points_straight_between_those_of_the_data_go(corners: list[float], step: int) -> None:
    bends = [abs(b - (a + c) / 2) for a, b, c in zip(corners, corners[1:], corners[2:], strict=False)]
    assume(min(bends) > 4 * SHARPER * STRAIGHT)
    noise = np.random.default_rng(1).uniform(-0.3, 0.3, (len(corners) - 1) * step + 1)
    line = np.array(_between(corners, step)) + noise
    assert _names(thinned([_series(line.tolist())])) == [[str(i * step) for i in range(len(corners))]]


@given(st.lists(st.floats(0, 400), min_size=5, max_size=25))
def test_what_is_left_says_the_same(heights: list[float]) -> None:
    (left,) = thinned([_series(heights)])
    at = [point.place[0] for point in left.points if point.place]
    y = [point.place[1] for point in left.points if point.place]
    every = [50 + 20.0 * i for i in range(len(heights))]
    assert np.abs(np.interp(every, at, y) - heights).max() <= CROSSED * STRAIGHT + 1e-6


@pytest.mark.parametrize("scale", [0.5, 1.0, 4.0])
def test_a_smooth_curve_stays_whole(scale: float) -> None:
    heights = [200 + scale * (i - 6) ** 2 for i in range(13)]
    assert len(thinned([_series(heights)])[0].points) == 13


def test_a_straight_line_stays_whole() -> None:
    assert len(thinned([_series([10.0 * i for i in range(9)])])[0].points) == 9


def test_another_line_that_bends_between_keeps_all() -> None:
    corners = _between([0, 300, 100, 250], 2)
    other = [100.0, 180, 90, 200, 120, 60, 140]
    assert len(thinned([_series(corners), _series(other)])[0].points) == 7
    assert len(thinned([_series(corners), _series(corners[::-1])])[0].points) == 4


def test_printed_values_and_gaps_stay() -> None:
    corners = _between([0, 300, 100, 250], 2)
    assert len(thinned([_series(corners, PointSource.PRINTED)])[0].points) == 7
    holed = _series(corners)
    holed = holed.model_copy(update={"points": (*holed.points[:3], *holed.points[4:])})
    assert len(thinned([holed, _series(corners)])[1].points) == 7


def test_a_line_in_steps_has_a_point_at_each_jump() -> None:
    heights = [100.0, 100, 180, 180, 60, 60, 220, 220, 90]
    assert _names(thinned_steps([_series(heights)])) == [["0", "2", "4", "6", "8"]]
    assert len(thinned_steps([_series(heights), _series([float(20 * i) for i in range(9)])])[0].points) == 9
    assert len(thinned_steps([_series([50.0] * 9)])[0].points) == 9


def test_where_lines_cross_a_point_may_be_off_a_little() -> None:
    line, other = np.array(_between([0, 300, 100, 250, 50, 200], 2)), np.array(_between([300, 20, 200, 60, 280, 0], 2))
    line[3] += 3.0
    assert _names(thinned([_series(line.tolist()), _series(other.tolist())])) == [["0", "2", "4", "6", "8", "10"]] * 2
    line[3] += 3.0
    assert len(thinned([_series(line.tolist()), _series(other.tolist())])[0].points) == 11
