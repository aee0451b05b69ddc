"""Bars as shapes: rectangles of one colour and one thickness that stand on a common line or on each other.

Bars of both directions are looked at as upright ones: ``across`` is the direction of the categories, ``along`` that of
the values. For horizontal bars the picture is transposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import BACKGROUND, Mask, distance, masks_of
from mineru_core.engines.embedded.charts.scene import RGB

# A bar fills this share of its box, and is as thick as most others to within this share or this many pixels.
MIN_FILL = 0.86
SAME_THICKNESS = 0.2
SLACK = 2.0
# Bars that touch are parted where their ends differ; pieces that are narrower are a slope.
MOSTLY_LEVEL = 0.52
MIN_PIECE = 4
LINE = 3
MANY_PIECES = 5
SLOPE = 2.5
MIN_THICKNESS = 3
THICK = 12
# How far a bar's end may be from the line the bars stand on, pixels.
MAX_OFF_BASE = 4.0
HIDDEN = 14.0
# Letters on bars have an outline this thick, pixels.
OUTLINE = 3
# Where more of a row through a text and of those above and below it is background, it stands between two bars.
OPEN = 0.25
# A text stands on a bar whose colour this share of the pixels around it has.
ALL_AROUND = 0.7
# Bars stand at zero where this share of them does.
AT_ZERO = 0.6
# Stacked segments are parted by no more than this, pixels.
MAX_GAP = 4.0
# Tiles: at least so many, and so many between the edges, of which most have one length, or several times that, but for
# so many pixels; no more than the other share of columns begins or ends with one colour.
MIN_TILES, MIN_INNER = 12, 4
MOST, MOSTLY = 0.9, 0.6
OFF_TILE = 3.0


@dataclass(frozen=True, slots=True)
class Stick:
    """A bar or a segment of one: pixels from ``left`` to ``right`` across, ``top`` to ``bottom`` along; its colour."""

    left: float
    right: float
    top: float
    bottom: float
    color: int

    @property
    def thickness(self) -> float:
        """Pixels across."""
        return self.right - self.left

    @property
    def center(self) -> float:
        """Its middle across."""
        return (self.left + self.right) / 2

    @property
    def length(self) -> float:
        """Pixels along."""
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Sticks:
    """The bars of a picture, the share of its coloured pixels they cover, and whether they are upright."""

    sticks: tuple[Stick, ...]
    share: float
    vertical: bool


def find_sticks(
    pixels: Pixels, region: Box, colors: Sequence[RGB], background: RGB, texts: Sequence[Box], *, vertical: bool
) -> Sticks:
    """The bars of these colours in a region of a picture, upright ones or horizontal ones.

    ``texts`` are boxes of labels, which may stand on bars: what lies behind them is told from both sides.
    """
    x0, y0, x1, y1 = int(region.x0), int(region.y0), int(np.ceil(region.x1)), int(np.ceil(region.y1))
    part = pixels[y0:y1, x0:x1]
    boxes = [box.shifted(-x0, -y0) for box in texts]
    if not vertical:
        part = part.transpose(1, 0, 2)
        boxes = [Box(b.y0, b.x0, b.y1, b.x1) for b in boxes]
    part = np.ascontiguousarray(part)
    masks = masks_of(part, colors, background)
    _fill_behind_texts(masks, boxes, distance(part, background) <= BACKGROUND)
    found: list[Stick] = []
    total = 0
    for index, mask in enumerate(masks):
        total += int(mask.sum())
        found += [_measured(part, stick, colors[index]) for stick in _rectangles(mask, index)]
    kept = _of_one_thickness(found)
    covered = sum(stick.length * stick.thickness for stick in kept)
    dx, dy = (x0, y0) if vertical else (y0, x0)
    moved = tuple(replace(s, left=s.left + dx, right=s.right + dx, top=s.top + dy, bottom=s.bottom + dy) for s in kept)
    return Sticks(moved, min(1.0, covered / total) if total else 0.0, vertical)


def _fill_behind_texts(masks: Sequence[Mask], boxes: Sequence[Box], ground: Mask) -> None:
    """Give the pixels of texts the colour that stands on both sides of them, in their row or in their column.

    ``ground`` are the pixels of the background: a text between two bars is on neither.
    """
    if not masks:
        return
    height, width = masks[0].shape
    classes = np.full((height, width), -1, np.int16)
    for index, mask in enumerate(masks):
        classes[mask] = index
    for box in boxes:
        x0, x1 = max(1, int(box.x0) - OUTLINE), min(width - 2, int(np.ceil(box.x1)) + OUTLINE - 1)
        y0, y1 = max(1, int(box.y0) - 1), min(height - 2, int(np.ceil(box.y1)))
        if x1 <= x0 or y1 <= y0:
            continue
        around = np.concatenate(
            [classes[y0:y1, x0 - 1], classes[y0:y1, x1], classes[y0 - 1, x0:x1], classes[y1, x0:x1]]
        )
        inside = np.bincount(around[around >= 0], minlength=len(masks))
        if inside.max() >= ALL_AROUND * len(around):  # on one bar: the letters may have the colours of others
            for index, mask in enumerate(masks):
                mask[y0:y1, x0:x1] = index == int(inside.argmax())
            continue
        rows = np.where(classes[y0:y1, x0 - 1] == classes[y0:y1, x1], classes[y0:y1, x1], -1)
        if min(ground[row, x0:x1].mean() for row in (y0 - 1, y1)) > OPEN:
            rows[ground[y0:y1, x0:x1].mean(axis=1) > OPEN] = -1
        columns = np.where(classes[y0 - 1, x0:x1] == classes[y1, x0:x1], classes[y1, x0:x1], -1)
        for index, mask in enumerate(masks):
            mask[y0:y1, x0:x1] |= (rows == index)[:, None] | (columns == index)[None, :]


def _rectangles(mask: Mask, color: int) -> list[Stick]:
    """The rectangles that a mask's connected parts are, or are made of."""
    joined = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 1), np.uint8))
    count, marks, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
    found: list[Stick] = []
    for i in range(1, count):
        left, top, width, height, area = (int(v) for v in stats[i])
        if width < MIN_THICKNESS or area < 4:
            continue
        part = _without_holes(marks[top : top + height, left : left + width] == i)
        if int(part.sum()) >= MIN_FILL * width * height and _has_level_ends(part):
            found.append(Stick(left, left + width, top, top + height, color))
        else:
            found += [Stick(left + a, left + b, top + c, top + d, color) for a, b, c, d in _pieces(part)]
    return found


