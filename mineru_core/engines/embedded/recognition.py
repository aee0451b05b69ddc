"""What a line says: a convolutional network whose columns are decoded by connectionist temporal classification (CTC).

A line is scaled to 48 pixels of height and padded to the width of its bucket. Lines of one bucket go through the
network together, whichever page or owner they are of; as the bucket depends on the line alone, so does what is read.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
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
from mineru_core.runtime.batcher import Batcher, BatchReport, Shape
from mineru_core.runtime.context import RunContext
from mineru_core.settings import available_cores

LINE_HEIGHT = 48
"""Height of a line as the network sees it, pixels."""

COLUMN_WIDTH = 8
"""Width of one output column in pixels of the network's input."""

MAX_WIDTH = 3200
"""Widest line the network is given, pixels; a longer one is squeezed."""

BATCH_WIDTH = 1280
"""Pixels of width one call takes at most, over its lines, where calls are not shared. Only short lines gain from
company: a call costs about 5 ms of processor time and 0.06 ms a pixel of width, measured."""

SHARED_BATCH_WIDTH = 3200
"""Pixels of width a shared call takes at most: the widest line alone. The batcher learns what less is enough here; on
processors with wide vectors a call's fixed cost weighs more than on those without."""

MOST_LANES = 8
"""Shared calls at work at once, at most. Each keeps the layers' outputs of its own, about 50 MB; where there are more
cores, a call runs on several."""

GROUP_SIZES = (16, 4, 1)
"""Lines that go through the network together."""

PADDING_VALUE = 128
"""Mid-grey, near the zero of the network's scale: what lines were padded with in training."""

SQUEEZE = 0.78
"""A line gets the narrowest bucket that leaves it this share of its width, and fills it: 0.84 of its width on average,
and no padding. Measured on 36 pages of seven sets against 0.85 with padding, which costs 7 % more: bow_f1 0.964 and CER
without spaces 0.061, before 0.964 and 0.060; of the degraded ones among them 0.073 and 0.072. At 0.75 the mean is the
same, but degraded print is read worse (0.075)."""

SQUEEZE_FROM = 22
"""Height of a line, pixels, from which it is squeezed: one of fewer is enlarged more than twice as it is, and read
worse when squeezed (36 forms scanned at 100 dpi: bow_f1 0.926 instead of 0.932)."""

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


@dataclass(frozen=True, slots=True)
class _Cut:
    """A line to be read: its picture, its width at the network's height, and the width it is padded to, pixels."""

    picture: Pixels
    width: int
    bucket: int

    @classmethod
    def of(cls, picture: Pixels, squeeze: float) -> _Cut:
        width = fitted_width(picture, squeeze)
        return cls(picture, width, bucket_width(width))


