"""The OCR stage: a page in, its lines with their words out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from mineru_core.document.analysis import Line, LineWord
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels
from mineru_core.engines.base import LoadListener
from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.detection import Corners, TextDetector
from mineru_core.engines.embedded.orientation import OrientationClassifier
from mineru_core.engines.embedded.recognition import SQUEEZE, Reading, TextRecognizer
from mineru_core.engines.embedded.words import text_of, words_of
from mineru_core.errors import EngineUnavailable
from mineru_core.runtime.batcher import BatchReport
from mineru_core.runtime.context import RunContext

MIN_CONFIDENCE = 0.5
"""Mean confidence a line must reach to be kept."""

TALL_RATIO = 1.5
"""A box this much taller than wide may hold a line that runs down or up the page."""

SINGLE_RATIO = 3.0
"""A box up to this much taller than wide may be one upright character, such as a 1."""

PREVAILING_BONUS = 0.1
"""Confidence added, where a box can be read in several directions, to the one most text of the page runs in."""

SAMPLE_LINES = 8
SAMPLE_RATIO = 3.0
"""Before a page is turned, up to this many lines, each this much longer than high, are read both ways."""

DECISIVE = 2.0
"""A page is turned only if the winning direction has this many times the weight of all others together."""


@dataclass(frozen=True, slots=True)
class _Models:
    detector: TextDetector
    recognizer: TextRecognizer
    classifier: OrientationClassifier


class _Way(NamedTuple):
    """One way to read a box: ``corners`` begin where text running in ``direction`` begins (0 right, 1 down, 3 up)."""

    corners: Corners
    direction: int


class OcrReader:
    """Text detection, recognition and page orientation. After ``load`` any number of threads may read.

    With ``shared`` the lines of all pages share recognition calls, of which ``on_batch`` is told. With ``compress``
    lines are read at less than their width, where that is as good.
    """

    def __init__(
        self,
        models_dir: Path,
        *,
        engine_calls: int,
        batch_items: int,
        shared: bool = True,
        compress: bool = False,
        on_batch: Callable[[BatchReport], None] | None = None,
    ) -> None:
        self._models_dir = models_dir
        self._engine_calls = engine_calls
        self._batch_items = batch_items
        self._shared = shared
        self._squeeze = SQUEEZE if compress else 1.0
        self._on_batch = on_batch
        self._models: _Models | None = None

    def load(self, progress: LoadListener | None = None) -> None:
        """Get the models ready; calling it again does nothing. Raises ``ModelMissing``."""
        if self._models is not None:
            return
        tell = progress or (lambda _stage, _share: None)
        calls = self._engine_calls
        names = (weights.DETECTION, weights.RECOGNITION, weights.ORIENTATION)
        detection, recognition, orientation = (weights.require(self._models_dir, name) for name in names)
        tell("detection", 0.0)
        detector = TextDetector(detection, engine_calls=calls)
        tell("recognition", 0.4)
        recognizer = TextRecognizer(
            recognition,
            engine_calls=calls,
            batch_items=self._batch_items,
            shared=self._shared,
            squeeze=self._squeeze,
            on_batch=self._on_batch,
        )
        tell("orientation", 0.8)
        self._models = _Models(detector, recognizer, OrientationClassifier(orientation, engine_calls=calls))
        tell("ready", 1.0)

    def close(self) -> None:
        """Free the models; calling it again does nothing."""
        models, self._models = self._models, None
        if models is not None:
            models.detector.close()
            models.recognizer.close()
            models.classifier.close()

    def read(
        self, pixels: Pixels, ctx: RunContext, letters: float | None = None, known: Sequence[Line] = ()
    ) -> tuple[Line, ...]:
        """Every line of a page in page pixels, in no set order.

        ``pixels`` is (height, width, 3) uint8 RGB, ``letters`` the height of its small letters in pixels, where it is
        known. Where ``known`` lines are, nothing is read: they are not among those returned. Raises ``Cancelled`` or
        ``DeadlineExceeded`` between calls into the models, ``EngineUnavailable`` before ``load`` and after ``close``.
        """
        models = self._loaded()
        ctx.check()
        found = models.detector.detect(pixels, ctx, letters)
        if known:
            found = [corners for corners in found if not _is_known(corners, known)]
        tall_from = 1 / TALL_RATIO if _stands_on_its_side(found) else TALL_RATIO
        boxes = [_ways_to_read(corners, tall_from) for corners in found]
        cuts = [cut(pixels, way.corners) for ways in boxes for way in ways]
        readings = models.recognizer.recognize(cuts, ctx)
        best = _best_ways(boxes, readings)
        lines = (line_of(way.corners, cuts[index], readings[index]) for index, way in best)
        return tuple(line for line in lines if line.text and line.confidence >= MIN_CONFIDENCE)

    def texts_at(self, pixels: Pixels, boxes: Sequence[Box], ctx: RunContext) -> list[str]:
        """What level text in these boxes says. Raises what ``read`` does."""
        models = self._loaded()
        ctx.check()
        cuts = [cut(pixels, np.array(Quad.from_box(box), dtype=np.float32)) for box in boxes]
        return [reading.text for reading in models.recognizer.recognize(cuts, ctx)]

    @property
    def alphabet(self) -> frozenset[str]:
        """Characters it can read. Raises ``EngineUnavailable`` before ``load``."""
        return self._loaded().recognizer.alphabet

    def orientation(self, pixels: Pixels, ctx: RunContext, letters: float | None = None) -> int:
        """The quarter turn in degrees clockwise (0, 90, 180, 270) that sets the page upright.

        The classifier's word is enough for 0. Any other answer is checked by reading some lines in both directions,
        and stays 0 unless one direction is clearly read better.
        """
        models = self._loaded()
        ctx.check()
        if models.classifier.quarter_turns(pixels, ctx) == 0:
            return 0
        turned = self._direction_of_text(pixels, ctx, letters)
        return (360 - 90 * turned) % 360

    def _direction_of_text(self, pixels: Pixels, ctx: RunContext, letters: float | None) -> int:
        """Clockwise quarter turns by which the text runs off to the right: 0 right, 1 down, 2 left, 3 up."""
        models = self._loaded()
        sample = _sample_of(models.detector.detect(pixels, ctx, letters))
        ways = [(direction, _towards(corners, direction)) for corners in sample for direction in _directions(corners)]
        readings = models.recognizer.recognize([cut(pixels, corners) for _, corners in ways], ctx)
        weight = [0.0] * 4
        for first, second in zip(range(0, len(ways), 2), range(1, len(ways), 2), strict=True):
            better, worse = sorted((first, second), key=lambda i: -readings[i].confidence)
            margin = readings[better].confidence - readings[worse].confidence
            weight[ways[better][0]] += margin * len(readings[better].glyphs)
        best = max(range(4), key=weight.__getitem__)
        return best if weight[best] > DECISIVE * (sum(weight) - weight[best]) else 0

    def _loaded(self) -> _Models:
        if self._models is None:
            raise EngineUnavailable("The OCR models are not loaded.", "Load the engine first.")
        return self._models


def cut(pixels: Pixels, corners: Corners) -> Pixels:
    """The picture of a line, turned so that its text runs to the right."""
    length, height = _length(corners), _height(corners)
    width, height = max(1, round(length)), max(1, round(height))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    line = cv2.warpPerspective(
        pixels,
        cv2.getPerspectiveTransform(corners, target),
        (width, height),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return line.astype(np.uint8, copy=False)


def line_of(corners: Corners, picture: Pixels, reading: Reading) -> Line:
    """The line with its words' boxes in page pixels; ``picture`` is the line as it was read."""
    spans = words_of(picture, reading.glyphs)
    quad = Quad(*((float(x), float(y)) for x, y in corners))
    words = tuple(
        LineWord(text=s.text, box=_box_along(corners, s.start, s.end), confidence=min(1.0, s.confidence)) for s in spans
    )
    return Line(text=text_of(spans), box=quad.box, quad=quad, confidence=min(1.0, reading.confidence), words=words)


