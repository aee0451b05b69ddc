"""Where the shapes of a slide lie on its page: units of the file, groups within groups, turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self
from xml.etree.ElementTree import Element

from mineru_core.document.geometry import Box
from mineru_core.intake.office.canvas import FARTHEST, Corner, turned_place
from mineru_core.intake.office.frames import whole

_DEGREE = 60_000


@dataclass(frozen=True, slots=True)
class Place:
    """A shape's box before it is turned, page pixels, the clockwise turn in degrees, and whether it is mirrored."""

    box: Box
    turn: float = 0.0
    mirrored: bool = False
    upside_down: bool = False


@dataclass(frozen=True, slots=True)
class Space:
    """The space shapes are placed in: page pixels are ``offset`` + ``scale`` × units of the file, then turned around
    the middles of the groups they are in, the innermost first."""

    scale: tuple[float, float]
    offset: tuple[float, float] = (0.0, 0.0)
    turns: tuple[tuple[Corner, float], ...] = ()

    def place(self, transform: Element) -> Place:
        """Where an element with an ``xfrm`` lies."""
        box = self._box(_pair(transform, "off", "x", "y"), _pair(transform, "ext", "cx", "cy"))
        turn = whole(transform.get("rot"), 0) / _DEGREE
        center = box.center
        for middle, degrees in self.turns:
            center = turned_place(center, middle, degrees)
            turn += degrees
        box = box.shifted(center[0] - box.center[0], center[1] - box.center[1])
        return Place(
            box=box,
            turn=turn % 360.0,
            mirrored=transform.get("flipH") in ("1", "true"),
            upside_down=transform.get("flipV") in ("1", "true"),
        )

    def inside(self, transform: Element | None) -> Self:
        """The space of a group's children."""
        if transform is None or transform.find("ext") is None:
            return self
        box = self._box(_pair(transform, "off", "x", "y"), _pair(transform, "ext", "cx", "cy"))
        x, y = _pair(transform, "chOff", "x", "y")
        width, height = _pair(transform, "chExt", "cx", "cy")
        sx = box.width / width if width > 0 else self.scale[0]
        sy = box.height / height if height > 0 else self.scale[1]
        turn = whole(transform.get("rot"), 0) / _DEGREE
        turns = ((box.center, turn), *self.turns) if turn else self.turns
        return type(self)((sx, sy), (box.x0 - x * sx, box.y0 - y * sy), turns)

    def _box(self, start: tuple[int, int], size: tuple[int, int]) -> Box:
        (dx, dy), (sx, sy) = self.offset, self.scale
        x0, y0 = dx + start[0] * sx, dy + start[1] * sy
        corners = (x0, y0, x0 + max(size[0], 0) * sx, y0 + max(size[1], 0) * sy)
        return Box(*(min(max(corner, -FARTHEST), FARTHEST) for corner in corners))


def _pair(transform: Element, name: str, first: str, second: str) -> tuple[int, int]:
    node = transform.find(name)
    return (0, 0) if node is None else (whole(node.get(first), 0), whole(node.get(second), 0))
