"""Names left of bars that lie, which were not seen at first."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels
from mineru_core.document.parts import Line
from mineru_core.engines.embedded.charts.build import scene_of
from mineru_core.engines.embedded.charts.names_beside import ENLARGED, with_missed_names
from mineru_core.engines.embedded.charts.scene import Label, NumberAxis, Scene

NAMES = {"Kilo": 60, "Echo": 120, "Mike": 180}


def _scene(seen: Sequence[str], first_tick: int = 0, vertical: bool = False) -> Scene:
    """Three lying bars with ticks from ``first_tick`` on, and the names that were seen among their labels."""
    pixels = np.full((300, 420, 3), 255, np.uint8)
    labels = []
    for index, (name, at) in enumerate(NAMES.items()):
        cv2.rectangle(pixels, (100, at - 15), (180 + 60 * index, at + 15), (76, 120, 168), -1)
        cv2.putText(pixels, name, (50, at + 5), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (40, 40, 40), 1, cv2.LINE_AA)
        if name in seen:
            labels.append(Label(name, Box(48, at - 8, 86, at + 8)))
    for value in range(first_tick, 6):
        x = 100 + 60 * value
        labels.append(Label(str(10 * value), Box(x - 8, 242, x + 8, 258)))
        cv2.line(pixels, (x, 30), (x, 240), (225, 225, 225), 1)
    if vertical:
        labels += [Label(str(10 * i), Box(70, 202 - 60 * i, 86, 218 - 60 * i)) for i in range(4)]
    return scene_of(pixels, labels)


class _Eye:
    """Sees the names wherever ink is in what it is given."""

    def __init__(self, confidence: float = 0.99) -> None:
        self.confidence = confidence
        self.sizes: list[tuple[int, ...]] = []

    def __call__(self, pixels: Pixels) -> list[Line]:
        self.sizes.append(pixels.shape)
        joined = cv2.morphologyEx((pixels.min(axis=2) < 160).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((20, 40)))
        count, _, stats, _ = cv2.connectedComponentsWithStats(joined)
        boxes = sorted((Box(x, y, x + w, y + h) for x, y, w, h, _ in stats[1:count].astype(float)), key=lambda b: b.y0)
        return [
            Line(text=f"name {i}", box=box, quad=Quad.from_box(box), confidence=self.confidence)
            for i, box in enumerate(boxes)
        ]


@pytest.mark.parametrize("first_tick", [0, 1])
def test_names_are_looked_for_where_there_is_ink_without_one(first_tick: int) -> None:
    scene, eye = _scene(["Kilo"], first_tick), _Eye()
    assert isinstance(scene.x, NumberAxis)
    found = with_missed_names(scene, eye)
    assert found is not None
    new = found[len(scene.labels) :]
    assert [label.text for label in new] == ["name 0", "name 1"]
    assert [label.box.center[1] for label in new] == pytest.approx([120, 180], abs=3)
    assert all(48 <= label.box.x0 < label.box.x1 <= 90 for label in new)
    # the strip of the two names alone, enlarged
    (height, width, _), *more = eye.sizes
    assert more == []
    assert width <= ENLARGED * 100
    assert ENLARGED * 70 <= height <= ENLARGED * 120


def test_where_all_names_are_known_nothing_is_read_again() -> None:
    eye = _Eye()
    assert with_missed_names(_scene(list(NAMES)), eye) is None
    assert with_missed_names(_scene(["Kilo"], vertical=True), eye) is None
    assert eye.sizes == []


def test_what_is_read_without_confidence_is_no_name() -> None:
    assert with_missed_names(_scene(["Kilo", "Echo"]), _Eye(0.4)) is None
