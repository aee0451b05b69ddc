from __future__ import annotations

import pytest

from mineru_core.document.analysis import Block, BlockType
from mineru_core.document.chart import Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box
from mineru_core.document.task import Answer
from mineru_core.instruct import answer, parse_words
from tests.instruct.pages import document, page


def series(name: str, color: str | None = None, xs: tuple[str, ...] = ("2014", "2015年", "Q1 2016")) -> Series:
    return Series(name=name, color=color, points=tuple(Point(x=x, y=float(i)) for i, x in enumerate(xs)))


def ask(words: str, *found: Series) -> Answer:
    chart = Chart(kind=ChartKind.LINE, series=found or (series("Revenue", "#1f77b4"), series("Cost", "#d62728")))
    return answer(
        document(page(Block(type=BlockType.CHART, box=Box(0, 0, 9, 9), order=0, chart=chart))), parse_words(words)
    )


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("only the blue line", ["Revenue"]),
        ("红线的数值", ["Cost"]),
        ("the revenu series from the chart", ["Revenue"]),
        ("the series 'Cost' in the chart", ["Cost"]),
        ("red and blue lines", ["Revenue", "Cost"]),
    ],
)
def test_series_are_chosen_by_name_or_colour(words: str, names: list[str]) -> None:
    found = ask(words)
    assert [s.name for s in found.charts[0].series] == names
    assert found.notes == ()


@pytest.mark.parametrize(
    ("words", "xs"), [("values for 2014", ["2014"]), ("2015年的数值", ["2015年"]), ("data for 2016", ["Q1 2016"])]
)
def test_points_are_chosen_by_what_stands_at_the_axis(words: str, xs: list[str]) -> None:
    found = ask(words)
    assert [[p.x for p in s.points] for s in found.charts[0].series] == [xs, xs]
    assert found.notes == ()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("the green line", "no-such-series"),
        ("the series 'Profit' in the chart", "no-such-series"),
        ("values for 1999", "no-such-point"),
    ],
)
def test_what_is_not_in_the_chart_is_said_and_all_is_given(words: str, code: str) -> None:
    found = ask(words)
    assert [note.code for note in found.notes] == [code]
    assert len(found.charts[0].series) == 2


def test_colours_that_are_not_known_are_said() -> None:
    assert [note.code for note in ask("only the blue line", series("Revenue")).notes] == ["chart-colours-unknown"]
