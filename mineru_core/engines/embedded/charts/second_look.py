"""Numbers at the upright axis that were not seen at first: the strip they stand in is read once more by itself.

Short numbers beside the marks of ticks are lost more easily than other texts where there is much else in the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

import numpy as np

from mineru_core.document.analysis import Line
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.labels import labels_of
from mineru_core.engines.embedded.charts.numbers import tick_number
from mineru_core.engines.embedded.charts.scene import Label, NumberAxis, Scene

# Heights of a line that the strip is wider than the numbers known, and longest number it makes room for.
MARGIN = 0.8
WIDEST = 4.0
# Steps from the last tick to the labels below, from which some are missing.
GAP = 0.9
SAME_ROW = 0.5


def with_missed_ticks(scene: Scene, reread: Callable[[Pixels], Sequence[Line]]) -> tuple[Label, ...] | None:
    """The labels with numbers of the upright axis that a second look finds, None where it finds no more.

    It is taken where a number stands alone at the left of all names, or where an axis ends far above the names below.
    """
    known = _known(scene)
    if not known:
        return None
    height = scene.text_height
    right = max(label.box.x1 for label in known)
    # Room at the left for a sign and more digits; what is turned stands farther out.
    left = max([0.0, *(label.box.x1 for label in scene.labels if label.turned and label.box.x1 < right)])
    left = max(left, right - WIDEST * height)
    start, end = int(left), min(scene.pixels.shape[1], round(right + MARGIN * height))
    strip = np.ascontiguousarray(scene.pixels[:, start:end])
    found = [
        label
        for label in labels_of(reread(strip))
        if not label.turned and label.slant is None and tick_number(label.text) is not None
    ]
    moved = [Label(label.text, label.box.shifted(start, 0), label.confidence) for label in found]
    there = [label for label in scene.labels if not label.turned and label.box.x0 < end]
    numbers = [label for label in there if tick_number(label.text) is not None]
    new = [label for label in moved if not any(_same_row(label, other, height) for other in numbers)]
    if not new:
        return None
    # What was read in place of a number gives way to it.
    wrong = {id(label) for label in there if label.box.x1 <= end and any(_same_row(label, la, height) for la in new)}
    return (*(label for label in scene.labels if id(label) not in wrong), *new)


def _same_row(a: Label, b: Label, height: float) -> bool:
    return abs(a.box.center[1] - b.box.center[1]) <= SAME_ROW * height


def _known(scene: Scene) -> list[Label]:
    """The numbers at the upright axis that are known, where some seem to be missing; else none."""
    level = [label for label in scene.labels if not label.turned and label.slant is None]
    if isinstance(scene.y, NumberAxis):
        places = sorted(pixel for _, pixel in scene.y.ticks)
        step = median(b - a for a, b in pairwise(places)) if len(places) > 1 else 0.0
        right = max((label.box.x1 for label in scene.y_labels), default=0.0)
        below = [la.box.y0 for la in level if la.box.x1 > right and la.box.y0 > places[-1] + 0.5 * scene.text_height]
        return list(scene.y_labels) if min(below, default=0.0) - places[-1] > GAP * step > 0 else []
    if isinstance(scene.x, NumberAxis) and not scene.x.dates:
        return []
    numbers = [label for label in level if tick_number(label.text) is not None]
    names = [label.box.x0 for label in level if tick_number(label.text) is None]
    return [label for label in numbers if len(names) > 1 and label.box.x1 < min(names)]
