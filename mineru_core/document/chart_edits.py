"""Corrections of a chart as small operations: each says what a person did to its points, series or axes.

    operation = parse_chart_operation('{"op": "set-point", "series": 0, "point": 2, "y": 41.5}')
    after = operation.apply(chart)

Series and points count from 0, places are page pixels. A point that is moved takes the value its place has on a
calibrated axis; where an axis is calibrated anew, the points that were measured are measured again, but none whose
value was printed or typed. What does not fit a chart raises ``InvalidRequest``, and the chart stays as it was.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, TypeAdapter, model_validator

from mineru_core.document.chart import LOG, Axis, AxisMark, Chart, Finite, Point, PointSource, Series
from mineru_core.document.edits import Text, parse_change
from mineru_core.document.model import Model
from mineru_core.errors import InvalidRequest

MAX_SERIES = 200
"""Series of one chart: more than anybody can tell apart."""
MAX_POINTS = 20_000
"""Points of all series of one chart."""

Index = Annotated[int, Field(ge=0, le=MAX_POINTS)]
Place = tuple[Finite, Finite]
AxisName = Literal["x", "y", "second_y"]
Color = Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]

_HINT = "Reload the chart: it may have been changed since."


class ChartChange(Model, ABC):
    """What can be done to a chart."""

    @abstractmethod
    def apply(self, chart: Chart) -> Chart:
        """The chart after it. Raises ``InvalidRequest`` where it does not fit."""


class SetPoint(ChartChange):
    """Change a point: what is given is set, the rest stays. Without any it says that the point is right.

    A new ``place`` alone gives the value that the axis has there; ``y`` with it is taken as it is.
    """

    op: Literal["set-point"] = "set-point"
    series: Index
    point: Index
    x: Text | None = None
    y: Finite | None = None
    place: Place | None = None

    def apply(self, chart: Chart) -> Chart:
        """The chart with the point. Raises ``InvalidRequest`` for one it does not have."""
        series = _series(chart, self.series)
        point = _point(series, self.point)
        changes: dict[str, object] = {"edited": True, "confidence": 1.0}
        if self.place is not None:
            changes |= {"place": self.place} | _measured(chart, series, self.place)
        if self.x is not None:
            changes["x"] = self.x
        if self.y is not None:
            changes |= {"y": self.y, "source": PointSource.TYPED}
        points = list(series.points)
        points[self.point] = point.model_copy(update=changes)
        return _with_points(chart, self.series, points)


class AddPoint(ChartChange):
    """Put a point before point ``at`` of a series; after the last one where that is their number.

    It needs a value ``y``, or a ``place`` on a calibrated axis. Without ``x`` it has what stands there on the x axis:
    the number of a calibrated one, else the category of the nearest point.
    """

    op: Literal["add-point"] = "add-point"
    series: Index
    at: Index
    x: Text | None = None
    y: Finite | None = None
    place: Place | None = None

    def apply(self, chart: Chart) -> Chart:
        """The chart with the point. Raises ``InvalidRequest`` where there is no value for it, or no room."""
        series = _series(chart, self.series)
        if self.at > len(series.points):
            raise InvalidRequest(f"Series {self.series} has no place {self.at} for a point.", _HINT)
        if sum(len(one.points) for one in chart.series) >= MAX_POINTS:
            raise InvalidRequest(f"A chart may have {MAX_POINTS:,} points.", "Delete some first.")
        found: dict[str, object] = {"x": _category(chart, self.place), "place": self.place, "edited": True}
        if self.place is not None:
            found |= _measured(chart, series, self.place)
        if self.x is not None:
            found["x"] = self.x
        if self.y is not None:
            found |= {"y": self.y, "source": PointSource.TYPED}
        if "y" not in found:
            raise InvalidRequest("The point has no value.", "Give it one, or calibrate the axis of the values first.")
        point = Point.model_validate(found)
        return _with_points(chart, self.series, [*series.points[: self.at], point, *series.points[self.at :]])


class DeletePoint(ChartChange):
    """Take out a point."""

    op: Literal["delete-point"] = "delete-point"
    series: Index
    point: Index

    def apply(self, chart: Chart) -> Chart:
        """The chart without it. Raises ``InvalidRequest`` for a point it does not have."""
        series = _series(chart, self.series)
        _point(series, self.point)
        return _with_points(chart, self.series, [p for n, p in enumerate(series.points) if n != self.point])


class AddSeries(ChartChange):
    """Add a series without points, after the others."""

    op: Literal["add-series"] = "add-series"
    name: Text
    color: Color | None = None

    def apply(self, chart: Chart) -> Chart:
        """The chart with it. Raises ``InvalidRequest`` where it has too many."""
        if len(chart.series) >= MAX_SERIES:
            raise InvalidRequest(f"A chart may have {MAX_SERIES} series.", "Delete some first.")
        return chart.model_copy(update={"series": (*chart.series, Series(name=self.name, color=self.color))})


class RenameSeries(ChartChange):
    """Give a series another name."""

    op: Literal["rename-series"] = "rename-series"
    series: Index
    name: Text

    def apply(self, chart: Chart) -> Chart:
        """The chart with the name. Raises ``InvalidRequest`` for a series it does not have."""
        renamed = _series(chart, self.series).model_copy(update={"name": self.name})
        return _with_series(chart, self.series, renamed)


class DeleteSeries(ChartChange):
    """Take out a series with its points."""

    op: Literal["delete-series"] = "delete-series"
    series: Index

    def apply(self, chart: Chart) -> Chart:
        """The chart without it. Raises ``InvalidRequest`` for a series it does not have."""
        _series(chart, self.series)
        left = tuple(series for n, series in enumerate(chart.series) if n != self.series)
        return chart.model_copy(update={"series": left})


class SetTitles(ChartChange):
    """Set the texts around the marks: what is given is set, the rest stays."""

    op: Literal["set-titles"] = "set-titles"
    title: Text | None = None
    x_label: Text | None = None
    y_label: Text | None = None

    def apply(self, chart: Chart) -> Chart:
        """The chart with the texts."""
        changes: dict[str, object] = {} if self.title is None else {"title": self.title}
        if self.x_label is not None:
            changes["x_axis"] = chart.x_axis.model_copy(update={"label": self.x_label})
        if self.y_label is not None:
            changes["y_axis"] = chart.y_axis.model_copy(update={"label": self.y_label})
        return chart.model_copy(update=changes)


class CalibrateAxis(ChartChange):
    """Say which values stand at two places or more of an axis. Points with a place are measured by it again."""

    op: Literal["calibrate-axis"] = "calibrate-axis"
    axis: AxisName
    vertical: bool
    log: bool = False
    marks: Annotated[tuple[AxisMark, ...], Field(min_length=2, max_length=50)]

    @model_validator(mode="after")
    def _check_marks(self) -> Self:
        scale = LOG if self.log else "linear"
        if not Axis(scale=scale, marks=self.marks).is_calibrated:
            raise ValueError("the marks need two places with two values, above 0 on a logarithmic axis")
        return self

    def apply(self, chart: Chart) -> Chart:
        """The chart with the axis and its values. Raises ``InvalidRequest`` where it has no second axis."""
        old = _axis(chart, self.axis)
        scale = LOG if self.log else "linear"
        new = old.model_copy(update={"scale": scale, "vertical": self.vertical, "marks": self.marks})
        changed = chart.model_copy(update={_FIELDS[self.axis]: new})
        if self.axis == "x":
            return _each_point(changed, lambda _series, point: _measured_x(new, point))
        second = self.axis == "second_y"

        def measured(series: Series, point: Point) -> Point:
            if series.on_second_axis != second:
                return point
            return _measured_y(new, point) if chart.by_place(series) else _scaled_y(old, new, point)

        return _each_point(changed, measured)


ChartOperation = Annotated[
    SetPoint | AddPoint | DeletePoint | AddSeries | RenameSeries | DeleteSeries | SetTitles | CalibrateAxis,
    Field(discriminator="op"),
]
"""What a person may do to a chart."""

CHART_OPERATIONS: TypeAdapter[ChartOperation] = TypeAdapter(ChartOperation)

_FIELDS: Mapping[AxisName, str] = {"x": "x_axis", "y": "y_axis", "second_y": "second_y_axis"}


def parse_chart_operation(data: str | bytes | Mapping[str, object]) -> ChartOperation:
    """The operation written as JSON or as the fields of it. Raises ``InvalidRequest`` where it is none."""
    return parse_change(CHART_OPERATIONS, data)


def apply_to_chart(chart: Chart, changes: Iterable[ChartOperation]) -> Chart:
    """The chart after all the changes in their order. Raises what ``apply`` raises."""
    for change in changes:
        chart = change.apply(chart)
    return chart


def _series(chart: Chart, number: int) -> Series:
    if number >= len(chart.series):
        raise InvalidRequest(f"The chart has no series {number}.", _HINT)
    return chart.series[number]


def _point(series: Series, number: int) -> Point:
    if number >= len(series.points):
        raise InvalidRequest(f"The series has no point {number}.", _HINT)
    return series.points[number]


def _axis(chart: Chart, name: AxisName) -> Axis:
    axis = {"x": chart.x_axis, "y": chart.y_axis, "second_y": chart.second_y_axis}[name]
    if axis is None:
        raise InvalidRequest("The chart has no second axis of values.", "Calibrate the axis it has.")
    return axis


def _with_series(chart: Chart, number: int, series: Series) -> Chart:
    changed = tuple(series if n == number else one for n, one in enumerate(chart.series))
    return chart.model_copy(update={"series": changed})


def _with_points(chart: Chart, number: int, points: Iterable[Point]) -> Chart:
    return _with_series(chart, number, chart.series[number].model_copy(update={"points": tuple(points)}))


def _each_point(chart: Chart, change: Callable[[Series, Point], Point]) -> Chart:
    """The chart with each of its points changed; those that stay as they are stay the same objects."""
    series = tuple(
        one.model_copy(update={"points": tuple(change(one, point) for point in one.points)}) for one in chart.series
    )
    return chart.model_copy(update={"series": series})


def _measured(chart: Chart, series: Series, place: Place) -> dict[str, object]:
    """What the axes say of a place: ``y``, and ``x`` where that axis has numbers; nothing where they cannot."""
    found: dict[str, object] = {}
    if not chart.by_place(series):
        return found
    values = chart.second_y_axis if series.on_second_axis and chart.second_y_axis is not None else chart.y_axis
    if (y := _at(values, place, upright=True)) is not None:
        found |= {"y": y, "source": PointSource.MEASURED}
    if (x := _at(chart.x_axis, place, upright=False)) is not None:
        found["x"] = shortest(x)
    return found


def _measured_y(axis: Axis, point: Point) -> Point:
    """The point as the axis has it, where it was measured."""
    if point.place is None or point.source is not PointSource.MEASURED:
        return point
    y = _at(axis, point.place, upright=True)
    return point if y is None else point.model_copy(update={"y": y})


def _scaled_y(old: Axis, new: Axis, point: Point) -> Point:
    """The point of stacked marks, where it was measured: a length in pixels, by what a pixel stands for now."""
    before, after = old.per_pixel, new.per_pixel
    if point.source is not PointSource.MEASURED or point.y is None or before is None or after is None:
        return point
    return point.model_copy(update={"y": float(f"{point.y * abs(after / before):.6g}")})


def _measured_x(axis: Axis, point: Point) -> Point:
    if point.place is None or point.source is not PointSource.MEASURED:
        return point
    x = _at(axis, point.place, upright=False)
    return point if x is None else point.model_copy(update={"x": shortest(x)})


def _at(axis: Axis, place: Place, *, upright: bool) -> float | None:
    """The axis' value at a place of the page, rounded to what a tenth of a pixel can tell."""
    vertical = upright if axis.vertical is None else axis.vertical
    at = place[1] if vertical else place[0]
    value, beside = axis.value_at(at), axis.value_at(at + 0.1)
    if value is None or beside is None:
        return value
    step = abs(beside - value)
    return value if step <= 0 else round(value, max(0, -math.floor(math.log10(step))))


def _category(chart: Chart, place: Place | None) -> str:
    """The category of the point that is nearest along the axis of categories; "" where there is none."""
    if place is None:
        return ""
    along = 1 if chart.y_axis.vertical is False else 0
    near = [
        (abs(point.place[along] - place[along]), point.x)
        for series in chart.series
        for point in series.points
        if point.place is not None
    ]
    return min(near, default=(0.0, ""))[1]


def shortest(value: float) -> str:
    """A number as one would print it: no exponent, no trailing zeros."""
    return format(Decimal(f"{value:.15g}").normalize(), "f")
