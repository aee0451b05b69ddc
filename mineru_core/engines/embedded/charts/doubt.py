"""What speaks against a reading: marks that it leaves unexplained. Its values are told with less confidence."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from mineru_core.document.chart import ChartKind, Series
from mineru_core.document.geometry import Box
from mineru_core.document.notices import Notice
from mineru_core.engines.embedded.charts.colors import BACKGROUND, chroma, distance
from mineru_core.engines.embedded.charts.lines_ink import plot_part
from mineru_core.engines.embedded.charts.scatter import LARGEST
from mineru_core.engines.embedded.charts.scene import RGB, Scene
from mineru_core.engines.embedded.charts.sticks import SAME_THICKNESS, Sticks, find_sticks

# Lines and markers leave no more than this share of the coloured pixels to what is thicker than the largest marker.
MOSTLY_THICK = 0.5
COLORED = 24
# Bars cover this share of the coloured pixels at least.
LEAST_EXPLAINED = 0.7
# A line spans this share of the plot's width, or at least one of several does.
SHORT_LINE = 0.35
# So many areas without a name are the patches of a surface.
MANY_NAMELESS = 6
# Bars outside of the plot area are so far from it at least, pixels, and make up this share of those in it.
AWAY = 6.0
MANY_ELSEWHERE = 0.1
# What is left of the confidence.
LEFT = 0.4


def doubts(kind: ChartKind, series: Sequence[Series], scene: Scene, share: float) -> list[str]:
    """What speaks against a reading of the marks, in words; nothing where all is well.

    ``share`` is that of the coloured pixels which the marks cover, as far as their reader tells.
    """
    found = []
    thin = kind in (ChartKind.LINE, ChartKind.SCATTER)
    if share < LEAST_EXPLAINED or (thin and thick_share(scene) > MOSTLY_THICK):
        found.append(Notice.UNEXPLAINED.told())
    if kind is ChartKind.LINE and is_short(series, scene):
        found.append(Notice.SHORT_LINE.told())
    if kind is ChartKind.AREA and not scene.legend and sum(not one.name for one in series) >= MANY_NAMELESS:
        found.append(Notice.NAMELESS_AREAS.told())
    return found


def doubted(series: Sequence[Series]) -> list[Series]:
    """The series with what is left of the confidence of their points, of the surest of them no more than ``LEFT``."""
    left = LEFT / max([LEFT, *(point.confidence for one in series for point in one.points)])
    return [
        one.model_copy(
            update={
                "points": tuple(
                    point.model_copy(update={"confidence": round(left * point.confidence, 3)}) for point in one.points
                )
            }
        )
        for one in series
    ]


def is_short(series: Sequence[Series], scene: Scene) -> bool:
    """Whether no line spans much of the plot: markers that happen to stand close may look like one."""
    spans = [[p.place[0] for p in one.points if p.place is not None] for one in series]
    return all(max(at, default=0.0) - min(at, default=0.0) < SHORT_LINE * scene.plot.width for at in spans)


def thick_share(scene: Scene) -> float:
    """The share of the plot's coloured pixels, 0..1, that is of shapes thicker than the largest marker."""
    part, left, top = plot_part(scene, margin=0.0)
    if part.size == 0:
        return 0.0
    inked = ((distance(part, scene.background) > BACKGROUND) & (chroma(part) >= COLORED)).astype(np.uint8)
    boxes = [label.box for label in scene.labels]
    boxes += [entry.box for entry in scene.legend if entry.box is not None]
    for box in boxes:
        x0, y0, x1, y1 = (max(0, round(edge)) for edge in box.shifted(-left, -top))
        inked[y0:y1, x0:x1] = 0
    side = max(3, round(LARGEST * min(part.shape[:2])) + 4)
    thick = cv2.morphologyEx(inked, cv2.MORPH_OPEN, np.ones((side, side), np.uint8))
    return float(thick.sum() / max(1, inked.sum()))


def are_elsewhere(scene: Scene, found: Sticks, colors: Sequence[RGB]) -> bool:
    """Whether bars like those in the plot area stand above or below it (beside it, where they lie).

    Then the axis was broken, or there are several charts.
    """
    (height, width), plot = scene.pixels.shape[:2], scene.plot
    if found.vertical:
        strips = [Box(plot.x0, 0.0, plot.x1, plot.y0 - AWAY), Box(plot.x0, plot.y1 + AWAY, plot.x1, height)]
    else:
        strips = [Box(0.0, plot.y0, plot.x0 - AWAY, plot.y1), Box(plot.x1 + AWAY, plot.y0, width, plot.y1)]
    samples = [entry.box for entry in scene.legend if entry.box is not None]
    usual = float(np.median([stick.thickness for stick in found.sticks]))
    area = 0.0
    for strip in strips:
        if min(strip.width, strip.height) <= AWAY:
            continue
        sticks = find_sticks(
            scene.pixels, strip, colors, scene.background, [la.box for la in scene.labels], vertical=found.vertical
        ).sticks
        for stick in sticks:
            box = Box(stick.left, stick.top, stick.right, stick.bottom)
            box = box if found.vertical else Box(box.y0, box.x0, box.y1, box.x1)
            alike = abs(stick.thickness - usual) <= SAME_THICKNESS * usual
            if alike and not any(sample.intersection(box).area > 0 for sample in samples):
                area += box.area
    return area > MANY_ELSEWHERE * sum(stick.thickness * stick.length for stick in found.sticks)


def absent(kind: ChartKind, series: Sequence[Series], scene: Scene) -> list[str]:
    """What the legend has that no value was found for, and bars of which fewer were found than of others, in words."""
    counts: dict[str, int] = {}
    for one in series:
        counts[one.name] = counts.get(one.name, 0) + sum(point.y is not None for point in one.points)
    names = dict.fromkeys(entry.name for entry in scene.legend if entry.name and entry.color is not None)
    missing = [name for name in names if not counts.get(name)]
    most = max(counts.values(), default=0)
    fewer = [name for name in names if 0 < counts.get(name, 0) < most] if kind is ChartKind.BAR else []
    found = []
    if missing:
        found.append(Notice.NO_VALUES.told(names=", ".join(missing)))
    if fewer:
        found.append(Notice.FEW_VALUES.told(names=", ".join(fewer)))
    return found
