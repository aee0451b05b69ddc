"""The readers of lines, areas, clouds, pies and boxes find the values that drawn charts show."""

from __future__ import annotations

import pytest

from mineru_core.document.chart import Series
from mineru_core.engines.embedded.charts.areas import read_areas
from mineru_core.engines.embedded.charts.boxes import read_boxes
from mineru_core.engines.embedded.charts.lines import read_lines
from mineru_core.engines.embedded.charts.pie import read_pie
from mineru_core.engines.embedded.charts.scatter import read_scatter
from mineru_core.engines.embedded.charts.scene import Scene
from tests.engines.embedded.charts.accuracy import Reader, assert_found, read_all
from tests.engines.embedded.charts.drawn import draw


def _pie(scene: Scene) -> list[Series] | None:
    return read_pie(scene.pixels, scene.free, scene.legend)


READERS: dict[str, Reader] = {
    "line": read_lines,
    "lines": read_lines,
    "lines_markers": read_lines,
    "lines_dashed": read_lines,
    "lines_steps": read_lines,
    "lines_labelled": read_lines,
    "lines_log": read_lines,
    "area": read_areas,
    "areas_stacked": read_areas,
    "scatter": read_scatter,
    "pie": _pie,
    "donut": _pie,
    "boxes": read_boxes,
    "error_bars": read_boxes,
}

SMALL_SHARES = {"scatter": 0.55, "lines_dashed": 0.65, "lines_steps": 0.6}
"""Of thin dashes, rings and steps a strong JPEG leaves little."""


@pytest.mark.parametrize("kind", READERS)
def test_values_of_clean_charts_are_found(kind: str) -> None:
    assert_found(read_all(kind, range(3), READERS[kind]))


@pytest.mark.parametrize("kind", READERS)
def test_small_charts_that_went_through_a_jpeg_are_read_nearly_as_well(kind: str) -> None:
    share = SMALL_SHARES.get(kind, 0.75)
    assert_found(read_all(kind, range(102, 104), READERS[kind], clean=False), share, sure_share=0.9)


@pytest.mark.long
@pytest.mark.parametrize("kind", READERS)
def test_values_of_many_clean_charts_are_found(kind: str) -> None:
    assert_found(read_all(kind, range(1000, 1036), READERS[kind]))


@pytest.mark.long
@pytest.mark.parametrize("kind", READERS)
def test_values_of_many_small_charts_are_found(kind: str) -> None:
    read = read_all(kind, range(2000, 2036), READERS[kind], clean=False)
    assert_found(read, SMALL_SHARES.get(kind, 0.8), sure_share=0.85)


@pytest.mark.parametrize(
    ("kind", "reader"),
    [
        ("bars", read_lines),
        ("bars_grouped", read_lines),
        ("bars_stacked", read_areas),
        ("bars", read_areas),
        ("lines", read_areas),
        ("areas_stacked", read_lines),
        ("bars_stacked", _pie),
        ("lines", _pie),
        ("scatter", _pie),
        ("bars", read_boxes),
        ("lines", read_scatter),
        ("bars_grouped", read_scatter),
    ],
)
def test_a_reader_reads_nothing_in_charts_of_other_kinds(kind: str, reader: Reader) -> None:
    assert [seed for seed in range(2) if reader(draw(kind, seed).scene)] == []
