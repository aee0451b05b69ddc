"""Where a pie or a donut is in a picture, and the angles of its slices.

Angles are in degrees clockwise from the top, 0 to 360.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import channel_max
from mineru_core.engines.embedded.charts.scene import RGB

Floats = NDArray[np.float32]

STEPS = 1440
"""Angles that are looked at: every quarter of a degree."""

MIN_RADIUS = 18.0
"""Pixels below which a disc is too small to tell slices."""

ROUND = 0.88
"""Share of the circle about it that a disc fills at least."""

OFF_CIRCLE = 0.025
"""How far most of an outline is from its circle at most, in radii."""

FLAT = 1.06
"""A disc so many times as wide as high is seen at a slant (3D): its angles are not those of the data."""

MIN_SLICE = 1.0
"""Degrees of the narrowest slice."""

PURE = 0.75
"""A slice has one colour from the middle to the rim: so much of a pie's pixels are of the colour of their angle."""

NEAR = 45.0
"""Distance of RGB colours up to which a pixel is of a slice's colour."""


class Disc(NamedTuple):
    """A pie: its middle and radius in pixels, that of its hole (0 for none), and how much wider than high it is."""

    x: float
    y: float
    radius: float
    hole: float
    slant: float


class Slice(NamedTuple):
    """A slice from ``start`` to ``end`` (greater than start, up to 720), its colour, and its share of the whole."""

    start: float
    end: float
    color: RGB

    @property
    def share(self) -> float:
        """Share of the full circle, 0..1."""
        return (self.end - self.start) / 360.0

    @property
    def middle(self) -> float:
        """The angle of its middle, 0 to 360."""
        return ((self.start + self.end) / 2) % 360.0


