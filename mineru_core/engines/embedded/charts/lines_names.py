"""Which words name which line, where there is no legend: those at its end, beside it, or in its colour."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np
from numpy.typing import NDArray

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import chroma_of
from mineru_core.engines.embedded.charts.lines_trace import Trace
from mineru_core.engines.embedded.charts.scene import RGB, Label, Scene

FARTHEST = 3.2
"""What a name may cost to be a line's: heights of the text to its end, less what their colours agree."""

SAME_TINT = 70.0
"""Colours of a name and its line nearer than this agree."""


def names_of(scene: Scene, traces: Sequence[Trace], colors: Sequence[RGB]) -> list[str]:
    """A name for each line, "" where none is found. No word names two lines."""
    words = [label for label in scene.free if not label.turned and any(c.isalpha() for c in label.text)]
    tints = [label.tint or text_color(scene.pixels, label.box, scene.background) for label in words]
    costs = sorted(
        (_cost(scene, trace, color, word, tint), t, w)
        for t, (trace, color) in enumerate(zip(traces, colors, strict=True))
        for w, (word, tint) in enumerate(zip(words, tints, strict=True))
    )
    names = [""] * len(traces)
    used: set[int] = set()
    for cost, t, w in costs:
        if cost <= FARTHEST and not names[t] and w not in used:
            names[t] = plain_name(words[w].text)
            used.add(w)
    return names


def sample_name(scene: Scene, color: RGB, used: Container[str] = ()) -> str:
    """The text outside the plot that a sample of this colour stands before, "" where there is none.

    ``used`` are names of other lines. A text on a ground of that colour has no sample.
    """
    for label in scene.labels:
        x, y = label.box.center
        name = plain_name(label.text)
        if label.turned or scene.plot.contains(x, y) or name in used or not any(c.isalpha() for c in name):
            continue
        height = max(6.0, label.height)
        # The sample may be read as the text's first character.
        before = Box(label.box.x0 - 3.0 * height, label.box.y0, label.box.x0 + 1.0 * height, label.box.y1)
        same = _alike(scene, before, color)
        sample = same.any(axis=0).sum() >= 0.4 * height and same.sum() >= 0.5 * height and same.mean() < 0.6
        behind = label.box._replace(x0=label.box.x0 + 1.0 * height)
        if sample and _alike(scene, behind, color).mean() < 0.2:
            return name
    return ""


def _alike(scene: Scene, box: Box, color: RGB) -> NDArray[np.bool_]:
    """Which pixels in a box have a colour, one at least."""
    inside = box.clipped(scene.pixels.shape[1], scene.pixels.shape[0])
    part = scene.pixels[int(inside.y0) : int(inside.y1), int(inside.x0) : int(inside.x1)].astype(np.float32)
    if not part.size:
        return np.zeros((1, 1), np.bool_)
    same: NDArray[np.bool_] = np.linalg.norm(part - np.array(color, np.float32), axis=2) < SAME_TINT / 3
    return same


def plain_name(text: str) -> str:
    """A name without the marker that was read as a dot or a dash before it."""
    return text.strip(" •·∙●○■□.-–—_")


def text_color(pixels: Pixels, box: Box, background: RGB) -> RGB:
    """The colour of the text in a box: of the fifth of its pixels that differ most from the background."""
    height, width = pixels.shape[:2]
    inside = box.clipped(width, height)
    part = pixels[int(inside.y0) : int(np.ceil(inside.y1)), int(inside.x0) : int(np.ceil(inside.x1))].reshape(-1, 3)
    if not len(part):
        return (0, 0, 0)
    contrast = np.linalg.norm(part.astype(np.float32) - np.array(background, np.float32), axis=1)
    darkest = part[np.argsort(contrast)[-max(3, len(part) // 20) :]]
    r, g, b = (round(float(v)) for v in np.median(darkest, axis=0))
    return r, g, b


def _cost(scene: Scene, trace: Trace, color: RGB, word: Label, tint: RGB) -> float:
    """How little a word looks like the name of a line, in heights of its text."""
    height = max(6.0, scene.text_height)
    inked = trace.columns
    ends = [(trace.x[i], trace.y[i]) for i in (inked[-1], inked[0])]
    middle = (word.box.y0 + word.box.y1) / 2
    right = max(0.0, abs(word.box.x0 - ends[0][0]) / height - 0.5) * 0.6 + abs(middle - ends[0][1]) / height
    left = max(0.0, abs(word.box.x1 - ends[1][0]) / height - 0.5) * 0.6 + abs(middle - ends[1][1]) / height
    # A name in the plot stands at the line, above or below it.
    dx = np.maximum(0.0, np.maximum(word.box.x0 - trace.x[inked], trace.x[inked] - word.box.x1))
    dy = np.maximum(0.0, np.maximum(word.box.y0 - trace.y[inked], trace.y[inked] - word.box.y1))
    beside = 0.8 + 1.2 * float(np.hypot(dx, dy).min()) / height
    return float(min(right, left + 0.3, beside)) - _agreement(color, tint)


def _agreement(color: RGB, tint: RGB) -> float:
    """What colours tell: up to 2 for a name in the line's own colour, less than 0 for one in the colour of another."""
    if chroma_of(tint) < 50:
        # Black and grey names say nothing.
        return 0.0
    apart = float(np.linalg.norm(np.array(color, float) - np.array(tint, float)))
    return 2.0 * (1 - apart / SAME_TINT) if apart < 2 * SAME_TINT else -2.0
