"""From a chart's picture and its texts to its scene: legend, axes, plot area and titles."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from mineru_core.document.geometry import Box
from mineru_core.document.notices import Notice
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.axes import FoundAxes, FoundAxis, find_axes
from mineru_core.engines.embedded.charts.colors import background_of, chroma_of, common_color, distance
from mineru_core.engines.embedded.charts.dates import numbers_of_dates
from mineru_core.engines.embedded.charts.grid import rulings
from mineru_core.engines.embedded.charts.labels import text_height, without_samples
from mineru_core.engines.embedded.charts.legend import FoundEntry, find_legend, without_markers
from mineru_core.engines.embedded.charts.numbers import tick_number
from mineru_core.engines.embedded.charts.plot import plot_area
from mineru_core.engines.embedded.charts.powers import with_powers
from mineru_core.engines.embedded.charts.scene import RGB, AnyAxis, CategoryAxis, Label, NumberAxis, Scene
from mineru_core.engines.embedded.charts.strokes import without_strokes
from mineru_core.engines.embedded.charts.texts import sort_texts
from mineru_core.engines.embedded.charts.tick_marks import at_tick_marks

# In heights of a line: labels nearer than this, one below the other, are lines of one name.
MAX_BREAK = 0.6
# The rim of the plot area that shows its background, a share of its sides.
RIM = 0.06
# Backgrounds are white, grey or pale: their channels differ by no more.
PALE = 40
SAME_AS_SAMPLE = 24
LONG_NAME = 40
# Letters and digits are grey; ticks are so short.
GRAY = 24
SHORT_NAME = 3
# Two scales whose values differ by less than this share of the greatest are one.
SAME_VALUE = 0.02


def scene_of(pixels: Pixels, labels: Sequence[Label]) -> Scene:
    """The scene of a picture (height, width, 3) uint8 RGB, with the labels that were read in it."""
    picture_height, width = pixels.shape[:2]
    labels = without_strokes(pixels, without_samples(labels))
    labels = without_markers(pixels, with_powers(pixels, labels))
    height = text_height(labels)
    legend = find_legend(pixels, labels)
    if (len(legend) == 1 and not _is_drawn(pixels, legend[0])) or all(_is_digit(found) for found in legend):
        legend = []
    of_legend = {id(found.label) for found in legend}
    others = [label for label in labels if id(label) not in of_legend]
    across, upright = rulings(pixels, vertical=False), rulings(pixels, vertical=True)
    axes = find_axes(others, width, height, across, upright)
    plot = plot_area(axes, others, (width, picture_height), across, upright)
    second = () if axes.second_y is None else axes.second_y.labels
    taken = {id(label) for label in second}
    texts = sort_texts(
        [label for label in others if id(label) not in taken], plot, height, _labels(axes.x), _labels(axes.y)
    )
    names = _axis(axes.x, texts.x_labels, vertical=False)
    plot = _with_names(plot, names, width)
    background = _background(pixels, plot)
    return Scene(
        pixels=pixels,
        plot=plot,
        labels=tuple(labels),
        free=texts.free,
        x=at_tick_marks(names, pixels, plot, background) if isinstance(names, CategoryAxis) else names,
        y=_axis(axes.y, texts.y_labels, vertical=True),
        second_y=_other_scale(axes),
        x_labels=texts.x_labels,
        y_labels=texts.y_labels,
        legend=tuple(found.entry for found in legend),
        title=texts.title,
        x_title=texts.x_title,
        y_title=texts.y_title,
        background=background,
        text_height=height,
        warnings=_warnings(axes),
    )


def _with_names(plot: Box, names: AnyAxis | None, width: float) -> Box:
    """The plot area with its outermost names and half a step: a bar may stand there that ends all lines of the grid."""
    if not isinstance(names, CategoryAxis) or len(names.categories) < 2:
        return plot
    places = [at for _, at in names.categories]
    half = (places[-1] - places[0]) / (2 * (len(places) - 1))
    return plot._replace(x1=min(width, places[-1] + half)) if places[-1] > plot.x1 + half / 2 else plot


def names_of(labels: Sequence[Label], height: float, *, vertical: bool) -> list[tuple[str, float]]:
    """The names that labels along an axis spell, lines of one name put together, with their places along it."""
    if vertical:
        return _names_in_column(labels, height)
    groups: list[list[Label]] = []
    for label in sorted(labels, key=lambda la: la.box.y0 if la.slant is None else la.slant[1]):
        upper = None
        if label.slant is None and not label.turned:
            upper = next((g for g in groups if _is_below(g[-1], label, height)), None)
        if upper is None:
            groups.append([label])
        else:
            upper.append(label)
    named = [(" ".join(la.text for la in group), group[0].place[0]) for group in groups]
    return sorted(named, key=lambda pair: pair[1])


def _names_in_column(labels: Sequence[Label], height: float) -> list[tuple[str, float]]:
    ordered = sorted(labels, key=lambda label: (label.box.center[1], label.box.x0))
    groups: list[list[Label]] = []
    for label in ordered:
        last = groups[-1] if groups else None
        if (last is not None and _same_row(last[-1], label)) or (
            last is not None and _gap(last, label) <= MAX_BREAK * _line(last, label, height) and _tight(ordered, label)
        ):
            last.append(label)
        else:
            groups.append([label])
    return [(" ".join(la.text for la in group), Box.around(la.box for la in group).center[1]) for group in groups]


def _tight(ordered: Sequence[Label], label: Label) -> bool:
    """Whether lines stand closer together than most names do: where all are equally close, each is its own name."""
    rows = sorted({round(la.box.center[1]) for la in ordered})
    gaps = sorted(b - a for a, b in itertools.pairwise(rows) if b - a > 0.4 * label.height)
    if len(gaps) < 2:
        return False
    before = max((row for row in rows if row < round(label.box.center[1]) - 0.4 * label.height), default=None)
    return before is not None and label.box.center[1] - before < 0.75 * gaps[-1]


def _same_row(a: Label, b: Label) -> bool:
    return abs(a.box.center[1] - b.box.center[1]) < 0.4 * min(a.height, b.height)


def _gap(group: Sequence[Label], label: Label) -> float:
    return label.box.y0 - max(la.box.y1 for la in group)


def _line(group: Sequence[Label], label: Label, height: float) -> float:
    return min(height, label.height, group[-1].height)


def _is_below(upper: Label, lower: Label, height: float) -> bool:
    if upper.turned or upper.slant is not None:
        return False
    apart = abs(upper.box.center[0] - lower.box.center[0])
    return apart <= 0.8 * height and -0.6 * height <= lower.box.y0 - upper.box.y1 <= MAX_BREAK * height


def _axis(found: FoundAxis | None, labels: Sequence[Label], *, vertical: bool) -> AnyAxis | None:
    """The number axis that was found, else the names at the axis; None where nothing stands there."""
    if found is not None:
        return found.axis
    height = text_height(labels)
    names = names_of(labels, height, vertical=vertical)
    if not names:
        return None
    sure = sum(label.confidence for label in labels) / len(labels)
    return CategoryAxis(
        vertical=vertical,
        categories=tuple(names),
        numbers=numbers_of_dates([name for name, _ in names]),
        confidence=min(1.0, sure),
    )


def _other_scale(axes: FoundAxes) -> NumberAxis | None:
    """The scale on the right; None where there is none or where it repeats the one on the left."""
    if axes.y is None or axes.second_y is None:
        return None
    left, right = axes.y.axis, axes.second_y.axis
    at = [pixel for _, pixel in right.ticks]
    values = [(left.value_at(pixel), right.value_at(pixel)) for pixel in at]
    reach = max(abs(value) for _, value in right.ticks) or 1.0
    return None if all(abs(a - b) <= SAME_VALUE * reach for a, b in values) else right


def _labels(found: FoundAxis | None) -> tuple[Label, ...]:
    return () if found is None else found.labels


def _inside(pixels: Pixels, plot: Box) -> Pixels:
    x0, y0, x1, y1 = (round(v) for v in plot)
    part = pixels[max(0, y0) : max(0, y1), max(0, x0) : max(0, x1)]
    return np.ascontiguousarray(part) if part.size else pixels


def _background(pixels: Pixels, plot: Box) -> RGB:
    """The colour behind the marks: that of the plot area's rim, unless marks as bright as theirs cover that."""
    rim = common_color(_rim(_inside(pixels, plot)))
    return rim if chroma_of(rim) <= PALE else background_of(pixels)


