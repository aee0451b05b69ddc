"""The edges between filled bands of colour in a plot, to a fraction of a pixel for each column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.engines.embedded.charts.colors import channel_max
from mineru_core.engines.embedded.charts.lines_ink import MIN_CONTRAST, legend_boxes, plot_part
from mineru_core.engines.embedded.charts.lines_trace import Array, Trace
from mineru_core.engines.embedded.charts.scene import RGB, Scene

NEAR = 48.0
"""Distance of RGB colours up to which a pixel is of a band's colour; grid lines shine through it."""

MIN_HEIGHT = 1.5
"""Pixels of a band's height below which a column does not show it."""

MIN_AREA = 0.006
"""Share of the plot that a colour fills at least, in one piece, to be an area's."""

THREAD = 3
"""Rows of another colour up to which a rule that crosses a band does not part it."""


class Band(NamedTuple):
    """A band: its colour, its upper and lower edge by column, and its foot if it ``on_base`` stands on the axis."""

    color: RGB
    top: Trace
    bottom: Trace
    on_base: bool
    base: float


def fill_colors(scene: Scene, most: int = 8) -> list[RGB]:
    """Colours that fill large parts of the plot, those with the most pixels first."""
    part, _, _ = plot_part(scene, margin=-1.0)
    ground = np.array(scene.background, np.float32)
    inked = channel_max(np.abs(part.astype(np.float32) - ground)) > MIN_CONTRAST / 2
    # What is left when a rim of two pixels is taken off is filled; lines and letters are gone.
    filled = cv2.erode(inked.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
    pixels = part[filled].astype(np.float32)
    out: list[RGB] = []
    while len(pixels) >= MIN_AREA * inked.size and len(out) < most:
        keys = (pixels // 10).astype(np.int64) @ np.array([10000, 100, 1])
        values, counts = np.unique(keys, return_counts=True)
        if counts.max() < 0.5 * MIN_AREA * inked.size:
            break
        best = int(values[int(counts.argmax())])
        middle = np.array([best // 10000, best // 100 % 100, best % 100], np.float32) * 10 + 5
        near = np.linalg.norm(pixels - middle, axis=1) < 24
        middle = np.median(pixels[near], axis=0)
        r, g, b = (round(float(v)) for v in middle)
        out.append((r, g, b))
        pixels = pixels[np.linalg.norm(pixels - middle, axis=1) >= 36]
    return out


def matched_fills(scene: Scene, colors: Sequence[RGB]) -> list[RGB]:
    """For each colour of a legend that of its area: areas are often drawn paler than their samples.

    It is the fill in the direction of the sample's colour from the background, itself where there is none.
    """
    fills = fill_colors(scene)
    ground = np.array(scene.background, float)
    pairs = []
    for i, color in enumerate(colors):
        for j, fill in enumerate(fills):
            a, b = np.array(color) - ground, np.array(fill) - ground
            lengths = float(np.linalg.norm(a)), float(np.linalg.norm(b))
            aside = float(np.linalg.norm(np.cross(a, b))) / max(1.0, *lengths)
            pairs.append((float(np.linalg.norm(a - b)) + 2 * aside, i, j))
    out = list(colors)
    used: tuple[set[int], set[int]] = (set(), set())
    for cost, i, j in sorted(pairs):
        if cost < 3 * NEAR and i not in used[0] and j not in used[1]:
            out[i] = fills[j]
            used[0].add(i)
            used[1].add(j)
    return out


def bands_of(scene: Scene, colors: Sequence[RGB]) -> list[Band]:
    """The bands that the colours fill, from the lowest to the highest; empty where they fill none."""
    part, left, top = plot_part(scene, margin=0.0)
    owner = _owners(part.astype(np.float32), colors, scene, left, top)
    spans = [_spans(owner == index) for index in range(len(colors))]
    present = [i for i, (a, b) in enumerate(spans) if np.isfinite(a).sum() >= 0.1 * part.shape[1]]
    if not present:
        return []
    heights = {i: float(np.nanmean(spans[i][1])) for i in present}
    present.sort(key=lambda i: -heights[i])
    base = _base(scene, [spans[i] for i in present], top)
    picture = part.astype(np.float32)
    tints = [np.array(color, np.float32) for color in colors]
    out = []
    for i in present:
        first, last = spans[i]
        upper = _sharpened(picture, first, tints[i], up=True)
        lower = _sharpened(picture, last, tints[i], up=False)
        foot = float(np.nanmedian(last)) + top
        on_base = abs(foot - base) <= 3.0
        x = left + np.arange(part.shape[1]) + 0.5
        out.append(
            Band(
                colors[i],
                Trace(x, upper + top, upper + top - 0.5, upper + top + 0.5, 1.0),
                Trace(x, lower + top, lower + top - 0.5, lower + top + 0.5, 1.0),
                on_base,
                base,
            )
        )
    return _joined(out)


def _owners(picture: NDArray[np.float32], colors: Sequence[RGB], scene: Scene, left: int, top: int) -> NDArray[np.intp]:
    """(height, width) the index of the colour that each pixel is of, -1 for none."""
    tints = np.array(colors, np.float32)
    away = np.linalg.norm(picture[None] - tints[:, None, None, :], axis=3)
    ground = np.linalg.norm(picture - np.array(scene.background, np.float32), axis=2)
    owner: NDArray[np.intp] = away.argmin(axis=0)
    nearest = away.min(axis=0)
    owner[(nearest > NEAR) | (nearest > ground)] = -1
    for box in [*legend_boxes(scene), *(label.box for label in (*scene.x_labels, *scene.y_labels))]:
        inside = box.shifted(-left, -top).expanded(2.0).clipped(picture.shape[1], picture.shape[0])
        owner[int(inside.y0) : int(np.ceil(inside.y1)), int(inside.x0) : int(np.ceil(inside.x1))] = -1
    return owner


def _spans(mask: NDArray[np.bool_]) -> tuple[Array, Array]:
    """The top and the bottom row edge of the longest stretch of each column, nan where there is none.

    Stretches that only a thread of other pixels parts (a grid line, a word's stroke) are one.
    """
    closed = cv2.morphologyEx(
        mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((2 * THREAD + 1, 1), np.uint8), borderValue=0
    )
    height, width = mask.shape
    first, last = np.full(width, np.nan), np.full(width, np.nan)
    padded = np.zeros((height + 2, width), np.int8)
    padded[1:-1] = closed
    edges = np.diff(padded, axis=0)
    starts, ends = np.argwhere((edges == 1).T), np.argwhere((edges == -1).T)
    longest = np.zeros(width)
    for (column, a), (_, b) in zip(starts.tolist(), ends.tolist(), strict=True):
        if b - a > longest[column] and b - a >= MIN_HEIGHT:
            longest[column] = b - a
            first[column], last[column] = a, b
    return first, last


def _base(scene: Scene, spans: Sequence[tuple[Array, Array]], top: int) -> float:
    """The y of the foot that the lowest bands stand on: the usual lowest edge of all, pixels of the picture."""
    lowest = np.nanmax(np.array([np.nan_to_num(last, nan=-1.0) for _, last in spans]), axis=0)
    inked = lowest[lowest >= 0]
    return float(np.median(inked)) + top if len(inked) else scene.plot.y1


def _sharpened(picture: NDArray[np.float32], edge: Array, tint: NDArray[np.float32], *, up: bool) -> Array:
    """The edge to a fraction of a pixel: how much of the pixels at it the band covers.

    Over three rows about the edge the band's share is summed, seen between the band's colour and that beyond it.
    """
    height = picture.shape[0]
    out = edge.copy()
    for column in np.flatnonzero(np.isfinite(edge)):
        at = int(edge[column])
        rows = np.arange(at - 2, at + 2) if up else np.arange(at + 1, at - 3, -1)
        if rows.min() < 0 or rows.max() >= height:
            continue
        beyond = picture[rows[0], column]
        span = tint - beyond
        square = float((span**2).sum())
        if square < 400:
            continue
        shares = np.clip(((picture[rows, column] - beyond) @ span) / square, 0.0, 1.0)
        covered = float(shares.sum())
        out[column] = at + 2 - covered if up else at - 2 + covered
    return out


def _joined(bands: list[Band]) -> list[Band]:
    """Bands whose edges meet share one edge: in the middle of a rule drawn between them, if any."""
    out = list(bands)
    for i in range(len(out) - 1):
        lower, upper = out[i], out[i + 1]
        gap = lower.top.y - upper.bottom.y
        near = np.isfinite(gap) & (np.abs(gap) < 6.0)
        if near.sum() < 0.5 * np.isfinite(gap).sum():
            continue
        middle = np.where(near, (lower.top.y + upper.bottom.y) / 2, lower.top.y)
        below = np.where(near, (lower.top.y + upper.bottom.y) / 2, upper.bottom.y)
        out[i] = lower._replace(top=lower.top._replace(y=middle))
        out[i + 1] = upper._replace(bottom=upper.bottom._replace(y=below))
    return out
