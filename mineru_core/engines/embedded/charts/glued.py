"""Labels of the upright axis that were read as one with what stands left of them, such as a title of one letter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from mineru_core.engines.embedded.charts.numbers import tick_number
from mineru_core.engines.embedded.charts.scene import Label, NumberAxis, Scene

# Both end at one line but for this, in heights of a line; a number agrees with the axis to this share of a step.
ALIGNED = 0.5
AGREES = 0.15
_GLUED = re.compile(r"^(?P<name>[^\W\d]{1,3})\s*(?P<number>-?\d[\d.,]*\s?[%kMB]?)$")


def parted_ticks(scene: Scene) -> tuple[Label, ...] | None:
    """The labels of a scene with those of the upright axis parted from the letters before them; None where none is."""
    axis, ticks = scene.y, _ticks(scene)
    if not isinstance(axis, NumberAxis) or axis.log or len(ticks) < 2:
        return None
    end = median(label.box.x1 for label in ticks)
    wide = median(label.box.width / len(label.text) for label in ticks)
    step = min((b - a for a, b in pairwise(sorted({value for value, _ in axis.ticks}))), default=0.0)
    found: dict[int, tuple[Label, Label]] = {}
    for label in scene.labels:
        glued = _GLUED.match(label.text.strip())
        number = tick_number(glued["number"]) if glued else None
        if glued is None or number is None or abs(label.box.x1 - end) > ALIGNED * scene.text_height:
            continue
        if abs(number.value - axis.value_at(label.box.center[1])) > AGREES * step:
            continue
        start = min(label.box.x1 - 1.0, max(label.box.x0 + 1.0, label.box.x1 - wide * len(glued["number"])))
        name = replace(label, text=glued["name"], box=label.box._replace(x1=start))
        found[id(label)] = (name, replace(label, text=glued["number"], box=label.box._replace(x0=start)))
    if not found:
        return None
    return tuple(part for label in scene.labels for part in found.get(id(label), (label,)))


def _ticks(scene: Scene) -> Sequence[Label]:
    """The labels of the upright axis that are numbers alone, at its left."""
    left = [label for label in scene.y_labels if label.box.x1 < scene.plot.center[0]]
    return [label for label in left if tick_number(label.text) is not None]
