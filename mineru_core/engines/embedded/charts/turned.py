"""Texts that run up the picture and were missed: names below narrow bars, and the title of the upright axis.

A single turned letter looks like no text, and short turned words are often passed over. The strips where they stand are
turned level, and read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.document.parts import Line
from mineru_core.engines.embedded.charts.colors import channel_max
from mineru_core.engines.embedded.charts.scene import Label, NumberAxis, Scene

# The strip below the plot area is this high, in heights of a line; that left of the labels at least this wide.
STRIP = 6.0
# Where at least so many names were read below the plot area, they stand level.
FEW = 2
MIN_STRIP = 0.7
# A strip with less ink than this share of its pixels is empty.
MIN_INK = 0.003
MIN_CONTRAST = 60
MIN_CONFIDENCE = 0.5
# A label that covers so much of another is the same text.
SAME = 0.3


def turned_labels(scene: Scene, read: Callable[[Pixels], Sequence[Line]]) -> tuple[Label, ...] | None:
    """The labels of a scene with those that run upwards where level reading found too few; None where nothing is new.

    ``read`` reads the lines of a picture.
    """
    labels = list(scene.labels)
    found: list[Label] = []
    plot, height = scene.plot, scene.text_height
    few = len(scene.x_labels) < FEW and isinstance(scene.y, NumberAxis)
    if few and not isinstance(scene.x, NumberAxis):
        strip = Box(plot.x0 - height, plot.y1 + 2, plot.x1 + height, plot.y1 + STRIP * height)
        names = _read_up(scene, strip, read)
        here = [la for la in scene.x_labels if la.box.center[1] > plot.y1]
        if len(names) > max(1, len(here)):
            taken = {id(label) for label in here}
            labels = [label for label in labels if id(label) not in taken]
            found += names
    if not _is_word(scene.y_title) and isinstance(scene.y, NumberAxis) and scene.y_labels:
        left = min(label.box.x0 for label in scene.y_labels)
        if left >= MIN_STRIP * height:
            strip = Box(0.0, plot.y0, left, plot.y1)
            title = _read_up(scene, strip, read)
            # A turned "v" is taken for ">".
            no_words = {id(la) for la in labels if not _is_word(la.text) and la.box.covered_by(strip) > 0.5}
            labels = [la for la in labels if id(la) not in no_words] if title else labels
            found += title
    new = [la for la in found if all(la.box.covered_by(other.box) < SAME for other in labels)]
    return tuple(sorted([*labels, *new], key=lambda la: (la.box.y0, la.box.x0))) if new else None


def _is_word(text: str) -> bool:
    return any(c.isalnum() for c in text)


def _read_up(scene: Scene, strip: Box, read: Callable[[Pixels], Sequence[Line]]) -> list[Label]:
    """The texts of a strip that run upwards."""
    area = strip.clipped(scene.pixels.shape[1], scene.pixels.shape[0])
    x0, y0, x1, y1 = int(area.x0), int(area.y0), ceil(area.x1), ceil(area.y1)
    part = scene.pixels[y0:y1, x0:x1]
    if part.size == 0:
        return []
    inked = channel_max(np.abs(part.astype(np.int16) - np.median(part.reshape(-1, 3), axis=0))) > MIN_CONTRAST
    if inked.mean() < MIN_INK:
        return []
    # Close about the ink: a letter alone in a long strip is passed over.
    rows = np.flatnonzero(inked.any(axis=1))
    margin = round(scene.text_height / 2)
    y0, y1 = y0 + max(0, int(rows[0]) - margin), y0 + min(len(inked), int(rows[-1]) + 1 + margin)
    level = np.ascontiguousarray(np.rot90(scene.pixels[y0:y1, x0:x1], k=-1))
    found = []
    for line in read(level):
        b = line.box
        place = Box(x0 + b.y0, y1 - b.x1, x0 + b.y1, y1 - b.x0)
        if line.confidence >= MIN_CONFIDENCE and b.height <= 2 * scene.text_height:
            found.append(Label(line.text, place, line.confidence, turned=True))
    return found
