"""Names left of an upright axis that were not seen at first: the strip they stand in is read once more, enlarged.

A word that stands alone in much white is lost more easily than other texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import background_of, letters_in, part_of
from mineru_core.engines.embedded.charts.labels import labels_of
from mineru_core.engines.embedded.charts.scene import Label, NumberAxis, Scene

# The strip is read so many times as large.
ENLARGED = 2
# In heights of a line: strokes nearer than the first belong to one name, which is so high and so wide at least, and
# ends so near to the plot area; marks of ticks are nearer to it than the last.
LETTER_GAP = 1.0
MIN_HIGH, MAX_HIGH = 0.4, 2.0
MIN_WIDE = 1.0
REACH = 2.5
TICK_MARK = 0.3
# A name is known where labels cover this share of it, and found where it covers a new label by this.
KNOWN = 0.5
COVERED = 0.5
MIN_CONFIDENCE = 0.7
MAX_MISSED = 60


def with_missed_names(scene: Scene, reread: Callable[[Pixels], Sequence[Line]]) -> tuple[Label, ...] | None:
    """The labels with names beside the plot area that a second look finds, None where it finds no more.

    ``reread`` reads the lines of a picture. It is called where strokes at the end of which a bar may begin have no
    label alone.
    """
    if isinstance(scene.y, NumberAxis) or not isinstance(scene.x, NumberAxis):
        return None
    edge = _edge(scene.plot, scene.x)
    missed = _missed(scene, edge)
    if not 0 < len(missed) <= MAX_MISSED:
        return None
    area = Box.around(missed).expanded(scene.text_height).clipped(edge, scene.pixels.shape[0])
    area = Box(*(round(edge) for edge in area))
    strip = part_of(scene.pixels, area)
    size = (ENLARGED * strip.shape[1], ENLARGED * strip.shape[0])
    large = cv2.resize(strip, size, interpolation=cv2.INTER_CUBIC).astype(np.uint8, copy=False)
    found = []
    for label in labels_of(reread(large)):
        box = label.box.scaled(1 / ENLARGED, 1 / ENLARGED).shifted(area.x0, area.y0)
        sure = label.confidence >= MIN_CONFIDENCE and any(c.isalnum() for c in label.text)
        if sure and not label.turned and label.slant is None and _covered(box, missed) > COVERED:
            found.append(Label(label.text, box, label.confidence))
    return (*scene.labels, *found) if found else None


def _edge(plot: Box, axis: NumberAxis) -> float:
    """Where bars may begin: at the plot area's left, or at zero where the first tick known is a later one."""
    zero = plot.x0 if axis.log else axis.pixel_at(0.0)
    return zero if 0 < zero < plot.x0 else plot.x0


def _missed(scene: Scene, edge: float) -> list[Box]:
    """The boxes of strokes that may be names and end left of ``edge``, those that no label covers."""
    height, plot = scene.text_height, scene.plot
    end = edge - TICK_MARK * height
    area = Box(0.0, plot.y0 - height, end, plot.y1 + height).clipped(edge, scene.pixels.shape[0])
    area = Box(*(round(value) for value in area))
    if min(area.width, area.height) < height:
        return []
    inked = letters_in(part_of(scene.pixels, area), background_of(scene.pixels)).astype(np.uint8)
    reach = np.ones((1, max(2, round(LETTER_GAP * height))), np.uint8)
    joined = cv2.morphologyEx(inked, cv2.MORPH_CLOSE, reach)
    count, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    found = []
    for x, y, wide, high, _ in (map(float, stats[i]) for i in range(1, count)):
        box = Box(x, y, x + wide, y + high).shifted(area.x0, area.y0)
        sized = MIN_HIGH * height <= high <= MAX_HIGH * height and wide >= MIN_WIDE * height
        if sized and edge - box.x1 <= REACH * height:
            found.append(box)
    return [box for box in found if _covered(box, [label.box for label in scene.labels]) < KNOWN]


def _covered(box: Box, others: Sequence[Box]) -> float:
    """The share of a box that others cover which do not overlap."""
    return sum(box.covered_by(other) for other in others)
