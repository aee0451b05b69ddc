"""Where along the x axis the points of lines and areas are: at categories, markers, ticks, or parts between ticks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mineru_core.engines.embedded.charts.lines_trace import Trace
from mineru_core.engines.embedded.charts.lines_vertices import years_of
from mineru_core.engines.embedded.charts.scene import AnyAxis, CategoryAxis, NumberAxis

NEAR = 1.8
"""Pixels within which a marker or a bend lies on a place."""

PARTS = (1, 2, 3, 4, 5, 6, 8, 10, 12)
"""Into how many parts the space between two ticks may be divided by points that have no tick of their own."""

MIN_STEP = 4.5
"""Pixels between two points below which they are not told apart."""

AT_END = 3.0
"""Pixels by which a line's end may miss the place of its last point."""

MISSING = 0.34
"""Ticks that were not read, as a share of those that were, up to which they are filled in."""

MIN_BENDS = 12.0
"""Pixels between two points from which bends can tell that they are there."""

CLEAR = 2.5
"""Standard deviations by which more bends are on a grid than chance would bring, if it is one."""


class Place(NamedTuple):
    """A place on the x axis: its name as printed, or its number, and its pixel."""

    name: str
    pixel: float


def number_name(value: float, per_pixel: float = 0.0) -> str:
    """A number as text, without digits that are finer than a twentieth of a pixel."""
    if abs(value - round(value)) < 1e-6 * max(1.0, abs(value)):
        return str(round(value))
    if per_pixel > 0:
        digits = max(0, int(np.ceil(-np.log10(per_pixel / 20))))
        value = round(value, min(digits, 12))
    return f"{value:.10g}"


def places_on(
    axis: AnyAxis, markers: Sequence[float], bends: Sequence[float], lines: Sequence[Trace] = ()
) -> list[Place]:
    """The places of points on an axis, from left to right.

    ``markers`` are the pixels where lines bear markers, ``bends`` where they bend; both are of all lines together.
    ``lines`` are those that tell by their straight pieces between which years they have points, and by their ends.
    """
    if isinstance(axis, CategoryAxis):
        return _on_categories(axis, markers)
    if len(markers) >= 2:
        return _at_markers(axis, markers)
    years = years_of(axis, lines)
    if years is not None:
        return [Place(str(year), axis.pixel_at(year)) for year in years]
    return _with_ends(axis, _on_numbers(axis, bends), lines)


def _with_ends(axis: NumberAxis, places: Sequence[Place], lines: Sequence[Trace]) -> list[Place]:
    """The places with one more at each end where a line begins or ends there: a step from a tick that was not read."""
    out = list(places)
    if axis.log or len(places) < 2 or not lines:
        return out
    ends = [_ends(line) for line in lines]
    first = 2 * out[0].pixel - out[1].pixel
    last = 2 * out[-1].pixel - out[-2].pixel
    if any(abs(start - first) <= AT_END for start, _ in ends):
        out.insert(0, Place(number_name(axis.value_at(first), axis.per_pixel), first))
    if any(abs(end - last) <= AT_END for _, end in ends):
        out.append(Place(number_name(axis.value_at(last), axis.per_pixel), last))
    return out


def _ends(line: Trace) -> tuple[float, float]:
    inked = line.columns
    return (float(line.x[inked[0]]), float(line.x[inked[-1]])) if len(inked) else (-1e9, 1e9)


def _on_categories(axis: CategoryAxis, markers: Sequence[float]) -> list[Place]:
    """The categories; years of which only some are printed are filled in where markers stand between them."""
    printed = [Place(name, pixel) for name, pixel in axis.categories]
    if len(axis.numbers) != len(printed) or len(printed) < 2:
        return printed
    between = [m for m in markers if min(abs(m - place.pixel) for place in printed) > max(NEAR, 0.2 * axis.step)]
    if len(between) < 2:
        return printed
    pixels = np.array([place.pixel for place in printed])
    slope, start = np.polyfit(pixels, np.array(axis.numbers), 1)
    fitted = NumberAxis(
        False, float(slope), float(start), ticks=tuple(zip(axis.numbers, pixels.tolist(), strict=True)), dates=True
    )
    added = [p for p in _at_markers(fitted, between) if all(abs(p.pixel - q.pixel) > NEAR for q in printed)]
    return sorted([*printed, *added], key=lambda place: place.pixel)


def _at_markers(axis: NumberAxis, markers: Sequence[float]) -> list[Place]:
    """Markers of all lines, those about the same place taken together; on whole steps where they are about on them."""
    groups: list[list[float]] = []
    for pixel in sorted(markers):
        if groups and pixel - groups[-1][0] <= NEAR + 1.0:
            groups[-1].append(pixel)
        else:
            groups.append([pixel])
    pixels = [float(np.mean(group)) for group in groups]
    grid = _grid(axis, pixels, sure=True)
    out: dict[str, Place] = {}
    for pixel in pixels:
        value = axis.value_at(pixel)
        if grid is not None:
            at = (value - _anchor(axis)) / grid.step - grid.shift
            value = round(_anchor(axis) + round(at) * grid.step, 9)
        name = number_name(value, axis.per_pixel)
        out.setdefault(name, Place(name, pixel))
    return list(out.values())


