"""Which pixels of a plot belong to which colour, and how much of them it covers.

A drawn line is blended with what lies under it, so the pixels of one colour lie on a ray from the background to it:
the place along the ray is the share of the pixel that is covered, the distance from the ray tells other colours apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import channel_max, channel_min, chroma, chroma_of, distance
from mineru_core.engines.embedded.charts.scene import RGB, NumberAxis, Scene

Floats = NDArray[np.floating[Any]]
Mask = NDArray[np.bool_]

# Distances are of RGB colours, 0 to 441.
MIN_CONTRAST = 36.0
"""What differs less from the background is ground, faint grid or the noise of a JPEG."""

OFF_RAY = 34.0
"""How far a colour may lie from the ray of its line; JPEGs of thin lines are that far off."""

MOSTLY = 0.6
"""Share of a plot that lines and markers never cover."""

PALE = 75.0
"""A grey that differs less from the background is that of a grid."""

OFF_RAY_LOSSY = 62.0
"""The same in pictures that went through a JPEG: it keeps half of the colour of a thin line."""

SAME_COLOR = 60.0
"""Two colours found nearer than this are taken for one in pictures that went through a JPEG; in others it is:"""
SAME_CLEAN = 36.0

FAR_REACH = 0.4
"""Share of the plot's width in which a pale line has the very same colour."""

LEAN = 10.0
"""A pixel is two colours' own where it lies about as near to both rays, to this distance."""

ACROSS_GRID = 0.75
"""Share of the plot that a straight rule of grid or axis covers, and hardly any series."""


AT_TICK = 1.5
"""Pixels up to which a rule of the grid is off its tick."""


class Ink(NamedTuple):
    """The part of a picture in a plot: ``coverage`` (colours, height, width) 0..1 of each colour, and its place.

    ``left`` and ``top`` are the picture's pixels of the part's first column and row. ``colors`` are as drawn.
    """

    coverage: Floats
    colors: tuple[RGB, ...]
    left: int
    top: int


def plot_part(scene: Scene, margin: float = 3.0) -> tuple[Pixels, int, int]:
    """The plot's pixels with a margin (lines on its edge are half outside), and the place of the first one."""
    height, width = scene.pixels.shape[:2]
    box = scene.plot.expanded(margin).clipped(width, height)
    left, top = int(box.x0), int(box.y0)
    return scene.pixels[top : int(np.ceil(box.y1)), left : int(np.ceil(box.x1))], left, top


def is_busy(scene: Scene) -> bool:
    """Whether marks cover most of the plot: a photo, an area or noise, among which no thin marks can be followed."""
    part, _, _ = plot_part(scene, margin=0.0)
    inked, offset, _ = _inked(part, scene.background)
    marked = channel_max(np.abs(offset)) > MIN_CONTRAST
    return bool(marked.sum() > MOSTLY * max(1, inked.size))


def ink_of(scene: Scene, colors: Sequence[RGB]) -> Ink:
    """How much each colour covers of each pixel of the plot; text and the legend's samples are left out."""
    # Markers on the plot's edge reach beyond it.
    part, left, top = plot_part(scene, margin=8.0)
    inked, offset, base = _inked(part, scene.background)
    tints = np.array(colors, np.float32).reshape(-1, 3) - base
    shares, away = _on_rays(offset, tints)
    nearest = np.where(shares > 0.25, away, np.float32(1e6)).min(axis=0)
    # What a faint colour may be off its ray is less: other faint colours are near.
    off_ray = OFF_RAY_LOSSY if _is_lossy(part, scene.background) else OFF_RAY
    allowed = np.minimum(off_ray, 0.45 * np.linalg.norm(tints, axis=1))[:, None]
    own = (away <= allowed) & (away <= nearest + LEAN)
    coverage = np.zeros((len(colors), *part.shape[:2]), np.float32)
    coverage[:, inked] = np.where(own, np.clip(shares, 0.0, 1.0), 0.0)
    _part_shades(coverage, shares, inked, tints)
    coverage[:, under_legend(scene, part.shape[:2], left, top)] = 0.0
    coverage[:, _names(scene, part.shape[:2], left, top)] = 0.0
    contrast = np.zeros(part.shape[:2], np.float32)
    contrast[inked] = np.linalg.norm(offset, axis=1)
    # Axes and grid have the colours of the rims of dark lines, and of grey ones.
    coverage[:, _rules(part, contrast, across=ACROSS_GRID) | _grid(scene, part, contrast, top)] = 0.0
    return Ink(coverage, tuple(colors), left, top)


