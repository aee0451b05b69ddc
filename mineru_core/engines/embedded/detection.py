"""Where the lines of text are: differentiable binarization (DB) on the whole page.

The network gives each pixel the probability that it lies in the shrunken core of a line. Cores are outlined, measured
as rotated rectangles and grown back to full lines. Growing a rectangle by a distance on each side is exact, so no
polygon clipper is needed.

A large page goes through the network in overlapping strips whose maps are put together before lines are looked for:
the memory of a call grows with its pixels, and text is as well seen in a strip as in the whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import openvino as ov
from cv2.typing import MatLike
from numpy.typing import NDArray
from openvino.preprocess import ColorFormat, PrePostProcessor

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.inference import CompiledModel, read_model
from mineru_core.runtime.context import RunContext

Corners = NDArray[np.float32]
"""(4, 2) float32: x and y of a line's corners in page pixels, clockwise from its top left."""

STRIDE = 32
"""The network halves its input five times: sides are multiples of this, pixels."""

OVERLAP = 48
"""How far a strip looks beyond what is used of it, pixels."""

SMALL_SIDE = 64
STRIP_RATIO = 8.0
"""A picture with a shorter side or a greater aspect is taken for a cut-out line and given a border."""


@dataclass(frozen=True, slots=True)
class DetectionOptions:
    """How a page is sized for the network, and what counts as a line.

    ``min_side`` and ``max_side`` bound the picture the network sees, pixels: a small picture is enlarged until its
    short side reaches ``min_side`` or its long side ``max_side``; a large one is reduced until its long side is down
    to ``max_side`` or its short side to ``min_side`` (a long screenshot keeps its width), and to ``max_area`` square
    pixels in any case. Where the height of the page's letters is known, it sees them ``letter_px`` high at most: more
    pixels cost time and find no more lines. ``strip_area`` is the most one call takes.

    ``pixel_threshold`` is the probability from which a pixel belongs to a core, ``line_threshold`` the mean a core
    must reach, ``growth`` the growing distance as a multiple of area / perimeter of the core, ``min_core`` the least
    thickness of a core in pixels.
    """

    min_side: int = 736
    max_side: int = 2000
    max_area: int = 6_000_000
    letter_px: int = 12
    strip_area: int = 1_000_000
    pixel_threshold: float = 0.3
    line_threshold: float = 0.5
    growth: float = 1.6
    min_core: float = 3.0
    max_lines: int = 3000


class TextDetector:
    """Finds lines. ``detect`` may be called from several threads at once."""

    def __init__(self, weights: Path, *, engine_calls: int, options: DetectionOptions | None = None) -> None:
        self._options = options or DetectionOptions()
        self._model = CompiledModel(_build(weights), requests=engine_calls, kernels_kept=0)

    def close(self) -> None:
        """Free the model."""
        self._model.close()

    def detect(self, pixels: Pixels, ctx: RunContext, letters: float | None = None) -> list[Corners]:
        """The corners of every line, in no set order; empty for a page without text.

        ``letters`` is the height of the page's small letters in its pixels, where it is known.
        """
        height, width = pixels.shape[:2]
        margin = _margin(width, height)
        page = cv2.copyMakeBorder(pixels, *(margin,) * 4, cv2.BORDER_REPLICATE) if margin else pixels
        seen_width, seen_height = network_size(page.shape[1], page.shape[0], self._options, letters)
        shrinks = seen_width * seen_height < page.shape[0] * page.shape[1]
        way = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
        corners = lines_of(
            self._probability(cv2.resize(page, (seen_width, seen_height), interpolation=way), ctx), self._options
        )
        scale = np.array([page.shape[1] / seen_width, page.shape[0] / seen_height], dtype=np.float32)
        limit = np.array([width, height], dtype=np.float32)
        return [np.clip(c * scale - margin, 0, limit).astype(np.float32) for c in corners]

    def _probability(self, picture: MatLike, ctx: RunContext) -> NDArray[np.float32]:
        """The (height, width) map of a picture, strip by strip along its longer side."""
        upright = picture.shape[0] >= picture.shape[1]
        parts = strips_of(max(picture.shape[:2]), min(picture.shape[:2]), self._options.strip_area)
        out = np.zeros(picture.shape[:2], dtype=np.float32)
        for part in parts:
            taken, kept = slice(part.start, part.end), slice(part.keep_start, part.keep_end)
            inner = slice(part.keep_start - part.start, part.keep_end - part.start)
            batch = picture[taken] if upright else picture[:, taken]
            (maps,) = self._model.infer(np.ascontiguousarray(batch)[np.newaxis], ctx)
            if upright:
                out[kept] = maps[0, 0, inner]
            else:
                out[:, kept] = maps[0, 0, :, inner]
        return out


class Strip(NamedTuple):
    """From ``start`` to ``end`` the network looks; from ``keep_start`` to ``keep_end`` its map is used. Pixels."""

    start: int
    end: int
    keep_start: int
    keep_end: int


