"""The outlines of shapes: rectangles, ellipses, some polygons, and those that the deck draws itself."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from mineru_core.document.geometry import Box
from mineru_core.intake.office.canvas import Corner, arc
from mineru_core.intake.office.frames import whole

# Corners of preset shapes as shares of their box; what is not here is drawn as a rectangle.
_SHAPES: dict[str, tuple[Corner, ...]] = {
    "triangle": ((0.5, 0), (1, 1), (0, 1)),
    "rtTriangle": ((0, 0), (1, 1), (0, 1)),
    "diamond": ((0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)),
    "flowChartDecision": ((0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)),
    "parallelogram": ((0.25, 0), (1, 0), (0.75, 1), (0, 1)),
    "trapezoid": ((0.25, 0), (0.75, 0), (1, 1), (0, 1)),
    "pentagon": ((0.5, 0), (1, 0.38), (0.81, 1), (0.19, 1), (0, 0.38)),
    "hexagon": ((0.25, 0), (0.75, 0), (1, 0.5), (0.75, 1), (0.25, 1), (0, 0.5)),
    "homePlate": ((0, 0), (0.75, 0), (1, 0.5), (0.75, 1), (0, 1)),
    "chevron": ((0, 0), (0.75, 0), (1, 0.5), (0.75, 1), (0, 1), (0.25, 0.5)),
    "rightArrow": ((0, 0.25), (0.6, 0.25), (0.6, 0), (1, 0.5), (0.6, 1), (0.6, 0.75), (0, 0.75)),
    "leftArrow": ((1, 0.25), (0.4, 0.25), (0.4, 0), (0, 0.5), (0.4, 1), (0.4, 0.75), (1, 0.75)),
    "upArrow": ((0.25, 1), (0.25, 0.4), (0, 0.4), (0.5, 0), (1, 0.4), (0.75, 0.4), (0.75, 1)),
    "downArrow": ((0.25, 0), (0.25, 0.6), (0, 0.6), (0.5, 1), (1, 0.6), (0.75, 0.6), (0.75, 0)),
}
_ROUND = frozenset({"ellipse", "flowChartConnector", "donut", "pie", "chord"})
_ROUNDED = frozenset({"roundRect", "flowChartAlternateProcess", "flowChartTerminator", "wedgeRoundRectCallout"})
LINES = frozenset({"line", "straightConnector1", "bentConnector2", "bentConnector3", "curvedConnector3"})
_MOST_CORNERS = 20_000


def outlines(properties: Element | None, box: Box) -> list[list[Corner]]:
    """The polygons of a shape with these properties (``spPr``) in its box; none where it has no geometry."""
    custom = None if properties is None else properties.find("custGeom")
    if custom is not None:
        return [path for node in custom.iter("path") if len(path := _path(node, box)) > 1]
    preset = None if properties is None else properties.find("prstGeom")
    if preset is None:
        return []
    name = preset.get("prst", "rect")
    if name in _ROUND:
        return [arc(box, 0, 360)]
    if name in _ROUNDED:
        return [_rounded(box)]
    shares = _SHAPES.get(name, ((0, 0), (1, 0), (1, 1), (0, 1)))
    return [[(box.x0 + x * box.width, box.y0 + y * box.height) for x, y in shares]]


def is_line(properties: Element | None) -> bool:
    """Whether the shape is a line from corner to corner of its box."""
    preset = None if properties is None else properties.find("prstGeom")
    return preset is not None and preset.get("prst") in LINES


def _rounded(box: Box) -> list[Corner]:
    r = 0.16 * min(box.width, box.height)
    corners: list[Corner] = []
    for x, y, start in ((box.x1, box.y0, 270), (box.x1, box.y1, 0), (box.x0, box.y1, 90), (box.x0, box.y0, 180)):
        cx = x - r if x == box.x1 else x + r
        cy = y - r if y == box.y0 + box.height else y + r
        corners += arc(Box(cx - r, cy - r, cx + r, cy + r), start, start + 90)[1:]
    return corners


def _path(node: Element, box: Box) -> list[Corner]:
    """A drawn path by the ends of its strokes; curves become straight."""
    width, height = whole(node.get("w"), 0), whole(node.get("h"), 0)
    corners: list[Corner] = []
    for stroke in node:
        points = stroke.findall("pt")
        if points and len(corners) < _MOST_CORNERS:
            x, y = (whole(points[-1].get(key), 0) for key in ("x", "y"))
            corners.append(
                (
                    box.x0 + (x / width if width > 0 else 0.0) * box.width,
                    box.y0 + (y / height if height > 0 else 0.0) * box.height,
                )
            )
    return corners