def _is_lossy(part: Pixels, background: RGB) -> bool:
    """Whether the picture went through a JPEG or the like: much of its ground is not quite of one colour."""
    away = distance(part[::2, ::2], background)
    return bool(((away > 0) & (away <= 12)).mean() > 0.06)


def _part_shades(coverage: Floats, shares: Floats, inked: Mask, tints: Floats) -> None:
    """Of two colours on one ray, such as black and grey, leaves each pixel to one; changes ``coverage``.

    The rim of a dark line has the very colours of a pale one; but beside it is the dark line's core.
    """
    lengths = np.maximum(np.linalg.norm(tints, axis=1), 1.0)
    for dark, pale in itertools.permutations(range(len(tints)), 2):
        level = lengths[pale] / lengths[dark]
        if level > 0.85 or float(tints[dark] @ tints[pale]) < 0.96 * lengths[dark] * lengths[pale]:
            continue
        whole = np.zeros(inked.shape, np.float32)
        whole[inked] = np.clip(shares[dark], 0.0, 1.0)
        core = cv2.dilate(whole, np.ones((3, 3), np.uint8)) > (1 + level) / 2
        coverage[pale][core] = 0.0
        coverage[dark][~core] = 0.0


def on_one_ray(dark: RGB, pale: RGB, background: RGB) -> bool:
    """Whether the second colour may be the first one blended with the background by a half or less."""
    a, b = (np.subtract(color, background).astype(float) for color in (dark, pale))
    lengths = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    level = lengths[1] / max(1.0, lengths[0])
    return 0.4 < level < 0.95 and float(a @ b) > 0.97 * lengths[0] * lengths[1]


def _inked(part: Pixels, background: RGB) -> tuple[Mask, Floats, Floats]:
    """Which pixels of a plot are not ground; how far they are from it, (pixels, 3); and its usual colour (3,)."""
    ground = ground_of(part, background)
    offset = part.astype(np.float32) - ground
    inked = channel_max(np.abs(offset)) > 0.2 * MIN_CONTRAST
    return inked, offset[inked], np.median(ground[0], axis=0)


def as_drawn(scene: Scene, colors: Sequence[RGB]) -> list[RGB]:
    """The colours of a legend as the plot has them: the sample of a thin line may be paler than the line."""
    part, _, _ = plot_part(scene)
    _, offset, base = _inked(part, scene.background)
    tints = np.array(colors, np.float32).reshape(-1, 3) - base
    lengths = np.maximum((tints**2).sum(axis=1), 1.0)
    shares = tints @ offset.T / lengths[:, None]
    away = np.linalg.norm(offset[None] - shares[..., None] * tints[:, None, :], axis=2)
    own = (away < OFF_RAY / 2) & (shares > 0.6) & (shares < 2.2) & (away <= away.min(axis=0) + 1e-3)
    out = []
    for index, color in enumerate(colors):
        found = shares[index][own[index]]
        # Only what is paler by far is mended: noise makes a few pixels darker than their line.
        factor = float(np.percentile(found, 85)) if len(found) >= 20 else 1.0
        if factor < 1.12:
            out.append(color)
            continue
        r, g, b = (round(float(v)) for v in np.clip(base + factor * tints[index], 0, 255))
        out.append((r, g, b))
    return out


