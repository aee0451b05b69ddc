"""Charts of two sorts: bars with lines across them, and bars of which some belong to the scale on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from mineru_core.document.chart import ChartKind, Series
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.bars import BarReading
from mineru_core.engines.embedded.charts.colors import Mask, chroma, distance, masks_of, near_color, surfaces
from mineru_core.engines.embedded.charts.lines import read_lines, rounded
from mineru_core.engines.embedded.charts.lines_axes import on_second
from mineru_core.engines.embedded.charts.lines_ink import line_colors
from mineru_core.engines.embedded.charts.scene import RGB, CategoryAxis, NumberAxis, Scene

APART = 40.0
"""A colour that is this far from all bars is that of something else."""

EDGE = 2
"""Pixels about a bar that are mixed of its colour and another one."""

MIN_SPAN = 0.5
"""Share of the bars' width that a line across them spans at least."""

MIN_FILLED = 0.75
"""Share of the columns between its ends that a line inks: bars leave gaps."""

RULED = 0.3
"""Share of the plot's width that a line of the grid inks at least, dotted ones too."""

THICK, MAX_THICK = 11, 0.6
"""A square of so many pixels fits into bars and markers, not into lines; so much of its ink may be markers."""

MIN_COLOR = 40
"""A line that no legend names is a rule of the grid or a note unless it has a colour."""

LEVEL = 2.0
"""Pixels that a line rises or falls by at least where no legend names it: else it is a rule, such as the mean."""

BY_CUSTOM = 0.8
"""What the confidence of a value is multiplied by where custom alone says that it is measured on the right."""


def without_lines(scene: Scene) -> Scene:
    """The scene as it would be without the lines that run across other marks, and without their entries of the legend;
    the same object where none do.

    A line parts the bars it crosses, and hides the ends of those it runs along.
    """
    if scene.x is None or not isinstance(scene.y, NumberAxis):
        return scene
    part = _without_texts(scene)
    told = [entry.color for entry in scene.legend if entry.color is not None]
    colors = told or _colored(
        [*(s.color for s in surfaces(part, scene.background)), *line_colors(scene, least=MIN_SPAN)]
    )
    masks = masks_of(part, colors, scene.background)
    crossing = [mask for mask in masks if _runs_across(mask)]
    if not crossing or len(crossing) == len(masks):
        return scene
    hidden = cv2.dilate(np.any(crossing, axis=0).astype(np.uint8), np.ones((2 * EDGE + 1, 2 * EDGE + 1), np.uint8))
    pixels = scene.pixels.copy()
    shown, _, _ = _plot_of(scene, pixels)
    shown[:] = cv2.inpaint(np.ascontiguousarray(shown), hidden, 3, cv2.INPAINT_TELEA)
    crossed = {color for color, mask in zip(colors, masks, strict=True) if _runs_across(mask)}
    return replace(scene, pixels=pixels, legend=tuple(e for e in scene.legend if e.color not in crossed))


def _without_rules(mask: Mask) -> Mask:
    """The pixels of a colour but for those of the grid, whose grey lines are no grey line of data: they ink each third
    of the width, where a level stretch of a line inks one or two."""
    ruled = np.min([third.mean(axis=1) for third in np.array_split(mask, 3, axis=1)], axis=0) >= RULED
    kept: Mask = mask & ~ruled[:, np.newaxis]
    return kept


def _runs_across(mask: Mask) -> bool:
    """Whether a colour is that of a line: thin, and in nearly every column from its first to its last."""
    if _is_thick(mask):  # of broad bars close together, what is left without the rows they fill is thin
        return False
    mask = _without_rules(mask)
    columns = np.flatnonzero(mask.any(axis=0))
    if len(columns) < 2 or columns[-1] - columns[0] < MIN_SPAN * mask.shape[1]:
        return False
    if len(columns) < MIN_FILLED * (columns[-1] - columns[0] + 1):
        return False
    return not _is_thick(mask)


def _is_thick(mask: Mask) -> bool:
    thick = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((THICK, THICK), np.uint8))
    return bool(thick.sum() > MAX_THICK * mask.sum())


def _colored(colors: Sequence[RGB]) -> list[RGB]:
    """Those that are no grey, each once."""
    kept: list[RGB] = []
    for color in colors:
        if int(chroma(np.array(color, np.uint8))) > MIN_COLOR and _is_apart(color, kept):
            kept.append(color)
    return kept


def _plot_of(scene: Scene, pixels: Pixels) -> tuple[Pixels, int, int]:
    """The plot area of a picture with the rim of its marks, and its first row and column."""
    box = scene.plot.expanded(EDGE).clipped(pixels.shape[1], pixels.shape[0])
    top, left = int(box.y0), int(box.x0)
    return pixels[top : int(np.ceil(box.y1)), left : int(np.ceil(box.x1))], top, left


def _without_texts(scene: Scene) -> Pixels:
    """The plot area without its texts: the rims of black letters are grey."""
    part, top, left = _plot_of(scene, scene.pixels)
    part = part.copy()
    for label in scene.labels:
        x0, y0, x1, y1 = label.box.shifted(-left, -top).clipped(part.shape[1], part.shape[0])
        part[int(y0) : int(np.ceil(y1)), int(x0) : int(np.ceil(x1))] = scene.background
    return part


