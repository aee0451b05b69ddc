"""The grid that ruling lines draw, for tables whose every cell is framed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.tables.structure import Structure, StructureCell

# All lengths are in heights of a text line.
MIN_RULE = 1.5
MAX_THICKNESS = 0.5
SAME_RULE = 0.35
OPEN_SIDE = 0.4
# A rule may be fainter than text: this many of 255 grey levels off its surroundings.
MIN_CONTRAST = 10
# Share of a side of a cell that must be drawn.
MIN_DRAWN = 0.75
# Share of the width that the rules which end a table span.
MIN_ACROSS = 0.9

Mask = NDArray[np.uint8]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight stroke: ``at`` is its place across (y of a horizontal one), ``start`` and ``end`` along it, pixels."""

    at: float
    start: float
    end: float


def ruled_structure(picture: Pixels, texts: Sequence[Box], text_height: float) -> Structure | None:
    """The structure drawn by rules in a picture of a table, None where they do not frame cells in both directions.

    ``texts`` are the boxes of the text lines in pixels of the picture. A side of the table that is left open closes at
    the text. Boxes of the cells are in pixels of the picture.
    """
    horizontal, vertical = _rules(picture, texts, text_height)
    if not horizontal and not vertical:
        return None
    # Without text there is nothing that an open side could close at.
    strokes = [Box(r.start, r.at, r.end, r.at) for r in horizontal] + [
        Box(r.at, r.start, r.at, r.end) for r in vertical
    ]
    hull = Box.around(texts or strokes)
    ys = _places([r.at for r in horizontal], hull.y0, hull.y1, text_height)
    xs = _places([r.at for r in vertical], hull.x0, hull.x1, text_height)
    if not 2 <= len(ys) <= 400 or not 3 <= len(xs) <= 100:
        return None
    below = _drawn(horizontal, ys, xs, text_height)
    aside = _drawn(vertical, xs, ys, text_height).T
    return _structure(xs, ys, below, aside)


def ruled_limits(picture: Pixels, texts: Sequence[Box], text_height: float) -> tuple[float, float] | None:
    """Top and bottom of a table, pixels, where rules across all of it end its columns; None where they do not.

    Text above or below is a caption or a note: a column that had a cell there would be ruled there, too.
    """
    horizontal, vertical = _rules(picture, texts, text_height)
    if not horizontal or not vertical:
        return None
    left, right = min(rule.start for rule in horizontal), max(rule.end for rule in horizontal)
    across = [rule.at for rule in horizontal if rule.end - rule.start >= MIN_ACROSS * (right - left)]
    top, bottom = min(rule.start for rule in vertical), max(rule.end for rule in vertical)
    reach = MAX_THICKNESS * text_height
    if not across or abs(across[0] - top) > reach or abs(across[-1] - bottom) > reach or top >= bottom:
        return None
    return across[0], across[-1]


def _rules(picture: Pixels, texts: Sequence[Box], text_height: float) -> tuple[list[Rule], list[Rule]]:
    """The horizontal and the vertical rules of a picture, strokes of letters left out."""
    turned = [Box(b.y0, b.x0, b.y1, b.x1) for b in texts]
    across = np.ascontiguousarray(picture.transpose(1, 0, 2))
    return (
        _outside(find_rules(picture, text_height), texts, text_height),
        _outside(find_rules(across, text_height), turned, text_height),
    )


def find_rules(picture: Pixels, text_height: float) -> list[Rule]:
    """The horizontal rules of a picture, from top to bottom; turn the picture over its diagonal for vertical ones."""
    grey: Mask = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    if np.median(grey) < 128:
        grey = 255 - grey
    reach = 2 * int(MAX_THICKNESS * text_height / 2) + 3
    across = cv2.getStructuringElement(cv2.MORPH_RECT, (1, reach))
    strokes = cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, across)
    mask = np.asarray(strokes >= MIN_CONTRAST, dtype=np.uint8)
    # A gap of a pixel or two is noise; a wider bridge would make rules of the letters of a line.
    joined = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_RECT, (3, 1)))
    # An odd length: OpenCV moves what an even one opens aside by a pixel.
    along = cv2.getStructuringElement(cv2.MORPH_RECT, (max(8, int(MIN_RULE * text_height)) | 1, 1))
    long = cv2.morphologyEx(joined, cv2.MORPH_OPEN, along)
    _, _, boxes, centres = cv2.connectedComponentsWithStats(long, connectivity=8)
    rules = [
        Rule(float(centre[1]), float(x), float(x + width))
        for (x, _, width, height, _), centre in zip(boxes[1:], centres[1:], strict=True)
        if height <= max(3.0, MAX_THICKNESS * text_height)
    ]
    return sorted(rules, key=lambda rule: (rule.at, rule.start))