def ground_of(part: Pixels, background: RGB) -> Floats:
    """The colour under the marks for each pixel: bands drawn in the plot have their own, grid lines do not.

    It is the median of each column where that is light and near the background, the background elsewhere.
    """
    ground = np.broadcast_to(np.array(background, np.float32), part.shape).copy()
    columns = np.median(part[::3], axis=0).astype(np.float32)
    banded = channel_max(np.abs(columns - np.array(background, np.float32))) < MIN_CONTRAST
    ground[:, banded] = columns[banded]
    return ground


def under_legend(scene: Scene, size: tuple[int, int], left: int, top: int) -> Mask:
    """Pixels under the legend: its samples have the very colours of the marks."""
    return _covered([box.shifted(-left, -top).expanded(2.0) for box in legend_boxes(scene)], size)


def _names(scene: Scene, size: tuple[int, int], left: int, top: int) -> Mask:
    """Pixels under free words without a number, which may have the lines' colours, and under all beside the plot."""
    words = [label.box for label in scene.free if not any(c.isdigit() for c in label.text)]
    words += [label.box for label in scene.labels if not scene.plot.contains(*label.box.center)]
    words += [label.box for label in (*scene.x_labels, *scene.y_labels)]
    return _covered([box.shifted(-left, -top) for box in words], size)


def _covered(boxes: Sequence[Box], size: tuple[int, int]) -> Mask:
    out = np.zeros(size, np.bool_)
    for box in boxes:
        inside = box.clipped(size[1], size[0])
        out[int(inside.y0) : int(np.ceil(inside.y1)), int(inside.x0) : int(np.ceil(inside.x1))] = True
    return out


def legend_boxes(scene: Scene) -> list[Box]:
    """The boxes of the legend's samples, each to the start of its text."""
    out = []
    for entry in scene.legend:
        sample = entry.box
        if sample is None:
            continue
        texts = [label.box for label in scene.labels if label.text.strip() == entry.name]
        texts.sort(key=lambda box: abs(box.x0 - sample.x1) + abs(box.y0 - sample.y0))
        out.append(sample.union(texts[0]) if texts else sample)
    return out


def _on_rays(offset: Floats, tints: Floats) -> tuple[Floats, Floats]:
    """(colours, pixels): the share along each tint's ray of colours (pixels, 3), and the distance from it."""
    lengths = np.maximum((tints**2).sum(axis=1), 1.0)
    shares = tints @ offset.T / lengths[:, None]
    # Beyond its end a ray goes on: a JPEG makes thin lines darker than they were.
    inside = np.clip(shares, 0.0, 1.15)
    away = np.linalg.norm(offset[None] - inside[..., None] * tints[:, None, :], axis=2)
    return shares, away


def line_colors(scene: Scene, most: int = 12, least: float = 0.1) -> list[RGB]:
    """Colours of lines in the plot, those that reach farthest first; grid, axes and text are left out.

    ``least`` is the share of the plot's width that a colour is found in.
    """
    part, left, top = plot_part(scene, margin=0.0)
    offset = part.astype(np.float32) - ground_of(part, scene.background)
    contrast = np.linalg.norm(offset, axis=2)
    inked = (contrast > MIN_CONTRAST) & ~_rules(part, contrast) & ~_texts(scene, part.shape[:2], left, top)
    # The core of a stroke is what differs most from the ground around it; its rim is blended.
    around = cv2.dilate(contrast, np.ones((3, 3), np.uint8))
    core = inked & (contrast >= 0.92 * around)
    columns = np.nonzero(core)[1]
    same = SAME_COLOR if _is_lossy(part, scene.background) else SAME_CLEAN
    ground = np.array(scene.background, np.float32)
    return _peaks(part[core], columns, part.shape[1], ground, most, least, same)


def _rules(part: Pixels, contrast: Floats, across: float = 0.45) -> Mask:
    """Grey pixels of straight rules from side to side: axes and grid, whole or dashed.

    ``across`` is the share of the width that a level rule inks at least.
    """
    apart = chroma(part)
    # Pale blue and pale green ones are in use as well.
    grey = (apart < 24) | ((apart < 48) & (channel_min(part) >= 170))
    drawn = (contrast > 0.35 * MIN_CONTRAST) & grey
    out = np.zeros(drawn.shape, np.bool_)
    out[drawn.mean(axis=1) > across] = True
    out[:, drawn.mean(axis=0) > ACROSS_GRID] = True
    rules: Mask = out & drawn
    return rules


