from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.engines.embedded.charts.lines_trace import Trace
from mineru_core.engines.embedded.charts.lines_vertices import years_of
from mineru_core.engines.embedded.charts.scene import NumberAxis

WIDE = 20.0
"""Pixels of a year."""
AXIS = NumberAxis(False, 1 / WIDE, 2000.0, ticks=tuple((2000.0 + 2 * i, 2 * WIDE * i) for i in range(10)), dates=True)


def _trace(years: Sequence[int], heights: Sequence[float], off: float = 0.02) -> Trace:
    """A line through points at years, ``off`` pixels uneven."""
    at = [WIDE * (year - 2000) for year in years]
    x = np.arange(-20, 420) + 0.5
    y = np.interp(x, at, heights) + off * np.sin(3.1 * x)
    y[(x < at[0]) | (x > at[-1])] = np.nan
    return Trace(x, y, y - 1, y + 1, 2.0)


def test_points_are_at_the_bends_where_these_are_few() -> None:
    years = [2000, 2010, 2015, 2017]
    assert years_of(AXIS, [_trace(years, [150, 90, 75, 55])]) == years
    assert years_of(AXIS, [_trace(years, [150, 90, 75, 55]), _trace(years, [180, 180, 170, 168])]) == years


def test_points_of_every_year_are_told_though_some_lie_straight() -> None:
    heights = [50, 60, 55, 55, 55, 70, 85, 80, 90, 60, 62, 64]
    assert years_of(AXIS, [_trace(range(2001, 2013), heights)]) == list(range(2001, 2013))


def test_points_of_every_other_year_are_told() -> None:
    odd = [2001, 2003, 2005, 2007, 2009, 2011]
    assert years_of(AXIS, [_trace(odd, [50, 80, 60, 90, 70, 75])]) == odd


def test_lines_may_begin_and_end_at_their_own_years() -> None:
    first, second = _trace([2000, 2003, 2004, 2009], [50, 80, 60, 90]), _trace([2003, 2009, 2012], [150, 90, 140])
    assert years_of(AXIS, [first, second]) == [2000, 2003, 2004, 2009, 2012]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 19), min_size=3, max_size=8, unique=True),
    st.lists(st.floats(6, 60), min_size=8, max_size=8),
    st.floats(0, 0.05),
)
def test_clear_bends_are_all_found(years: list[int], steps: list[float], off: float) -> None:
    years = [2000 + year for year in sorted(years)]
    heights = [100 + step * (-1) ** i for i, step in enumerate(steps[: len(years)])]
    found = years_of(AXIS, [_trace(years, heights, off)])
    assert found is not None
    assert set(years) <= set(found)


@pytest.mark.parametrize("amount", [40.0, 80.0])
def test_of_a_smooth_curve_nothing_is_told_or_every_year(amount: float) -> None:
    x = np.arange(0, 400) + 0.5
    y = 100 + amount * np.sin(x / 25)
    found = years_of(AXIS, [Trace(x, y, y - 1, y + 1, 2.0)])
    assert found is None or len(found) >= 18


def test_months_are_no_years() -> None:
    at = [0.0, 45.0, 105.0, 170.0, 250.0]
    x = np.arange(0, 250) + 0.5
    y = np.interp(x, at, [50, 120, 40, 130, 60])
    assert years_of(AXIS, [Trace(x, y, y - 1, y + 1, 2.0)]) is None
    assert years_of(NumberAxis(False, 0.05, 0.0), [_trace([2000, 2005, 2010], [1, 50, 2])]) is None
