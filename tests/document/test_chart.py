from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mineru_core.document.chart import Axis, Chart, ChartKind, Point, Series


def chart(**series: dict[str, float | None]) -> Chart:
    """A bar chart of named series."""
    made = tuple(
        Series(name=name, points=tuple(Point(x=x, y=y) for x, y in points.items())) for name, points in series.items()
    )
    return Chart(kind=ChartKind.BAR, x_axis=Axis(label="Year"), series=made)


def test_wide_rows_have_a_column_a_series_and_a_hole_where_one_has_no_value() -> None:
    rows = chart(oil={"2001": 1.5, "2002": None}, gas={"2002": 20.0, "2003": 3e6}).rows()
    assert rows == [["Year", "oil", "gas"], ["2001", "1.5", ""], ["2002", "", "20"], ["2003", "", "3000000"]]


def test_an_axis_without_a_label_is_called_x() -> None:
    assert Chart(kind=ChartKind.PIE).rows() == [["x"]]


@given(st.dictionaries(st.text(max_size=3), st.floats(-1e9, 1e9).map(lambda v: round(v, 3)), max_size=6))
def test_values_are_printed_so_that_they_read_back(points: dict[str, float | None]) -> None:
    rows = chart(s=points).rows()
    assert {row[0]: float(row[1]) for row in rows[1:]} == points
    assert not any("e" in row[1].lower() for row in rows[1:])


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.floats(0, 9) | st.none(), max_size=4), max_size=4))
def test_rows_are_a_rectangle(series: list[dict[str, float | None]]) -> None:
    rows = chart(**{f"s{i}": points for i, points in enumerate(series)}).rows()
    assert {len(row) for row in rows} == {len(series) + 1}
    keys = [row[0] for row in rows[1:]]
    assert sorted(keys) == sorted({key for points in series for key in points})


def test_a_chart_is_frozen_and_knows_no_other_names() -> None:
    with pytest.raises(ValidationError):
        Chart.model_validate({"kind": "bar", "colour": "red"})
    with pytest.raises(ValidationError):
        Chart(kind=ChartKind.BAR).title = "x"  # type: ignore[misc]


def test_a_category_that_comes_twice_has_two_rows() -> None:
    twice = Series(name="a", points=(Point(x="Other", y=1.0), Point(x="Rest", y=2.0), Point(x="Other", y=3.0)))
    once = Series(name="b", points=(Point(x="Other", y=4.0), Point(x="New", y=5.0)))
    rows = Chart(kind=ChartKind.BAR, series=(twice, once)).rows()
    assert rows[1:] == [["Other", "1", "4"], ["Rest", "2", ""], ["Other", "3", ""], ["New", "", "5"]]


@pytest.mark.parametrize("vertical", [False, True])
def test_rows_stand_in_the_order_of_the_axis_whatever_series_has_them(vertical: bool) -> None:
    def series(name: str, places: dict[str, float]) -> Series:
        points = (Point(x=x, y=1.0, place=(5.0, at) if vertical else (at, 5.0)) for x, at in places.items())
        return Series(name=name, points=tuple(points))

    both = (series("a", {"2011": 10.0, "2016": 60.0}), series("b", {"2011": 10.5, "2013": 30.0, "2016": 59.5}))
    made = Chart(kind=ChartKind.LINE, x_axis=Axis(vertical=vertical), series=both)
    assert [row[0] for row in made.rows()[1:]] == ["2011", "2013", "2016"]
    typed = made.series[1].model_copy(update={"points": (Point(x="2020", y=2.0), *made.series[1].points)})
    unplaced = made.model_copy(update={"series": (both[0], typed)})
    assert [row[0] for row in unplaced.rows()[1:]] == ["2011", "2016", "2020", "2013"]
