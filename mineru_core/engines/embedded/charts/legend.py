"""The legend: texts with a sample of a series' colour at their left, in a row or a column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import background_of, chroma, chroma_of, common_color, distance
from mineru_core.engines.embedded.charts.labels import text_height
from mineru_core.engines.embedded.charts.scene import RGB, Label, LegendEntry

# Where a sample is looked for: this far left of the text and this far into it (it may be read as a character),
# in heights of the text.
REACH = 3.2
INTO = 1.3
# Sizes of samples, in heights of the text: of boxes and dots, and of strokes with or without a marker on them.
MIN_WIDTH, MAX_WIDTH = 0.3, 3.0
MIN_SOLID, MAX_SOLID = 0.35, 1.5
# Hyphens are shorter than strokes, and have the colour of letters.
STROKE, COLORED_STROKE = 0.9, 0.6
# Dashes and dots of a stroke are so low, and so far apart.
DASH, DASH_GAP = 0.3, 0.8
# Share of its box that a dot or a box fills; letters fill less.
SOLID_FILL = 0.6
MIN_CONTRAST = 25
# The least blurred pixels of a thin stroke differ from the ground by this share of the most.
CLEAREST = 0.8
SAME_COLOR = 30.0
# A letter has so many pixels of its colour at least, for each of its height.
LETTER = 0.5
# Letters are grey and blurred: what is grey is told from them by its place alone.
GRAY = 24
# A ring is as wide as high, but for this.
ROUND = 0.85
# The box of a small letter is lower than those of other texts by this factor at most.
MAX_GROWN = 1.7
# A dot fills this share of the box about it.
FULL = 0.7
ALIGNED = 0.6
MAX_ROW_GAP = 2.6
_BULLET = re.compile(r"^[●•○◯◦■□▪▫◆◇▲▼►—–_\-·.=@*]+\s*")
_READ_AS_LETTER = re.compile(r"^[OQ0o©C]\s+(?=\S)")
# A ring is read as the letter that it looks like, and may be joined to the name.
_RING = "OQ0o©°"
_JOINED_RING = re.compile(rf"^[{_RING}]\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class _Sample:
    """A blot that may be the sample of an entry: its box, colour, shape, and whether it lies in the text's box."""

    box: Box
    color: RGB
    marker: str
    inside: bool


@dataclass(frozen=True, slots=True)
class FoundEntry:
    """An entry with the label it was read from."""

    entry: LegendEntry
    label: Label


def find_legend(pixels: Pixels, labels: Sequence[Label]) -> list[FoundEntry]:
    """The entries of the legend in reading order, none where there is none; places are in pixels of the picture.

    Of ``labels`` none is a marker, as ``without_markers`` leaves them.
    """
    found = []
    background = background_of(pixels)
    usual = text_height(labels)
    for label in labels:
        if label.turned or label.slant is not None:
            continue
        sample = _sample(
            pixels,
            _as_tall(label, usual),
            background,
            [la.box for la in labels if la is not label and any(c.isalnum() for c in la.text)],
        )
        if sample is not None:
            found.append(
                FoundEntry(LegendEntry(_name(label.text, sample), sample.color, sample.box, sample.marker), label)
            )
    return _without_rings(_aligned(pixels, found))


def _as_tall(label: Label, usual: float) -> Label:
    """A label in the height of others: the box of a small letter is lower than the sample before it."""
    more = (min(usual, MAX_GROWN * label.height) - label.height) / 2
    if more <= 0:
        return label
    return replace(label, box=label.box._replace(y0=label.box.y0 - more, y1=label.box.y1 + more))


def without_markers(pixels: Pixels, labels: Sequence[Label]) -> list[Label]:
    """The labels without markers and samples that were read as letters."""
    background = background_of(pixels)
    return [label for label in labels if not _is_marker(pixels, label, background)]


def _is_marker(pixels: Pixels, label: Label, background: RGB) -> bool:
    """Whether what was read as a letter is a coloured ring or dot: a sample or a marker, and no text.

    Letters and digits are narrower than high, seldom coloured, and do not fill their boxes.
    """
    if len(label.text.strip()) > 2:
        return False
    box = label.box.clipped(pixels.shape[1], pixels.shape[0])
    part = pixels[round(box.y0) : round(box.y1), round(box.x0) : round(box.x1)]
    if part.size == 0:
        return False
    colored = (chroma(part) >= GRAY) & (distance(part, background) > GRAY)
    rows, columns = np.flatnonzero(colored.any(axis=1)), np.flatnonzero(colored.any(axis=0))
    if not len(rows) or max(len(rows), len(columns)) < MIN_WIDTH * label.height:
        return False
    full = float(colored[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].mean())
    if full < FULL and label.text.strip() not in _RING:
        return False
    return bool(len(columns) >= ROUND * len(rows) and len(rows) >= ROUND * len(columns))