def lines_over(scene: Scene, bars: BarReading) -> tuple[Series, ...]:
    """The lines across upright bars as series, none where there are none.

    Of two scales, lines that nothing is told of are measured by the one on the right and bars by the one on the left:
    that is what two scales are drawn for.
    """
    if not bars.vertical or scene.x is None or not isinstance(scene.y, NumberAxis):
        return ()
    colors = [_rgb(one.color) for one in bars.series if one.color is not None]
    if len(colors) < len(bars.series):
        return ()
    named = [entry for entry in scene.legend if entry.color is not None and _is_apart(entry.color, colors)]
    lines = [entry.color for entry in named if entry.color is not None] or [
        color
        for color in line_colors(scene)
        if _is_apart(color, colors) and int(chroma(np.array(color, np.uint8))) > MIN_COLOR
    ]
    part = _without_texts(scene)
    masks = masks_of(part, [*lines, *colors], scene.background)
    lines = [color for color, mask in zip(lines, masks, strict=False) if _runs_across(mask)]
    if not lines or (scene.legend and not named):
        return ()
    bare = replace(
        scene,
        pixels=_without_bars(scene, colors, lines),
        legend=tuple(entry for entry in named if entry.color in lines),
        x=_places_of(scene, bars),
    )
    found = read_lines(bare) or []
    across = _span([point.place for one in bars.series for point in one.points])
    names = {entry.name for entry in named if entry.color in lines}
    kept = [one for one in found if _is_line(one, across, colors, is_named=one.name in names)]
    kept = [one for one in kept if not names or one.name in names]
    return tuple(_on_its_axis(one, scene) for one in kept)


def on_their_axes(scene: Scene, series: Sequence[Series]) -> tuple[Series, ...]:
    """Upright bars with the values of the scale that words or colours say they belong to."""
    colors = [None if one.color is None else _rgb(one.color) for one in series]
    second = scene.second_y
    if second is None or not isinstance(scene.y, NumberAxis) or any(color is None for color in colors):
        return tuple(series)
    told = on_second(scene, [one.name for one in series], [color for color in colors if color is not None])
    return tuple(_by_second(one, second) if right else one for one, right in zip(series, told, strict=True))


def _by_second(series: Series, axis: NumberAxis) -> Series:
    points = [
        point
        if point.place is None or point.y is None
        else point.model_copy(update={"y": rounded(axis, point.place[1])})
        for point in series.points
    ]
    return series.model_copy(update={"points": tuple(points), "on_second_axis": True})


def _on_its_axis(series: Series, scene: Scene) -> Series:
    """A line of a chart with bars: as one, and measured on the right where nothing says otherwise."""
    line = series.model_copy(update={"kind": ChartKind.LINE})
    if scene.second_y is None or series.color is None or series.on_second_axis:
        return line
    if on_second(scene, [series.name], [_rgb(series.color)])[0] is not None:
        return line
    moved = _by_second(line, scene.second_y)
    # What it was read as was a guess between two scales, and worth less for that.
    sure = [
        point.model_copy(update={"confidence": min(1.0, BY_CUSTOM * point.confidence / 0.4)}) for point in moved.points
    ]
    return moved.model_copy(update={"points": tuple(sure)})


def _without_bars(scene: Scene, bars: Sequence[RGB], lines: Sequence[RGB]) -> Pixels:
    """The picture with its bars painted over, and what the lines ink left as it is."""
    pixels = scene.pixels.copy()
    part, _, _ = _plot_of(scene, pixels)
    to_lines = np.min([distance(part, color) for color in lines], axis=0)
    to_bars = np.min([distance(part, color) for color in bars], axis=0)
    is_bar = (to_bars <= APART) & (to_bars < to_lines)
    # A bar is thicker than the colours that the edge of a line passes through.
    solid = cv2.morphologyEx(is_bar.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    near = cv2.dilate(solid, np.ones((2 * EDGE + 1, 2 * EDGE + 1), np.uint8)).astype(np.bool_)
    to_ground = distance(part, scene.background)
    part[near & (is_bar | (to_bars <= to_lines) | (to_ground < to_lines))] = scene.background
    return pixels


def _places_of(scene: Scene, bars: BarReading) -> CategoryAxis | NumberAxis | None:
    """The axis below, with the bars' middles where that has names: a line has its points above them."""
    at: dict[str, list[float]] = {}
    for one in bars.series:
        for point in one.points:
            if point.place is not None and point.x:
                at.setdefault(point.x, []).append(point.place[0])
    names = tuple(sorted(((name, float(np.mean(x))) for name, x in at.items()), key=lambda c: c[1]))
    if isinstance(scene.x, CategoryAxis) and len(names) > len(scene.x.categories):
        return replace(scene.x, categories=names, numbers=())  # of names that were read as one
    return CategoryAxis(False, names) if isinstance(scene.x, NumberAxis) and not scene.x.dates else scene.x


def _is_line(series: Series, across: float, bars: Sequence[RGB], *, is_named: bool) -> bool:
    places = [point.place for point in series.points]
    if len([place for place in places if place is not None]) < 2 or _span(places) < MIN_SPAN * across:
        return False
    if series.color is not None and not _is_apart(_rgb(series.color), bars):
        return False
    heights = [place[1] for place in places if place is not None]
    return is_named or max(heights) - min(heights) > LEVEL


def _span(places: Sequence[tuple[float, float] | None]) -> float:
    at = [place[0] for place in places if place is not None]
    return max(at, default=0.0) - min(at, default=0.0)


def _is_apart(color: RGB, others: Sequence[RGB]) -> bool:
    return near_color(color, others)[1] > APART


def _rgb(color: str) -> RGB:
    r, g, b = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return (r, g, b)