class TextRecognizer:
    """Reads lines. ``recognize`` may be called from several threads at once.

    With ``shared`` the lines of all callers meet in one ``Batcher``, whose workers, one a core (up to ``MOST_LANES``)
    and each with a thread of the runtime to itself, prepare, read and decode them. One thread a call wastes no core on
    waiting for the others at every layer of a small network, and a page alone has its lines in all of them. Without,
    each caller makes calls of its own, ``engine_calls`` at once on an equal share of the cores. What is read is the
    same. ``squeeze`` is the least width lines are given, as a share of the width their height asks for.
    """

    def __init__(
        self,
        weights: Path,
        *,
        engine_calls: int,
        batch_items: int,
        shared: bool = True,
        squeeze: float = 1.0,
        on_batch: Callable[[BatchReport], None] | None = None,
    ) -> None:
        network = read_model(weights)
        self._alphabet = alphabet_of(network)
        self._batch_items = batch_items
        self._squeeze = squeeze
        lanes = min(available_cores(), MOST_LANES) if shared else engine_calls
        self._model = CompiledModel(_build(network), requests=lanes)
        self._batcher: Batcher[_Cut, Reading] | None = None
        if shared:
            self._batcher = Batcher(
                self._read_together,
                max_items=batch_items,
                max_units=SHARED_BATCH_WIDTH,
                shape=Shape(
                    # Only lines padded to the same width share a call: what a line reads as depends on its padding.
                    key=lambda cut: cut.bucket,
                    units=lambda cut: cut.width,
                    size=lambda cut: cut.bucket,
                    counts=GROUP_SIZES,
                ),
                workers=lanes,
                on_batch=on_batch,
                name="recognition",
            )

    @property
    def alphabet(self) -> frozenset[str]:
        """Characters it tells apart."""
        return frozenset(self._alphabet)

    def close(self) -> None:
        """End the calls at work and free the model; lines that still wait are answered with ``Cancelled``."""
        if self._batcher is not None:
            self._batcher.close()
        self._model.close()

    def recognize(self, lines: Sequence[Pixels], ctx: RunContext) -> list[Reading]:
        """Read pictures of single upright lines, (height, width, 3) uint8 RGB; one reading each, in order.

        Raises ``Cancelled`` or ``DeadlineExceeded`` as soon as ``ctx`` says so: lines that wait are then withdrawn.
        """
        if self._batcher is None:
            return self._read_alone(lines, ctx)
        cuts = [_Cut.of(line, self._squeeze) for line in lines]
        # The longest work first: what comes last is short, and the workers end nearly together.
        order = sorted(range(len(cuts)), key=lambda i: -cuts[i].bucket)
        readings = [Reading()] * len(lines)
        for index, reading in zip(order, self._batcher.run([cuts[i] for i in order], ctx), strict=True):
            readings[index] = reading
        return readings

    def _read_alone(self, lines: Sequence[Pixels], ctx: RunContext) -> list[Reading]:
        """The lines of one caller in calls of their own."""
        readings = [Reading()] * len(lines)
        cuts = [_Cut.of(line, self._squeeze) for line in lines]
        for _, indexes in batches_of([cut.width for cut in cuts], self._batch_items):
            ctx.check()
            for index, reading in zip(indexes, self._read([cuts[i] for i in indexes], ctx), strict=True):
                readings[index] = reading
        return readings

    def _read_together(self, cuts: list[_Cut]) -> list[Reading]:
        return self._read(cuts, RunContext())

    def _read(self, cuts: Sequence[_Cut], ctx: RunContext) -> list[Reading]:
        """One call: lines of one bucket."""
        batch: Pixels = np.full((len(cuts), LINE_HEIGHT, cuts[0].bucket, 3), PADDING_VALUE, dtype=np.uint8)
        for row, cut in enumerate(cuts):
            batch[row, :, : cut.width] = fit(cut.picture, cut.width)
        classes, confidences = self._model.infer(batch, ctx)
        return [
            decode(classes[row], confidences[row], self._alphabet, cut.width / COLUMN_WIDTH)
            for row, cut in enumerate(cuts)
        ]


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


def fit(line: Pixels, width: int) -> Pixels:
    """The line scaled to ``width`` and the network's height."""
    way = cv2.INTER_AREA if line.shape[0] > LINE_HEIGHT else cv2.INTER_LINEAR
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


def fitted_width(line: Pixels, squeeze: float = 1.0) -> int:
    """The width of the line at the network's height. With ``squeeze`` below 1, and pixels enough, it fills the bucket
    of this share of that width; a short line for which this bucket is too wide keeps its width."""
    height, width = int(line.shape[0]), int(line.shape[1])
    full = width * LINE_HEIGHT / height
    fitted = max(COLUMN_WIDTH, min(MAX_WIDTH, math.ceil(full)))
    if squeeze < 1 and height >= SQUEEZE_FROM:
        return min(fitted, bucket_width(math.ceil(full * squeeze)))
    return fitted


def _build(network: ov.Model) -> ov.Model:
    """Uint8 RGB pixels in, best class and its probability a column out: (N, T) each.

    The full output is 18,710 probabilities a column; taking the best inside the graph saves copying them. Which class
    it is, is told by what equals the greatest: two passes that OpenVINO vectorises, in half the time of its TopK.
    """
    probabilities = network.outputs[0].get_node().input_value(0)
    classes = ops.constant(np.arange(probabilities.get_partial_shape()[2].get_length(), dtype=np.float32))
    last = ops.constant(np.int64(-1))
    greatest = ops.reduce_max(probabilities, last, keep_dims=True)
    found = ops.multiply(ops.convert(ops.equal(probabilities, greatest), "f32"), classes)
    results = [
        ops.result(ops.convert(ops.reduce_max(found, last), "i32")),
        ops.result(ops.squeeze(greatest, last)),
    ]
    model = ov.Model(results, network.get_parameters())
    steps = PrePostProcessor(model)
    tensor = steps.input().tensor()
    tensor.set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC")).set_color_format(ColorFormat.RGB)
    steps.input().model().set_layout(ov.Layout("NCHW"))
    steps.input().preprocess().convert_color(ColorFormat.BGR).convert_element_type(ov.Type.f32).mean(127.5).scale(127.5)
    return steps.build()
