from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.engines.embedded.charts.lines_places import number_name, places_on
from mineru_core.engines.embedded.charts.lines_trace import Trace
from mineru_core.engines.embedded.charts.scene import CategoryAxis, NumberAxis

YEARS = NumberAxis(False, 0.1, 2000.0, ticks=tuple((2000.0 + 2 * i, 20.0 * i) for i in range(6)), dates=True)


def _names(axis: NumberAxis | CategoryAxis, markers: list[float], bends: list[float]) -> list[str]:
    return [place.name for place in places_on(axis, markers, bends)]


def test_points_are_at_the_ticks() -> None:
    assert _names(YEARS, [], []) == ["2000", "2002", "2004", "2006", "2008", "2010"]


def test_lines_that_bend_at_the_ticks_have_points_there_alone() -> None:
    assert len(_names(YEARS, [], [20.3, 40.1, 59.8, 80.0])) == 6


def test_lines_that_bend_between_the_ticks_have_points_there_too() -> None:
    names = _names(YEARS, [], [10.2, 20.0, 29.7, 50.3, 69.8])
    assert set(map(str, range(2000, 2011))) <= set(names)


def test_bends_anywhere_add_no_points() -> None:
    """A smooth curve bends all along."""
    assert len(_names(YEARS, [], [3.0, 14.3, 26.2, 36.9, 45.1, 57.2, 63.4])) == 6


def test_a_year_has_no_tenths() -> None:
    axis = NumberAxis(False, 0.01, 2000.0, ticks=tuple((2000.0 + i, 100.0 * i) for i in range(4)), dates=True)
    tenths = [10.0 * i for i in range(1, 30) if i % 10]
    assert _names(axis, [], tenths) == ["2000", "2001", "2002", "2003"]
    assert {"2000.25", "2001.5", "2002.75"} <= set(_names(axis, [], [25.0 * i for i in range(12)]))


def test_markers_say_where_the_points_are() -> None:
    assert _names(YEARS, [0.4, 19.6, 30.2, 90.3, 89.9], []) == ["2000", "2002", "2003", "2009"]


def test_markers_off_all_steps_keep_their_own_numbers() -> None:
    axis = NumberAxis(False, 0.1, 0.0, ticks=((0.0, 0.0), (10.0, 100.0)))
    names = _names(axis, [7.1, 33.7, 61.3, 88.9], [])
    assert [float(name) for name in names] == pytest.approx([0.71, 3.37, 6.13, 8.89], abs=0.01)


def test_categories_are_the_places_whatever_bends() -> None:
    axis = CategoryAxis(False, (("Jan", 10.0), ("Feb", 30.0), ("Mar", 50.0)))
    assert _names(axis, [10.0, 20.0, 30.0, 40.0], [15.0]) == ["Jan", "Feb", "Mar"]


def test_years_between_printed_ones_are_filled_in_where_markers_are() -> None:
    axis = CategoryAxis(False, (("2000", 10.0), ("2004", 50.0)), (2000.0, 2004.0))
    assert _names(axis, [10.0, 20.2, 30.0, 50.0], []) == ["2000", "2001", "2002", "2004"]


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e3))
def test_a_number_is_named_to_less_than_a_tenth_of_a_pixel(value: float, per_pixel: float) -> None:
    assert float(number_name(value, per_pixel)) == pytest.approx(value, abs=per_pixel / 10 + 1e-6 * abs(value) + 1e-6)


def test_bends_of_a_curve_that_are_as_close_as_they_can_be_told_make_no_grid() -> None:
    axis = NumberAxis(False, 1 / 60, 0.0, ticks=tuple((float(i), 60.0 * i) for i in range(8)))
    bends = [30.0 + 7.4 * i for i in range(50)]
    assert _names(axis, [], bends) == [str(i) for i in range(8)]


def test_a_few_bends_that_fit_a_fine_grid_by_chance_keep_to_the_ticks() -> None:
    axis = NumberAxis(False, 1 / 120, 0.0, ticks=tuple((0.5 * i, 60.0 * i) for i in range(11)))
    assert len(_names(axis, [], [7.5, 80.0, 239.0, 359.0, 479.0, 488.0])) == 11


def test_a_line_that_begins_a_step_before_the_first_tick_has_a_point_there() -> None:
    axis = NumberAxis(False, 1 / 15, 0.0, ticks=tuple((5.0 * i, 75.0 * i) for i in range(1, 9)))
    x = np.arange(700) + 0.5
    y = np.where((x > 0) & (x < 600), 100.0, np.nan)
    line = Trace(x, y, y - 1, y + 1, 2.0)
    assert [place.name for place in places_on(axis, [], [], [line])][:2] == ["0", "5"]
    y = np.where((x > 75) & (x < 600), 100.0, np.nan)
    later = Trace(x, y, y - 1, y + 1, 2.0)
    assert next(place.name for place in places_on(axis, [], [], [later])) == "5"


def test_a_tick_that_was_not_read_is_a_place_all_the_same() -> None:
    axis = NumberAxis(False, 1 / 120, 0.0, ticks=tuple((0.5 * i, 60.0 * i) for i in range(11) if i != 3))
    assert _names(axis, [], [])[2:5] == ["1", "1.5", "2"]
    uneven = NumberAxis(False, 1 / 120, 0.0, ticks=tuple((v, 120.0 * v) for v in (0.0, 1.0, 2.0, 3.0, 8.0)))
    assert _names(uneven, [], []) == ["0", "1", "2", "3", "8"]


def test_years_that_nearly_all_bends_are_at_need_no_months() -> None:
    axis = NumberAxis(False, 1 / 85.5, 2010.0, ticks=tuple((2010.0 + i, 85.5 * i) for i in range(8)), dates=True)
    bends = [85.5 * (year - 2010) for year in (2011.0, 2011.97, 2012.99, 2013.99, 2014.99, 2015.99, 2016.92)]
    assert _names(axis, [], bends) == [str(year) for year in range(2010, 2018)]
