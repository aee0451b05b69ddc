"""How far a picture may shrink before it travels or is read: as far as its text allows, and no further.

The height of the letters decides, measured from connected components on a grey copy of a million pixels at most. No
OCR is needed, and every step is integer arithmetic, so that the same numbers come out in another language: the
browser and the client follow ``POLICY`` and the vectors in ``tests/intake/compression_vectors.json``.
"""

from __future__ import annotations

import io
import math
from dataclasses import asdict, dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mineru_core.document.page import Pixels

Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class CompressionPolicy:
    """The numbers of the policy; ``fingerprint`` changes with them.

    A page shrinks until its small letters are ``letter_px`` high, but never below ``least_edge`` on its long side. One
    whose letters cannot be measured shrinks to ``plain_edge``. A reduction to more than ``worth_it`` hundredths is left
    be: resampling would blur more than it saves. As JPEG it starts at ``quality`` and goes down to
    ``least_quality`` while it has more than ``max_bytes``; a dense page that is larger even then travels as it is.

    Measuring: ``grey_pixels`` bounds the grey copy; ``radius`` is that of the window a pixel is compared with,
    ``contrast`` how far it must differ, ``dark_median`` the median grey below which a page has light letters on dark
    ground. A component counts as a letter from ``least_height`` grey pixels up; the page's letter height is the
    ``percentile``th of them where there are ``least_letters`` or more.
    """

    revision: int = 1
    letter_px: int = 14
    least_edge: int = 1200
    plain_edge: int = 1600
    worth_it: int = 90
    max_bytes: int = 500_000
    quality: int = 85
    least_quality: int = 60
    grey_pixels: int = 1_000_000
    radius: int = 15
    contrast: int = 20
    dark_median: int = 110
    least_height: int = 4
    least_letters: int = 20
    percentile: int = 15

    @property
    def fingerprint(self) -> str:
        """The policy's numbers in one short string."""
        return "compression/" + "-".join(str(value) for value in asdict(self).values())


POLICY = CompressionPolicy()


@dataclass(frozen=True, slots=True)
class Compressed:
    """A picture ready to travel: JPEG ``data`` of ``width`` × ``height`` pixels, ``scale`` times the original."""

    data: bytes
    width: int
    height: int
    scale: float
    quality: int


def letter_height(pixels: Pixels, policy: CompressionPolicy = POLICY) -> int | None:
    """The height of the page's small letters in its own pixels; None where too few letters are seen.

    ``pixels`` is (height, width, 3) uint8 RGB. About 20 ms for a page of 2 million pixels.
    """
    reduced = _reduced_grey(pixels, policy.grey_pixels)
    if reduced is None:
        return None
    grey, factor = reduced
    heights = np.sort(_letter_heights(grey, policy))
    if len(heights) < policy.least_letters:
        return None
    return int(heights[len(heights) * policy.percentile // 100]) * factor


def shrink_factor(width: int, height: int, letters: float | None, policy: CompressionPolicy = POLICY) -> float:
    """By how much a page of ``width`` × ``height`` with letters of this height may be scaled, above 0 and at most 1."""
    edge = max(width, height)
    wanted = policy.plain_edge / edge
    if letters is not None:
        wanted = max(policy.letter_px / letters, policy.least_edge / edge)
    return wanted if 100 * wanted <= policy.worth_it else 1.0


def shrink(pixels: Pixels, factor: float) -> Pixels:
    """The picture scaled by ``factor`` (at most 1), each pixel the mean of those it stands for."""
    if factor >= 1:
        return pixels
    height, width = pixels.shape[:2]
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return cv2.resize(pixels, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def compress(pixels: Pixels, policy: CompressionPolicy = POLICY) -> Compressed:
    """The picture as a JPEG to send: shrunk as far as its text allows, of ``max_bytes`` where quality allows."""
    height, width = pixels.shape[:2]
    factor = shrink_factor(width, height, letter_height(pixels, policy), policy)
    picture = Image.fromarray(shrink(pixels, factor))
    data, quality = _smallest_enough(picture, policy)
    return Compressed(data, picture.width, picture.height, factor, quality)


def _smallest_enough(picture: Image.Image, policy: CompressionPolicy) -> tuple[bytes, int]:
    """The JPEG of the best quality that fits ``max_bytes``, else of the least; and its quality."""
    quality = policy.quality
    while True:
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=quality, optimize=True)
        if out.tell() <= policy.max_bytes or quality <= policy.least_quality:
            return out.getvalue(), quality
        quality = max(policy.least_quality, quality - 5)


def _reduced_grey(pixels: Pixels, most: int) -> tuple[Grey, int] | None:
    """A grey copy of ``most`` pixels at most, each the rounded mean of a square of the page; and the square's side.
    None for a strip that is narrower than such a square: it is a few pixels wide and millions long."""
    height, width = pixels.shape[:2]
    factor = max(1, math.isqrt(width * height // most))
    while (width // factor) * (height // factor) > most:
        factor += 1
    if min(height, width) < factor:
        return None
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.uint8, copy=False)
    if factor == 1:
        return grey, 1
    rows, columns = height // factor, width // factor
    total = np.zeros((rows, columns), dtype=np.uint32)
    for y in range(factor):
        for x in range(factor):
            total += grey[y : rows * factor : factor, x : columns * factor : factor]
    area = factor * factor
    return ((2 * total + area) // (2 * area)).astype(np.uint8), factor


def _letter_heights(grey: Grey, policy: CompressionPolicy) -> NDArray[np.int32]:
    """Heights of the components that look like letters, in pixels of the grey copy."""
    side = 2 * policy.radius + 1
    around = cv2.blur(grey, (side, side), borderType=cv2.BORDER_REPLICATE).astype(np.int16)
    darker = around - grey
    if _median(grey) < policy.dark_median:
        darker = -darker
    _, _, found, _ = cv2.connectedComponentsWithStats((darker > policy.contrast).astype(np.uint8), connectivity=8)
    components = found[1:].astype(np.int32)  # the first is the ground
    width, height, area = (components[:, i] for i in (cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT, cv2.CC_STAT_AREA))
    letters = (
        (height >= policy.least_height)
        & (width <= 3 * height + 2)  # wider: a rule, or a line whose letters touch
        & (5 * width >= height)  # thinner: the side of a frame
        & (5 * area >= width * height)  # emptier: a frame, a diagonal
        & (20 * area < 19 * width * height)  # fuller: a bar, a block of colour
        & (6 * height <= grey.shape[0] + 24)  # higher: a picture
    )
    chosen: NDArray[np.int32] = height[letters]
    return chosen


def _median(grey: Grey) -> int:
    """The value that half of the pixels do not exceed."""
    counts = np.bincount(grey.ravel(), minlength=256)
    return int(np.searchsorted(np.cumsum(counts), (grey.size + 1) // 2))