def _without_rings(found: Sequence[FoundEntry]) -> list[FoundEntry]:
    """The entries without the letter that a ring in the box of their text was read as.

    What goes on in small letters may be a word with a great one, unless all are alike.
    """
    ringed = [e for e in found if e.entry.marker == "ring" and e.entry.box and e.entry.box.center[0] > e.label.box.x0]
    read = [e for e in ringed if _JOINED_RING.match(e.entry.name)]
    alike = len(read) > 1 and len(read) == len(ringed)
    chosen = {id(e) for e in read if alike or not e.entry.name[1:2].islower()}
    return [
        FoundEntry(replace(e.entry, name=_JOINED_RING.sub("", e.entry.name)), e.label) if id(e) in chosen else e
        for e in found
    ]


def _name(text: str, sample: _Sample) -> str:
    text = _BULLET.sub("", text.strip()) or text
    return _READ_AS_LETTER.sub("", text) if sample.inside else text


def _sample(pixels: Pixels, label: Label, background: RGB, others: Sequence[Box]) -> _Sample | None:
    """The sample at a text's left: a compact blot of one colour, not cut by the edge of where it is looked for.

    What stands in the boxes of ``others`` is a part of these texts.
    """
    box, height = label.box, label.height
    x0, x1 = max(0, round(box.x0 - REACH * height)), min(pixels.shape[1], round(box.x0 + INTO * height))
    y0, y1 = max(0, round(box.y0 - 0.15 * height)), min(pixels.shape[0], round(box.y1 + 0.15 * height))
    window = pixels[y0:y1, x0:x1]
    if window.size == 0:
        return None
    inked = (distance(window, background) > MIN_CONTRAST).astype(np.uint8)
    best: _Sample | None = None
    for mask, (left, top, width, tall) in _blots(inked, height):
        cut = left == 0 or top == 0 or top + tall == window.shape[0]
        color = _core_color(window, mask, background)
        shortest = COLORED_STROKE if chroma_of(color) >= GRAY else STROKE
        marker = _shape(width / height, tall / height, float(mask.sum()) / (width * tall), shortest)
        starts_inside = x0 + left + width / 2 > box.x0
        if cut or not marker or (starts_inside and marker == "line") or left + width == window.shape[1]:
            continue
        at = (x0 + left + width / 2, y0 + top + tall / 2)
        if any(other.contains(*at) for other in others):
            continue
        place = Box(x0 + left, y0 + top, x0 + left + width, y0 + top + tall)
        if starts_inside and _is_ink(pixels, label, color, background, place):
            continue
        if best is None or not starts_inside:
            best = _Sample(place, color, marker, starts_inside)
    return best


def _blots(inked: NDArray[np.uint8], height: float) -> list[tuple[NDArray[np.bool_], tuple[int, int, int, int]]]:
    """What is drawn in a window, each piece with its (left, top, width, height); dashes in one row are one piece.

    ``height`` is that of the text. Dashes that may go on at the left of the window, as those of a grid, begin at 0.
    """
    count, marks, stats, _ = cv2.connectedComponentsWithStats(inked, connectivity=8)
    rows: list[list[int]] = []
    for i in sorted(range(1, count), key=lambda i: int(stats[i][0])):
        before = next((row for row in rows if _goes_on(stats[row[-1]], stats[i], height)), None)
        if before is None:
            rows.append([i])
        else:
            before.append(i)
    found = []
    for row in rows:
        left, top = (int(v) for v in stats[row][:, :2].min(axis=0))
        right, bottom = (int(v) for v in (stats[row][:, :2] + stats[row][:, 2:4]).max(axis=0))
        left = 0 if len(row) > 1 and left <= DASH_GAP * height else left
        found.append((np.isin(marks, row), (left, top, right - left, bottom - top)))
    return found


def _goes_on(dash: NDArray[np.int32], other: NDArray[np.int32], height: float) -> bool:
    """Whether two blots (left, top, width, height, …) are dashes or dots of one stroke, the other one at the right."""
    (left, top, wide, tall), (start, upper, long, high) = (tuple(int(v) for v in blot[:4]) for blot in (dash, other))
    low = max(tall, high) <= max(3.0, DASH * height) and max(wide, long) <= MAX_WIDTH * height
    level = abs(top - upper) <= 1 and abs(tall - high) <= 1
    return low and level and 0 <= start - left - wide <= DASH_GAP * height


