from __future__ import annotations

import pytest

from mineru_core.document.analysis import Block, BlockType, Part
from mineru_core.document.chart import Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box
from mineru_core.document.task import Answer, TaskKind
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


@pytest.mark.parametrize(
    ("words", "names", "xs"),
    [
        ("chart data for Total", ["Total"], ["Cooking", "女性"]),
        ("chart data for Cooking", ["Total", "Other"], ["Cooking"]),
        ("the series Cooking in the chart", ["Total", "Other"], ["Cooking"]),
        ("chart: series Other for Cooking", ["Other"], ["Cooking"]),
        ("Cooking 的数值", ["Total", "Other"], ["Cooking"]),
        ("女性的数据", ["Total", "Other"], ["女性"]),
        ("Other 的数据", ["Other"], ["Cooking", "女性"]),
        ("the values of Cooking", ["Total", "Other"], ["Cooking"]),
    ],
)
def test_a_name_is_the_series_or_category_that_is_called_so(words: str, names: list[str], xs: list[str]) -> None:
    found = ask(words, *(series(name, xs=("Cooking", "女性")) for name in ("Total", "Other")))
    assert [s.name for s in found.charts[0].series] == names
    assert [[p.x for p in s.points] for s in found.charts[0].series] == [xs] * len(names)
    assert (found.kind, found.notes) == (TaskKind.CHARTS, ())


def test_values_that_no_chart_has_are_looked_for_as_a_field() -> None:
    assert Part.CHARTS in parse_words("女性的数据").parts
    found = ask("男性的数据", series("Total"))
    assert (found.kind, found.charts, [field.name for field in found.fields]) == (TaskKind.FIELDS, (), ["男性"])


def test_where_a_chart_stands_and_no_table_the_answer_says_so() -> None:
    shown = Block(type=BlockType.CHART, box=Box(0, 0, 9, 9), order=0)
    found = answer(document(page(shown)), parse_words("包含 Walks 的行"))
    assert [note.code for note in found.notes] == ["charts-only"]
