from __future__ import annotations

from dataclasses import replace

import numpy as np

from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels
from mineru_core.document.parts import Line
from mineru_core.engines.embedded.charts.build import scene_of
from mineru_core.engines.embedded.charts.scene import Label, Scene
from mineru_core.engines.embedded.charts.second_look import with_missed_ticks

NAMES = [Label(name, Box(at, 372, at + 40, 388)) for name, at in (("Kilo", 80), ("Echo", 180), ("Mike", 280))]


def _scene(ticks: list[tuple[str, float]]) -> Scene:
    labels = [Label(text, Box(58 - 8 * len(text), at - 7, 58, at + 7)) for text, at in ticks]
    return scene_of(np.full((400, 360, 3), 255, np.uint8), [*labels, *NAMES])


class _Eye:
    """Sees these numbers at the left of any strip."""

    def __init__(self, ticks: list[tuple[str, float]]) -> None:
        self.ticks = ticks
        self.widths: list[int] = []

    def __call__(self, pixels: Pixels) -> list[Line]:
        self.widths.append(pixels.shape[1])
        boxes = [(text, Box(2, at - 7, 2 + 8 * len(text), at + 7)) for text, at in self.ticks]
        return [Line(text=text, box=box, quad=Quad.from_box(box)) for text, box in boxes]


def test_ticks_are_looked_for_where_one_number_stands_alone() -> None:
    eye = _Eye([("-20", 150), ("-40", 250), ("word", 300)])
    found = with_missed_ticks(_scene([("0", 50)]), eye)
    assert found is not None
    assert [label.text for label in found[4:]] == ["-20", "-40"]
    assert eye.widths[0] < 100
    assert all(label.box.x1 < 80 for label in found[4:])


def test_ticks_are_looked_for_below_an_axis_that_ends_early() -> None:
    found = with_missed_ticks(_scene([("20", 50), ("10", 100), ("0", 150)]), _Eye([("-10", 200), ("-20", 250)]))
    assert found is not None
    assert [label.text for label in found[6:]] == ["-10", "-20"]


def test_a_whole_axis_is_not_read_again() -> None:
    eye = _Eye([("-10", 200)])
    assert with_missed_ticks(_scene([(str(60 - 10 * i), 50 + 50 * i) for i in range(7)]), eye) is None
    assert with_missed_ticks(_scene([]), eye) is None
    assert eye.widths == []


def test_what_is_known_already_is_not_added() -> None:
    scene = _scene([("20", 50), ("10", 100), ("0", 150)])
    assert with_missed_ticks(scene, _Eye([("0", 150)])) is None
    assert with_missed_ticks(replace(scene, y=None, labels=()), _Eye([("0", 150)])) is None


def test_a_number_takes_the_place_of_what_it_was_misread_as() -> None:
    scene = _scene([("20", 50), ("10", 100), ("os", 150)])
    found = with_missed_ticks(scene, _Eye([("0", 150), ("-10", 200)]))
    assert found is not None
    assert [label.text for label in found if label.box.x1 < 80] == ["20", "10", "0", "-10"]
