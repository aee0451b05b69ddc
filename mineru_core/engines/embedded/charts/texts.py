"""What the texts around the plot area are: labels of the axes, their titles, the chart's title, and the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.scene import Label

# In heights of a line: how far from the plot area the labels of an axis begin, and its title.
LABEL_REACH = 2.2
TITLE_REACH = 5.0
# A line of a label that is broken into several stands this close below the one before.
MAX_BREAK = 0.75
# The middle of an axis' title lies this near to that of the axis, a share of its length.
CENTERED = 0.3
MIDDLE = 0.12
# Boxes are a little larger than their letters: so far, in its height, that of a title may reach into those beside it.
INTO_ROW = 0.3
# Texts this much lower than the highest one are no part of the title.
TITLE_HEIGHT = 0.85
_NOT_A_TITLE = re.compile(
    r"(?i)^\s*(source\b|note\b|click\b|©|search:|records:|来源|资料来源|注[:：])|zoomable statistic"
    r"|https?:|\bwww\.|\.[a-z]{2,4}/|\bCC[ -]?BY\b"
)
_FOOTER = re.compile(
    r"(?i)^\s*(sources?|notes?|资料来源|数据来源|来源|注)\s*[:：]|https?:|\bwww\.|\.[a-z]{2,4}/|\bCC[ -]?BY\b"
)


@dataclass(frozen=True, slots=True)
class Texts:
    """The labels of a chart by what they are; ``free`` are those that are none of the others."""

    x_labels: tuple[Label, ...]
    y_labels: tuple[Label, ...]
    title: str
    x_title: str
    y_title: str
    free: tuple[Label, ...]


def sort_texts(
    labels: Sequence[Label], plot: Box, height: float, x_row: Sequence[Label], y_row: Sequence[Label]
) -> Texts:
    """Sort the labels of a chart without those of its legend.

    ``height`` is that of a line of text, pixels. ``x_row`` and ``y_row`` are labels known to stand at the axes.
    """
    rest = list(labels)

    def take(chosen: Sequence[Label]) -> list[Label]:
        taken = {id(label) for label in chosen}
        rest[:] = [label for label in rest if id(label) not in taken]
        return list(chosen)

    upright = {id(label) for label in y_row}
    x_labels = take(_below([label for label in rest if id(label) not in upright], plot, height, x_row))
    y_labels = take(_beside(rest, plot, height, y_row))
    x_title = take(_x_title(rest, plot, height, x_labels))
    y_title = take(_y_title(rest, plot, y_labels))
    title = take(_title(rest, plot, height))
    return Texts(
        x_labels=tuple(sorted(x_labels, key=lambda label: label.place[0])),
        y_labels=tuple(sorted(y_labels, key=lambda label: label.box.center[1])),
        title=_joined(title),
        x_title=_joined(x_title),
        y_title=_joined(y_title),
        free=tuple(rest),
    )


def _below(labels: Sequence[Label], plot: Box, height: float, known: Sequence[Label]) -> list[Label]:
    """The labels of the horizontal axis: the first row below the plot area and the lines that go on with it."""
    reach = LABEL_REACH * height
    # The last of a few bars may end all lines of the grid, and so the plot area.
    x0, x1 = plot.x0 - 0.1 * plot.width - height, plot.x1 + (0.1 if known else 0.25) * plot.width + height
    below = [
        label
        for label in labels
        if x0 <= label.place[0] <= x1 and label.box.y1 > plot.y1 + 0.3 * height and not _FOOTER.search(label.text)
    ]
    if known:
        first = list(known)
    else:
        under = [label for label in below if -0.6 * height <= _upper(label) - plot.y1 and not _at_corner(label, plot)]
        top = min(under, key=_upper, default=None)
        if top is None or _upper(top) - plot.y1 > reach:
            return []
        first = [label for label in under if _in_row(top, label, height)]
    found = list(first)
    for label in sorted(below, key=_upper):
        if any(label is other for other in found):
            continue
        if label.turned or label.slant is not None:
            if abs(_upper(label) - min(_upper(other) for other in first)) <= height:
                found.append(label)
            continue
        goes_on = len(first) > 1 and any(_goes_on(other, label, height) for other in found)
        if goes_on and abs(label.box.center[0] - plot.center[0]) <= MIDDLE * plot.width and _is_alone(label, below):
            continue  # the axis' title
        if goes_on or any(abs(_upper(label) - _upper(o)) <= 0.5 * height and not o.turned for o in first):
            found.append(label)
    return found


def _at_corner(label: Label, plot: Box) -> bool:
    """Whether a label stands left of the plot area and level with its foot: a tick of the upright axis, misread."""
    level = not label.turned and label.slant is None
    return level and label.box.x1 <= plot.x0 and label.box.y0 < plot.y1


def _in_row(first: Label, label: Label, height: float) -> bool:
    """Whether a label stands in the row of another: level with it, or both begin at one line if one runs upwards."""
    if any(la.turned or la.slant is not None for la in (first, label)):
        below = _upper(label) > first.box.center[1] or _upper(first) > label.box.center[1]
        return abs(_upper(label) - _upper(first)) <= 0.7 * height and not below
    return abs(label.box.center[1] - first.box.center[1]) <= 0.5 * min(first.height, label.height)


def _is_alone(label: Label, labels: Sequence[Label]) -> bool:
    """Whether no other label stands in the same row."""
    at = label.box.center[1]
    return not any(other is not label and abs(other.box.center[1] - at) < 0.5 * label.height for other in labels)


def _goes_on(upper: Label, lower: Label, height: float) -> bool:
    """Whether a label goes on with the line above it: close below, and centred with it."""
    if upper.turned or upper.slant is not None:
        return False
    gap = lower.box.y0 - upper.box.y1
    centered = abs(lower.box.center[0] - upper.box.center[0]) <= 0.8 * height
    return -0.5 * height <= gap <= MAX_BREAK * height and centered and lower.height <= 1.3 * upper.height


def _beside(labels: Sequence[Label], plot: Box, height: float, known: Sequence[Label]) -> list[Label]:
    """The labels of the upright axis: those that end at the plot area's left, in its height."""
    found = list(known)
    left = min((label.box.x0 for label in known), default=0.0)
    for label in labels:
        if label.turned or label.slant is not None or any(label is other for other in found):
            continue
        if known and label.box.center[0] < left:  # left of the ticks stands the title
            continue
        inside = plot.y0 - height <= label.box.center[1] <= plot.y1 + 0.6 * height
        if inside and label.box.x1 <= plot.x0 + 0.8 * height:
            found.append(label)
    return found


