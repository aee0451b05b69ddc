from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.pie import pie_title, read_pie
from mineru_core.engines.embedded.charts.pie_slices import find_disc, slices_of
from mineru_core.engines.embedded.charts.scene import Label, LegendEntry, Scene

COLORS = ((31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189), (140, 86, 75))
MIDDLE, RADIUS = (200, 150), 100


def _pie(shares: list[float], *, hole: int = 0, tall: float = 1.0) -> Pixels:
    """A pie whose slices go clockwise from the top."""
    pixels = np.full((300, 400, 3), 255, np.uint8)
    at = 0.0
    for share, color in zip(shares, COLORS, strict=False):
        angles = np.radians(np.linspace(at, at + 360 * share, 200))
        rim = np.stack([200 + RADIUS * np.sin(angles), 150 - tall * RADIUS * np.cos(angles)], axis=1)
        corners = np.concatenate([[MIDDLE], rim]) * 16
        cv2.fillPoly(pixels, [corners.round().astype(np.int32)], color, cv2.LINE_AA, 4)
        at += 360 * share
    if hole:
        cv2.circle(pixels, MIDDLE, hole, (255, 255, 255), -1, cv2.LINE_AA)
    return pixels


def _label(text: str, degrees: float, far: float = 1.15) -> Label:
    """A text whose nearest point to the disc is at an angle, so many radii from the middle."""
    x, y = 200 + far * RADIUS * np.sin(np.radians(degrees)), 150 - far * RADIUS * np.cos(np.radians(degrees))
    wide, high = 7.0 * len(text), 12.0
    x0 = x - wide / 2 if far < 1 else x if np.sin(np.radians(degrees)) >= 0 else x - wide
    return Label(text, Box(float(x0), float(y - high / 2), float(x0 + wide), float(y + high / 2)))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0.05, 1), min_size=2, max_size=6), st.sampled_from([0, 45]))
def test_shares_are_found_to_half_a_percent(parts: list[float], hole: int) -> None:
    shares = [part / sum(parts) for part in parts]
    pixels = _pie(shares, hole=hole)
    disc = find_disc(pixels)
    assert disc is not None
    assert (disc.x, disc.y, disc.radius) == pytest.approx((200.5, 150.5, 100), abs=1.8)
    assert bool(disc.hole) == bool(hole)
    found = {s.color: s.share for s in slices_of(pixels, disc)}
    assert sum(found.values()) == pytest.approx(1.0)
    for share, color in zip(shares, COLORS, strict=False):
        near = min(found, key=lambda other: float(np.abs(np.subtract(other, color)).max()))
        assert found[near] == pytest.approx(share, abs=0.006)


def test_names_beside_the_slices_and_values_in_them() -> None:
    labels = [
        _label("Oak", 45),
        _label("25%", 45, 0.6),
        _label("Ash", 180),
        _label("50%", 180, 0.6),
        _label("Elm", 315),
        _label("25%", 315, 0.6),
    ]
    read = read_pie(_pie([0.25, 0.5, 0.25]), labels)
    assert read is not None
    assert {p.x: p.y for p in read[0].points} == {"Oak": 25.0, "Ash": 50.0, "Elm": 25.0}
    assert min(p.confidence for p in read[0].points) > 0.9


def test_a_name_and_its_value_in_one_line() -> None:
    labels = [_label("Oak 30.5%", 50), _label("Under 18: 69.5%", 230)]
    read = read_pie(_pie([0.305, 0.695]), labels)
    assert read is not None
    assert {p.x: p.y for p in read[0].points} == {"Oak": 30.5, "Under 18": 69.5}


def test_a_printed_percent_that_the_slice_does_not_bear_out_is_less_sure() -> None:
    read = read_pie(_pie([0.3, 0.7]), [_label("Oak 80%", 50), _label("Ash 70%", 230)])
    assert read is not None
    sure = {p.x: p.confidence for p in read[0].points}
    assert sure["Oak"] <= 0.5 < sure["Ash"]


def test_printed_counts_are_the_values() -> None:
    labels = [_label("120", 45, 0.6), _label("240", 180, 0.6), _label("120", 315, 0.6)]
    read = read_pie(_pie([0.25, 0.5, 0.25]), labels)
    assert read is not None
    assert sorted(p.y or 0 for p in read[0].points) == [120.0, 120.0, 240.0]


def test_a_number_of_a_name_is_no_value() -> None:
    read = read_pie(_pie([0.4, 0.6]), [_label("Group 1", 70), _label("Group 2", 250)])
    assert read is not None
    assert {p.x: round(p.y or 0) for p in read[0].points} == {"Group 1": 40, "Group 2": 60}


def test_a_legend_names_slices_by_their_colours() -> None:
    legend = [LegendEntry("two", COLORS[1]), LegendEntry("one", COLORS[0])]
    read = read_pie(_pie([0.2, 0.8]), [], legend)
    assert read is not None
    assert [p.x for p in read[0].points] == ["one", "two"]


def test_a_pie_seen_at_a_slant_is_not_sure() -> None:
    read = read_pie(_pie([0.2, 0.8], tall=0.6), [])
    assert read is None or max(p.confidence for p in read[0].points) < 0.5


def test_neither_a_square_nor_one_whole_disc_is_a_pie() -> None:
    square = np.full((300, 400, 3), 255, np.uint8)
    square[50:250, 100:300] = COLORS[0]
    assert read_pie(square, []) is None
    assert read_pie(_pie([1.0]), []) is None
    assert read_pie(np.full((40, 40, 3), 255, np.uint8), []) is None


def test_what_stands_above_a_pie_is_its_title() -> None:
    shares, names = [0.5, 0.3, 0.2], ["Wine 50%", "Beer 30%", "Water 20%"]
    labels = [_label(name, degrees) for name, degrees in zip(names, (90, 234, 324), strict=True)]
    title = Label("Wine of all that guests drink", Box(5, 5, 180, 19))
    scene = Scene(_pie(shares), Box(0, 0, 400, 300), labels=(title, *labels))
    series = read_pie(scene.pixels, labels)
    assert series is not None
    assert pie_title(scene, series) == "Wine of all that guests drink"
    assert pie_title(replace(scene, labels=tuple(labels)), series) == ""
    assert pie_title(replace(scene, pixels=np.full((300, 400, 3), 255, np.uint8)), series) == ""