def find_disc(pixels: Pixels) -> Disc | None:
    """The largest disc of a picture (height, width, 3), None where there is none that fills its circle."""
    ground = background_of(pixels)
    inked: MatLike = (channel_max(np.abs(pixels.astype(np.float32) - ground)) > 24).astype(np.uint8)
    # The white edges of slices part the disc; leader lines and words touch it.
    inked = cv2.morphologyEx(inked, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    thin = max(5, 2 * (min(pixels.shape[:2]) // 60) + 1)
    contours, _ = cv2.findContours(inked, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(inked)
    cv2.drawContours(filled, contours, -1, 1, thickness=cv2.FILLED)
    filled = cv2.morphologyEx(filled, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (thin, thin)))
    contours, _ = cv2.findContours(filled, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    outline = max(contours, key=cv2.contourArea)
    if len(outline) < 40:
        return None
    disc = _fitted(outline[:, 0, :].astype(np.float64) + 0.5)
    if disc is None or disc.radius < MIN_RADIUS:
        return None
    if cv2.contourArea(outline) < ROUND * math.pi * disc.radius**2 / max(1.0, disc.slant):
        return None
    return disc._replace(hole=_hole(pixels, disc, ground))


def background_of(pixels: Pixels) -> Floats:
    """The colour of the picture's margin (3,): the median of its outermost pixels."""
    rim = np.concatenate([pixels[:2].reshape(-1, 3), pixels[-2:].reshape(-1, 3), pixels[:, :2].reshape(-1, 3)])
    middle: Floats = np.median(rim, axis=0).astype(np.float32)
    return middle


def _fitted(points: NDArray[np.float64]) -> Disc | None:
    """The circle through most of the points of an outline, by least squares without the farthest.

    An ellipse is one of which the height was changed; of any other outline there is none.
    """
    width, height = (float(np.ptp(points[:, axis])) for axis in (0, 1))
    slant = width / max(1.0, height)
    slant = slant if slant > FLAT or slant < 1 / FLAT else 1.0
    round_points = points * np.array([1.0, slant])
    chosen = round_points
    x = y = radius = 0.0
    for _ in range(4):
        system = np.column_stack([2 * chosen, np.ones(len(chosen))])
        solved = np.linalg.lstsq(system, (chosen**2).sum(axis=1), rcond=None)[0]
        x, y = float(solved[0]), float(solved[1])
        square = float(solved[2]) + x * x + y * y
        if square <= 0:
            return None
        radius = math.sqrt(square)
        off = np.abs(np.hypot(round_points[:, 0] - x, round_points[:, 1] - y) - radius)
        chosen = round_points[off <= max(1.5, float(np.percentile(off, 75)))]
    # Slices that are pulled out are off the circle, by far fewer points than the sides of a square are.
    if np.percentile(off, 60) > max(1.5, OFF_CIRCLE * radius):
        return None
    # Outlines run through the middles of the outermost pixels.
    return Disc(x, y / slant, radius + 0.5, 0.0, slant)


def _hole(pixels: Pixels, disc: Disc, ground: Floats) -> float:
    """The radius of the hole in the middle, 0 where there is none."""
    radii = np.arange(1.0, disc.radius, 1.0)
    ring = _polar(pixels, disc, radii, 180)
    open_ = (channel_max(np.abs(ring - ground)) <= 24).mean(axis=1)
    inner = np.flatnonzero(open_ < 0.5)
    hole = float(radii[inner[0]]) if len(inner) else 0.0
    # Words may stand in the hole; what is open about half-way out is a hole all the same.
    wide = np.flatnonzero(open_ > 0.9)
    if len(wide):
        hole = max(hole, float(radii[wide[-1]]) if radii[wide[-1]] < 0.92 * disc.radius else 0.0)
    return hole if hole > 0.1 * disc.radius else 0.0


def _polar(pixels: Pixels, disc: Disc, radii: NDArray[np.float64], steps: int) -> Floats:
    """(radii, steps, 3) colours along circles, clockwise from the top."""
    angles = (np.arange(steps) + 0.5) * (2 * math.pi / steps)
    xs = disc.x + np.outer(radii, np.sin(angles)) - 0.5
    ys = disc.y - np.outer(radii, np.cos(angles)) - 0.5
    found = cv2.remap(pixels, xs.astype(np.float32), ys.astype(np.float32), cv2.INTER_LINEAR)
    return found.astype(np.float32)


def slices_of(pixels: Pixels, disc: Disc, known: Sequence[RGB] = ()) -> list[Slice]:
    """The slices of a disc clockwise from the top, none where it is no pie; ``known`` are the colours of a legend, if
    there is one."""
    thick = disc.radius - disc.hole
    radii = disc.hole + thick * np.linspace(0.2 if disc.hole else 0.3, 0.9, 13)
    ring = _polar(pixels, disc, radii, STEPS)
    colors = list(known) or ring_colors(ring, background_of(pixels))
    if not colors:
        return []
    tints = np.array(colors, np.float32)
    away = np.linalg.norm(ring[:, :, None, :] - tints, axis=3)
    owner = np.where(away.min(axis=2) <= NEAR, away.argmin(axis=2), -1)
    votes = np.stack([(owner == index).sum(axis=0) for index in range(len(colors))])
    if votes.max(axis=0).sum() < PURE * owner.size:  # rings upon each other, a net of lines, a rim seen at a slant
        return []
    label = np.where(votes.max(axis=0) >= 3, votes.argmax(axis=0), -1)
    return _runs(label, colors)


def ring_colors(ring: Floats, ground: Floats, most: int = 24) -> list[RGB]:
    """The colours of slices in (radii, steps, 3) pixels about a disc; the background is none."""
    pixels = ring.reshape(-1, 3)
    pixels = pixels[np.linalg.norm(pixels - ground, axis=1) > 24]
    least = len(ring) * STEPS * 0.6 * MIN_SLICE / 360
    out: list[RGB] = []
    while len(pixels) > least and len(out) < most:
        keys = (pixels // 8).astype(np.int64) @ np.array([10000, 100, 1])
        values, counts = np.unique(keys, return_counts=True)
        if counts.max() < 0.5 * least:
            break
        best = int(values[int(counts.argmax())])
        middle = np.array([best // 10000, best // 100 % 100, best % 100], np.float32) * 8 + 4
        near = np.linalg.norm(pixels - middle, axis=1) < 20
        middle = np.median(pixels[near], axis=0)
        r, g, b = (round(float(v)) for v in middle)
        out.append((r, g, b))
        pixels = pixels[np.linalg.norm(pixels - middle, axis=1) >= 26]
    return out


def _runs(label: NDArray[np.intp], colors: Sequence[RGB]) -> list[Slice]:
    """Slices from the colour's index at each angle; what is of none is shared by its neighbours."""
    step = 360.0 / len(label)
    known = np.flatnonzero(label >= 0)
    if not len(known):
        return []
    # Begin at a change, so that no slice lies over the seam.
    changes = [int(k) for i, k in enumerate(known) if label[k] != label[known[i - 1]]]
    if not changes:
        return [Slice(0.0, 360.0, colors[int(label[known[0]])])]
    first = changes[0]
    turned = np.roll(label, -first)
    pieces: list[list[int]] = []
    for index, value in enumerate(turned.tolist()):
        if value < 0:
            continue
        if pieces and pieces[-1][2] == value and index - pieces[-1][1] <= 1:
            pieces[-1][1] = index + 1
        else:
            pieces.append([index, index + 1, value])
    # Slivers between two colours are their blend.
    pieces = [p for i, p in enumerate(pieces) if not _is_rim(pieces, i, colors, step)] or pieces
    pieces = _joined(pieces, round(2.0 / step))
    out = []
    for k, (start, end, value) in enumerate(pieces):
        before = pieces[k - 1][1] - (len(label) if k == 0 else 0)
        after = pieces[(k + 1) % len(pieces)][0] + (len(label) if k == len(pieces) - 1 else 0)
        a, b = first + (before + start) / 2, first + (end + after) / 2
        shift = 360.0 * math.floor(a * step / 360.0)
        out.append(Slice(a * step - shift, b * step - shift, colors[value]))
    return sorted(out)


def _is_rim(pieces: list[list[int]], index: int, colors: Sequence[RGB], step: float) -> bool:
    """Whether a narrow piece is only the blend of its neighbours' colours where they meet."""
    start, end, value = pieces[index]
    if (end - start) * step < MIN_SLICE:
        return True
    if (end - start) * step > 3 * MIN_SLICE:
        return False
    before, after = (np.array(colors[pieces[i % len(pieces)][2]], float) for i in (index - 1, index + 1))
    between = after - before
    square = float(between @ between)
    own = np.array(colors[value], float) - before
    share = float(own @ between) / square if square > 0 else 0.0
    return 0.05 < share < 0.95 and float(np.linalg.norm(own - share * between)) < NEAR / 2


def _joined(pieces: list[list[int]], apart: int) -> list[list[int]]:
    """Neighbours of one colour that only a word's strokes part are one; a wider gap between them is an edge."""
    out: list[list[int]] = []
    for piece in pieces:
        if out and out[-1][2] == piece[2] and piece[0] - out[-1][1] <= apart // 2:
            out[-1][1] = piece[1]
        else:
            out.append(list(piece))
    return out
