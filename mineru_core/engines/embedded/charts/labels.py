"""From lines of text to labels: one label a tick, an entry of a legend, or a printed value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from mineru_core.document.analysis import Line, LineWord
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.numbers import printed
from mineru_core.engines.embedded.charts.scene import Label

# In heights of a line: words further apart are two labels.
MAX_WORD_GAP = 1.0
# Gaps between numbers are wider than those between their thousands by this; a number and a word are apart from the
# other gap on.
MIN_DIFFERENCE = 0.15
NUMBER_APART = 0.6
# From this angle on text runs aslant, from the other on up or down; degrees.
ASLANT = 15.0
TURNED = 70.0
DEFAULT_HEIGHT = 12.0
# A marker in the middle of a short line looks like these.
SIGNS = frozenset("中申十卜丰由甲田口日目一")
# A single character that is so many times as high as others is none.
TALLEST = 4.0


def labels_of(lines: Iterable[Line]) -> tuple[Label, ...]:
    """The labels that lines of text hold, from top to bottom; places are in the lines' pixels.

    What has no letter and no digit is left out: markers are read as dots and dashes.
    """
    found = [label for line in lines for label in _of_line(line) if any(c.isalnum() for c in label.text)]
    usual = text_height(found)
    # A bar looks like the digit one.
    found = [label for label in found if len(label.text) > 1 or label.height <= TALLEST * usual]
    return tuple(sorted(found, key=lambda label: (label.box.y0, label.box.x0)))


def without_samples(labels: Sequence[Label]) -> tuple[Label, ...]:
    """The labels without samples of a legend, a marker on a piece of its line, that were read as a sign before it."""
    return tuple(la for la in labels if not (la.text in SIGNS and any(_follows(la, other) for other in labels)))


def _follows(label: Label, other: Label) -> bool:
    gap = other.box.x0 - label.box.x1
    level = abs(other.box.center[1] - label.box.center[1]) <= 0.4 * other.height
    return other is not label and len(other.text) > 1 and level and -0.5 * other.height <= gap <= other.height


def text_height(labels: Sequence[Label]) -> float:
    """The usual height of a label's line in pixels."""
    heights = [label.height for label in labels if label.slant is None]
    return median(heights) if heights else DEFAULT_HEIGHT


def _of_line(line: Line) -> Iterator[Label]:
    (x0, y0), (x1, y1) = line.quad.top_left, line.quad.top_right
    angle = abs(math.degrees(math.atan2(y1 - y0, x1 - x0)))
    if ASLANT < angle < TURNED:
        quad = line.quad
        ends = (_low(quad.top_left, quad.bottom_left), _low(quad.top_right, quad.bottom_right))
        yield Label(line.text, line.box, line.confidence, slant=min(ends, key=lambda point: point[1]))
    elif TURNED <= angle <= 180 - TURNED:
        yield Label(line.text, line.box, line.confidence, turned=True)
    else:
        for words in _apart(line):
            box = Box.around(word.box for word in words)
            box = Box(box.x0, line.box.y0, box.x1, line.box.y1)
            text = " ".join(word.text for word in words) if len(words) < len(line.words) else line.text
            yield Label(text, box if len(words) < len(line.words) else line.box, line.confidence)


def _apart(line: Line) -> list[list[LineWord]]:
    """The words of a level line in runs without a wide gap; one run of one word where no words are known."""
    if not line.words:
        return [[LineWord(text=line.text, box=line.box, confidence=line.confidence)]]
    texts = [word.text for word in line.words]
    several = _are_several_numbers(texts)
    limit_of_numbers = _limit_between_numbers(line) if several else 0.0
    runs = [[line.words[0]]]
    for word in line.words[1:]:
        before = runs[-1][-1]
        limit = MAX_WORD_GAP
        if several:
            limit = limit_of_numbers
        elif (printed(before.text) is None) != (printed(word.text) is None):
            limit = NUMBER_APART
        if word.box.x0 - before.box.x1 > limit * line.box.height:
            runs.append([])
        runs[-1].append(word)
    return runs


def _limit_between_numbers(line: Line) -> float:
    """The gap, in heights of the line, from which two words are two numbers.

    Where thousands are parted by blanks, the wider ones of the gaps part the numbers.
    """
    groups = any(len(word.text) == 3 and word.text.isdigit() for word in line.words[1:])
    if not groups:
        return -1.0
    gaps = [(b.box.x0 - a.box.x1) / line.box.height for a, b in pairwise(line.words)]
    narrow, wide = min(gaps), max(gaps)
    return (narrow + wide) / 2 if wide - narrow > MIN_DIFFERENCE else -1.0


def _are_several_numbers(texts: Sequence[str]) -> bool:
    """Whether words are several numbers, such as neighbouring ticks, and not one whose thousands are parted.

    The last one may be cut off ("20...").
    """
    whole = [text for text in texts if not text.endswith(("..", "…"))]
    if len(texts) < 2 or len(whole) < len(texts) - 1 or (printed(" ".join(whole)) is not None and whole == list(texts)):
        return False
    return all(printed(text) is not None for text in whole)


def _low(top: tuple[float, float], bottom: tuple[float, float]) -> tuple[float, float]:
    """A point at the end of a line, near to the foot of its letters: that stands at the tick."""
    return 0.25 * top[0] + 0.75 * bottom[0], 0.25 * top[1] + 0.75 * bottom[1]
