from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels
from mineru_core.document.parts import BlockType, Line
from mineru_core.engines.embedded.charts.page import charts_of_page
from mineru_core.engines.embedded.charts.where import chart_areas, is_text_page
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.runtime.context import RunContext
from tests.engines.embedded.charts.drawn import draw


@dataclass(frozen=True)
class _Sheet:
    """A page of text with a chart on it at (x, y) of its picture."""

    pixels: Pixels
    lines: list[Line]
    chart: Box
    at: tuple[int, int]


def _line(text: str, box: Box) -> Line:
    return Line(text=text, box=box, quad=Quad.from_box(box))


def _sheet() -> _Sheet:
    drawn = draw("bars", 5)
    height, width = drawn.pixels.shape[:2]
    pixels = np.full((height + 900, width + 200, 3), 255, np.uint8)
    x, y = 100, 600
    pixels[y : y + height, x : x + width] = drawn.pixels
    lines = [_line("words " * 12, Box(100, 40 + 26 * n, width + 90, 60 + 26 * n)) for n in range(18)]
    lines += [_line(label.text, label.box.shifted(x, y)) for label in drawn.scene.labels if not label.turned]
    return _Sheet(pixels, lines, Box(x, y, x + width, y + height), (x, y))


def _nothing_again(pixels: Pixels) -> list[Line]:
    raise AssertionError("a large picture is not read again")


def test_a_picture_on_a_page_of_text_is_read_where_it_stands() -> None:
    sheet = _sheet()
    regions = [LayoutRegion(BlockType.IMAGE, sheet.chart, 0.9)]
    assert is_text_page(sheet.lines)
    (found,) = charts_of_page(sheet.pixels, regions, sheet.lines, [], RunContext(), _nothing_again)
    assert found.chart.box is not None
    assert found.chart.box.covered_by(sheet.chart.expanded(4)) > 0.99
    for point in found.chart.series[0].points:
        assert point.place is not None
        assert sheet.chart.contains(*point.place)


def test_a_page_of_text_without_pictures_has_no_charts() -> None:
    sheet = _sheet()
    assert charts_of_page(sheet.pixels, [], sheet.lines, [], RunContext(), _nothing_again) == []


def test_a_chart_that_fills_the_picture_is_found_without_the_layout() -> None:
    drawn = draw("bars_grouped", 2)
    lines = [_line(label.text, label.box) for label in drawn.scene.labels if not label.turned]
    found = charts_of_page(drawn.pixels, [], lines, [], RunContext(), _nothing_again)
    assert len(found) == 1


def test_several_pictures_are_looked_at_one_by_one() -> None:
    left, right = Box(20, 50, 480, 400), Box(520, 50, 980, 400)
    regions = [LayoutRegion(BlockType.IMAGE, box, 0.8) for box in (left, right)]
    areas = chart_areas(1000, 450, regions, [])
    assert len(areas) == 2
    assert all(area.covered_by(Box(0, 0, 1000, 450)) == 1 for area in areas)
    icon = LayoutRegion(BlockType.IMAGE, Box(0, 0, 30, 30), 0.9)
    assert chart_areas(1000, 450, [icon], []) == [Box(0, 0, 1000, 450)]


def test_a_table_that_fills_the_picture_is_no_chart() -> None:
    page = Box(0, 0, 1000, 450)
    table = LayoutRegion(BlockType.TABLE, Box(50, 50, 950, 400), 0.9)
    assert chart_areas(1000, 450, [table], []) == []
    picture = LayoutRegion(BlockType.IMAGE, Box(60, 60, 400, 380), 0.6)
    assert page in chart_areas(1000, 450, [table, picture], [])
    small = LayoutRegion(BlockType.TABLE, Box(50, 300, 950, 400), 0.9)
    assert chart_areas(1000, 450, [small], []) == [page]


def test_a_small_picture_is_read_again_only_where_it_may_be_a_chart() -> None:
    asked: list[tuple[int, ...]] = []

    def again(pixels: Pixels) -> list[Line]:
        asked.append(pixels.shape)
        return []

    pixels = np.full((120, 320, 3), 255, np.uint8)
    pixels[60, 20:300] = 0
    box = Box(0, 0, 320, 120)
    lines = [_line("Total", Box(20, 20, 80, 40)), _line("12.50", Box(220, 20, 280, 40))]
    assert charts_of_page(pixels, [], lines, [], RunContext(), again) == []
    picture = [LayoutRegion(BlockType.IMAGE, box, 0.9)]
    assert charts_of_page(pixels, picture, lines, [box], RunContext(), again) == []
    assert asked == []
    assert charts_of_page(pixels, picture, lines, [], RunContext(), again) == []
    assert asked
