"""A chart as series of points in data units."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum

from pydantic import Field

from mineru_core.document.geometry import Box
from mineru_core.document.model import Confidence, Model


class ChartKind(StrEnum):
    """What sort of chart it is."""

    BAR = "bar"
    LINE = "line"
    AREA = "area"
    SCATTER = "scatter"
    PIE = "pie"
    OTHER = "other"


class Axis(Model):
    """One axis: its printed label, its unit, and its scale (linear, log, category, date)."""

    label: str = ""
    unit: str = ""
    scale: str = "linear"


class Point(Model):
    """One value: ``x`` is a category or a number as printed, ``y`` in data units; ``place`` is (x, y) page pixels."""

    x: str
    y: float | None
    confidence: Confidence = 1.0
    place: tuple[float, float] | None = None


class Series(Model):
    """Points of one legend entry, in drawing order. ``color`` is "#rrggbb" as drawn; None where it is not known."""

    name: str = ""
    points: tuple[Point, ...] = ()
    color: str | None = Field(default=None, pattern=r"^#[0-9a-f]{6}$")


class Chart(Model):
    """A chart on a page."""

    kind: ChartKind
    title: str = ""
    x_axis: Axis = Axis()
    y_axis: Axis = Axis()
    series: tuple[Series, ...] = ()
    page: int = Field(default=1, ge=1)
    box: Box | None = None
    confidence: Confidence = 1.0

    def rows(self) -> list[list[str]]:
        """Wide form: a header row, first column the categories, one column a series; "" where a series has no value.

        A category that a series has several times has as many rows, so that no value is lost.
        """
        names = [s.name for s in self.series]
        value = [_by_occurrence(s.points) for s in self.series]
        keys = list(dict.fromkeys(key for v in value for key in v))
        head = [self.x_axis.label or "x", *names]
        return [head, *([key[0], *(_number(v.get(key)) for v in value)] for key in keys)]


def _by_occurrence(points: Iterable[Point]) -> dict[tuple[str, int], float | None]:
    """Values by category and by how many points of that category stood before."""
    seen: Counter[str] = Counter()
    found: dict[tuple[str, int], float | None] = {}
    for point in points:
        found[point.x, seen[point.x]] = point.y
        seen[point.x] += 1
    return found


def _number(value: float | None) -> str:
    """The value without an exponent and without the noise of binary fractions; "" for none and for no number."""
    if value is None or not math.isfinite(value):
        return ""
    # 15 digits are what a double keeps of a decimal number.
    return format(Decimal(f"{value:.15g}"), "f")
