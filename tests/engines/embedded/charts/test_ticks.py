from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.axes import find_axes
from mineru_core.engines.embedded.charts.grid import rulings
from mineru_core.engines.embedded.charts.scene import Label
from mineru_core.engines.embedded.charts.ticks import axis_of, scale_of, ticks_of

HEIGHT = 12.0


def _column(texts: list[str], step: float = 40.0, right: float = 60.0) -> list[Label]:
    """Labels one below the other that end at the same place."""
    return [
        Label(text, Box(right - 8 * len(text), 20 + i * step - 6, right, 20 + i * step + 6))
        for i, text in enumerate(texts)
    ]


def _scale(texts: list[str]):
    return scale_of(ticks_of(_column(texts), vertical=True), HEIGHT)


@given(st.integers(-1000, 1000), st.integers(1, 500), st.integers(3, 9), st.floats(-1, 1), st.booleans())
def test_a_scale_gives_its_ticks_back(first: int, step: int, count: int, off: float, falls: bool) -> None:
    values = [first + step * i for i in range(count)]
    values = values[::-1] if falls else values
    labels = _column([str(v) for v in values])
    moved = [Label(la.text, la.box.shifted(0, off * (i % 2)), la.confidence) for i, la in enumerate(labels)]
    scale = scale_of(ticks_of(moved, vertical=True), HEIGHT)
    assert scale is not None
    axis = axis_of(scale, vertical=True)
    assert not axis.log
    for i, value in enumerate(values):
        assert axis.value_at(20 + i * 40) == pytest.approx(value, abs=0.05 * step)
        assert axis.pixel_at(value) == pytest.approx(20 + i * 40, abs=2)


def test_a_misread_tick_is_thrown_out() -> None:
    scale = _scale(["100", "80", "6O", "90", "20", "0"])
    assert scale is not None
    assert [tick.label.text for tick in scale.ticks] == ["100", "80", "6O", "20", "0"]
    assert axis_of(scale, vertical=True, thrown_out=1).confidence < axis_of(scale, vertical=True).confidence


def test_powers_of_ten_are_a_logarithmic_scale() -> None:
    scale = _scale(["1000", "100", "10", "1"])
    assert scale is not None
    axis = axis_of(scale, vertical=True)
    assert axis.log
    assert axis.value_at(40) == pytest.approx(10**2.5)
    assert axis.pixel_at(10) == pytest.approx(100)


def test_units_and_multipliers_count() -> None:
    scale = _scale(["1.5 M", "1 M", "500k", "0"])
    assert scale is not None
    assert axis_of(scale, vertical=True).value_at(80) == pytest.approx(750e3)
    percent = _scale(["100%", "50%", "0%"])
    assert percent is not None
    assert axis_of(percent, vertical=True).unit == "%"


def test_years_are_told_from_other_numbers() -> None:
    years, others = _scale(["1990", "2000", "2010"]), _scale(["1,990", "2,000", "2,010"])
    assert years is not None
    assert others is not None
    assert axis_of(years, vertical=True).dates
    assert not axis_of(others, vertical=True).dates


def test_equal_or_no_numbers_are_no_scale() -> None:
    assert _scale(["60%", "60%", "60%"]) is None
    assert _scale(["Male", "Female"]) is None


def test_years_are_no_powers_of_ten() -> None:
    """Of a few years the logarithms stand as evenly as the years, and by chance more evenly."""
    labels = _column([str(year) for year in range(2008, 2018)])
    moved = [Label(la.text, la.box.shifted(0, 6 if i == 9 else 0), la.confidence) for i, la in enumerate(labels)]
    scale = scale_of(ticks_of(moved, vertical=True), 6.0)
    assert scale is not None
    assert not scale.log
    assert scale_of(ticks_of(_column(["1", "10", "100", "1000"]), vertical=True), HEIGHT).log  # type: ignore[union-attr]


def test_marks_between_the_powers_of_ten_do_not_move_a_logarithmic_axis() -> None:
    """Marks of ticks stand at 2, 3, … times each power as well: near enough to be taken for those of the labels."""
    pixels = np.full((300, 300, 3), 255, np.uint8)
    pixels[20:281, 70] = pixels[280, 70:281] = 40
    labels = [Label(str(10 ** (4 - i)), Box(20, 34 + 60 * i, 60, 46 + 60 * i)) for i in range(4)]
    for i, extra in enumerate((5, 5, -5, -5)):
        at = 40 + 60 * i + extra
        pixels[at, 64:120] = 40
    axis = find_axes(labels, 300, HEIGHT, rulings(pixels, vertical=False), rulings(pixels, vertical=True)).y
    assert axis is not None
    assert axis.axis.log
    assert axis.axis.pixel_at(1000.0) == pytest.approx(100, abs=1)


@pytest.mark.parametrize(("texts", "log"), [(["10000", "1000"], True), (["20", "10"], False), (["10", "1"], False)])
def test_two_neighbouring_powers_of_ten_alone_are_a_logarithmic_scale(texts: list[str], log: bool) -> None:
    scale = _scale(texts)
    assert scale is not None
    assert scale.log == log
    assert axis_of(scale, vertical=True).confidence < 0.7


def test_level_pieces_near_some_ticks_are_not_their_lines() -> None:
    """All labels stand as far from the lines of their grid; pieces of a line in steps stand where its values are."""
    pixels = np.full((300, 300, 3), 255, np.uint8)
    labels = [Label(str(40 - 10 * i), Box(20, 34 + 50 * i, 60, 46 + 50 * i)) for i in range(5)]
    for i, off in enumerate((0, 2, 4)):
        pixels[40 + 50 * (i + 1) - off, 90 + 40 * i : 170 + 40 * i] = (31, 119, 180)
    axis = find_axes(labels, 300, HEIGHT, rulings(pixels, vertical=False), rulings(pixels, vertical=True)).y
    assert axis is not None
    assert axis.axis.pixel_at(0.0) == pytest.approx(240, abs=0.5)
