"""Corrections of a chart."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.chart import Axis, AxisMark, Chart, ChartKind, Point, PointSource, Series
from mineru_core.document.chart_edits import (
    AddPoint,
    AddSeries,
    CalibrateAxis,
    DeletePoint,
    DeleteSeries,
    RenameSeries,
    SetPoint,
    SetTitles,
    apply_to_chart,
    parse_chart_operation,
    shortest,
)
from mineru_core.errors import InvalidRequest

# 0 stands at 300 pixels, 100 at 100 pixels: half a unit a pixel, upwards.
VALUES = Axis(vertical=True, marks=(AxisMark(place=300, value=0), AxisMark(place=100, value=100)))
YEARS = Axis(vertical=False, marks=(AxisMark(place=50, value=2000), AxisMark(place=250, value=2020)))


def chart(x_axis: Axis | None = None) -> Chart:
    return Chart(
        kind=ChartKind.BAR,
        title="Sales",
        x_axis=x_axis or Axis(scale="category"),
        y_axis=VALUES,
        series=(
            Series(
                name="A",
                points=(
                    Point(x="Q1", y=40.0, place=(60.0, 220.0), confidence=0.5),
                    Point(x="Q2", y=55.0, place=(120.0, 190.0), source=PointSource.PRINTED),
                ),
            ),
            Series(name="B", points=(Point(x="Q1", y=10.0),)),
        ),
    )


def test_a_moved_point_has_the_value_of_its_place() -> None:
    after = SetPoint(series=0, point=0, place=(61.0, 210.0)).apply(chart())
    point = after.series[0].points[0]
    assert (point.x, point.y, point.place) == ("Q1", 45.0, (61.0, 210.0))
    assert point.edited
    assert point.confidence == 1.0
    assert after.series[1] == chart().series[1]


def test_a_typed_value_is_taken_as_it_is() -> None:
    point = SetPoint(series=0, point=1, y=56.25).apply(chart()).series[0].points[1]
    assert (point.y, point.source, point.place) == (56.25, PointSource.TYPED, (120.0, 190.0))


def test_a_point_may_be_said_to_be_right() -> None:
    point = SetPoint(series=0, point=0).apply(chart()).series[0].points[0]
    assert (point.y, point.edited, point.confidence) == (40.0, True, 1.0)


def test_on_an_axis_of_numbers_a_moved_point_has_both_its_numbers() -> None:
    point = SetPoint(series=0, point=0, place=(150.0, 200.0)).apply(chart(YEARS)).series[0].points[0]
    assert (point.x, point.y) == ("2010", 50.0)


def test_an_added_point_has_the_category_it_is_nearest_to() -> None:
    after = AddPoint(series=1, at=1, place=(130.0, 280.0)).apply(chart())
    added = after.series[1].points[1]
    assert (added.x, added.y, added.edited) == ("Q2", 10.0, True)
    first = AddPoint(series=1, at=0, x="Q0", y=3.5).apply(chart()).series[1].points
    assert [point.x for point in first] == ["Q0", "Q1"]


def test_an_added_point_needs_a_value() -> None:
    bare = chart().model_copy(update={"y_axis": Axis()})
    with pytest.raises(InvalidRequest, match="no value"):
        AddPoint(series=0, at=0, place=(1.0, 2.0)).apply(bare)


def test_series_are_renamed_added_and_deleted() -> None:
    after = apply_to_chart(
        chart(),
        [RenameSeries(series=1, name="Berlin"), AddSeries(name="Paris", color="#112233"), DeleteSeries(series=0)],
    )
    assert [series.name for series in after.series] == ["Berlin", "Paris"]
    assert after.series[1].color == "#112233"


def test_a_deleted_point_is_gone() -> None:
    assert [p.x for p in DeletePoint(series=0, point=0).apply(chart()).series[0].points] == ["Q2"]


def test_titles_are_set_one_by_one() -> None:
    after = SetTitles(y_label="EUR").apply(chart())
    assert (after.title, after.x_axis.label, after.y_axis.label) == ("Sales", "", "EUR")
    assert SetTitles(title="", x_label="Quarter").apply(after).x_axis.label == "Quarter"


def test_a_new_calibration_measures_again_what_was_measured() -> None:
    marks = (AxisMark(place=300, value=0), AxisMark(place=100, value=1000))
    after = CalibrateAxis(axis="y", vertical=True, marks=marks).apply(chart())
    assert [point.y for point in after.series[0].points] == [400.0, 55.0]  # the second was printed
    assert after.series[1].points[0].y == 10.0  # has no place
    typed = SetPoint(series=0, point=0, y=41.0).apply(chart())
    assert CalibrateAxis(axis="y", vertical=True, marks=marks).apply(typed).series[0].points[0].y == 41.0


def test_a_calibration_of_the_second_axis_leaves_the_first_alone() -> None:
    two = chart().model_copy(
        update={
            "second_y_axis": Axis(),
            "series": (
                chart().series[0],
                Series(name="C", on_second_axis=True, points=(Point(x="Q1", y=0.0, place=(60.0, 200.0)),)),
            ),
        }
    )
    marks = (AxisMark(place=300, value=0), AxisMark(place=100, value=1))
    after = CalibrateAxis(axis="second_y", vertical=True, marks=marks).apply(two)
    assert after.series[0] == two.series[0]
    assert after.series[1].points[0].y == 0.5
    with pytest.raises(InvalidRequest, match="second axis"):
        CalibrateAxis(axis="second_y", vertical=True, marks=marks).apply(chart())


def test_of_stacked_marks_a_place_says_nothing_and_a_calibration_scales() -> None:
    stacked = chart().model_copy(update={"stacked": True})
    moved = SetPoint(series=0, point=0, place=(61.0, 210.0)).apply(stacked).series[0].points[0]
    assert (moved.y, moved.place) == (40.0, (61.0, 210.0))
    marks = (AxisMark(place=300, value=0), AxisMark(place=100, value=1000))
    after = CalibrateAxis(axis="y", vertical=True, marks=marks).apply(stacked)
    assert [point.y for point in after.series[0].points] == [400.0, 55.0]


def test_a_line_across_stacked_bars_is_measured_by_its_place() -> None:
    line = Series(name="Rate", kind=ChartKind.LINE, points=(Point(x="Q1", y=40.0, place=(60.0, 220.0)),))
    stacked = chart().model_copy(update={"stacked": True, "series": (*chart().series, line)})
    moved = SetPoint(series=2, point=0, place=(61.0, 210.0)).apply(stacked).series[2].points[0]
    assert moved.y == 45.0
    marks = (AxisMark(place=300, value=0), AxisMark(place=100, value=50))
    after = CalibrateAxis(axis="y", vertical=True, marks=marks).apply(stacked)
    assert [after.series[n].points[0].y for n in (0, 2)] == [20.0, 20.0]
    after = CalibrateAxis(axis="y", vertical=True, marks=(marks[0], AxisMark(place=200, value=50))).apply(stacked)
    assert after.series[2].points[0].y == 40.0


def test_a_logarithmic_axis() -> None:
    marks = (AxisMark(place=300, value=1), AxisMark(place=100, value=100))
    after = CalibrateAxis(axis="y", vertical=True, log=True, marks=marks).apply(chart())
    assert after.y_axis.scale == "log"
    point = SetPoint(series=0, point=0, place=(60.0, 200.0)).apply(after).series[0].points[0]
    assert point.y == pytest.approx(10.0, abs=0.02)
    assert after.y_axis.place_of(10.0) == pytest.approx(200.0)
    assert after.y_axis.place_of(-1.0) is None


@pytest.mark.parametrize(
    "written",
    [
        "",
        "{}",
        '{"op": "none"}',
        '{"op": "set-point", "series": -1, "point": 0}',
        '{"op": "set-point", "series": 0, "point": 0, "y": NaN}',
        '{"op": "set-point", "series": 0, "point": 0, "z": 1}',
        '{"op": "calibrate-axis", "axis": "y", "vertical": true, "marks": [{"place": 1, "value": 1}]}',
        '{"op": "calibrate-axis", "axis": "y", "vertical": true,'
        ' "marks": [{"place": 1, "value": 1}, {"place": 1, "value": 2}]}',
        '{"op": "calibrate-axis", "axis": "y", "vertical": true, "log": true,'
        ' "marks": [{"place": 1, "value": 0}, {"place": 2, "value": 2}]}',
    ],
)
def test_what_is_no_operation_is_refused(written: str) -> None:
    with pytest.raises(InvalidRequest, match="cannot be read"):
        parse_chart_operation(written)


@pytest.mark.parametrize(
    "written",
    [
        '{"op": "set-point", "series": 2, "point": 0}',
        '{"op": "set-point", "series": 0, "point": 2}',
        '{"op": "add-point", "series": 0, "at": 3, "y": 1}',
        '{"op": "delete-point", "series": 1, "point": 1}',
        '{"op": "delete-series", "series": 2}',
        '{"op": "rename-series", "series": 9, "name": "x"}',
    ],
)
def test_what_does_not_fit_is_refused(written: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_chart_operation(written).apply(chart())


finite = st.floats(-1e6, 1e6, allow_nan=False)


@given(first=finite, second=finite, low=finite, high=finite, at=finite)
def test_places_and_values_belong_together(first: float, second: float, low: float, high: float, at: float) -> None:
    axis = Axis(vertical=True, marks=(AxisMark(place=first, value=low), AxisMark(place=second, value=high)))
    if not axis.is_calibrated:
        # two marks say nothing where they have one place or one value
        assert abs(first - second) < 1e-6 or abs(low - high) < 1e-6 or low == high or first == second
        return
    value = axis.value_at(at)
    assert value is not None
    back = axis.place_of(value)
    assert back is not None
    scale = max(abs(first), abs(second), abs(at), 1.0)
    spread = abs((high - low) / (second - first)) if second != first else math.inf
    loss = 1e-9 * scale + 1e-12 * max(abs(low), abs(high), abs(value)) / spread
    assert back == pytest.approx(at, abs=max(loss, 1e-6 * scale))


@given(st.floats(-1e12, 1e12, allow_nan=False))
def test_numbers_are_printed_without_exponents(value: float) -> None:
    text = shortest(value)
    assert "e" not in text.lower()
    assert float(text) == pytest.approx(value, rel=1e-14)


def test_an_operation_reads_what_it_writes() -> None:
    operation = CalibrateAxis(axis="x", vertical=False, marks=(AxisMark(place=1, value=2), AxisMark(place=3, value=4)))
    assert parse_chart_operation(json.loads(operation.model_dump_json())) == operation
