"""Scales on both sides, and what stands below the names."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.build import scene_of
from mineru_core.engines.embedded.charts.scene import CategoryAxis, Label


def _upright_chart(right: tuple[str, ...] = ()) -> tuple[Pixels, list[Label]]:
    """Two bars over names, ticks at the left, others at the right, and a frame about a legend below the names."""
    pixels = np.full((420, 500, 3), 255, np.uint8)
    cv2.rectangle(pixels, (120, 140), (180, 300), (31, 119, 180), -1)
    cv2.rectangle(pixels, (300, 200), (360, 300), (31, 119, 180), -1)
    cv2.rectangle(pixels, (60, 40), (440, 300), (0, 0, 0), 1)
    cv2.rectangle(pixels, (90, 352), (410, 380), (200, 200, 200), 1)
    labels = [Label(text, Box(30, y - 6, 52, y + 6)) for text, y in (("0", 300), ("20", 220), ("40", 140), ("60", 60))]
    labels += [Label("North", Box(130, 308, 170, 320)), Label("South", Box(310, 308, 350, 320))]
    labels += [Label(text, Box(448, y - 6, 474, y + 6)) for text, y in zip(right, (300, 240, 180, 120), strict=False)]
    return pixels, labels


def test_a_frame_below_the_names_is_not_the_axis() -> None:
    scene = scene_of(*_upright_chart())
    assert scene.plot.y1 == pytest.approx(300, abs=2)
    assert [label.text for label in scene.x_labels] == ["North", "South"]
    assert scene.second_y is None


def test_a_scale_on_the_right_needs_no_lines_of_the_grid() -> None:
    scene = scene_of(*_upright_chart(("0%", "10%", "20%", "30%")))
    assert scene.second_y is not None
    assert scene.second_y.value_at(210) == pytest.approx(15, abs=0.2)
    assert isinstance(scene.x, CategoryAxis)
    assert [name for name, _ in scene.x.categories] == ["North", "South"]


def test_the_same_scale_on_both_sides_is_one() -> None:
    pixels, labels = _upright_chart()
    mirrored = [Label(la.text, la.box._replace(x0=448, x1=470)) for la in labels if la.box.x1 < 60]
    assert scene_of(pixels, [*labels, *mirrored]).second_y is None


def test_values_at_the_ends_of_lines_are_no_scale() -> None:
    pixels, labels = _upright_chart()
    ends = [Label(str(value), Box(448, y - 6, 470, y + 6)) for value, y in ((45, 120), (35, 160), (25, 200))]
    scene = scene_of(pixels, [*labels, *ends])
    assert scene.second_y is None
    assert {label.text for label in scene.free} >= {"45", "35", "25"}


def test_a_misread_tick_at_the_corner_is_no_name() -> None:
    pixels, labels = _upright_chart()
    labels = [Label("O.日", la.box.shifted(0, 4)) if la.text == "0" else la for la in labels]
    assert [label.text for label in scene_of(pixels, labels).x_labels] == ["North", "South"]