def _is_ink(pixels: Pixels, label: Label, color: RGB, background: RGB, place: Box) -> bool:
    """Whether a colour is that of the label's letters before or behind a place: what is there is one of them, too."""
    box, height = label.box, label.height
    before = pixels[round(box.y0) : round(box.y1), max(0, round(box.x0)) : max(0, round(place.x0) - 1)]
    start = round(min(box.x1, place.x1, box.x0 + INTO * height))
    rest = pixels[round(box.y0) : round(box.y1), start : round(box.x1)]
    if max((distance(part, color) < SAME_COLOR).sum() for part in (before, rest)) >= LETTER * height:
        return True
    rest = rest[distance(rest, background) > MIN_CONTRAST]
    if not len(rest):
        return True
    darkest = rest[rest.sum(axis=1) <= np.percentile(rest.sum(axis=1), 30)]
    gray = chroma_of(color) < GRAY
    return gray or bool(np.median(distance(darkest, color)) < 2 * SAME_COLOR)


def _shape(width: float, tall: float, fill: float, shortest: float) -> str:
    """The shape of a blot by its size in heights of the text: "box", "dot", "line", "ring" or "" for none of them.

    ``shortest`` is how long a stroke is at least.
    """
    if not MIN_WIDTH <= width <= MAX_WIDTH or tall > MAX_SOLID:
        return ""
    if MIN_SOLID <= width <= MAX_SOLID and tall >= MIN_SOLID and 0.6 <= width / tall <= 1.7 and fill >= SOLID_FILL:
        return "box" if fill > 0.93 else "dot"
    if width >= shortest and width >= 1.5 * tall:
        return "box" if fill > 0.93 and tall >= MIN_SOLID else "line"
    return "ring" if 0.5 <= width <= MAX_SOLID and 0.8 <= width / tall <= 1.25 and fill >= 0.2 else ""


def _core_color(window: Pixels, mask: NDArray[np.bool_], background: RGB) -> RGB:
    """The blot's colour without its blurred rim, where it is thick enough to have more; else what is least blurred."""
    core = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
    if core.sum() >= 4:
        return common_color(window[core])
    away = distance(window, background)
    return common_color(window[mask & (away >= CLEAREST * away[mask].max())])


def _aligned(pixels: Pixels, found: Sequence[FoundEntry]) -> list[FoundEntry]:
    """The largest set of entries that stand in rows or columns with samples of one size."""
    best: list[FoundEntry] = []
    for seed in found:
        group = [other for other in found if _alike(seed, other)]
        group = _near_each_other(group, seed)
        if len(group) > len(best) and (len(group) > 1 or not _is_link(pixels, seed)):
            best = group
    return _in_rows(best)


def _in_rows(found: Sequence[FoundEntry]) -> list[FoundEntry]:
    """The entries row by row from the top, in a row from the left."""
    rows: list[list[FoundEntry]] = []
    for entry in sorted(found, key=lambda e: e.label.box.center[1]):
        first = rows[-1][0].label if rows else None
        if first and entry.label.box.center[1] - first.box.center[1] <= ALIGNED * min(first.height, entry.label.height):
            rows[-1].append(entry)
        else:
            rows.append([entry])
    return [entry for row in rows for entry in sorted(row, key=lambda e: e.label.box.x0)]


def _alike(a: FoundEntry, b: FoundEntry) -> bool:
    if a.entry.box is None or b.entry.box is None:
        return False
    sizes = sorted((a.entry.box.width, b.entry.box.width)), sorted((a.label.height, b.label.height))
    return sizes[0][1] <= 1.4 * sizes[0][0] + 2 and sizes[1][1] <= MAX_GROWN * sizes[1][0]


def _near_each_other(group: Sequence[FoundEntry], seed: FoundEntry) -> list[FoundEntry]:
    """The entries that rows and columns join to the seed."""
    joined, rest = [seed], [e for e in group if e is not seed]
    grew = True
    while grew:
        grew = False
        for entry in list(rest):
            if any(_beside(entry, other) for other in joined):
                joined.append(entry)
                rest.remove(entry)
                grew = True
    return joined


def _beside(a: FoundEntry, b: FoundEntry) -> bool:
    (ax, ay), (bx, by) = a.label.box.center, b.label.box.center
    height = max(a.label.height, b.label.height)
    if abs(ay - by) <= ALIGNED * height:
        return True
    left_a = a.entry.box.x0 if a.entry.box else ax
    left_b = b.entry.box.x0 if b.entry.box else bx
    return abs(left_a - left_b) <= ALIGNED * height and abs(ay - by) <= MAX_ROW_GAP * height


def _is_link(pixels: Pixels, found: FoundEntry) -> bool:
    """Whether a text has the colour of what stands before it, as a link with its icon has."""
    box = found.label.box
    text = pixels[round(box.y0) : round(box.y1), round(box.x0) : round(box.x1)]
    inked = distance(text, background_of(pixels)) > MIN_CONTRAST
    if not inked.any() or found.entry.color is None:
        return False
    return bool(np.median(distance(text, found.entry.color)[inked]) < SAME_COLOR + 20)
