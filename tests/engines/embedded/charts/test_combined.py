"""Bars with lines across them, on one scale or on two."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mineru_core.document.chart import ChartKind
from mineru_core.engines.embedded.charts.bars import bars_of
from mineru_core.engines.embedded.charts.combined import lines_over, on_their_axes, without_lines
from mineru_core.engines.embedded.charts.reading import ChartReading, chart_of
from mineru_core.engines.embedded.charts.scene import LegendEntry
from mineru_core.runtime.context import RunContext
from tests.engines.embedded.charts.accuracy import CLOSE
from tests.engines.embedded.charts.drawn import draw, misses

BOTH = ["bars_line", "bars_line_axes"]


def check_lines(kind: str, seeds: range) -> None:
    close, every = 0, 0
    for seed in seeds:
        drawn = draw(kind, seed)
        bars = bars_of(without_lines(drawn.scene))
        lines = () if bars is None else lines_over(drawn.scene, bars)
        assert all(line.kind is ChartKind.LINE for line in lines)
        found = misses(drawn, [*(() if bars is None else bars.series), *lines])
        close += sum(miss.error <= CLOSE for miss in found)
        every += len(found)
    assert close >= 0.95 * every


@pytest.mark.parametrize("kind", BOTH)
def test_a_line_across_bars_is_read(kind: str) -> None:
    check_lines(kind, range(5))


@pytest.mark.long
@pytest.mark.parametrize("kind", BOTH)
def test_many_lines_across_bars_are_read(kind: str) -> None:
    check_lines(kind, range(1000, 1250))


def test_of_two_scales_custom_gives_the_right_one_to_the_line() -> None:
    drawn = draw("bars_line_axes", 1)
    reading = chart_of(drawn.pixels, drawn.scene.labels, RunContext())
    assert isinstance(reading, ChartReading)
    *bars, line = reading.chart.series
    assert (line.kind, line.on_second_axis) == (ChartKind.LINE, True)
    assert all(bar.kind is None and not bar.on_second_axis for bar in bars)
    assert reading.chart.second_y_axis is not None
    assert reading.chart.kind is ChartKind.BAR


@pytest.mark.parametrize("kind", ["bars", "bars_grouped", "bars_stacked", "error_bars"])
def test_bars_alone_have_no_line(kind: str) -> None:
    for seed in range(4):
        scene = draw(kind, seed).scene
        bars = bars_of(without_lines(scene))
        assert bars is None or lines_over(scene, bars) == ()


def test_a_rule_that_nothing_names_is_no_series() -> None:
    scene = draw("bars", 3).scene
    pixels = scene.pixels.copy()
    level = round(scene.plot.y0 + 0.4 * scene.plot.height)
    pixels[level : level + 2, round(scene.plot.x0) : round(scene.plot.x1)] = (200, 30, 40)
    ruled = replace(scene, pixels=pixels)
    bars = bars_of(without_lines(ruled))
    assert bars is not None
    assert lines_over(ruled, bars) == ()


def test_a_grid_of_the_colour_of_bars_is_no_line() -> None:
    scene = draw("bars_grouped", 2).scene
    color = scene.legend[0].color
    assert color is not None
    pixels = scene.pixels.copy()
    for share in (0.2, 0.4, 0.6, 0.8):
        level = round(scene.plot.y0 + share * scene.plot.height)
        pixels[level, round(scene.plot.x0) : round(scene.plot.x1) : 2] = color
    ruled = replace(scene, pixels=pixels)
    assert without_lines(ruled) is ruled


def test_bars_whose_name_says_so_are_measured_on_the_right() -> None:
    drawn = draw("bars_line_axes", 2)
    bars = bars_of(without_lines(drawn.scene))
    assert bars is not None
    axis = drawn.scene.second_y
    assert axis is not None
    series = [bars.series[0].model_copy(update={"name": "Exports (right axis)"}), *bars.series[1:]]
    moved, *others = on_their_axes(drawn.scene, series)
    assert moved.on_second_axis
    for point in moved.points:
        assert point.place is not None
        assert point.y == pytest.approx(axis.value_at(point.place[1]), rel=0.01)
    assert others == series[1:]
    one = replace(drawn.scene, second_y=None)
    assert on_their_axes(one, series) == tuple(series)


def test_entries_of_a_legend_that_are_bars_are_no_lines() -> None:
    drawn = draw("bars_line", 4)
    named = tuple(entry for entry in drawn.scene.legend if entry.marker != "line")
    assert named
    scene = replace(drawn.scene, legend=(*named, LegendEntry("Elsewhere", None)))
    bars = bars_of(without_lines(scene))
    assert bars is not None
    assert lines_over(scene, bars) == ()