def _x_title(labels: Sequence[Label], plot: Box, height: float, row: Sequence[Label]) -> list[Label]:
    level = [label for label in row if not label.turned]
    bottom = max((label.box.y1 for label in row), default=plot.y1)
    reach = TITLE_REACH if level or not row else 2 * TITLE_REACH
    found = [
        label
        for label in labels
        if not label.turned
        and label.slant is None
        and -0.6 * height <= label.box.y0 - bottom <= reach * height
        and abs(label.box.center[0] - plot.center[0]) <= CENTERED * plot.width
        and not _NOT_A_TITLE.search(label.text)
    ]
    # A lower line that stands in the middle is it before one at the side, which goes on with a name.
    found = [la for la in found if abs(la.box.center[0] - plot.center[0]) <= MIDDLE * plot.width] or found
    first = min((label.box.y0 for label in found), default=0.0)
    return [label for label in found if label.box.y0 <= first + 0.5 * height]


def _y_title(labels: Sequence[Label], plot: Box, row: Sequence[Label]) -> list[Label]:
    left = min((label.box.x0 for label in row), default=plot.x0)
    found = [
        label
        for label in labels
        if (label.turned or (row and label.box.x1 <= left + INTO_ROW * label.height and _is_amid(label, plot)))
        and label.box.center[0] <= left + label.box.width
        and plot.y0 - 0.3 * plot.height <= label.box.center[1] <= plot.y1 + 0.3 * plot.height
    ]
    if any(label.turned for label in found):
        found = [label for label in found if label.turned]
    elif len(found) > 1:  # names of bars
        return []
    return _upwards(found)


def _upwards(labels: Sequence[Label]) -> list[Label]:
    """Labels that run upwards in the order of reading: line by line from the left, in a line from below."""
    lines: list[list[Label]] = []
    for label in sorted(labels, key=lambda la: la.box.center[0]):
        if lines and label.box.center[0] - lines[-1][0].box.center[0] <= 0.6 * label.box.width:
            lines[-1].append(label)
        else:
            lines.append([label])
    return [label for line in lines for label in sorted(line, key=lambda la: -la.box.y0)]


def _is_amid(label: Label, plot: Box) -> bool:
    return label.slant is None and abs(label.box.center[1] - plot.center[1]) <= CENTERED * plot.height


def _title(labels: Sequence[Label], plot: Box, height: float) -> list[Label]:
    above = [
        label
        for label in labels
        if label.box.y1 <= plot.y0 + 0.5 * height
        and not label.turned
        and label.slant is None
        and any(c.isalpha() for c in label.text)
        and not _NOT_A_TITLE.search(label.text)
    ]
    if not above:
        return []
    highest = max(label.height for label in above)
    chosen = sorted((la for la in above if la.height >= TITLE_HEIGHT * highest), key=lambda la: (la.box.y0, la.box.x0))
    found = chosen[:1]
    for label in chosen[1:]:
        if label.box.y0 - found[-1].box.y1 <= highest:
            found.append(label)
    return found


def title_above(labels: Sequence[Label], top: float, height: float) -> str:
    """The title that stands above all else, which begins at ``top`` (pixels down); "" where there is none."""
    return _joined(_title(labels, Box(0.0, top, 0.0, top), height))


def _upper(label: Label) -> float:
    return label.slant[1] - 0.5 * min(label.box.width, label.box.height, 12.0) if label.slant else label.box.y0


def _joined(labels: Sequence[Label]) -> str:
    return " ".join(label.text.strip() for label in labels)