def _box_along(corners: Corners, start: float, end: float) -> Box:
    """The box around the part of a line between two shares of its length."""
    top, bottom = corners[1] - corners[0], corners[2] - corners[3]
    points = np.array(
        [corners[0] + top * start, corners[0] + top * end, corners[3] + bottom * start, corners[3] + bottom * end]
    )
    (x0, y0), (x1, y1) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return Box(x0, y0, x1, y1)


def _is_known(corners: Corners, known: Sequence[Line]) -> bool:
    """Whether half of a found line, or more, lies under lines that are known."""
    (x0, y0), (x1, y1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    box = Box(x0, y0, x1, y1)
    return sum(box.intersection(line.box).area for line in known) >= 0.5 * box.area


def _stands_on_its_side(found: Sequence[Corners]) -> bool:
    """Whether most of the page's long lines run down or up: then short boxes may do so too, whatever their shape."""
    sides = [(_length(corners), _height(corners)) for corners in found]
    along = sum(length for length, height in sides if length > SINGLE_RATIO * height)
    across = sum(height for length, height in sides if height > SINGLE_RATIO * length)
    return across > along


def _ways_to_read(corners: Corners, tall_from: float) -> list[_Way]:
    """A tall box is read downwards and upwards, a not so tall one to the right too; others only to the right."""
    ratio = _height(corners) / max(1.0, _length(corners))
    directions = (0,) if ratio < tall_from else (0, 1, 3) if ratio <= SINGLE_RATIO else (1, 3)
    return [_Way(_towards(corners, direction), direction) for direction in directions]


def _best_ways(boxes: Sequence[Sequence[_Way]], readings: Sequence[Reading]) -> list[tuple[int, _Way]]:
    """The way each box is read best, with its place in ``readings``, which follow the boxes' ways in order.

    A short box (a number of three characters in a turned table, a lone 1) reads nearly as well in a wrong direction:
    there the direction of the page's longer lines has the better claim.
    """
    starts = [0, *accumulate(len(ways) for ways in boxes)]
    firsts = [
        max(((start + i, way) for i, way in enumerate(ways)), key=lambda place: readings[place[0]].confidence)
        for start, ways in zip(starts, boxes, strict=False)
    ]
    weight = [0, 0, 0, 0]
    for (index, way), ways in zip(firsts, boxes, strict=True):
        if len(ways) < 3:  # three ways: a short box, which says nothing
            weight[way.direction] += len(readings[index].glyphs)
    prevailing = max(range(4), key=weight.__getitem__)

    def claim(place: tuple[int, _Way]) -> float:
        return readings[place[0]].confidence + PREVAILING_BONUS * (place[1].direction == prevailing)

    return [
        max(((start + i, way) for i, way in enumerate(ways)), key=claim)
        for start, ways in zip(starts, boxes, strict=False)
    ]


def _directions(corners: Corners) -> tuple[int, int]:
    """The two directions text can run in within this box."""
    return (1, 3) if _height(corners) > _length(corners) else (0, 2)


def _towards(corners: Corners, direction: int) -> Corners:
    """Corners that begin where text running right (0), down (1), left (2) or up (3) begins."""
    return np.roll(corners, -direction, axis=0)


def _sample_of(found: Sequence[Corners]) -> list[Corners]:
    """The lines that tell most about direction: the longest for their thickness, in bounds that keep it cheap."""

    def ratio(corners: Corners) -> float:
        sides = sorted((_length(corners), _height(corners)))
        return sides[1] / max(1.0, sides[0])

    long_enough = [c for c in found if ratio(c) >= SAMPLE_RATIO]
    return sorted(long_enough, key=lambda c: -min(ratio(c), 12.0))[:SAMPLE_LINES]


def _length(corners: Corners) -> float:
    return float(np.linalg.norm(corners[0] - corners[1]))


def _height(corners: Corners) -> float:
    return float(np.linalg.norm(corners[0] - corners[3]))
