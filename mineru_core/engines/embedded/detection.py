"""Where the lines of text are: differentiable binarization (DB) on the whole page.

The network gives each pixel the probability that it lies in the shrunken core of a line. Cores are outlined, measured
as rotated rectangles and grown back to full lines. Growing a rectangle by a distance on each side is exact, so no
polygon clipper is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True, slots=True)
class DetectionOptions:
    """How a page is sized for the network, and what counts as a line.

    ``min_side`` and ``max_side`` bound the picture the network sees, pixels; ``pixel_threshold`` is the probability
    from which a pixel belongs to a core, ``line_threshold`` the mean a core must reach, ``growth`` the growing
    distance as a multiple of area / perimeter of the core.
    """

    min_side: int = 736
    max_side: int = 2000
    pixel_threshold: float = 0.3
    line_threshold: float = 0.5
    growth: float = 1.6
    min_core: float = 3.0
    max_lines: int = 3000


class TextDetector:
    """Finds lines. ``detect`` may be called from several threads at once."""

    def __init__(self, weights: Path, *, engine_calls: int, options: DetectionOptions | None = None) -> None:
        self._options = options or DetectionOptions()
        self._model = CompiledModel(_build(weights), requests=engine_calls)

    def close(self) -> None:
        """Free the model."""
        self._model.close()

    def detect(self, pixels: Pixels, ctx: RunContext) -> list[Corners]:
        """The corners of every line, in no set order; empty for a page without text."""
        width, height = network_size(pixels.shape[1], pixels.shape[0], self._options)
        shrinks = width * height < pixels.shape[0] * pixels.shape[1]
        resized = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
        (probability,) = self._model.infer(resized[np.newaxis], ctx)
        corners = lines_of(probability[0, 0], self._options)
        scale = np.array([pixels.shape[1] / width, pixels.shape[0] / height], dtype=np.float32)
        limit = np.array([pixels.shape[1], pixels.shape[0]], dtype=np.float32)
        return [np.clip(c * scale, 0, limit).astype(np.float32) for c in corners]


def network_size(width: int, height: int, options: DetectionOptions) -> tuple[int, int]:
    """Width and height the network sees a page of this size at: multiples of ``STRIDE``, aspect nearly kept."""
    scale = 1.0
    if max(width, height) > options.max_side:
        scale = options.max_side / max(width, height)
    if min(width, height) * scale < options.min_side:
        # A long strip keeps within the larger side: its short side then stays small.
        scale = min(options.min_side / min(width, height), options.max_side / max(width, height))
    return _rounded(width * scale), _rounded(height * scale)


def lines_of(probability: NDArray[np.float32], options: DetectionOptions) -> list[Corners]:
    """Corners of the lines in a (height, width) map of core probabilities, in pixels of the map."""
    mask = (probability > options.pixel_threshold).astype(np.uint8)
    # Cores one pixel apart are one line: the map is coarser than the page.
    joined = cv2.dilate(mask, np.ones((2, 2), dtype=np.uint8))
    contours, _ = cv2.findContours(joined, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
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