def _grid(scene: Scene, part: Pixels, contrast: Floats, top: int) -> Mask:
    """Grey pixels of level rules at the ticks of the upright axis: a dashed one inks less of the width."""
    ticks = scene.y.ticks if isinstance(scene.y, NumberAxis) else ()
    rows = np.arange(part.shape[0]) + top + 0.5
    at_tick = np.zeros(len(rows), np.bool_)
    for _, pixel in ticks:
        at_tick |= np.abs(rows - pixel) <= AT_TICK
    return _rules(part, contrast) & at_tick[:, None]


def _texts(scene: Scene, size: tuple[int, int], left: int, top: int) -> Mask:
    boxes = [label.box.shifted(-left, -top) for label in scene.labels]
    return under_legend(scene, size, left, top) | _covered(boxes, size)


def _peaks(
    pixels: Pixels, places: NDArray[np.intp], width: int, ground: Floats, most: int, least: float, same: float
) -> list[RGB]:
    """The colours about which many of the pixels lie, each with a reach along the plot's width, ``same`` apart."""
    colors = pixels.astype(np.float32)
    left = np.ones(len(colors), np.bool_)
    found: list[tuple[int, RGB]] = []
    while left.sum() >= max(12, 0.04 * width) and len(found) < most:
        bins = (colors[left] // 12).astype(np.int64)
        keys = bins @ np.array([10000, 100, 1])
        values, counts = np.unique(keys, return_counts=True)
        best = int(values[int(counts.argmax())])
        middle = np.array([best // 10000, best // 100 % 100, best % 100], np.float32) * 12 + 6
        for _ in range(3):
            near = left & (np.linalg.norm(colors - middle, axis=1) < same / 2)
            middle = np.median(colors[near], axis=0) if near.any() else middle
        tint = middle - ground
        share, away = _on_rays(colors - ground, tint[None])
        blended = left & _blend(share[0], away[0])
        blended &= ~_of_its_own(colors, blended & (np.linalg.norm(colors - middle, axis=1) >= same), places, width)
        taken = (left & (np.linalg.norm(colors - middle, axis=1) < same)) | blended
        columns = np.unique(places[left & (np.linalg.norm(colors - middle, axis=1) < SAME_COLOR / 2)])
        if len(columns) >= least * width:
            r, g, b = (round(float(v)) for v in middle)
            # Grid lines are grey and pale.
            if chroma_of((r, g, b)) >= 24 or np.linalg.norm(tint) >= PALE:
                found.append((len(columns), (r, g, b)))
        if not taken.any():
            break
        left &= ~taken
    return [color for _, color in sorted(found, reverse=True)]


def _of_its_own(colors: Floats, blended: Mask, places: NDArray[np.intp], width: int) -> Mask:
    """Of pixels that may be one colour blended with its ground those of a paler line: of the very same colour
    all over the plot, which the rims of a line are nowhere."""
    none = np.zeros(len(colors), np.bool_)
    if blended.sum() < FAR_REACH * width:
        return none
    values, counts = np.unique(colors[blended].astype(np.int64) @ np.array([65536, 256, 1]), return_counts=True)
    best = int(values[int(counts.argmax())])
    color = np.array([best >> 16, best >> 8 & 255, best & 255], np.float32)
    same = blended & (np.linalg.norm(colors - color, axis=1) < 2.0)
    if len(np.unique(places[same])) < FAR_REACH * width:
        return none
    near: Mask = blended & (np.linalg.norm(colors - color, axis=1) < SAME_CLEAN / 2)
    return near


def _blend(share: Floats, away: Floats) -> Mask:
    """Whether pixels are a colour blended with its ground: on its ray, and short of its end."""
    blended: Mask = (away < OFF_RAY / 2) & (share > 0.1) & (share < 1.15)
    return blended
