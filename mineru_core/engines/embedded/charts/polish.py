"""Series as they are given: without lines of the grid, at the places the labels name, and with a name that is short."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from statistics import median

import numpy as np

from mineru_core.document.chart import Point, PointSource, Series
from mineru_core.engines.embedded.charts.numbers import tick_number
from mineru_core.engines.embedded.charts.scene import AnyAxis, NumberAxis, Scene

# A line of the grid lies this near to its tick, pixels, and is no more uneven than the other.
AT_TICK = 3.0
UNEVEN = 2.0
# Lines of the grid are pale or grey.
MAX_CHROMA = 45
# Points stand at the ticks where all of them miss them by much the same, a share of the ticks' distance.
MAX_OFF = 0.35
SAME_OFF = 0.1
WIDEST = 0.6
# A place is known to about a pixel, for lines of the grid and marks are put on whole ones: of a value that is so many
# pixels from zero a share is uncertain. The least that is left of its confidence.
NEAR_ZERO = 16.0
LEFT_OVER = 0.6
# A title longer than this is cut before what it is about.
LONG_TITLE = 45
_UNIT = re.compile(r"\s*\([^)]*\)\s*$")
_ABOUT = re.compile(
    r"(?i)(?<!\bthose),?\s(?:(?:for|by|among|in|during|per|with|within|who|that|which|whose|aged?|ages|including|excluding)\b"
    r"|(?:\w+ly\s)?\w+(?:ed|ing)\s(?:in|to|from|by|at|on|for|with)\b)"
)
# What is left and what is cut have so many letters at least.
_MIN_HEAD, _MIN_TAIL = 10, 16


def without_grid(series: Sequence[Series], scene: Scene) -> tuple[Series, ...]:
    """The lines without those that are axes or lines of the grid: level, pale, and at a tick."""
    kept = tuple(one for one in series if not _is_grid(one, scene))
    return kept or tuple(series)


def _is_grid(one: Series, scene: Scene) -> bool:
    places = [point.place[1] for point in one.points if point.place is not None]
    named = any(entry.name and entry.name == one.name for entry in scene.legend)
    if named or len(places) < 2 or float(np.ptp(places)) > UNEVEN or not isinstance(scene.y, NumberAxis):
        return False
    at = median(places)
    if one.color is not None:
        channels = [int(one.color[i : i + 2], 16) for i in (1, 3, 5)]
        if max(channels) - min(channels) > MAX_CHROMA:
            return False
    return any(abs(pixel - at) <= AT_TICK for _, pixel in scene.y.ticks) or abs(scene.plot.y1 - at) <= AT_TICK


def at_labels(series: Sequence[Series], scene: Scene) -> tuple[Series, ...]:
    """The series with each x that stands at a tick named as its label is; slanted labels stand a little beside it."""
    axis = scene.x
    if not isinstance(axis, NumberAxis) or axis.log or len(axis.ticks) < 2:
        return tuple(series)
    numbers = [(one, _number(point.x)) for one in series for point in one.points]
    values = [number for _, number in numbers if number is not None]
    ticks = sorted(value for value, _ in axis.ticks)
    step = median(b - a for a, b in itertools.pairwise(ticks))
    if not values or step <= 0:
        return tuple(series)
    fit = _shift(values, ticks[0], step) or (_shift(values, ticks[0], 1.0) if axis.dates and step > 1 else None)
    if axis.dates and all(value == round(value) for value in values):  # read as years already
        fit = (1.0, 0.0)
    if fit is None:
        return tuple(series)
    unit, shift = fit
    names = {round(number.value, 6): label.text for label in scene.x_labels if (number := tick_number(label.text))}

    def name(text: str) -> str:
        number = _number(text)
        if number is None:
            return text
        value = ticks[0] + unit * round((number - shift - ticks[0]) / unit)
        if abs(value + shift - number) > MAX_OFF * unit:
            return text
        printed = names.get(round(value, 6), "")
        return printed if printed and _number(printed) is None else f"{value:.15g}"

    return tuple(
        one.model_copy(update={"points": tuple(p.model_copy(update={"x": name(p.x)}) for p in one.points)})
        for one in series
    )


def near_zero(series: Sequence[Series], axis: AnyAxis | None, second: NumberAxis | None = None) -> tuple[Series, ...]:
    """The series with less confidence in measured values whose mark is short, so that a pixel is much of it."""
    return tuple(_near_zero(one, second if one.on_second_axis and second is not None else axis) for one in series)


def _near_zero(one: Series, axis: AnyAxis | None) -> Series:
    if not isinstance(axis, NumberAxis):
        return one
    points = tuple(_less_sure(point, axis) if point.source is PointSource.MEASURED else point for point in one.points)
    return one.model_copy(update={"points": points})


def _less_sure(point: Point, axis: NumberAxis) -> Point:
    if point.y is None:
        return point
    length = 1 / math.log(10) if axis.log else abs(point.y)
    sure = point.confidence * share_left(length / axis.per_pixel)
    return point.model_copy(update={"confidence": round(sure, 3)})


def share_left(pixels: float) -> float:
    """What is left of the confidence in a value that so many pixels tell, ``LEFT_OVER`` to 1."""
    return LEFT_OVER + (1 - LEFT_OVER) * pixels**2 / (pixels**2 + NEAR_ZERO**2)


def named(series: Sequence[Series], title: str) -> tuple[Series, ...]:
    """The series, the only one with a title for its name, of several the nameless ones with their number."""
    if len(series) == 1:
        return tuple(one.model_copy(update={"name": one.name or title}) for one in series)
    numbered = enumerate(series, 1)
    return tuple(one.model_copy(update={"name": one.name or f"Series {number}"}) for number, one in numbered)


def _shift(values: Sequence[float], first: float, unit: float) -> tuple[float, float] | None:
    """The unit, and by how much all values miss whole units; None where they do not miss them by much the same."""
    off = [value - unit * round((value - first) / unit) - first for value in values]
    if unit == 1.0:  # some may have been put at their ticks, and others not
        turned = [o + 1.0 if o < -0.5 * MAX_OFF else o for o in off], [o - 1.0 if o > 0.5 * MAX_OFF else o for o in off]
        best = min((off, *turned), key=lambda offs: max(offs) - min(offs))
        middle = (max(best) + min(best)) / 2
        return (unit, middle) if max(best) - min(best) <= WIDEST and abs(middle) <= 0.5 else None
    shift = median(off)
    spread = float(np.quantile([abs(o - shift) for o in off], 0.8))
    return (unit, shift) if abs(shift) <= MAX_OFF * unit and spread <= SAME_OFF * unit else None


def without_unit(title: str) -> str:
    """The title of an axis as the name of the only series: without a unit in brackets, and whole otherwise, since it
    says what the values are."""
    return _UNIT.sub("", title)


def short_title(title: str) -> str:
    """A chart's title as the name of its only series: without a unit in brackets, and not too long."""
    short = without_unit(title)
    if len(short) <= LONG_TITLE:
        return short
    last = len(short) - _MIN_TAIL
    return next((short[: cut.start()] for cut in _ABOUT.finditer(short, _MIN_HEAD) if cut.start() <= last), short)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
