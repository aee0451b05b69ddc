"""Bars of every kind to values: upright and horizontal, simple, grouped and stacked, with or without printed values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mineru_core.document.chart import Point, PointSource, Series
from mineru_core.document.geometry import Box
from mineru_core.document.notices import Notice
from mineru_core.engines.embedded.charts.build import names_of
from mineru_core.engines.embedded.charts.colors import distance, is_tint, near_color, surfaces
from mineru_core.engines.embedded.charts.doubt import LEFT, are_elsewhere
from mineru_core.engines.embedded.charts.groups import (
    Category,
    a_word_each,
    bundle_centers,
    categories_of,
    names_beside,
    parted_names,
)
from mineru_core.engines.embedded.charts.overlaid import overlaid
from mineru_core.engines.embedded.charts.polish import short_title, without_unit
from mineru_core.engines.embedded.charts.printed import Mark, Value, differ, values_of
from mineru_core.engines.embedded.charts.scene import RGB, CategoryAxis, Label, NumberAxis, Scene, hex_color
from mineru_core.engines.embedded.charts.sticks import (
    HIDDEN,
    MAX_GAP,
    MAX_OFF_BASE,
    Stick,
    Sticks,
    are_tiles,
    base_of,
    columns_of,
    find_sticks,
    with_hidden,
)

# Bars are what most coloured pixels of the plot area belong to, and most of them stand on one line.
MIN_SHARE = 0.5
MIN_ON_BASE = 0.6
# An entry of the legend has the colour of its bars, but for what compression does to it.
SAME_COLOR = 40.0
# The legend's colours are all there are where they make up this share of the coloured pixels.
MOSTLY = 0.7
# Lines of axes are this thick at most, pixels; pale ones have no channel below this.
AXIS_LINE = 3.0
PALE = 170
HALF = 0.5
# Bars are stacks where this share of the columns has several segments; or so many do, and a legend names them.
STACKED = 0.3
FEW_STACKS = 2


@dataclass(frozen=True, slots=True)
class BarReading:
    """The series of a bar chart, the way its bars run, their share of the marks, and what to tell about them.

    ``tiles`` says that the marks are the cells of a heat map, which have no series.
    """

    series: tuple[Series, ...]
    vertical: bool
    share: float
    stacked: bool
    warnings: tuple[str, ...] = ()
    tiles: bool = False


def read_bars(scene: Scene) -> list[Series] | None:
    """The series of a bar chart, None where the marks are no bars."""
    reading = bars_of(scene)
    return None if reading is None or reading.tiles else list(reading.series)


def bars_of(scene: Scene) -> BarReading | None:
    """The bars of a chart, None where the marks are no bars."""
    region = scene.plot.expanded(2.0).clipped(scene.pixels.shape[1], scene.pixels.shape[0])
    if region.width < 8 or region.height < 8:
        return None
    colors = _colors(scene, region)
    if not colors:
        return None
    texts = [label.box for label in scene.labels if label.box.intersection(region).area > 0]
    both = [
        find_sticks(scene.pixels, region, colors, scene.background, texts, vertical=vertical)
        for vertical in (True, False)
    ]
    best = max(both, key=lambda found: _worth(found, scene))
    if best.share < MIN_SHARE or not best.sticks or _base(best, scene)[1] < MIN_ON_BASE:
        return None
    if not _has_its_axis(best, scene) or _fills_plot(best, scene.plot) or not _stands_on_axis(best, scene):
        return None
    if are_tiles(best.sticks):
        return BarReading((), best.vertical, best.share, stacked=True, tiles=True)
    return _Reader(scene, best, colors).reading(elsewhere=are_elsewhere(scene, best, colors))


def _has_its_axis(found: Sticks, scene: Scene) -> bool:
    """Whether the values' axis is not the other one."""
    axis, other = (scene.y, scene.x) if found.vertical else (scene.x, scene.y)
    scaled = isinstance(axis, NumberAxis) and not axis.dates
    return scaled or not isinstance(other, NumberAxis) or other.dates


