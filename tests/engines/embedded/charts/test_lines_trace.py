from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.lines_ink import ink_of, line_colors
from mineru_core.engines.embedded.charts.lines_points import bends, marker_places, read_at
from mineru_core.engines.embedded.charts.lines_trace import Trace, trace_of
from mineru_core.engines.embedded.charts.scene import RGB, NumberAxis, Scene

BLUE, RED = (31, 119, 180), (214, 39, 40)
FINE = 16


def _picture() -> Pixels:
    return np.full((220, 420, 3), 255, np.uint8)


def _drawn(pixels: Pixels, points: Sequence[tuple[float, float]], color: RGB, width: int = 2) -> None:
    """A line through points whose places are told with pixel centres at half numbers."""
    at = np.array([[(round((x - 0.5) * FINE), round((y - 0.5) * FINE)) for x, y in points]], np.int32)
    cv2.polylines(pixels, at, False, color, width, cv2.LINE_AA, 4)


def _trace(pixels: Pixels, colors: Sequence[RGB] = (BLUE,), index: int = 0) -> Trace:
    scene = Scene(pixels, Box(0, 0, pixels.shape[1], pixels.shape[0]))
    ink = ink_of(scene, colors)
    trace = trace_of(ink.coverage[index], ink.left, ink.top)
    assert trace is not None
    return trace


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(15, 205), min_size=3, max_size=8), st.integers(2, 4))
def test_points_of_a_line_are_found_within_a_pixel(heights: list[float], width: int) -> None:
    pixels = _picture()
    xs = np.linspace(20.5, 400.5, len(heights))
    _drawn(pixels, list(zip(xs, heights, strict=True)), BLUE, width)
    trace = _trace(pixels)
    for x, y in zip(xs, heights, strict=True):
        reading = read_at(trace, float(x))
        assert reading is not None
        assert reading.y == pytest.approx(y, abs=1.2)


def test_a_line_goes_on_below_another_that_crosses_it() -> None:
    pixels = _picture()
    _drawn(pixels, [(20, 40), (400, 180)], BLUE)
    _drawn(pixels, [(20, 180), (400, 40)], RED, 5)
    trace = _trace(pixels, (BLUE, RED))
    for x in (20.0, 120.0, 210.0, 300.0, 400.0):
        reading = read_at(trace, x)
        assert reading is not None
        assert reading.y == pytest.approx(40 + (x - 20) * 140 / 380, abs=1.0)


def test_a_line_has_no_value_where_it_is_not_drawn() -> None:
    pixels = _picture()
    _drawn(pixels, [(20, 40), (120, 60)], BLUE)
    _drawn(pixels, [(300, 90), (400, 90)], BLUE)
    trace = _trace(pixels)
    assert read_at(trace, 210.0) is None
    assert read_at(trace, 60.0) is not None
    assert read_at(trace, 8.0) is None


def test_dashes_are_one_line() -> None:
    pixels = _picture()
    for start in range(20, 400, 14):
        _drawn(pixels, [(start, 40 + start / 4), (start + 8, 42 + start / 4)], BLUE)
    trace = _trace(pixels)
    assert trace.x[trace.columns[-1]] - trace.x[trace.columns[0]] > 360
    reading = read_at(trace, 200.0)
    assert reading is not None
    assert reading.y == pytest.approx(90.0, abs=1.0)


def test_markers_are_found_and_bends_are_not_markers() -> None:
    pixels = _picture()
    points = [(20.5, 40.5), (120.5, 120.5), (220.5, 60.5), (320.5, 150.5), (400.5, 30.5)]
    _drawn(pixels, points, BLUE)
    ink = ink_of(Scene(pixels, Box(0, 0, 420, 220)), [BLUE])
    trace = _trace(pixels)
    assert marker_places(ink.coverage[0], trace, ink.top)[0] == []
    assert bends(trace) == pytest.approx([120.5, 220.5, 320.5], abs=1.5)
    for x, y in points:
        cv2.circle(pixels, (int(x), int(y)), 4, BLUE, -1, cv2.LINE_AA)
    ink = ink_of(Scene(pixels, Box(0, 0, 420, 220)), [BLUE])
    places, radius = marker_places(ink.coverage[0], _trace(pixels), ink.top)
    assert places == pytest.approx([x for x, _ in points], abs=1.5)
    assert radius == pytest.approx(4, abs=1.0)


def test_colours_of_lines_are_found_among_grid_and_axes() -> None:
    pixels = _picture()
    pixels[::40] = 215
    pixels[:, 10] = pixels[210] = 60
    _drawn(pixels, [(20, 40), (200, 160), (400, 60)], BLUE)
    _drawn(pixels, [(20, 140), (200, 50), (400, 90)], RED)
    found = line_colors(Scene(pixels, Box(10, 0, 420, 210)))
    assert len(found) == 2
    for color in (BLUE, RED):
        assert min(np.abs(np.array(color) - other).max() for other in found) < 12


def test_an_empty_plot_has_no_colours_and_no_line() -> None:
    scene = Scene(_picture(), Box(0, 0, 420, 220))
    assert line_colors(scene) == []
    ink = ink_of(scene, [BLUE])
    assert trace_of(ink.coverage[0], ink.left, ink.top) is None


def test_colours_that_are_near_but_each_a_line_of_its_own_are_found() -> None:
    pixels = _picture()
    purple, blue = (109, 62, 145), (76, 106, 156)
    _drawn(pixels, [(20, 40), (380, 90)], purple, 3)
    _drawn(pixels, [(20, 150), (380, 120)], blue, 3)
    found = line_colors(Scene(pixels, Box(0, 0, 420, 220)))
    assert {min((purple, blue), key=lambda c: sum(abs(a - b) for a, b in zip(c, f, strict=True))) for f in found} == {
        purple,
        blue,
    }
    assert len(found) == 2


def test_a_dashed_line_of_the_grid_does_not_draw_a_pale_grey_line_to_it() -> None:
    pixels = _picture()
    for x in range(0, 400, 8):
        pixels[100, x : x + 5] = (208, 208, 208)
    y = NumberAxis(True, -1.0, 200.0, ticks=((100.0, 100.5), (150.0, 50.5)))
    ink = ink_of(Scene(pixels, Box(0, 0, 420, 220), y=y), [(186, 186, 186)])
    assert ink.coverage.max() == 0.0


@pytest.mark.parametrize("pale", [(186, 186, 186), (150, 190, 220)])
def test_a_pale_line_is_found_beside_a_dark_one_on_its_ray(pale: RGB) -> None:
    pixels = _picture()
    dark = tuple(max(0, 255 - 3 * (255 - c)) for c in pale)
    _drawn(pixels, [(20, 40), (200, 160), (400, 60)], (dark[0], dark[1], dark[2]), 3)
    _drawn(pixels, [(20, 140), (200, 50), (400, 190)], pale, 3)
    found = line_colors(Scene(pixels, Box(0, 0, 420, 220)))
    assert len(found) == 2
    assert min(np.abs(np.array(pale) - other).max() for other in found) < 8


def test_the_rims_of_a_dark_line_are_no_pale_line() -> None:
    pixels = _picture()
    _drawn(pixels, [(20, 40), (150, 160), (270, 50), (400, 60)], (15, 40, 62), 3)
    assert len(line_colors(Scene(pixels, Box(0, 0, 420, 220)))) == 1