def _on_numbers(axis: NumberAxis, bends: Sequence[float]) -> list[Place]:
    """The ticks; and the parts between them where the lines bend there."""
    values = sorted(_filled(axis), key=axis.pixel_at)
    # A label at the picture's edge stands beside its tick; the fit of all of them does not.
    ticks = [Place(number_name(value), axis.pixel_at(value)) for value in values]
    grid = _grid(axis, bends) if len(bends) >= 3 and len(ticks) >= 2 and not axis.log else None
    if grid is None:
        return ticks
    moved = grid.shift * grid.step / axis.per_pixel * (1 if axis.slope > 0 else -1)
    if grid.step >= 0.99 * _tick_step(axis):
        return [Place(place.name, place.pixel + moved) for place in ticks]
    # Points may go on beyond the outermost ticks, by less than a tick.
    low, high = min(values) - _tick_step(axis), max(values) + _tick_step(axis)
    count = round((high - low) / grid.step)
    inner = [Place(number_name(round(v, 9)), axis.pixel_at(v)) for v in (low + i * grid.step for i in range(count + 1))]
    added = [p for p in inner if all(abs(p.pixel - q.pixel) > 0.4 * grid.step / axis.per_pixel for q in ticks)]
    return sorted((Place(p.name, p.pixel + moved) for p in (*ticks, *added)), key=lambda place: place.pixel)


def _filled(axis: NumberAxis) -> set[float]:
    """The values of the ticks, and of a few between them that were not read."""
    values = {value for value, _ in axis.ticks}
    if axis.log or axis.dates or len(values) < 4:
        return values
    first, step = min(values), _tick_step(axis)
    steps = [(value - first) / step for value in values]
    if any(abs(at - round(at)) > 0.01 for at in steps):
        return values
    every = {round(first + i * step, 9) for i in range(round(max(steps)) + 1)}
    return every if len(every) <= len(values) * (1 + MISSING) else values


def _anchor(axis: NumberAxis) -> float:
    return axis.ticks[0][0] if axis.ticks else 0.0


def _tick_step(axis: NumberAxis) -> float:
    values = sorted(value for value, _ in axis.ticks)
    return float(np.median(np.diff(values))) if len(values) > 1 else 1.0


class _Grid(NamedTuple):
    """Even places of points: their distance in units of the axis, and how far all are off it, in steps."""

    step: float
    shift: float


def _grid(axis: NumberAxis, pixels: Sequence[float], sure: bool = False) -> _Grid | None:
    """The widest grid, a part of that of the ticks, that the pixels are on; None where they are on none.

    Of bends many are false, those where lines cross: it is enough that far more are on the grid than by chance, and
    that most of its places have one. Markers (``sure``) are all on it. All may be a little off, as labels are not
    always in the middle of their ticks.
    """
    if axis.log or not pixels:
        return None
    tick = _tick_step(axis)
    values = np.array([axis.value_at(p) for p in pixels])
    found: list[tuple[_Grid, float]] = []
    for parts in PARTS:
        step = tick / parts
        wide = step / axis.per_pixel
        whole_years = not axis.dates or abs(step - round(step)) < 1e-6
        # A year has quarters and months, and no tenths.
        of_year = any(abs(step * parts_of_year - 1) < 1e-3 for parts_of_year in (4, 12))
        if wide < MIN_STEP or (not whole_years and (tick > 1.5 or not of_year)):
            continue
        at = (values - _anchor(axis)) / step
        off = at - np.round(at)
        shift = float(np.median(off[np.abs(off) < 0.25])) if (np.abs(off) < 0.25).any() else 0.0
        near = min(max(NEAR, 0.06 * wide), 0.3 * wide)
        on = np.abs(off - shift) * wide <= near
        seen = len(np.unique(np.round(at[on]))) / (np.ptp(np.round(at)) + 1)
        # On a fine step much lies by chance.
        chance = min(0.9, 2 * near / wide)
        more = (float(on.mean()) - chance) / (1 - chance)
        # In standard deviations of what chance would bring.
        clear = float(len(on) * (on.mean() - chance) / np.sqrt(len(on) * chance * (1 - chance)))
        # Bends of a curve follow each other about as closely as they are told apart.
        trusted = sure or axis.dates or parts == 1 or (wide >= MIN_BENDS and clear >= CLEAR)
        if trusted and (on.mean() >= 0.8 or (not sure and more >= 0.3 and seen >= 0.5)):
            found.append((_Grid(step, shift), more if sure else clear))
    most = max((score for _, score in found), default=0.0)
    slack = 0.1 if sure else 0.2 * most
    return next((grid for grid, score in found if score >= most - slack), None)
