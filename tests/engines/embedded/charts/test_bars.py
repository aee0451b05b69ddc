"""Bars are found with the values that they were drawn with, whatever stands on them."""

from __future__ import annotations

import pytest

from mineru_core.document.chart import PointSource
from mineru_core.engines.embedded.charts.bars import bars_of, read_bars
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