def _stands_on_axis(found: Sticks, scene: Scene) -> bool:
    """Whether bars of an even scale stand at zero or at an end of the plot area; markers of a line may not."""
    axis = scene.y if found.vertical else scene.x
    if not isinstance(axis, NumberAxis) or axis.log or axis.dates:
        return True
    plot = scene.plot
    feet = [axis.pixel_at(0.0), *((plot.y0, plot.y1) if found.vertical else (plot.x0, plot.x1))]
    return min(abs(_base(found, scene)[0] - foot) for foot in feet) <= HIDDEN


def _fills_plot(found: Sticks, plot: Box) -> bool:
    """Whether the only bar is most of the plot area: then it is an area with a level edge."""
    across = plot.width if found.vertical else plot.height
    return len(found.sticks) == 1 and found.sticks[0].thickness > 0.7 * across


def _worth(found: Sticks, scene: Scene) -> tuple[float, float]:
    """How well the bars of one direction explain the marks: what they cover, by how many stand on one line."""
    if not found.sticks:
        return 0.0, 0.0
    axis = scene.y if found.vertical else scene.x
    other = scene.x if found.vertical else scene.y
    scaled = isinstance(axis, NumberAxis) and not axis.dates
    wrong = isinstance(other, NumberAxis) and not other.dates and not scaled
    _, standing = _base(found, scene)
    return round(found.share * standing * (0.5 if wrong else 1.0), 2) + (0.02 if scaled else 0.0), len(found.sticks)


def _base(found: Sticks, scene: Scene) -> tuple[float, float]:
    """The line the bars stand on, pixels along, and the share of columns of them that do."""
    axis = scene.y if found.vertical else scene.x
    zero = axis.pixel_at(0.0) if isinstance(axis, NumberAxis) and not axis.log else None
    return base_of(found.sticks, vertical=found.vertical, zero=zero)


def _colors(scene: Scene, region: Box) -> list[RGB]:
    """The colours that bars may have: those of areas in the plot that are no shade of the background."""
    x0, y0, x1, y1 = int(region.x0), int(region.y0), int(np.ceil(region.x1)), int(np.ceil(region.y1))
    part = np.ascontiguousarray(scene.pixels[y0:y1, x0:x1])
    hidden = np.zeros(part.shape[:2], np.bool_)
    for label in scene.labels:
        b = label.box.shifted(-x0, -y0)
        hidden[max(0, int(b.y0)) : max(0, int(b.y1)), max(0, int(b.x0)) : max(0, int(b.x1))] = True
    found = surfaces(part, scene.background, hidden)
    given = [entry.color for entry in scene.legend if entry.color is not None]
    named = [s for s in found if near_color(s.color, given)[1] <= SAME_COLOR]
    if given and sum(s.pixels for s in named) >= MOSTLY * sum(s.pixels for s in found):
        hidden_by_text = [color for color in given if near_color(color, [s.color for s in named])[1] > SAME_COLOR]
        return [s.color for s in named] + hidden_by_text
    return [s.color for s in found if not is_tint(s.color, scene.background)]


