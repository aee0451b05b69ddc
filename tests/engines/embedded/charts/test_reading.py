"""From pixels and texts to a chart, and why some pictures are none; the texts are those that were drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mineru_core.document.chart import ChartKind
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.parts import Line
from mineru_core.engines.embedded.charts.reading import ChartReading, NotAChart, chart_of, read_chart, resized
from mineru_core.engines.embedded.charts.scene import Label
from mineru_core.runtime.context import RunContext
from tests.engines.embedded.charts.accuracy import CLOSE
from tests.engines.embedded.charts.drawn import Drawn, draw, misses

KIND_OF = {
    "bars": ChartKind.BAR,
    "bars_horizontal": ChartKind.BAR,
    "bars_grouped": ChartKind.BAR,
    "bars_stacked": ChartKind.BAR,
    "bars_percent": ChartKind.BAR,
    "bars_line": ChartKind.BAR,
    "bars_line_axes": ChartKind.BAR,
    "line": ChartKind.LINE,
    "lines": ChartKind.LINE,
    "lines_markers": ChartKind.LINE,
    "area": ChartKind.AREA,
    "areas_stacked": ChartKind.AREA,
    "lines_steps": ChartKind.LINE,
    "scatter": ChartKind.SCATTER,
    "pie": ChartKind.PIE,
    "donut": ChartKind.PIE,
}


def _read(drawn: Drawn) -> ChartReading | NotAChart:
    return chart_of(drawn.pixels, drawn.scene.labels, RunContext())


@pytest.mark.parametrize("kind", KIND_OF)
def test_a_chart_is_read_from_its_pixels_and_texts(kind: str) -> None:
    close, every, kinds = 0, 0, []
    for seed in range(2):
        drawn = draw(kind, seed)
        reading = _read(drawn)
        assert isinstance(reading, ChartReading), (kind, seed, reading)
        kinds.append(reading.chart.kind)
        found = misses(drawn, reading.chart.series)
        close += sum(miss.error <= CLOSE for miss in found)
        every += len(found)
    assert kinds == [KIND_OF[kind]] * 2
    assert close >= 0.9 * every


@pytest.mark.long
@pytest.mark.parametrize("kind", KIND_OF)
def test_many_charts_are_read_from_pixels_and_texts(kind: str) -> None:
    close, every = 0, 0
    for seed in range(1000, 1040):
        drawn = draw(kind, seed)
        reading = _read(drawn)
        found = misses(drawn, reading.chart.series if isinstance(reading, ChartReading) else None)
        close += sum(miss.error <= CLOSE for miss in found)
        every += len(found)
    assert close >= 0.9 * every


@pytest.mark.parametrize("kind", ["bars", "bars_grouped", "lines", "scatter", "area"])
def test_marks_without_any_number_are_no_chart(kind: str) -> None:
    drawn = draw(kind, 1)
    words = [label for label in drawn.scene.labels if not any(c.isdigit() for c in label.text)]
    assert isinstance(chart_of(drawn.pixels, words, RunContext()), NotAChart)


def test_noise_and_empty_pictures_are_no_charts() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (300, 400, 3)).astype(np.uint8)
    labels = [Label(str(n), Box(20, 40 * n, 40, 40 * n + 12)) for n in range(1, 6)]
    assert isinstance(chart_of(noise, labels, RunContext()), NotAChart)
    blank = np.full((300, 400, 3), 255, np.uint8)
    assert isinstance(chart_of(blank, labels, RunContext()), NotAChart)
    assert isinstance(read_chart(blank, [], RunContext()), NotAChart)
    assert isinstance(read_chart(blank[:30], [_line("1", Box(0, 0, 9, 9))], RunContext()), NotAChart)


def test_a_small_picture_is_read_enlarged_and_its_places_are_its_own() -> None:
    drawn = draw("bars", 2)
    half = drawn.pixels[: drawn.pixels.shape[0] // 2 * 2 : 2, : drawn.pixels.shape[1] // 2 * 2 : 2]
    small = np.ascontiguousarray(half[:400, :480])
    asked: list[tuple[int, ...]] = []

    def reread(pixels: np.ndarray) -> list[Line]:
        asked.append(pixels.shape)
        return []

    times = -(-500 // max(small.shape[:2]))
    read_chart(small, [_line("1", Box(0, 0, 9, 9))], RunContext(), reread)
    assert asked == [(small.shape[0] * times, small.shape[1] * times, 3)]
    whole, same = _read(drawn), chart_of(drawn.pixels, drawn.scene.labels, RunContext(), 2.0)
    assert isinstance(whole, ChartReading)
    assert isinstance(same, ChartReading)
    first, other = whole.chart.series[0].points[0], same.chart.series[0].points[0]
    assert first.place is not None
    assert other.place == (first.place[0] / 2, first.place[1] / 2)
    assert other.y == first.y
    at = whole.chart.y_axis.value_at(first.place[1])
    assert at == pytest.approx(first.y, rel=0.01)


def test_axes_can_be_measured_by_their_marks() -> None:
    reading = _read(draw("bars_horizontal", 0))
    assert isinstance(reading, ChartReading)
    axis = reading.chart.y_axis
    assert axis.is_calibrated
    assert axis.vertical is False
    for point in reading.chart.series[0].points:
        assert point.place is not None
        assert axis.value_at(point.place[0]) == pytest.approx(point.y, rel=0.02, abs=0.02 * abs(axis.marks[-1].value))


def test_a_resized_picture_keeps_its_type() -> None:
    picture = np.zeros((10, 20, 3), np.uint8)
    assert resized(picture, 3).shape == (30, 60, 3)
    assert resized(picture, 0.5).shape == (5, 10, 3)
    assert resized(picture, 3).dtype == np.uint8


def test_a_tick_that_disagrees_is_told() -> None:
    drawn = draw("bars", 3)
    numbers = [la for la in drawn.scene.labels if la.text.strip().isdigit() and la.box.x1 < drawn.scene.plot.x0]
    if len(numbers) < 4:
        pytest.skip("the drawing has too few ticks")
    wrong = replace(numbers[1], text=str(int(numbers[1].text) * 7 + 3))
    labels = [wrong if la is numbers[1] else la for la in drawn.scene.labels]
    reading = chart_of(drawn.pixels, labels, RunContext())
    assert isinstance(reading, ChartReading)
    assert any(wrong.text in warning for warning in reading.warnings)


def _line(text: str, box: Box) -> Line:
    return Line(text=text, box=box, quad=Quad.from_box(box))
