"""A chart as series of points in data units."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from mineru_core.document.geometry import Box
from mineru_core.document.model import Confidence, Model

LOG = "log"
"""The scale of an axis whose powers of ten are evenly spaced."""

_LONGEST_POWER = 300.0
"""Powers of ten that a double still holds."""

Finite = Annotated[float, Field(allow_inf_nan=False)]


class ChartKind(StrEnum):
    """What sort of chart it is."""

    BAR = "bar"
    LINE = "line"
    AREA = "area"
    SCATTER = "scatter"
    PIE = "pie"
    OTHER = "other"


class AxisMark(Model):
    """What value stands at a place of an axis, in page pixels along it: two of them calibrate the axis."""

    place: Finite
    value: Finite


class Axis(Model):
    """One axis: its printed label, its unit, and its scale (linear, log, category, date).

    ``marks`` are the places on the page that values are measured by, none where it is not known or where the axis has
    names instead of numbers. ``vertical`` axes measure y pixels, others x pixels; None where it is not known.
    """

    label: str = ""
    unit: str = ""
    scale: str = "linear"
    vertical: bool | None = None
    marks: tuple[AxisMark, ...] = ()

    @property
    def is_calibrated(self) -> bool:
        """Whether a place along it can be told as a value."""
        return self._line() is not None

    def value_at(self, place: float) -> float | None:
        """The value at a place in page pixels along it; None where it is not calibrated."""
        line = self._line()
        if line is None:
            return None
        value = line[0] * place + line[1]
        if self.scale != LOG:
            return value
        return None if abs(value) > _LONGEST_POWER else math.pow(10.0, value)

    def place_of(self, value: float) -> float | None:
        """Where along it a value stands, in page pixels; None where it is not calibrated or has no such value."""
        line = self._line()
        if line is None or (self.scale == LOG and value <= 0):
            return None
        return ((math.log10(value) if self.scale == LOG else value) - line[1]) / line[0]

    @property
    def per_pixel(self) -> float | None:
        """How much the value grows from one pixel to the next along a linear axis; None where it is not calibrated."""
        line = self._line()
        return None if line is None or self.scale == LOG else line[0]

    def _line(self) -> tuple[float, float] | None:
        """Slope and intercept of the line through the marks, by least squares; of the powers of ten if it is log."""
        if len(self.marks) < 2 or (self.scale == LOG and any(mark.value <= 0 for mark in self.marks)):
            return None
        values = [math.log10(mark.value) if self.scale == LOG else mark.value for mark in self.marks]
        middle = math.fsum(mark.place for mark in self.marks) / len(self.marks)
        mean = math.fsum(values) / len(values)
        spread = math.fsum((mark.place - middle) ** 2 for mark in self.marks)
        rise = math.fsum((m.place - middle) * (v - mean) for m, v in zip(self.marks, values, strict=True))
        if spread <= 0 or rise == 0 or not math.isfinite(rise / spread):
            return None
        slope = rise / spread
        return slope, mean - slope * middle


class PointSource(StrEnum):
    """Where a value comes from."""

    MEASURED = "measured"
    """From its place and the axis, or, in a document that stores its data, from there."""
    PRINTED = "printed"
    """From a number that stands at the mark."""
    TYPED = "typed"
    """From a person."""


class Point(Model):
    """One value: ``x`` is a category or a number as printed, ``y`` in data units; ``place`` is (x, y) page pixels.

    ``edited`` says that a person set it, or saw that it is right.
    """

    x: str
    y: float | None
    confidence: Confidence = 1.0
    place: tuple[float, float] | None = None
    source: PointSource = PointSource.MEASURED
    edited: bool = False


class Series(Model):
    """Points of one legend entry, in drawing order. ``color`` is "#rrggbb" as drawn; None where it is not known.

    ``on_second_axis`` says that its values are those of the chart's second value axis. ``kind`` is how it is drawn
    where that is another way than the chart's, such as a line across bars.
    """

    name: str = ""
    points: tuple[Point, ...] = ()
    color: str | None = Field(default=None, pattern=r"^#[0-9a-f]{6}$")
    on_second_axis: bool = False
    kind: ChartKind | None = None


class Chart(Model):
    """A chart on a page. ``y_axis`` is that of the values, whichever way it runs: of bars that lie it is horizontal.

    ``stacked`` says that marks stand upon each other: a value is the length of its mark, not where its end is.
    """

    kind: ChartKind
    title: str = ""
    x_axis: Axis = Axis()
    y_axis: Axis = Axis()
    second_y_axis: Axis | None = None
    stacked: bool = False
    series: tuple[Series, ...] = ()
    page: int = Field(default=1, ge=1)
    box: Box | None = None
    confidence: Confidence = 1.0

    def by_place(self, series: Series) -> bool:
        """Whether the place of a point of a series tells its value; of stacked marks and slices it does not."""
        if series.kind in (ChartKind.LINE, ChartKind.SCATTER):
            return True
        return not self.stacked and self.kind is not ChartKind.PIE

    def rows(self) -> list[list[str]]:
        """Wide form: a header row, first column the categories, one column a series; "" where a series has no value.

        A category that a series has several times has as many rows, so that no value is lost. Rows stand in the order
        of the axis where the places of all points are known, else in that of the series.
        """
        names = [s.name for s in self.series]
        points = [_by_occurrence(s.points) for s in self.series]
        keys = list(dict.fromkeys(key for one in points for key in one))
        along = 1 if self.x_axis.vertical else 0
        places = {key: one[key].place for one in reversed(points) for key in one}
        if self.kind is not ChartKind.PIE and self.x_axis.vertical is not None and all(places.values()):
            keys.sort(key=lambda key: _along(places[key], along))
        head = [self.x_axis.label or "x", *names]
        return [head, *([key[0], *(_number(one[key].y if key in one else None) for one in points)] for key in keys)]

    def long_rows(self) -> list[list[str]]:
        """Long form: a header row, then one row a point: series, x, value, unit, confidence, and where it comes from.

        The unit is that of the point's own axis, so that series of two axes are told apart.
        """
        head = ["series", "x", "value", "unit", "confidence", "source"]
        rows = []
        for series in self.series:
            second = self.second_y_axis if series.on_second_axis else None
            unit = (self.y_axis if second is None else second).unit
            rows += [
                [series.name, p.x, _number(p.y), unit, f"{p.confidence:.2f}", p.source.value] for p in series.points
            ]
        return [head, *rows]


def _by_occurrence(points: Iterable[Point]) -> dict[tuple[str, int], Point]:
    """Points by category and by how many of that category stood before."""
    seen: Counter[str] = Counter()
    found: dict[tuple[str, int], Point] = {}
    for point in points:
        found[point.x, seen[point.x]] = point
        seen[point.x] += 1
    return found


def _along(place: tuple[float, float] | None, direction: int) -> float:
    return 0.0 if place is None else place[direction]


def _number(value: float | None) -> str:
    """The value without an exponent and without the noise of binary fractions; "" for none and for no number."""
    if value is None or not math.isfinite(value):
        return ""
    # 15 digits are what a double keeps of a decimal number.
    return format(Decimal(f"{value:.15g}"), "f")
