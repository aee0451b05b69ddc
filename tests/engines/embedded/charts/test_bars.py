"""Bars are found with the values that they were drawn with, whatever stands on them."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from mineru_core.document.chart import PointSource
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.bars import bars_of, read_bars
from mineru_core.engines.embedded.charts.combined import without_lines
from mineru_core.engines.embedded.charts.scene import CategoryAxis, Label, LegendEntry, NumberAxis, Scene
from tests.engines.embedded.charts.accuracy import assert_found, read_all
from tests.engines.embedded.charts.drawn import draw

KINDS = ("bars", "bars_horizontal", "bars_grouped", "bars_stacked", "bars_percent")


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_clean_bars_are_found(kind: str) -> None:
    assert_found(read_all(kind, range(4), read_bars))


@pytest.mark.parametrize("kind", KINDS)
def test_small_bars_that_went_through_a_jpeg_are_read_nearly_as_well(kind: str) -> None:
    assert_found(read_all(kind, range(100, 102), read_bars, clean=False), share=0.75)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_values_of_many_clean_bars_are_found(kind: str) -> None:
    assert_found(read_all(kind, range(1000, 1050), read_bars))


@pytest.mark.parametrize("kind", ["line", "lines_dashed", "scatter", "pie", "donut", "areas_stacked"])
def test_other_marks_are_no_bars(kind: str) -> None:
    assert [seed for seed in range(3) if read_bars(draw(kind, seed).scene)] == []


def test_the_way_of_the_bars_is_told() -> None:
    upright, lying = bars_of(draw("bars", 1).scene), bars_of(draw("bars_horizontal", 1).scene)
    assert upright is not None
    assert lying is not None
    assert upright.vertical
    assert not lying.vertical


def test_a_value_says_where_it_comes_from() -> None:
    series = read_bars(draw("bars", 0).scene)
    assert series is not None
    sources = {point.source for one in series for point in one.points}
    assert sources <= {PointSource.MEASURED, PointSource.PRINTED}


def test_markers_of_a_line_are_no_bars() -> None:
    """Dots that stand far above zero and beside each other, as high as wide."""
    at = [(44, 135), (197, 149), (349, 162), (502, 164), (547, 158), (563, 158), (578, 156), (593, 156), (608, 152)]
    pixels = np.full((400, 640, 3), 255, np.uint8)
    cv2.polylines(pixels, [np.array(at, np.int32)], False, (179, 89, 0), 2, cv2.LINE_AA)
    for place in at:
        cv2.circle(pixels, place, 5, (179, 89, 0), -1, cv2.LINE_AA)
    years = NumberAxis(False, 0.0657, 1977.0, ticks=((1980.0, 45.0), (2010.0, 502.0)), dates=True)
    values = NumberAxis(True, -0.302, 98.0, ticks=((80.0, 59.5), (40.0, 192.5), (0.0, 324.5)))
    scene = Scene(pixels, Box(30, 48, 631, 324), x=years, y=values)
    assert bars_of(scene) is None


BLUE, DARK = (40, 118, 221), (15, 40, 62)
NAMES = ("Oak", "Ash", "Elm", "Fir", "Yew", "Bay", "Box", "Nut")


def _stage(heights: list[list[tuple[tuple[int, int, int], int]]], texts: tuple[Label, ...] = ()) -> Scene:
    """Stacks of segments (colour, height) from the foot on, a hundred pixels apart; a pixel is a unit."""
    pixels = np.full((400, 100 * len(heights) + 40, 3), 255, np.uint8)
    for index, segments in enumerate(heights):
        foot = 350
        for color, height in segments:
            pixels[foot - height : foot, 60 + 100 * index : 130 + 100 * index] = color
            foot -= height
    for label in texts:
        at = (round(label.box.x0) + 2, round(label.box.y1) - 3)
        cv2.putText(pixels, label.text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, (60, 60, 60), 1, cv2.LINE_AA)
    names = tuple((NAMES[i], 95.0 + 100 * i) for i in range(len(heights)))
    legend = (LegendEntry("first", BLUE, None, "bar"), LegendEntry("second", DARK, None, "bar"))
    ticks = tuple((100.0 * i, 350.0 - 100 * i) for i in range(4))
    plot = Box(40, 40, 100 * len(heights) + 40, 350)
    axis = NumberAxis(True, -1.0, 350.0, ticks=ticks)
    return Scene(pixels, plot, x=CategoryAxis(False, names), y=axis, labels=texts, free=texts, legend=legend)


def test_a_text_between_two_bars_joins_them_not() -> None:
    """It reaches over both of them and belongs to a lower bar below it."""
    texts = (Label("176", Box(124, 140, 164, 158)),)
    reading = bars_of(_stage([[(BLUE, 250)], [(BLUE, 240)], [(BLUE, 230)]], texts))
    assert reading is not None
    assert [round(p.y or 0) for p in reading.series[0].points] == [250, 240, 230]


def test_two_stacks_among_single_bars_are_stacks() -> None:
    heights = [[(BLUE, 200)], [(BLUE, 150), (DARK, 40)], [(BLUE, 180)], [(BLUE, 90), (DARK, 60)], *[[(BLUE, 120)]] * 4]
    reading = bars_of(_stage(heights))
    assert reading is not None
    assert reading.stacked
    second = next(one for one in reading.series if one.name == "second")
    assert {p.x: round(p.y or 0) for p in second.points} == {"Ash": 40, "Fir": 60}


def test_broad_stacks_close_together_are_no_lines() -> None:
    """What the rows they fill leave of them is thin."""
    scene = _stage([[(BLUE, 20), (DARK, 100 + 3 * i), ((181, 181, 181), 150)] for i in range(6)])
    pixels = cv2.resize(scene.pixels, (500, 400), interpolation=cv2.INTER_NEAREST)
    legend = (*scene.legend, LegendEntry("third", (181, 181, 181), None, "bar"))
    scene = replace(scene, pixels=pixels, plot=Box(30, 40, 500, 350), legend=legend)
    assert without_lines(scene) is scene
