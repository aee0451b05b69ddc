from __future__ import annotations

import cv2
import numpy as np
import pytest

from mineru_core.document.chart import PointSource
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.lines import find_lines, full_trace, read_lines
from mineru_core.engines.embedded.charts.lines_names import plain_name, sample_name, text_color
from mineru_core.engines.embedded.charts.lines_printed import axis_from_printed
from mineru_core.engines.embedded.charts.lines_trace import Trace
from mineru_core.engines.embedded.charts.scene import RGB, Label, NumberAxis, Scene

BLUE, RED, BLACK = (31, 119, 180), (214, 39, 40), (0, 0, 0)
X = NumberAxis(False, 0.05, 0.0, ticks=tuple((float(v), 20.0 * v) for v in range(2, 16, 2)))
Y = NumberAxis(True, -0.5, 100.0, ticks=((0.0, 200.0), (50.0, 100.0), (100.0, 0.0)))


def _text(pixels: np.ndarray, text: str, x: int, y: int, color: RGB) -> Label:
    cv2.putText(pixels, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.45, color, 1, cv2.LINE_AA)
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.45, 1)
    return Label(text, Box(x, y - height - 1, x + width, y + 2))


def _two_lines() -> np.ndarray:
    pixels = np.full((240, 420, 3), 255, np.uint8)
    cv2.line(pixels, (40, 50), (300, 80), BLUE, 2, cv2.LINE_AA)
    cv2.line(pixels, (40, 150), (300, 100), RED, 2, cv2.LINE_AA)
    return pixels


def _names(pixels: np.ndarray, labels: tuple[Label, ...]) -> dict[str, str | None]:
    read = read_lines(Scene(pixels, Box(20, 0, 410, 200), labels, labels, X, Y))
    assert read is not None
    return {s.name: s.color for s in read}


def test_names_at_the_ends_of_lines() -> None:
    pixels = _two_lines()
    names = _names(pixels, (_text(pixels, "upper", 308, 84, BLACK), _text(pixels, "lower", 308, 104, BLACK)))
    assert set(names) == {"upper", "lower"}
    assert names["upper"] is not None
    assert names["upper"].startswith("#1f")


def test_a_names_colour_tells_more_than_its_height() -> None:
    pixels = _two_lines()
    names = _names(pixels, (_text(pixels, "red", 308, 82, RED), _text(pixels, "blue", 308, 102, BLUE)))
    assert names["blue"] is not None
    assert names["blue"].startswith("#1f")


def test_a_sample_before_a_text_names_its_line() -> None:
    pixels = _two_lines()
    cv2.rectangle(pixels, (60, 216), (70, 226), RED, -1)
    cv2.rectangle(pixels, (160, 216), (170, 226), BLUE, -1)
    labels = (_text(pixels, "costs", 76, 226, BLACK), _text(pixels, "sales", 176, 226, BLACK))
    scene = Scene(pixels, Box(20, 0, 410, 200), labels, labels, X, Y)
    assert sample_name(scene, RED) == "costs"
    assert sample_name(scene, BLUE) == "sales"
    assert sample_name(scene, BLUE, {"sales"}) == ""
    assert set(_names(pixels, labels)) == {"costs", "sales"}


def test_a_text_on_a_ground_of_the_lines_colour_is_no_name() -> None:
    pixels = _two_lines()
    pixels[205:238, 60:200] = BLUE
    label = _text(pixels, "Our World", 100, 226, (255, 255, 255))
    assert sample_name(Scene(pixels, Box(20, 0, 410, 200), (label,)), BLUE) == ""


@pytest.mark.parametrize(("read", "plain"), [("•Tonga", "Tonga"), ("— Men", "Men"), ("A-B", "A-B"), ("-", "")])
def test_markers_read_as_characters_are_no_part_of_names(read: str, plain: str) -> None:
    assert plain_name(read) == plain


def test_the_colour_of_a_text_is_that_of_its_strokes() -> None:
    pixels = np.full((40, 120, 3), 255, np.uint8)
    label = _text(pixels, "North", 10, 25, RED)
    assert np.abs(np.subtract(text_color(pixels, label.box, (255, 255, 255)), RED)).max() < 40


def test_printed_values_win_over_measured_ones() -> None:
    pixels = _two_lines()
    labels = (_text(pixels, "76.4", 26, 44, BLACK), _text(pixels, "999", 230, 66, BLACK))
    read = read_lines(Scene(pixels, Box(20, 0, 410, 200), labels, labels, X, Y))
    assert read is not None
    points = {p.x: p for s in read for p in s.points if s.color is not None and s.color.startswith("#1f")}
    assert points["2"].y == 76.4
    assert points["2"].source is PointSource.PRINTED
    assert points["4"].source is PointSource.MEASURED
    assert all(p.y != 999 for p in points.values())


def test_printed_values_give_the_scale_where_there_is_no_axis() -> None:
    xs = np.arange(400) + 0.5
    y = 150 - 0.2 * xs
    trace = Trace(xs, y, y - 1, y + 1, 2.0)
    free = tuple(
        Label(f"{value}", Box(x - 10, 150 - 0.2 * x - 18, x + 10, 150 - 0.2 * x - 6))
        for x, value in ((20, 54), (100, 70), (200, 90), (300, 110), (380, 126), (350, 3))
    )
    axis = axis_from_printed(Scene(np.zeros((1, 1, 3), np.uint8), Box(0, 0, 400, 200), free=free), [trace])
    assert axis is not None
    assert axis.value_at(150 - 0.2 * 150) == pytest.approx(80, abs=1)
    assert axis.confidence < 0.9
    assert axis_from_printed(Scene(np.zeros((1, 1, 3), np.uint8), Box(0, 0, 9, 9), free=free[:3]), [trace]) is None


def test_the_full_trace_has_a_point_for_each_column() -> None:
    pixels = _two_lines()
    lines = find_lines(Scene(pixels, Box(20, 0, 410, 200), (), (), X, Y))
    assert len(lines) == 2
    trace = full_trace(lines[0], X, Y)
    assert len(trace.points) == pytest.approx(260, abs=5)
    for point in trace.points[5:-5]:
        assert point.place is not None
        assert point.y == pytest.approx(Y.value_at(point.place[1]), abs=0.1)