class _Reader:
    """Values of the bars of one chart."""

    def __init__(self, scene: Scene, found: Sticks, colors: Sequence[RGB]) -> None:
        self.scene = scene
        self.vertical = found.vertical
        self.share = found.share
        self.colors = colors
        axis = scene.y if found.vertical else scene.x
        self.axis = axis if isinstance(axis, NumberAxis) else None
        self.base, _ = _base(found, scene)
        self.of_axis = self._colors_of_axis()
        sticks = [stick for stick in found.sticks if not self._is_axis_line(stick)]
        self.columns = [c for c in columns_of(sticks) if self._stands(c)]
        several = sum(len(self._one_side(c)) > 1 for c in self.columns)
        on_others = sum(self._stands_on_another(c) for c in self.columns)
        self.stacked = several >= STACKED * len(self.columns) or (len(scene.legend) > 1 and on_others >= FEW_STACKS)
        if self.stacked and len(scene.legend) > 1:
            apart = overlaid(self.columns, colors, self._of_legend(), scene.background, self.base)
            self.columns, self.stacked = (self.columns, True) if apart is None else (apart, False)
        self.raised = self._is_raised()
        if self.stacked and scene.legend:
            used = {stick.color for column in self.columns for stick in column} | self._of_legend()
            self.columns = [with_hidden(column, self.base, used) for column in self.columns]

    def reading(self, *, elsewhere: bool = False) -> BarReading | None:
        """Everything read; None where too little stands on the base. ``elsewhere``: other bars were left out."""
        self.doubtful = self.raised or elsewhere
        if not self.columns:
            return None
        names = self._category_names()
        used = {stick.color for column in self.columns for stick in column}
        groups = (len(used) > 1 and not self.stacked and len(self.columns) > len(names) > 0) or self._many_a_name(names)
        categories = categories_of(self.columns, names, groups)
        single = not self.scene.legend and all(sum(len(c) for c in cat.columns) <= 1 for cat in categories)
        marks = [(cat, stick) for cat in categories for column in cat.columns for stick in column]
        values = self._values([stick for _, stick in marks])
        series = self._series(categories, marks, values, single=single)
        warnings = []
        if differ(values):
            warnings.append(Notice.PRINTED_DIFFER.told(count=differ(values)))
        if self.raised:
            warnings.append(Notice.RAISED_BARS.told())
        if elsewhere:
            warnings.append(Notice.BARS_ELSEWHERE.told())
        return BarReading(tuple(series), self.vertical, self.share, self.stacked, tuple(warnings))

    def _of_legend(self) -> set[int]:
        """The indexes of colours that the legend has."""
        given = [entry.color for entry in self.scene.legend if entry.color is not None]
        return {i for i, color in enumerate(self.colors) if near_color(color, given)[1] <= SAME_COLOR}

    def _category_names(self) -> list[tuple[str, float]]:
        """The names along the axis across the bars, with their places."""
        labels = self.scene.x_labels if self.vertical else self.scene.y_labels
        if labels and not self.vertical:
            several = len(self.scene.legend) > 1 and not self.stacked
            return names_beside(labels, bundle_centers(self.columns, several), self.scene.text_height)
        if labels:
            if len(self.scene.legend) <= 1 or self.stacked:
                parted = parted_names(labels, bundle_centers(self.columns, groups=False))
            else:
                parted = a_word_each(labels, bundle_centers(self.columns, groups=True)) or list(labels)
            return names_of(parted, self.scene.text_height, vertical=False)
        axis = self.scene.x if self.vertical else self.scene.y
        if isinstance(axis, CategoryAxis):
            return list(axis.categories)
        return [] if axis is None else [(f"{value:.15g}", at) for value, at in sorted(axis.ticks, key=lambda t: t[1])]

    def _many_a_name(self, names: Sequence[tuple[str, float]]) -> bool:
        return 0 < len(names) < len(self.columns) and len(self.scene.legend) > 1

    def _is_axis_line(self, stick: Stick) -> bool:
        """Whether it is a piece of the axis' line, which has the colour of bars, too."""
        flat = stick.length <= AXIS_LINE and min(abs(stick.top - self.base), abs(stick.bottom - self.base)) <= AXIS_LINE
        return flat and (min(self.colors[stick.color]) >= PALE or stick.color in self.of_axis)

    def _colors_of_axis(self) -> set[int]:
        """The indexes of colours that most of the row (or column) of pixels at the base has."""
        (x0, y0, x1, y1), at = self.scene.plot, round(self.base)
        found: set[int] = set()
        for row in range(at - 2, at + 2):
            if not 0 <= row < self.scene.pixels.shape[0 if self.vertical else 1]:
                continue
            if self.vertical:
                line = self.scene.pixels[row, round(x0) : round(x1)]
            else:
                line = self.scene.pixels[round(y0) : round(y1), row]
            found |= {
                i for i, c in enumerate(self.colors) if line.size and (distance(line, c) <= SAME_COLOR).mean() > HALF
            }
        return found

    def _stands(self, column: Sequence[Stick]) -> bool:
        reach = HIDDEN if len(column) > 1 else 2 * MAX_OFF_BASE
        return min(min(abs(s.top - self.base), abs(s.bottom - self.base)) for s in column) <= reach or any(
            s.top < self.base < s.bottom for s in column
        )

    def _one_side(self, column: Sequence[Stick]) -> list[Stick]:
        """The segments that are stacked on the same side of the base as the first one."""
        above = [s for s in column if (s.top + s.bottom) / 2 < self.base]
        below = [s for s in column if (s.top + s.bottom) / 2 >= self.base]
        return max(above, below, key=len)

    def _stands_on_another(self, column: Sequence[Stick]) -> bool:
        """Whether a segment of a colour begins where one of another colour ends."""
        side = self._one_side(column)
        return any(a.color != b.color and abs(b.top - a.bottom) <= MAX_GAP for a, b in pairwise(side))

    def _measured(self, stick: Stick) -> float | None:
        if self.axis is None:
            return None
        near, far = self._ends(stick)
        if not self.stacked or min(abs(stick.top - self.base), abs(stick.bottom - self.base)) <= MAX_GAP:
            value = self.axis.value_at(far)
            from_zero = self.axis.log or not (self.stacked or self.raised)
            return value if from_zero else value - self.axis.value_at(self.base)
        # The hairline that parts two segments belongs to both.
        return abs(self.axis.value_at(far) - self.axis.value_at(near)) * (1 if self._is_positive(stick) else -1)

    def _ends(self, stick: Stick) -> tuple[float, float]:
        """The end at the base and the other one, pixels along."""
        middle = (stick.top + stick.bottom) / 2
        return (stick.bottom, stick.top) if middle < self.base else (stick.top, stick.bottom)

    def _is_positive(self, stick: Stick) -> bool:
        above = (stick.top + stick.bottom) / 2 < self.base
        return self.axis is None or above == (self.axis.slope < 0)

    def _values(self, sticks: Sequence[Stick]) -> list[Value]:
        marks = []
        for stick in sticks:
            near, far = self._ends(stick)
            at = (near + far) / 2 if self.stacked else far
            end = (stick.center, at) if self.vertical else (at, stick.center)
            marks.append(Mark(self._box(stick), end, self._measured(stick)))
        labels = [*self.scene.free, *self._inner_labels()]
        return values_of(
            marks, labels, self._range(), self.scene.text_height, 0.0 if self.axis is None else self._sure()
        )

    def _inner_labels(self) -> list[Label]:
        """Labels taken for those of an axis that stand in the plot area: values printed at the foot of the bars."""
        plot, height = self.scene.plot, self.scene.text_height
        labels = self.scene.y_labels if self.vertical else self.scene.x_labels
        ticks = {pixel for _, pixel in self.axis.ticks} if self.axis else set()
        inner = Box(plot.x0 + height, plot.y0, plot.x1, plot.y1 - 0.5 * height)
        return [la for la in labels if inner.contains(*la.box.center) and la.box.center[1] not in ticks]

    def _is_raised(self) -> bool:
        """Whether bars begin elsewhere than at zero though the axis has it: those seen at a slant do, which stand
        before the wall that the axis is drawn on."""
        if self.axis is None or self.axis.log or self.axis.dates or not self.axis.ticks:
            return False
        values = [value for value, _ in self.axis.ticks]
        has_zero = min(values) <= 0.0 <= max(values)
        return has_zero and abs(self.axis.pixel_at(0.0) - self.base) > MAX_OFF_BASE

    def _sure(self) -> float:
        return 0.0 if self.axis is None else self.axis.confidence * (LEFT if self.doubtful else 1.0)

    def _range(self) -> float:
        if self.axis is None or len(self.axis.ticks) < 2:
            return 0.0
        values = [value for value, _ in self.axis.ticks]
        return max(values) - min(values)

    def _box(self, stick: Stick) -> Box:
        if self.vertical:
            return Box(stick.left, stick.top, stick.right, stick.bottom)
        return Box(stick.top, stick.left, stick.bottom, stick.right)

    def _series(
        self,
        categories: Sequence[Category],
        marks: Sequence[tuple[Category, Stick]],
        values: Sequence[Value],
        *,
        single: bool,
    ) -> list[Series]:
        """One series a colour, or one of all bars where colours only tell the categories apart."""
        names, keys = self._names(single)
        points: dict[int, list[Point]] = {key: [] for key in dict.fromkeys(keys.values())}
        color_of: dict[int, RGB] = {}
        for category in categories:
            here = [(s, v) for (c, s), v in zip(marks, values, strict=True) if c is category]
            for stick, value in here:
                key = keys[stick.color]
                color_of.setdefault(key, self.colors[stick.color])
                place = self._place(stick)
                points[key].append(self._point(category.name, value, place))
            if not here and single and category.name:
                points[next(iter(points))].append(self._empty(category))
        return [
            Series(name=names.get(key, ""), points=tuple(points[key]), color=hex_color(color_of[key]))
            for key in sorted(points)
            if points[key] and key in color_of
        ]

    def _names(self, single: bool) -> tuple[dict[int, str], dict[int, int]]:
        """The names of series by key, and the key of each colour."""
        of_axis = self.scene.y_title if self.vertical else self.scene.x_title
        title = without_unit(of_axis) or short_title(self.scene.title)
        if single:
            return {0: title}, dict.fromkeys(range(len(self.colors)), 0)
        given = [entry.color or (255, 255, 255) for entry in self.scene.legend]
        keys: dict[int, int] = {}
        names = {i: entry.name for i, entry in enumerate(self.scene.legend)}
        for index, color in enumerate(self.colors):
            nearest, away = near_color(color, given)
            keys[index] = nearest if away <= SAME_COLOR else len(given) + index
        return names, keys

    def _place(self, stick: Stick) -> tuple[float, float]:
        _, far = self._ends(stick)
        return (stick.center, far) if self.vertical else (far, stick.center)

    def _empty(self, category: Category) -> Point:
        """A category without a bar: the number printed at its base where there is one, else no value."""
        height = self.scene.text_height
        at = (category.at, self.base) if self.vertical else (self.base, category.at)
        mark = Mark(Box(at[0] - height, at[1] - height, at[0] + height, at[1] + height), at, None)
        free = [la for la in self.scene.free if la.box.intersection(self.scene.plot.expanded(2)).area > 0]
        value = values_of([mark], free, 0.0, height, 0.0)[0]
        return self._point(category.name, value, at)

    def _point(self, name: str, value: Value, place: tuple[float, float]) -> Point:
        source = PointSource.PRINTED if value.printed else PointSource.MEASURED
        rounded = _rounded(value, self.axis)
        return Point(x=name, y=rounded, confidence=value.confidence, place=place, source=source)


def _rounded(value: Value, axis: NumberAxis | None) -> float | None:
    """The value to the digits that a hundredth of a pixel is worth; printed ones as they are."""
    if value.value is None or value.printed or axis is None or axis.log:
        return value.value
    worth = axis.per_pixel * 0.01
    digits = max(0, int(np.ceil(-np.log10(worth)))) if worth > 0 else 6
    return round(value.value, digits)