def _is_drawn(pixels: Pixels, found: FoundEntry) -> bool:
    """Whether a colour is that of much more than its sample: an icon before a text is no legend."""
    color, box = found.entry.color, found.entry.box
    if color is None or box is None or len(found.entry.name) > LONG_NAME:
        return False
    if _is_gray(color) and len(found.entry.name) <= SHORT_NAME:
        return False  # a digit before another one
    same = distance(pixels, color) <= SAME_AS_SAMPLE
    return int(same.sum()) >= 3 * box.area


def _is_digit(found: FoundEntry) -> bool:
    """Whether an entry may be a tick with the digits of another one before it."""
    return found.entry.color is not None and _is_gray(found.entry.color) and tick_number(found.entry.name) is not None


def _is_gray(color: RGB) -> bool:
    return chroma_of(color) < GRAY


def _rim(part: Pixels) -> Pixels:
    """The pixels at the top and at both sides of the plot area, which marks seldom cover."""
    height, width = part.shape[:2]
    top, side = max(3, round(RIM * height)), max(3, round(RIM * width))
    strips = (part[1:top], part[:, 1:side], part[:, -side:-1])
    return np.concatenate([strip.reshape(-1, 3) for strip in strips])


def _warnings(axes: FoundAxes) -> tuple[str, ...]:
    found = []
    for notice, axis in (
        (Notice.TICKS_OF_X, axes.x),
        (Notice.TICKS_OF_Y, axes.y),
        (Notice.TICKS_OF_SECOND, axes.second_y),
    ):
        if axis is not None and axis.misread:
            found.append(notice.told(labels="; ".join(axis.misread)))
    return tuple(found)