def strips_of(length: int, breadth: int, area: int) -> list[Strip]:
    """Equal strips that cover ``length``, each of ``area`` at most; seams lie in the middle of overlaps.

    No strip is shorter than four overlaps, even if ``breadth`` then asks for more than ``area``.
    """
    if length * breadth <= area or length <= 4 * OVERLAP:
        return [Strip(0, length, 0, length)]
    size = min(length, max(4 * OVERLAP, area // breadth) // STRIDE * STRIDE)
    count = math.ceil((length - 2 * OVERLAP) / (size - 2 * OVERLAP))
    # The least size that this many strips need: the network does not look twice at more than it must.
    size = min(size, math.ceil(((length - 2 * OVERLAP) / count + 2 * OVERLAP) / STRIDE) * STRIDE)
    if count == 1:
        return [Strip(0, length, 0, length)]
    starts = [round((length - size) * i / (count - 1)) for i in range(count)]
    seams = [0, *((a + size + b) // 2 for a, b in pairwise(starts)), length]
    return [Strip(s, s + size, a, b) for s, (a, b) in zip(starts, pairwise(seams), strict=True)]


def network_size(width: int, height: int, options: DetectionOptions, letters: float | None = None) -> tuple[int, int]:
    """Width and height the network sees a page of this size at: multiples of ``STRIDE``, aspect nearly kept."""
    longest, shortest = max(width, height), min(width, height)
    if longest > options.max_side:
        scale = max(options.max_side / longest, min(1.0, options.min_side / shortest))
    else:
        scale = max(1.0, min(options.min_side / shortest, options.max_side / longest))
    scale = min(scale, math.sqrt(options.max_area / (width * height)))
    if letters:
        scale = min(scale, options.letter_px / letters)
    return _rounded(width * scale), _rounded(height * scale)


def _margin(width: int, height: int) -> int:
    """Pixels of border a picture needs around it: text that fills a strip from edge to edge is not found."""
    shortest, longest = min(width, height), max(width, height)
    return max(shortest // 2, 8) if shortest < SMALL_SIDE or longest > STRIP_RATIO * shortest else 0


def lines_of(probability: NDArray[np.float32], options: DetectionOptions) -> list[Corners]:
    """Corners of the lines in a (height, width) map of core probabilities, in pixels of the map."""
    mask = (probability > options.pixel_threshold).astype(np.uint8)
    # Cores one pixel apart are one line: the map is coarser than the page.
    joined = cv2.dilate(mask, np.ones((2, 2), dtype=np.uint8))
    contours, _ = cv2.findContours(joined, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    if len(contours) > options.max_lines:
        # An empty part of a page may come back as thousands of faint specks: lines are larger than these.
        contours = sorted(contours, key=cv2.contourArea, reverse=True)
    found = (_line_of(contour, probability, options) for contour in contours[: options.max_lines])
    return [corners for corners in found if corners is not None]


def _line_of(contour: MatLike, probability: NDArray[np.float32], options: DetectionOptions) -> Corners | None:
    center, (width, height), angle = cv2.minAreaRect(contour)
    if min(width, height) < options.min_core:
        return None
    if _mean_inside(probability, cv2.boxPoints((center, (width, height), angle))) < options.line_threshold:
        return None
    growth = width * height * options.growth / (2 * (width + height))
    grown = (center, (width + 2 * growth, height + 2 * growth), angle)
    return clockwise_from_top_left(cv2.boxPoints(grown))


def _mean_inside(probability: NDArray[np.float32], corners: MatLike) -> float:
    """Mean probability inside a rectangle."""
    height, width = probability.shape
    x0, y0 = np.clip(np.floor(corners.min(axis=0)).astype(int), 0, [width - 1, height - 1])
    x1, y1 = np.clip(np.ceil(corners.max(axis=0)).astype(int), 0, [width - 1, height - 1])
    inside = np.zeros((y1 - y0 + 1, x1 - x0 + 1), dtype=np.uint8)
    cv2.fillConvexPoly(inside, (corners - [x0, y0]).astype(np.int32), 1)
    return float(cv2.mean(probability[y0 : y1 + 1, x0 : x1 + 1], inside)[0])


def clockwise_from_top_left(points: MatLike) -> Corners:
    """The corners of a rectangle in reading order: top left, top right, bottom right, bottom left."""
    by_x = points[np.argsort(points[:, 0], kind="stable")]
    left, right = by_x[:2], by_x[2:]
    top_left, bottom_left = left[np.argsort(left[:, 1], kind="stable")]
    top_right, bottom_right = right[np.argsort(right[:, 1], kind="stable")]
    return np.array([top_left, top_right, bottom_right, bottom_left], dtype=np.float32)


def _rounded(side: float) -> int:
    return max(STRIDE, math.floor(side / STRIDE + 0.5) * STRIDE)


def _build(weights: Path) -> ov.Model:
    """The network with uint8 RGB pixels in; it was trained on BGR in -1..1."""
    model = read_model(weights)
    model.reshape({0: ov.PartialShape([1, 3, -1, -1])})
    steps = PrePostProcessor(model)
    tensor = steps.input().tensor()
    tensor.set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC")).set_color_format(ColorFormat.RGB)
    steps.input().model().set_layout(ov.Layout("NCHW"))
    steps.input().preprocess().convert_color(ColorFormat.BGR).convert_element_type(ov.Type.f32).mean(127.5).scale(127.5)
    return steps.build()