def _without_holes(part: Mask) -> Mask:
    """The part with what it encloses, such as the letters on a bar."""
    filled = part.astype(np.uint8)
    outlines, _ = cv2.findContours(filled, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return cv2.drawContours(filled, outlines, -1, 1, cv2.FILLED).astype(np.bool_)


def _has_level_ends(part: NDArray[np.bool_]) -> bool:
    """Whether the upper and lower edges are level in most columns; a slope's are not, a number may cover some."""
    if part.shape[0] < 6:
        return True
    inner = slice(1, -1) if part.shape[1] > 4 else slice(None)
    edges = (part.argmax(axis=0)[inner], part[::-1].argmax(axis=0)[inner])
    return all(bool((np.abs(edge - np.median(edge)) <= 1.5).mean() >= MOSTLY_LEVEL) for edge in edges)


def _pieces(part: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """Columns of equal ends as (left, right, top, bottom); none where most of the part is a slope or has holes."""
    height, width = part.shape
    tops, bottoms = part.argmax(axis=0), height - part[::-1].argmax(axis=0)
    solid = part.sum(axis=0) >= 0.9 * (bottoms - tops)
    found: list[tuple[int, int, int, int]] = []
    start = 0
    for x in range(1, width + 1):
        level = (
            x < width and abs(int(tops[x]) - int(tops[start])) <= 1 and abs(int(bottoms[x]) - int(bottoms[start])) <= 1
        )
        if level:
            continue
        if x - start >= MIN_PIECE and solid[start:x].mean() > 0.8:
            found.append((start, x, int(np.median(tops[start:x])), int(np.median(bottoms[start:x]))))
        start = x
    covered = sum(b - a for a, b, _, _ in found)
    bars = [piece for piece in found if piece[3] - piece[2] > LINE]  # else the axis' line, if it has their colour
    steps = [max(abs(a[2] - b[2]), abs(a[3] - b[3])) for a, b in pairwise(bars)]
    if covered < 0.75 * width or len(bars) > max(1, width // 6):
        return []
    if len(bars) >= MANY_PIECES and median(steps) <= SLOPE:  # the edge of an area
        return []
    usual = median(b - a for a, b, _, _ in bars) if bars else 0.0
    alike = sum(abs(b - a - usual) <= max(SLACK, 0.25 * usual) for a, b, _, _ in bars)
    return bars if alike >= 0.7 * len(bars) else []


def _measured(part: Pixels, stick: Stick, color: RGB) -> Stick:
    """The stick with its ends at a fraction of a pixel, from how much its colour shows in the pixels there."""
    # Numbers stand in the middle of a thick bar.
    shares = ((0.08, 0.3), (0.7, 0.92)) if stick.thickness >= THICK else ((0.25, 0.75),)
    spans = [(int(stick.left + a * stick.thickness), int(np.ceil(stick.left + b * stick.thickness))) for a, b in shares]
    strip = np.concatenate([part[:, a : max(a + 1, b)] for a, b in spans], axis=1).astype(np.float32)
    top = _end(strip, int(stick.top), -1, color)
    bottom = _end(strip, int(stick.bottom) - 1, 1, color)
    return replace(stick, top=float(top), bottom=float(bottom + 1))


def _end(strip: NDArray[np.float32], row: int, step: int, color: RGB) -> float:
    """Where a bar ends that reaches to ``row``, going on by ``step``: the row, moved by the share shown beyond it."""
    height = strip.shape[0]
    beyond, outside = row + step, row + 3 * step
    if not 0 <= beyond < height:
        return float(row)
    out = np.median(strip[min(max(outside, 0), height - 1)], axis=0)
    whole = np.array(color, np.float32) - out
    norm = float(whole @ whole)
    if norm < 1.0:
        return float(row)
    shown = float(np.clip((np.median(strip[beyond], axis=0) - out) @ whole / norm, 0.0, 1.0))
    at_end = float(np.clip((np.median(strip[row], axis=0) - out) @ whole / norm, 0.0, 1.0))
    return row + step * (shown - (1.0 - at_end))


def _of_one_thickness(found: Sequence[Stick]) -> list[Stick]:
    """The sticks that are as thick as most are, by their area."""
    if not found:
        return []
    weights = sorted((s.thickness, s.thickness * max(1.0, s.length)) for s in found)
    half, total, usual = sum(w for _, w in weights) / 2, 0.0, weights[-1][0]
    for thickness, weight in weights:
        total += weight
        if total >= half:
            usual = thickness
            break
    reach = max(SLACK, SAME_THICKNESS * usual)
    return [s for s in found if abs(s.thickness - usual) <= reach]


def base_of(sticks: Sequence[Stick], *, vertical: bool, zero: float | None = None) -> tuple[float, float]:
    """The place along that most columns of sticks begin at, and the share of columns that do.

    ``zero`` is where the axis has zero, which is the base of all bars that do not stand elsewhere. Of two places that
    as many columns end at, the base is the lower one of upright bars and the left one of others.
    """
    columns = columns_of(sticks)
    if not columns:
        return 0.0, 0.0
    ends = [(min(s.top for s in c), max(s.bottom for s in c), len(c) > 1) for c in columns]

    several = sum(len(column) > 1 for column in columns) >= 0.3 * len(columns)

    def share(place: float) -> float:
        # A number on the lowest segment of a stack may hide it.
        reach = SLACK if place != zero else HIDDEN if several else MAX_OFF_BASE
        # Segments of both signs stand on both sides of zero; one bar does not.
        at_place = [
            min(abs(place - a), abs(place - b)) <= reach or (stack and place == zero and a < place < b)
            for a, b, stack in ends
        ]
        return sum(at_place) / len(ends)

    if zero is not None and share(zero) >= AT_ZERO:
        return zero, share(zero)
    places = [place for a, b, _ in ends for place in (a, b)]
    best = max(share(place) for place in places)
    chosen = [place for place in places if share(place) == best]
    base = max(chosen) if vertical else min(chosen)
    return median(place for place in chosen if abs(place - base) <= SLACK), best


def are_tiles(sticks: Sequence[Stick]) -> bool:
    """Whether sticks are the cells of a grid (a heat map) and no stacks.

    The cells between the grid's edges, which the plot area may cut, are equally long, or several together where
    neighbours have one colour; and the columns begin and end with different colours, where stacks have one order.
    """
    columns = [column for column in columns_of(sticks) if len(column) > 1]
    cells = [stick for column in columns for stick in column]
    if len(cells) < MIN_TILES or len(cells) < MOSTLY * len(sticks):
        return False
    top, bottom = min(stick.top for stick in cells), max(stick.bottom for stick in cells)
    inner = [s.length for s in cells if s.top > top + OFF_TILE and s.bottom < bottom - OFF_TILE]
    if len(inner) < MIN_INNER:
        return False
    lengths = np.array(inner)
    unit = float(np.percentile(lengths, 20))
    times = np.round(lengths / unit)
    # Neighbours in a column are parted by a hairline or by none.
    fits = np.abs(lengths - times * unit) <= OFF_TILE * np.maximum(1.0, times)
    in_order = max(_commonest([column[end].color for column in columns]) for end in (0, -1))
    return bool(unit > 2 * OFF_TILE and fits.mean() >= MOST and in_order <= MOSTLY)


def _commonest(colors: Sequence[int]) -> float:
    """The share of the most frequent of some colours."""
    return max(colors.count(color) for color in set(colors)) / len(colors)


def columns_of(sticks: Sequence[Stick]) -> list[list[Stick]]:
    """The sticks that stand above each other, column by column across."""
    columns: list[list[Stick]] = []
    for stick in sorted(sticks, key=lambda s: (s.center, s.top)):
        last = columns[-1] if columns else None
        if last is not None and abs(last[0].center - stick.center) <= 0.35 * min(last[0].thickness, stick.thickness):
            last.append(stick)
        else:
            columns.append([stick])
    return [sorted(column, key=lambda s: s.top) for column in columns]


def with_hidden(column: Sequence[Stick], base: float, colors: set[int]) -> list[Stick]:
    """A stack with the one segment that a number on it hides: where one colour is missing, and one gap is left.

    ``colors`` are those that the stacks of the chart have.
    """
    missing = colors - {stick.color for stick in column}
    above = [s for s in column if (s.top + s.bottom) / 2 < base]
    side = above if len(above) >= len(column) / 2 else [s for s in column if s not in above]
    if len(missing) != 1 or not side:
        return list(column)
    edges = sorted([(base, base), *((s.top, s.bottom) for s in side)])
    gaps = [(a[1], b[0]) for a, b in pairwise(edges) if b[0] - a[1] > MAX_GAP]
    if len(gaps) != 1:
        return list(column)
    top, bottom = gaps[0]
    hidden = replace(side[0], top=top, bottom=bottom, color=missing.pop())
    return sorted([*column, hidden], key=lambda s: s.top)
