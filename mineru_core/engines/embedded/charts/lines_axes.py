"""Which of two value axes a line belongs to: the words of its name say so, or the axis has the line's colour."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mineru_core.engines.embedded.charts.colors import chroma_of
from mineru_core.engines.embedded.charts.lines_names import text_color
from mineru_core.engines.embedded.charts.numbers import tick_number
from mineru_core.engines.embedded.charts.scene import RGB, Scene

SAME_TINT = 80.0
"""Colours of an axis and its line are nearer than this, 0 to 441."""

MIN_CHROMA = 50
"""An axis whose texts are greyer than this has no colour of its own."""

_RIGHT = re.compile(r"\b(right|rhs|r\.?h\.?s\.?|secondary|2nd axis)\b|右轴|右軸|次轴|次坐标", re.IGNORECASE)
_LEFT = re.compile(r"\b(left|lhs|primary)\b|左轴|左軸|主轴", re.IGNORECASE)


def on_second(scene: Scene, names: Sequence[str], colors: Sequence[RGB]) -> list[bool | None]:
    """For each line whether it belongs to the scale on the right; None where nothing tells.

    All belong to the left where there is no second scale.
    """
    if scene.second_y is None:
        return [False] * len(names)
    tints = [_axis_color(scene, right=False), _axis_color(scene, right=True)]
    told = [_by_words(name) for name in names]
    if all(answer is None for answer in told):
        told = [_by_color(color, tints[0], tints[1]) for color in colors]
    if sum(answer is None for answer in told) == 1 and len(set(told)) == 2:
        # Of two axes one is the other lines'; the last one is left for the line that nothing is told of.
        only = next(answer for answer in told if answer is not None)
        told = [not only if answer is None else answer for answer in told]
    return told


def _by_words(name: str) -> bool | None:
    if _RIGHT.search(name):
        return True
    return False if _LEFT.search(name) else None


def _by_color(color: RGB, left: RGB | None, right: RGB | None) -> bool | None:
    apart = [np.inf if tint is None else float(np.linalg.norm(np.subtract(color, tint))) for tint in (left, right)]
    if min(apart) > SAME_TINT:
        return None
    return apart[1] < apart[0]


def _axis_color(scene: Scene, *, right: bool) -> RGB | None:
    """The colour of the numbers at an axis, None for black and grey ones."""
    beside = [
        label.box
        for label in scene.labels
        if tick_number(label.text) is not None
        and not label.turned
        and scene.plot.y0 - label.height <= label.box.center[1] <= scene.plot.y1 + 0.6 * label.height
        and (label.box.x0 >= scene.plot.x1 - 2 if right else label.box.x1 <= scene.plot.x0 + 2)
    ]
    if not beside:
        return None
    tints = np.array([text_color(scene.pixels, box, scene.background) for box in beside])
    r, g, b = (round(float(v)) for v in np.median(tints, axis=0))
    return (r, g, b) if chroma_of((r, g, b)) >= MIN_CHROMA else None
