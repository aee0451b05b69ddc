from __future__ import annotations

import numpy as np
import pytest

from mineru_core.document.analysis import Block, BlockType, LineWord
from mineru_core.document.chart import Axis, AxisMark, Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.engines.embedded.turning import TurnBack, turned
from tests.engines.embedded.pages import line

WIDTH, HEIGHT = 60, 40


def _marked() -> tuple[np.ndarray, Box]:
    pixels = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    pixels[5:12, 20:50] = 255
    return pixels, Box(20, 5, 50, 12)


def _found(pixels: np.ndarray) -> Box:
    ys, xs = np.nonzero(pixels[:, :, 0])
    return Box(float(xs.min()), float(ys.min()), float(xs.max() + 1), float(ys.max() + 1))


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_box_found_on_the_turned_page_comes_back_to_its_place(degrees: int) -> None:
    pixels, box = _marked()
    assert TurnBack(degrees, WIDTH, HEIGHT).box(_found(turned(pixels, degrees))) == box


def test_a_quarter_turn_is_clockwise() -> None:
    pixels = np.zeros((2, 3, 3), np.uint8)
    pixels[0, 0] = 255
    assert turned(pixels, 90)[0, 1].all()


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_everything_in_a_block_comes_back(degrees: int) -> None:
    pixels, box = _marked()
    found = _found(turned(pixels, degrees))
    text = line("x", *found).model_copy(update={"words": (LineWord(text="x", box=found),)})
    table = Table(n_rows=1, n_cols=1, box=found, cells=(Cell(row=0, col=0, box=found),))
    block = Block(type=BlockType.TABLE, box=found, order=0, lines=(text,), table=table)
    back = TurnBack(degrees, WIDTH, HEIGHT).block(block)
    assert back.table is not None
    assert [back.box, back.lines[0].box, back.lines[0].words[0].box, back.table.box, back.table.cells[0].box] == [
        box
    ] * 5
    assert back.lines[0].quad.box == box
    # Text that had to be turned clockwise to stand upright is turned the other way round on the page as given.
    assert back.angle == 360 - degrees


def test_cells_without_a_place_stay_without() -> None:
    table = Table.from_rows([["a"]])
    block = Block(type=BlockType.TABLE, box=Box(0, 0, 4, 4), order=0, table=table)
    assert TurnBack(90, WIDTH, HEIGHT).block(block).table == table


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_chart_comes_back_with_its_points_and_axes(degrees: int) -> None:
    upright = (HEIGHT, WIDTH) if degrees % 180 else (WIDTH, HEIGHT)
    marks = (AxisMark(place=5.0, value=0.0), AxisMark(place=upright[1] - 5.0, value=1.0))
    chart = Chart(
        kind=ChartKind.BAR,
        box=Box(0, 0, *upright),
        y_axis=Axis(vertical=True, marks=marks),
        series=(Series(points=(Point(x="a", y=0.0, place=(10.0, 5.0)),)),),
    )
    block = Block(type=BlockType.CHART, box=Box(0, 0, *upright), order=0, chart=chart)
    back = TurnBack(degrees, WIDTH, HEIGHT).block(block).chart
    assert back is not None
    assert back.box == Box(0, 0, WIDTH, HEIGHT)
    place = back.series[0].points[0].place
    assert place is not None
    assert back.y_axis.vertical == (degrees == 180)
    along = place[1] if back.y_axis.vertical else place[0]
    assert back.y_axis.value_at(along) == pytest.approx(0.0, abs=1e-9)
    assert back.x_axis == Axis()
