"""From lines of text to labels: one label a tick, an entry of a legend, or a printed value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from mineru_core.document.analysis import Line, LineWord
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.numbers import printed
from mineru_core.engines.embedded.charts.scene import Label

# In heights of a line: words further apart are two labels.
MAX_WORD_GAP = 1.0
# Numbers that do not belong to one number are apart from this gap on, a number and a word from the other.
NUMBERS_APART = 0.15
NUMBER_APART = 0.6
# From this angle on text runs aslant, from the other on up or down; degrees.
ASLANT = 15.0
TURNED = 70.0
DEFAULT_HEIGHT = 12.0


def labels_of(lines: Iterable[Line]) -> tuple[Label, ...]:
    """The labels that lines of text hold, from top to bottom; places are in the lines' pixels."""
    found = [label for line in lines for label in _of_line(line)]
    return tuple(sorted(found, key=lambda label: (label.box.y0, label.box.x0)))


def text_height(labels: Sequence[Label]) -> float:
    """The usual height of a label's line in pixels."""
    heights = [label.height for label in labels if label.slant is None]
    return median(heights) if heights else DEFAULT_HEIGHT


def _of_line(line: Line) -> Iterator[Label]:
    (x0, y0), (x1, y1) = line.quad.top_left, line.quad.top_right
    angle = abs(math.degrees(math.atan2(y1 - y0, x1 - x0)))
    if ASLANT < angle < TURNED:
        ends = (
            _middle(line.quad.top_left, line.quad.bottom_left),
            _middle(line.quad.top_right, line.quad.bottom_right),
        )
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
    several = _are_several_numbers([word.text for word in line.words])
    runs = [[line.words[0]]]
    for word in line.words[1:]:
        before = runs[-1][-1]
        limit = MAX_WORD_GAP
        if several:
            limit = NUMBERS_APART
        elif (printed(before.text) is None) != (printed(word.text) is None):
            limit = NUMBER_APART
        if word.box.x0 - before.box.x1 > limit * line.box.height:
            runs.append([])
        runs[-1].append(word)
    return runs


def _are_several_numbers(texts: Sequence[str]) -> bool:
    """Whether words are several numbers, such as neighbouring ticks, and not one whose thousands are parted."""
    return len(texts) > 1 and printed(" ".join(texts)) is None and all(printed(text) is not None for text in texts)


def _middle(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
