"""What a line says: a convolutional network whose columns are decoded by connectionist temporal classification (CTC).

A line is scaled to 48 pixels of height and padded to the width of its bucket. Lines of one bucket go through the
network together; as the bucket depends on the line alone, so does what is read.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import openvino as ov
import openvino.opset15 as ops
from numpy.typing import NDArray
from openvino.preprocess import ColorFormat, PrePostProcessor

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.inference import CompiledModel, read_model
from mineru_core.errors import ModelMissing
from mineru_core.runtime.context import RunContext

LINE_HEIGHT = 48
"""Height of a line as the network sees it, pixels."""

COLUMN_WIDTH = 8
"""Width of one output column in pixels of the network's input."""

MAX_WIDTH = 3200
"""Widest line the network is given, pixels; a longer one is squeezed."""

BATCH_WIDTH = 1280
"""Pixels of width one call takes at most, over its lines. Only short lines gain from company: a call costs about 5 ms
of processor time and 0.06 ms a pixel of width, measured."""

GROUP_SIZES = (16, 4, 1)
"""Lines that go through the network together."""

PADDING_VALUE = 128
"""Mid-grey, near the zero of the network's scale: what lines were padded with in training."""

BLANK = 0


class Glyph(NamedTuple):
    """One character; ``x`` is the middle of its columns as a share of the line's width, 0..1."""

    text: str
    x: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What one line says, character by character, spaces included; empty where nothing was read."""

    glyphs: tuple[Glyph, ...] = ()

    @property
    def text(self) -> str:
        """All characters."""
        return "".join(g.text for g in self.glyphs)

    @property
    def confidence(self) -> float:
        """Mean over the characters, 0 where there are none."""
        return sum(g.confidence for g in self.glyphs) / len(self.glyphs) if self.glyphs else 0.0


class TextRecognizer:
    """Reads lines. ``recognize`` may be called from several threads at once."""

    def __init__(self, weights: Path, *, engine_calls: int, batch_items: int) -> None:
        network = read_model(weights)
        self._alphabet = alphabet_of(network)
        self._batch_items = batch_items
        self._model = CompiledModel(_build(network), requests=engine_calls)

    def close(self) -> None:
        """Free the model."""
        self._model.close()

    def recognize(self, lines: Sequence[Pixels], ctx: RunContext) -> list[Reading]:
        """Read pictures of single upright lines, (height, width, 3) uint8 RGB; one reading each, in order."""
        readings = [Reading()] * len(lines)
        for width, indexes in batches_of([_fitted_width(line) for line in lines], self._batch_items):
            ctx.check()
            batch: Pixels = np.full((len(indexes), LINE_HEIGHT, width, 3), PADDING_VALUE, dtype=np.uint8)
            for row, index in enumerate(indexes):
                fitted = fit(lines[index])
                batch[row, :, : fitted.shape[1]] = fitted
            classes, confidences = self._model.infer(batch, ctx)
            for row, index in enumerate(indexes):
                columns = _fitted_width(lines[index]) / COLUMN_WIDTH
                readings[index] = decode(classes[row], confidences[row], self._alphabet, columns)
        return readings


def bucket_width(width: int) -> int:
    """The width a line of this width is padded to: steps grow with the width, so that few shapes ever exist."""
    step = 16 if width <= 96 else 32 if width <= 256 else 64 if width <= 768 else 128 if width <= 1536 else 256
    return min(MAX_WIDTH, math.ceil(width / step) * step)


def batches_of(widths: Sequence[int], batch_items: int) -> list[tuple[int, list[int]]]:
    """Lines of each bucket in groups of 1, 4 or 16 lines: (bucket width, indexes of the lines).

    Few sizes keep the shapes few: the runtime keeps prepared kernels, about 3 MB, for each shape it has seen.
    """
    buckets: dict[int, list[int]] = defaultdict(list)
    for index, width in enumerate(widths):
        buckets[bucket_width(width)].append(index)
    out: list[tuple[int, list[int]]] = []
    for width, indexes in sorted(buckets.items()):
        most = max(1, min(batch_items, BATCH_WIDTH // width))
        start = 0
        while start < len(indexes):
            size = next(s for s in GROUP_SIZES if s <= min(most, len(indexes) - start))
            out.append((width, indexes[start : start + size]))
            start += size
    return out


def fit(line: Pixels) -> Pixels:
    """The line scaled to the network's height."""
    height, width = line.shape[0], _fitted_width(line)
    way = cv2.INTER_AREA if height > LINE_HEIGHT else cv2.INTER_LINEAR
    return cv2.resize(line, (width, LINE_HEIGHT), interpolation=way).astype(np.uint8, copy=False)


def decode(
    classes: NDArray[np.int32], confidences: NDArray[np.float32], alphabet: Sequence[str], columns: float
) -> Reading:
    """Best path through (T,) classes: repeats are one character, blanks separate. ``columns`` is the line's width."""
    starts = np.flatnonzero(np.diff(classes, prepend=-1))
    ends = np.append(starts[1:], len(classes))
    glyphs = tuple(
        Glyph(alphabet[classes[s]], min(1.0, (s + e) / 2 / columns), float(confidences[s:e].max()))
        for s, e in zip(starts.tolist(), ends.tolist(), strict=True)
        if classes[s] != BLANK
    )
    return Reading(glyphs)


def alphabet_of(network: ov.Model) -> tuple[str, ...]:
    """The characters by class: the blank first, then the model's own list, then the space."""
    try:
        listed = network.get_rt_info(["framework", "character"]).astype(str)
    except RuntimeError as error:
        raise ModelMissing("The recognition model carries no list of characters.") from error
    return ("", *listed.splitlines(), " ")


def _fitted_width(line: Pixels) -> int:
    height, width = int(line.shape[0]), int(line.shape[1])
    return max(COLUMN_WIDTH, min(MAX_WIDTH, math.ceil(width * LINE_HEIGHT / height)))


def _build(network: ov.Model) -> ov.Model:
    """Uint8 RGB pixels in, best class and its probability a column out: (N, T) each.

    The full output is 18,710 probabilities a column; taking the best inside the graph saves copying them.
    """
    probabilities = network.outputs[0].get_node().input_value(0)
    best = ops.topk(probabilities, ops.constant(np.int64(1)), -1, "max", "none")
    squeeze = ops.constant(np.array([2], dtype=np.int64))
    results = [
        ops.result(ops.squeeze(best.output(1), squeeze).output(0)),
        ops.result(ops.squeeze(best.output(0), squeeze).output(0)),
    ]
    model = ov.Model(results, network.get_parameters())
    steps = PrePostProcessor(model)
    tensor = steps.input().tensor()
    tensor.set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC")).set_color_format(ColorFormat.RGB)
    steps.input().model().set_layout(ov.Layout("NCHW"))
    steps.input().preprocess().convert_color(ColorFormat.BGR).convert_element_type(ov.Type.f32).mean(127.5).scale(127.5)
    return steps.build()
