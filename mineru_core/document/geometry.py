"""Axis-parallel boxes and quadrilaterals in page pixels; x grows to the right, y downwards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle: left, top, right, bottom, in pixels of the page. Right and bottom are exclusive."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Pixels from left to right, never negative."""
        return max(0.0, self.x1 - self.x0)

    @property
    def height(self) -> float:
        """Pixels from top to bottom, never negative."""
        return max(0.0, self.y1 - self.y0)

    @property
    def area(self) -> float:
        """Square pixels."""
        return self.width * self.height

    @property
    def center(self) -> tuple[float, float]:
        """The middle point (x, y)."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def intersection(self, other: Box) -> Box:
        """The common part; its area is 0 where there is none."""
        return Box(max(self.x0, other.x0), max(self.y0, other.y0), min(self.x1, other.x1), min(self.y1, other.y1))

    def union(self, other: Box) -> Box:
        """The smallest box that holds both."""
        return Box(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))

    def iou(self, other: Box) -> float:
        """Intersection over union, 0..1."""
        common = self.intersection(other).area
        both = self.area + other.area - common
        return common / both if both > 0 else 0.0

    def covered_by(self, other: Box) -> float:
        """Share of this box that lies in the other, 0..1 (0 for an empty box)."""
        return self.intersection(other).area / self.area if self.area > 0 else 0.0

    def contains(self, x: float, y: float) -> bool:
        """Whether the point lies in the box."""
        return self.x0 <= x < self.x1 and self.y0 <= y < self.y1

    def expanded(self, by: float) -> Box:
        """The box grown by ``by`` pixels on each side."""
        return Box(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)

    def clipped(self, width: float, height: float) -> Box:
        """The part of the box that lies on a page of this size."""
        return Box(
            min(max(self.x0, 0.0), width),
            min(max(self.y0, 0.0), height),
            min(max(self.x1, 0.0), width),
            min(max(self.y1, 0.0), height),
        )

    def scaled(self, sx: float, sy: float) -> Box:
        """The box with x times ``sx`` and y times ``sy``."""
        return Box(self.x0 * sx, self.y0 * sy, self.x1 * sx, self.y1 * sy)

    def shifted(self, dx: float, dy: float) -> Box:
        """The box moved by (dx, dy)."""
        return Box(self.x0 + dx, self.y0 + dy, self.x1 + dx, self.y1 + dy)

    @classmethod
    def around(cls, boxes: Iterable[Box]) -> Box:
        """The smallest box that holds all; raises ValueError for none."""
        items = list(boxes)
        if not items:
            raise ValueError("no boxes to put a box around")
        return cls(
            min(b.x0 for b in items), min(b.y0 for b in items), max(b.x1 for b in items), max(b.y1 for b in items)
        )


class Quad(NamedTuple):
    """Four corners (x, y) of a text line, clockwise from the start of the first character's top."""

    top_left: tuple[float, float]
    top_right: tuple[float, float]
    bottom_right: tuple[float, float]
    bottom_left: tuple[float, float]

    @property
    def box(self) -> Box:
        """The box around the corners."""
        xs = [p[0] for p in self]
        ys = [p[1] for p in self]
        return Box(min(xs), min(ys), max(xs), max(ys))

    @classmethod
    def from_box(cls, box: Box) -> Quad:
        """The corners of a box."""
        return cls((box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1))
