"""The OCR stage: a page in, its lines with their words out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from mineru_core.document.analysis import Line, LineWord
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels
from mineru_core.engines.base import LoadListener
from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.detection import Corners, TextDetector
from mineru_core.engines.embedded.recognition import Glyph, Reading, TextRecognizer
from mineru_core.errors import EngineUnavailable
from mineru_core.runtime.context import RunContext

MIN_CONFIDENCE = 0.5
VERTICAL_RATIO = 1.5


class OcrReader:
    """Text detection, recognition and page orientation. After ``load`` any number of threads may read."""

    def __init__(self, models_dir: Path, *, engine_calls: int, batch_items: int) -> None:
        self._models_dir = models_dir
        self._engine_calls = engine_calls
        self._batch_items = batch_items
        self._detector: TextDetector | None = None
        self._recognizer: TextRecognizer | None = None

    def load(self, progress: LoadListener | None = None) -> None:
        """Get the models ready; calling it again does nothing. Raises ``ModelMissing``."""
        if self._recognizer is not None:
            return
        tell = progress or (lambda _stage, _share: None)
        tell("detection", 0.0)
        detection = weights.require(self._models_dir, weights.DETECTION)
        recognition = weights.require(self._models_dir, weights.RECOGNITION)
        self._detector = TextDetector(detection, engine_calls=self._engine_calls)
        tell("recognition", 0.5)
        self._recognizer = TextRecognizer(recognition, engine_calls=self._engine_calls, batch_items=self._batch_items)
        tell("ready", 1.0)

    def close(self) -> None:
        """Free the models; calling it again does nothing."""
        for stage in (self._detector, self._recognizer):
            if stage is not None:
                stage.close()
        self._detector = self._recognizer = None

    def read(self, pixels: Pixels, ctx: RunContext) -> tuple[Line, ...]:
        """Every line of a page in page pixels, in no set order. Raises ``Cancelled`` or ``DeadlineExceeded``."""
        if self._detector is None or self._recognizer is None:
            raise EngineUnavailable("The OCR models are not loaded.", "Call load() first.")
        ctx.check()
        found = self._detector.detect(pixels, ctx)
        corners = [_along_text(c) for c in found]
        readings = self._recognizer.recognize([cut(pixels, c) for c in corners], ctx)
        return tuple(
            line_of(c, reading)
            for c, reading in zip(corners, readings, strict=True)
            if reading.text.strip() and reading.confidence >= MIN_CONFIDENCE
        )

    def orientation(self, pixels: Pixels, ctx: RunContext) -> int:  # noqa: ARG002  not looked at yet
        """The quarter turn in degrees clockwise (0, 90, 180, 270) that sets the page upright."""
        ctx.check()
        return 0


def _along_text(corners: Corners) -> Corners:
    """Corners that start where the text starts: a tall box holds a line that runs downwards."""
    width = np.linalg.norm(corners[0] - corners[1])
    height = np.linalg.norm(corners[0] - corners[3])
    return np.roll(corners, -1, axis=0) if height >= VERTICAL_RATIO * width else corners


def cut(pixels: Pixels, corners: Corners) -> Pixels:
    """The picture of a line, turned so that its text runs to the right."""
    width = max(1, round(float(np.linalg.norm(corners[0] - corners[1]))))
    height = max(1, round(float(np.linalg.norm(corners[0] - corners[3]))))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    line = cv2.warpPerspective(
        pixels,
        cv2.getPerspectiveTransform(corners, target),
        (width, height),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return line.astype(np.uint8, copy=False)


def line_of(corners: Corners, reading: Reading) -> Line:
    """The line with its words' boxes in page pixels."""
    quad = Quad(*((float(x), float(y)) for x, y in corners))
    words = tuple(_word(corners, glyphs) for glyphs in _words(reading.glyphs))
    return Line(text=reading.text.strip(), box=quad.box, quad=quad, confidence=reading.confidence, words=words)


def _words(glyphs: Sequence[Glyph]) -> list[list[Glyph]]:
    words: list[list[Glyph]] = [[]]
    for glyph in glyphs:
        if glyph.text.isspace():
            words.append([])
        else:
            words[-1].append(glyph)
    return [w for w in words if w]


def _word(corners: Corners, glyphs: Sequence[Glyph]) -> LineWord:
    length = float(np.linalg.norm(corners[0] - corners[1]))
    height = float(np.linalg.norm(corners[0] - corners[3]))
    half = height / 4 / max(length, 1.0)
    start, end = max(0.0, glyphs[0].x - half), min(1.0, glyphs[-1].x + half)
    along, down = corners[1] - corners[0], corners[3] - corners[0]
    points = [corners[0] + along * s + down * d for s, d in ((start, 0), (end, 0), (end, 1), (start, 1))]
    xs, ys = [float(p[0]) for p in points], [float(p[1]) for p in points]
    confidence = sum(g.confidence for g in glyphs) / len(glyphs)
    return LineWord(
        text="".join(g.text for g in glyphs),
        box=Box(min(xs), min(ys), max(xs), max(ys)),
        confidence=confidence,
    )