def _outside(rules: Sequence[Rule], texts: Sequence[Box], text_height: float) -> list[Rule]:
    """The rules without those that are strokes of letters: one may touch a line's edge, where it is longer than that
    line, but not run within it."""
    edge = 0.15 * text_height
    inner = [box for box in texts if box.height > 2 * edge]
    return [
        rule
        for rule in rules
        if _hidden(rule, inner, edge) <= 0.5 * (rule.end - rule.start) and not any(_is_within(rule, b) for b in texts)
    ]


def _is_within(rule: Rule, text: Box) -> bool:
    return text.y0 <= rule.at <= text.y1 and text.x0 <= rule.start and rule.end <= text.x1


def _hidden(rule: Rule, texts: Sequence[Box], edge: float) -> float:
    """Pixels of the rule that run within text."""
    within = [box for box in texts if box.y0 + edge < rule.at < box.y1 - edge]
    return sum(max(0.0, min(rule.end, box.x1) - max(rule.start, box.x0)) for box in within)


def _places(at: Sequence[float], low: float, high: float, text_height: float) -> list[float]:
    """Distinct places of rules, with the text's limits added where the outermost rule leaves text outside."""
    places: list[list[float]] = []
    for value in sorted(at):
        if places and value - places[-1][-1] <= SAME_RULE * text_height:
            places[-1].append(value)
        else:
            places.append([value])
    found = [sum(group) / len(group) for group in places]
    reach = OPEN_SIDE * text_height
    if not found or low < found[0] - reach:
        found.insert(0, low - reach)
    if high > found[-1] + reach:
        found.append(high + reach)
    return found


def _drawn(rules: Sequence[Rule], at: Sequence[float], stops: Sequence[float], text_height: float) -> Bools:
    """Whether the stretch between two neighbouring stops is drawn, for each place: (places, stops - 1)."""
    covered = np.zeros((len(at), len(stops) - 1))
    for rule in rules:
        place = int(np.argmin([abs(rule.at - value) for value in at]))
        if abs(rule.at - at[place]) > SAME_RULE * text_height:
            continue
        for index in range(len(stops) - 1):
            common = min(rule.end, stops[index + 1]) - max(rule.start, stops[index])
            covered[place, index] += max(0.0, common)
    return covered >= MIN_DRAWN * np.diff(np.asarray(stops))[None, :]


def _structure(xs: Sequence[float], ys: Sequence[float], below: Bools, aside: Bools) -> Structure | None:
    """Cells between the places, grown together where no rule parts them; None where one is no rectangle."""
    n_rows, n_cols = len(ys) - 1, len(xs) - 1
    taken = np.zeros((n_rows, n_cols), dtype=bool)
    cells: list[StructureCell] = []
    for row in range(n_rows):
        for col in range(n_cols):
            if taken[row, col]:
                continue
            right, down = col + 1, row + 1
            while right < n_cols and not aside[row, right] and not taken[row, right]:
                right += 1
            while down < n_rows and not below[down, col:right].any():
                down += 1
            inner = aside[row:down, col + 1 : right].any()
            frame_left = col == 0 or aside[row:down, col].all()
            frame_right = right == n_cols or aside[row:down, right].all()
            frame_below = down == n_rows or below[down, col:right].all()
            if inner or taken[row:down, col:right].any() or not (frame_left and frame_right and frame_below):
                return None
            taken[row:down, col:right] = True
            box = Box(xs[col], ys[row], xs[right], ys[down])
            cells.append(StructureCell(row, col, down - row, right - col, box, 1.0))
    return Structure(n_rows, n_cols, tuple(cells))
