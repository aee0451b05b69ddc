"""Short names that were missed: single letters and digits look like no text, so they are read again in one row.

They are looked for where names must be: below the plot area, and beside the samples of a legend. Cut out, turned level
and set side by side they are a line of text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.document.parts import Line
from mineru_core.engines.embedded.charts.colors import background_of, chroma, distance, letters_in, part_of
from mineru_core.engines.embedded.charts.scene import RGB, CategoryAxis, Label, NumberAxis, Scene

Mask = NDArray[np.bool_]
Read = Callable[[Pixels], Sequence[Line]]

GRAY = 24
# Sizes in heights of a line of text: the names below the axis are looked for this far down, strokes nearer than the
# other belong to one name, and the tops of all names are at one height but for this.
DEEP = 6.0
NEAR = 0.25
SAME_TOP = 0.5
SMALLEST = 0.25
# The strokes of a name that was read are covered by its label to this share; a label goes with the name that covers it
# to the other, and labels are so many pixels larger than their strokes.
WHOLE = 0.75
COVERED = 0.5
AROUND = 3.0
# From this many times as high as wide on a name runs upwards.
TURNED = 1.4
MIN_CONFIDENCE = 0.5
MAX_NAMES = 40
# Names of so many letters that were read with less confidence than this are read again.
SHORT = 2
SURE = 0.97
# Samples of a legend: their sizes in heights of a line, how round or square and how full, and how far apart.
MIN_SAMPLE, MAX_SAMPLE = 0.3, 1.3
SQUARE = 0.8
MIN_STROKE, MAX_STROKE, THIN = 0.5, 2.5, 0.35
MIN_FILL = 0.5
MAX_APART = 3.0
SAME_SIZE = 2.5


def with_small_names(scene: Scene, read: Read) -> tuple[Label, ...] | None:
    """The labels of a scene with the names that were missed; None where none was, or none can be read.

    ``read`` reads the lines of a picture. It is called where there are strokes without a label alone.
    """
    labels = list(scene.labels)
    under = _under_plot(scene)
    beside = _beside_samples(scene)
    found = [
        *(_read_again(scene, under, read, _ways(under, scene.text_height)) if _is_doubtful(under, labels) else ()),
        *_read_again(scene, _missed(beside, labels), read, (False,)),
    ]
    if not found:
        return None
    kept = [
        label
        for label in labels
        if not any(label.box.covered_by(new.box) > COVERED for new in found)
        and not _holds_several(label, [new.box for new in found])
    ]
    return tuple(sorted([*kept, *found], key=lambda la: (la.box.y0, la.box.x0)))


def read_in_row(pixels: Pixels, boxes: Sequence[Box], read: Read, *, turned: bool) -> list[tuple[str, float] | None]:
    """What the texts in boxes of a picture say, with the confidence of it, all of them read as one line.

    ``turned`` ones run upwards. None stands for what cannot be read.
    """
    cuts = [_cut(pixels, box) for box in boxes]
    return read_cuts([np.rot90(cut, k=-1) if turned else cut for cut in cuts], background_of(pixels), read)


def read_cuts(cuts: Sequence[Pixels], ground: RGB, read: Read) -> list[tuple[str, float] | None]:
    """What pieces of a picture, each of one level text on ``ground``, say; as ``read_in_row``."""
    high = max(cut.shape[0] for cut in cuts)
    row = np.empty((2 * high, sum(cut.shape[1] + high for cut in cuts) + high, 3), np.uint8)
    row[:] = ground
    spans: list[tuple[int, int]] = []
    at = high
    for cut in cuts:
        top = (len(row) - cut.shape[0]) // 2
        row[top : top + cut.shape[0], at : at + cut.shape[1]] = cut
        spans.append((at, at + cut.shape[1]))
        at += cut.shape[1] + high
    return _texts_at(read(row), spans)


def _cut(pixels: Pixels, box: Box) -> Pixels:
    around = box.expanded(1.0).clipped(pixels.shape[1], pixels.shape[0])
    return pixels[round(around.y0) : round(around.y1), round(around.x0) : round(around.x1)]


def _texts_at(lines: Sequence[Line], spans: Sequence[tuple[int, int]]) -> list[tuple[str, float] | None]:
    """The words of lines at each of the spans along them; words that cover several are parted letter by letter."""
    parts: list[list[tuple[float, str, float]]] = [[] for _ in spans]
    for line in lines:
        words = [(word.text, word.box) for word in line.words] or [(line.text, line.box)]
        for text, box in words:
            here = [i for i, (a, b) in enumerate(spans) if box.x0 < (a + b) / 2 < box.x1]
            if not here:
                at = box.center[0]
                here = [i for i, (a, b) in enumerate(spans) if a - 2 <= at <= b + 2]
            letters = [text] if len(here) == 1 else list(text)
            if len(letters) == len(here):
                for i, letter in zip(here, letters, strict=True):
                    parts[i].append((box.x0, letter, line.confidence))
    return [
        (" ".join(text for _, text, _ in sorted(part)), min(sure for _, _, sure in part)) if part else None
        for part in parts
    ]


def _is_doubtful(names: Sequence[Box], labels: Sequence[Label]) -> bool:
    """Whether a name was missed, or names of a letter or two were read that are not sure: they may be turned."""
    if _missed(names, labels):
        return True
    read = [label for label in labels if any(name.covered_by(label.box) >= WHOLE for name in names)]
    short = [label for label in read if len(label.text) <= SHORT and not label.turned]
    return len(short) > len(read) / 2 and min(label.confidence for label in short) < SURE


def _missed(names: Sequence[Box], labels: Sequence[Label]) -> list[Box]:
    """The names that no label covers; what covers several of them was read as one, and is none."""
    single = [label for label in labels if not _holds_several(label, names)]
    return [name for name in names if sum(name.covered_by(la.box.expanded(1.0)) for la in single) < WHOLE]


def _ways(names: Sequence[Box], height: float) -> tuple[bool, ...]:
    """Whether names run upwards (True) or are level, the one to be tried first; single letters may be either."""
    tall = median(name.height / max(1.0, name.width) for name in names)
    if tall >= TURNED and median(name.height for name in names) > height:
        return (True,)
    return (False,) if tall <= 1 / TURNED else (True, False)


def _holds_several(label: Label, names: Sequence[Box]) -> bool:
    """Whether a label covers several names, more than it has words."""
    return sum(name.covered_by(label.box) > COVERED for name in names) > max(1, len(label.text.split()))


def _read_again(scene: Scene, names: Sequence[Box], read: Read, ways: Sequence[bool]) -> list[Label]:
    """The names with what they say, each that can be read, the way up that they read best."""
    best: list[Label] = []
    for turned in ways if 0 < len(names) <= MAX_NAMES else ():
        texts = read_in_row(scene.pixels, names, read, turned=turned)
        found = [
            Label(text[0], name.expanded(AROUND), text[1], turned=turned)
            for name, text in zip(names, texts, strict=True)
            if text is not None and text[1] >= MIN_CONFIDENCE and any(c.isalnum() for c in text[0])
        ]
        if sum(label.confidence for label in found) > sum(label.confidence for label in best):
            best = found
    return best


def _under_plot(scene: Scene) -> list[Box]:
    """The boxes of the names in the row below the plot area; none where the axis there has numbers."""
    plot, height = scene.plot, scene.text_height
    if not isinstance(scene.y, NumberAxis) or (isinstance(scene.x, NumberAxis) and len(scene.x.ticks) > 2):
        return []
    left = max((la.box.x1 for la in scene.y_labels if la.box.x1 < plot.center[0]), default=0.0)
    start = Box(max(plot.x0, left), plot.y1 + 1, plot.x1, plot.y1 + DEEP * height)
    strip = start.clipped(scene.pixels.shape[1], scene.pixels.shape[0])
    inked = _inked(scene, strip)
    if inked.size == 0:
        return []
    inked = _without_marks(inked)
    reach = max(2, round(NEAR * height))
    joined = cv2.morphologyEx(inked.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    boxes = _boxes(joined, strip, SMALLEST * height)
    top = min((box.y0 for box in boxes), default=0.0)
    names = [box for box in boxes if box.y0 - top <= SAME_TOP * height]
    return sorted(names, key=lambda box: box.x0) if _are_in_turn(names, scene) else []


def _are_in_turn(names: Sequence[Box], scene: Scene) -> bool:
    """Whether boxes can be the names of one axis: at least two, side by side, and no more than a few a known one."""
    if len(names) < 2:
        return False
    known = len(scene.x.categories) if isinstance(scene.x, CategoryAxis) else 0
    ordered = sorted(names, key=lambda box: box.x0)
    apart = all(a.x1 < b.x0 for a, b in pairwise(ordered))
    return apart and (known == 0 or len(names) <= 2 * known + 1)


def _inked(scene: Scene, area: Box) -> Mask:
    return letters_in(part_of(scene.pixels, area), background_of(scene.pixels))


def _without_marks(inked: Mask) -> Mask:
    """The ink without what reaches into the area from above: the axis and its ticks."""
    _, marks = cv2.connectedComponents(inked.astype(np.uint8), connectivity=8)
    return inked & ~np.isin(marks, np.unique(marks[:2][inked[:2]]))


def _boxes(joined: NDArray[np.integer[Any] | np.floating[Any]], area: Box, least: float) -> list[Box]:
    count, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    x, y = int(area.x0), int(area.y0)
    found = [
        Box(x + a, y + b, x + a + w, y + b + h) for a, b, w, h, _ in (map(float, stats[i]) for i in range(1, count))
    ]
    return [box for box in found if max(box.width, box.height) >= least]


def _beside_samples(scene: Scene) -> list[Box]:
    """The boxes of the names at the right of samples that stand in a column outside the plot area."""
    background = background_of(scene.pixels)
    column = _column(_samples(scene, background), scene.text_height)
    if len(column) < 2:
        return []
    step = min(b.center[1] - a.center[1] for a, b in pairwise(column))
    letters = letters_in(scene.pixels, background) & (chroma(scene.pixels) < GRAY)
    names = []
    for sample in column:
        reach = min(step / 2, 0.8 * scene.text_height)
        rows = slice(max(0, round(sample.center[1] - reach)), round(sample.center[1] + reach))
        name = _first_run(letters[rows], round(sample.x1) + 1, scene.text_height)
        if name is None:
            return []
        names.append(Box(name.x0, name.y0 + rows.start, name.x1, name.y1 + rows.start))
    return names


def _samples(scene: Scene, background: RGB) -> list[Box]:
    """Blots of colour outside the plot area that have the size and shape of samples."""
    height = scene.text_height
    colored = ((chroma(scene.pixels) >= GRAY) & (distance(scene.pixels, background) > GRAY)).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(colored, connectivity=8)
    found = []
    for a, b, w, h, area in (map(float, stats[i]) for i in range(1, count)):
        sized = MIN_SAMPLE * height <= min(w, h) and max(w, h) <= MAX_SAMPLE * height
        blot = sized and min(w, h) >= SQUARE * max(w, h)
        stroke = MIN_STROKE * height <= w <= MAX_STROKE * height and h <= THIN * height
        if (blot or stroke) and area >= MIN_FILL * w * h:
            found.append(Box(a, b, a + w, b + h))
    is_scaled = isinstance(scene.x, NumberAxis) or isinstance(scene.y, NumberAxis)
    return [box for box in found if not is_scaled or not scene.plot.contains(*box.center)]


def _column(samples: Sequence[Box], height: float) -> list[Box]:
    """The longest column of samples of one size, from the top."""
    best: list[Box] = []
    for first in samples:
        column = [first]
        for box in sorted(samples, key=lambda b: b.y0):
            level = abs(box.center[0] - first.center[0]) <= SAME_SIZE and abs(box.width - first.width) <= SAME_SIZE
            gap = box.y0 - column[-1].y1
            if level and 0 < gap <= MAX_APART * height:
                column.append(box)
        best = column if len(column) > len(best) else best
    return best


def _first_run(letters: Mask, start: int, height: float) -> Box | None:
    """The box of the strokes from a column on to the first wide gap; None where there are none near."""
    columns = np.flatnonzero(letters[:, start:].any(axis=0)) + start
    if not len(columns) or columns[0] - start > height:
        return None
    gaps = np.flatnonzero(np.diff(columns) > height)
    end = int(columns[gaps[0]] if len(gaps) else columns[-1]) + 1
    rows = np.flatnonzero(letters[:, columns[0] : end].any(axis=1))
    return Box(float(columns[0]), float(rows[0]), float(end), float(rows[-1] + 1))
