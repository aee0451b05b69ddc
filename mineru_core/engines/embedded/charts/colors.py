"""Colours of a chart: its background, the colours of its marks, and which pixels have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.scene import RGB

Mask = NDArray[np.bool_]

# Colours of one surface differ by less than this: the greatest difference of a channel, 0..255.
SAME_SURFACE = 26
# A pixel is flat where its neighbours differ by no more.
FLAT = 14
# What is this near to the background is a tint of it, a band of light grey or the like.
BACKGROUND = 14
# A translucent colour is as near as this to the blend it is.
FADED = 10
# Letters differ from their ground by more than this.
LETTERS = 60
MIN_SHARE = 0.0004
MIN_PIXELS = 12
MAX_COLORS = 40

Channel = TypeVar("Channel", bound=np.generic)
"""The type of a channel's values: bytes, or numbers that were reckoned from them."""


@dataclass(frozen=True, slots=True)
class Surface:
    """A colour that areas of the picture have, and how many pixels have it."""

    color: RGB
    pixels: int


def distance(pixels: Pixels, color: RGB) -> NDArray[np.int16]:
    """How far each pixel is from a colour: the greatest difference of a channel, 0..255, (…) int16."""
    if not pixels.size:
        return np.zeros(pixels.shape[:-1], np.int16)
    flat = np.ascontiguousarray(pixels).reshape(-1, 1, 3)
    # Channel by channel in OpenCV: NumPy takes fifty times as long where the last axis has three places.
    red, green, blue = cv2.split(cv2.absdiff(flat, np.array([*color, 0.0])))
    return cv2.max(cv2.max(red, green), blue).reshape(pixels.shape[:-1]).astype(np.int16)


def channel_max(channels: NDArray[Channel]) -> NDArray[Channel]:
    """The greatest of each pixel's three channels, (…, 3) to (…): ``max(axis=-1)`` in a tenth of its time."""
    found: NDArray[Channel] = np.maximum(np.maximum(channels[..., 0], channels[..., 1]), channels[..., 2])
    return found


def channel_min(channels: NDArray[Channel]) -> NDArray[Channel]:
    """The least of each pixel's three channels, (…, 3) to (…)."""
    found: NDArray[Channel] = np.minimum(np.minimum(channels[..., 0], channels[..., 1]), channels[..., 2])
    return found


def chroma(pixels: Pixels) -> NDArray[np.int16]:
    """How far each pixel is from grey: the difference of its greatest and its least channel, 0..255, (…) int16."""
    apart: NDArray[np.int16] = channel_max(pixels).astype(np.int16) - channel_min(pixels)
    return apart


def chroma_of(color: RGB) -> int:
    """How far one colour is from grey, as ``chroma``."""
    return max(color) - min(color)


def part_of(pixels: Pixels, box: Box) -> Pixels:
    """The pixels that a box covers, those that it covers in part among them."""
    inside = box.clipped(pixels.shape[1], pixels.shape[0])
    return pixels[int(inside.y0) : int(np.ceil(inside.y1)), int(inside.x0) : int(np.ceil(inside.x1))]


def letters_in(part: Pixels, ground: RGB) -> Mask:
    """Which pixels are the ink of letters: clearly other than the ground, as their pale rims are not."""
    inked: Mask = distance(part, ground) > LETTERS
    return inked


def common_color(pixels: Pixels) -> RGB:
    """The most common colour among pixels (…, 3), slight differences put together; white where there are none."""
    flat = pixels.reshape(-1, 3)
    if not len(flat):
        return (255, 255, 255)
    codes = (flat >> 3).astype(np.int32) @ np.array([1024, 32, 1], np.int32)
    values, counts = np.unique(codes, return_counts=True)
    chosen = flat[codes == values[counts.argmax()]]
    return _rgb(np.median(chosen, axis=0))


def background_of(pixels: Pixels) -> RGB:
    """The colour most of a picture has."""
    return common_color(pixels[::2, ::2])


def surfaces(pixels: Pixels, background: RGB, hidden: Mask | None = None) -> list[Surface]:
    """The colours of areas other than the background's, the most frequent first.

    ``hidden`` marks pixels that are left out, such as those of texts.
    """
    blurred = [cv2.dilate(pixels, np.ones((3, 3), np.uint8)), cv2.erode(pixels, np.ones((3, 3), np.uint8))]
    spread = channel_max(cv2.subtract(blurred[0], blurred[1]))
    flat = (spread <= FLAT) & (distance(pixels, background) > BACKGROUND)
    if hidden is not None:
        flat &= ~hidden
    rest = pixels[flat]
    least = max(MIN_PIXELS, round(MIN_SHARE * pixels.shape[0] * pixels.shape[1]))
    found: list[Surface] = []
    while len(rest) >= least and len(found) < MAX_COLORS:
        color = common_color(rest)
        inside = distance(rest, color) <= SAME_SURFACE
        if int(inside.sum()) < least:
            break
        color = _rgb(np.median(rest[inside], axis=0))
        found.append(Surface(color, int(inside.sum())))
        rest = rest[~inside]
    return found


def is_tint(color: RGB, background: RGB) -> bool:
    """Whether a colour is a light grey or a shade of the background, as bands behind the marks have."""
    light = min(color) >= 232 and chroma_of(color) <= 14
    return light or max(abs(a - b) for a, b in zip(color, background, strict=True)) <= BACKGROUND


def masks_of(pixels: Pixels, colors: Sequence[RGB], background: RGB) -> list[Mask]:
    """Which pixels have each of the colours: near enough, and nearer than to any other one or to the background."""
    if not colors:
        return []
    every = np.stack([distance(pixels, color) for color in (*colors, background)])
    nearest = every.argmin(axis=0)
    return [(nearest == i) & (every[i] <= SAME_SURFACE + 10) for i in range(len(colors))]


def near_color(color: RGB, colors: Sequence[RGB]) -> tuple[int, float]:
    """The index of the colour that is most alike, and how far it is; (-1, infinity) for none."""
    away = [max(abs(a - b) for a, b in zip(color, other, strict=True)) for other in colors]
    if not away:
        return -1, float("inf")
    index = int(np.argmin(away))
    return index, float(away[index])


def faded(color: RGB, found: Sequence[RGB], background: RGB) -> RGB | None:
    """Of the colours found the one that is this colour drawn translucent upon the background; None if none is."""
    best: tuple[float, RGB] | None = None
    for other in found:
        for share in np.arange(0.3, 1.0, 0.05):
            blend = tuple(round(share * a + (1 - share) * b) for a, b in zip(color, background, strict=True))
            away = float(max(abs(a - b) for a, b in zip(blend, other, strict=True)))
            if away <= FADED and (best is None or away < best[0]):
                best = (away, other)
    return None if best is None else best[1]


def _rgb(values: NDArray[np.float64]) -> RGB:
    r, g, b = (round(float(v)) for v in values)
    return (r, g, b)
