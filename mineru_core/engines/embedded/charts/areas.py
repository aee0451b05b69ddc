"""Area charts: bands of colour upon each other, by the heights of the edges between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mineru_core.document.chart import Point, Series
from mineru_core.engines.embedded.charts.areas_edges import Band, bands_of, fill_colors, matched_fills
from mineru_core.engines.embedded.charts.lines_names import names_of
from mineru_core.engines.embedded.charts.lines_places import Place, places_on
from mineru_core.engines.embedded.charts.lines_points import Reading, bends, read_at
from mineru_core.engines.embedded.charts.lines_thinned import thinned
from mineru_core.engines.embedded.charts.lines_trace import Trace
from mineru_core.engines.embedded.charts.scene import RGB, NumberAxis, Scene, hex_color
from mineru_core.engines.embedded.intervals import spans_of

MIN_SPAN = 0.4
"""Share of the plot's width that the areas span together at least."""

MIN_TALL = 0.04
"""Share of the plot's height that all areas are together at least, in most columns."""

FOOT = 6.0
"""Pixels that areas may end above their foot: an axis is drawn there."""

EDGE = 4.5
"""Pixels that the frame of the plot may hide of an area."""

BLUNT = 6.0
"""Pixels about a point that a marker may hide."""

MAX_GAPS = 0.02
"""Share of columns in which a band may break off: bars have gaps, areas do not."""


def read_areas(scene: Scene) -> list[Series] | None:
    """The areas as series, each band's own height; None where the chart has none.

    Bands that lie upon each other are taken for stacked: a value is the height of its band alone.
    """
    y, x = scene.y, scene.x
    if not isinstance(y, NumberAxis) or x is None or y.log:
        return None
    entries = [entry for entry in scene.legend if entry.color is not None]
    told: list[RGB] = [entry.color for entry in entries if entry.color is not None]
    colors = matched_fills(scene, told) if told else fill_colors(scene)
    if not colors:
        return None
    bands = _in_one_piece(bands_of(scene, colors))
    if not bands or not _are_areas(bands, scene):
        return None
    names = [entry.name for entry in entries] or names_of(scene, [b.top for b in bands], [b.color for b in bands])
    by_color = dict(zip(colors, names, strict=False)) if entries else None
    corners = [bend for band in bands for bend in bends(band.top)]
    places = places_on(x, [], corners, [band.top for band in bands])
    out = []
    for index, band in enumerate(bands):
        name = by_color[band.color] if by_color is not None else names[index]
        points = _points(band, places, y)
        if points:
            out.append(Series(name=name, points=tuple(points), color=hex_color(band.color)))
    if entries:
        order = {entry.name: i for i, entry in enumerate(entries)}
        out.sort(key=lambda series: order[series.name])
    return (thinned(out) if isinstance(x, NumberAxis) and not x.dates else out) or None


def _in_one_piece(bands: Sequence[Band]) -> list[Band]:
    """The bands between the ends of their longest stretch: what is beside it is of a legend, or a mark."""
    if not bands:
        return []
    filled = np.any([np.isfinite(band.top.y) for band in bands], axis=0).astype(np.uint8)
    bridge = max(3, round(MAX_GAPS * filled.sum()))
    closed = np.convolve(filled, np.ones(bridge), "same") > 0
    start, end = max(spans_of(closed), key=lambda span: span[1] - span[0])
    outside = np.ones(len(filled), np.bool_)
    outside[start:end] = False
    return [
        band._replace(
            top=band.top._replace(y=np.where(outside, np.nan, band.top.y)),
            bottom=band.bottom._replace(y=np.where(outside, np.nan, band.bottom.y)),
        )
        for band in bands
    ]


def _are_areas(bands: Sequence[Band], scene: Scene) -> bool:
    """Whether the bands go through from end to end without the gaps of bars, and are not level pieces like bars."""
    filled = np.zeros(len(bands[0].top.x), np.bool_)
    for band in bands:
        filled |= np.isfinite(band.top.y)
    inked = np.flatnonzero(filled)
    if len(inked) < MIN_SPAN * scene.plot.width:
        return False
    heights = [band.bottom.y - band.top.y for band in bands]
    tall = float(np.nanmedian(np.nansum(np.array(heights)[:, inked], axis=0)))
    if tall < max(8.0, MIN_TALL * scene.plot.height) or not _stands(bands[0], scene):
        return False
    within = filled[inked[0] : inked[-1] + 1]
    return bool(1 - within.mean() <= MAX_GAPS and not all(_in_steps(band.top) for band in bands))


def _stands(lowest: Band, scene: Scene) -> bool:
    """Whether the lowest band stands on zero or on the foot of the plot, as no line does."""
    feet = [scene.plot.y1]
    if isinstance(scene.y, NumberAxis):
        feet.append(scene.y.pixel_at(0.0))
    return min(abs(lowest.base - foot) for foot in feet) <= FOOT


def _in_steps(edge: Trace) -> bool:
    """Whether an edge is level but for a few jumps, as the tops of bars side by side are."""
    y = edge.y[edge.columns]
    if len(y) < 12:
        return True
    change = np.abs(np.diff(y))
    return bool((change > 3).sum() >= 2 and (change < 0.02).mean() > 0.9)


def _points(band: Band, places: Sequence[Place], y: NumberAxis) -> list[Point]:
    pixels = np.array([place.pixel for place in places])
    out = []
    for place in places:
        others = np.abs(pixels[pixels != place.pixel] - place.pixel)
        reach = min(14.0, max(3.0, float(others.min(initial=15.0)) - 1.0))
        top = _edge(band.top, place.pixel, reach)
        if top is None:
            continue
        if band.on_base:
            # An area is drawn down to 0, or to the plot's end where the axis starts higher: its height is above 0.
            value = y.value_at(top.y)
            bottom: Reading | None = Reading(band.base, 0.0)
        else:
            bottom = _edge(band.bottom, place.pixel, reach)
            if bottom is None:
                continue
            value = y.value_at(top.y) - y.value_at(bottom.y)
        assert bottom is not None
        out.append(_point(place, top, bottom, value, y))
    return out


def _edge(edge: Trace, pixel: float, reach: float) -> Reading | None:
    return read_at(edge, pixel, reach=reach, blunt=min(BLUNT, 0.43 * reach), slack=EDGE)


def _point(place: Place, top: Reading, bottom: Reading, value: float, y: NumberAxis) -> Point:
    length = abs(y.ticks[0][1] - y.ticks[-1][1]) if len(y.ticks) > 1 else 200.0
    off = (top.spread**2 + bottom.spread**2) ** 0.5 / max(50.0, length)
    step = y.per_pixel / 50
    digits = int(min(12, max(-12, np.ceil(-np.log10(step))))) if step > 0 else 6
    return Point(
        x=place.name,
        y=round(value, digits),
        confidence=round(min(1.0, y.confidence / (1.0 + (off / 0.012) ** 2)), 3),
        place=(float(place.pixel), float(top.y)),
    )
