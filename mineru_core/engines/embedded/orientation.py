"""Which way up a page is, at a glance: a small classifier on a few reduced views of the page.

The classifier alone decides only that a page needs no turn. Before a page is turned, ``OcrReader`` reads some of its
lines both ways: a wrong turn would ruin the page.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino.preprocess import PrePostProcessor

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.inference import CompiledModel, read_model
from mineru_core.runtime.context import RunContext

VIEW_SIDE = 224
CENTER_SIDE = 256
"""The short side a page is reduced to before its middle is cut out, pixels."""

MIN_SIDE = 32
"""A page with a shorter side is too small to judge, pixels."""

VIEWS = 4


class OrientationClassifier:
    """Guesses by how many quarter turns a page was turned. ``quarter_turns`` may be called from several threads."""

    def __init__(self, weights: Path, *, engine_calls: int) -> None:
        self._model = CompiledModel(_build(weights), requests=engine_calls)

    def close(self) -> None:
        """Free the model."""
        self._model.close()

    def quarter_turns(self, pixels: Pixels, ctx: RunContext) -> int:
        """Clockwise quarter turns (0 to 3) that seem to have been applied to an upright page; 0 when in doubt."""
        if min(pixels.shape[:2]) < MIN_SIDE:
            return 0
        (shares,) = self._model.infer(views_of(pixels), ctx)
        return int(np.argmax(shares.mean(axis=0)))


def views_of(pixels: Pixels) -> NDArray[np.uint8]:
    """The (4, 224, 224, 3) views looked at: the middle, the whole page squeezed, and a square from either end."""
    height, width = pixels.shape[:2]
    side = min(height, width)
    middle = _resized(pixels, max(VIEW_SIDE, width * CENTER_SIDE // side), max(VIEW_SIDE, height * CENTER_SIDE // side))
    top, left = (middle.shape[0] - VIEW_SIDE) // 2, (middle.shape[1] - VIEW_SIDE) // 2
    return np.stack(
        [
            middle[top : top + VIEW_SIDE, left : left + VIEW_SIDE],
            _resized(pixels, VIEW_SIDE, VIEW_SIDE),
            _resized(pixels[:side, :side], VIEW_SIDE, VIEW_SIDE),
            _resized(pixels[height - side :, width - side :], VIEW_SIDE, VIEW_SIDE),
        ]
    )


def _resized(pixels: Pixels, width: int, height: int) -> Pixels:
    return cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def _build(weights: Path) -> ov.Model:
    """The network with uint8 RGB views in; it was trained on ImageNet's mean and deviation."""
    model = read_model(weights)
    model.reshape({0: ov.PartialShape([VIEWS, 3, VIEW_SIDE, VIEW_SIDE])})
    steps = PrePostProcessor(model)
    steps.input().tensor().set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC"))
    steps.input().model().set_layout(ov.Layout("NCHW"))
    mean, deviation = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
    steps.input().preprocess().convert_element_type(ov.Type.f32).mean(mean).scale(deviation)
    return steps.build()
