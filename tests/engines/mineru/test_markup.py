from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.chart import ChartKind
from mineru_core.document.geometry import Box
from mineru_core.engines.mineru.markup import chart_from_markdown, rows_from_markdown, table_from_html

CHART = "| Year | Sales | Costs |\n| --- | ---: | --- |\n| 2024 | 1,200 | $3.5m |\n| 2025 | −7 % | n/a |"


def test_a_table_in_html_with_spans_and_heads() -> None:
    table = table_from_html(
        "<table><tr><th colspan=2>a &amp; b</th></tr>"
        "<tr><td rowspan='2'>c</td><td>d<br>e</td></tr><tr><td>f</td></tr></table>"
    )
    assert table is not None
    assert table.rows() == [["a & b", ""], ["c", "d\ne"], ["", "f"]]
    assert [(c.rowspan, c.colspan, c.header) for c in table.cells] == [
        (1, 2, True),
        (2, 1, False),
        (1, 1, False),
        (1, 1, False),
    ]


def test_a_span_that_would_reach_over_another_cell_is_cut_short() -> None:
    table = table_from_html(
        "<table><tr><td>a</td><td rowspan=9>b</td></tr><tr><td colspan=3>c</td><td>d</td></tr></table>"
    )
    assert table is not None
    assert [(c.row, c.col, c.rowspan, c.colspan) for c in table.cells] == [
        (0, 0, 1, 1),
        (0, 1, 2, 1),
        (1, 0, 1, 1),
        (1, 2, 1, 1),
    ]


def test_a_table_within_a_cell_is_not_taken_for_rows() -> None:
    table = table_from_html("<table><tr><td>a<table><tr><td>x</td></tr></table></td></tr></table><table><tr><td>y")
    assert table is not None
    assert table.n_rows == table.n_cols == 1


@given(st.lists(st.sampled_from(["<table>", "</table>", "<tr>", "<td>", "<td colspan=3 rowspan=2>", "</td>", "x"])))
def test_whatever_is_written_gives_a_sound_table_or_none(pieces: list[str]) -> None:
    table = table_from_html("".join(pieces))
    assert table is None or table.cells


def test_a_markdown_table_is_a_chart_with_a_series_a_column() -> None:
    chart = chart_from_markdown(CHART, "Bar chart", Box(1, 2, 3, 4), 0.5)
    assert chart is not None
    assert (chart.kind, chart.box, chart.confidence) == (ChartKind.BAR, Box(1, 2, 3, 4), 0.5)
    assert [(s.name, [(p.x, p.y) for p in s.points]) for s in chart.series] == [
        ("Sales", [("2024", 1200.0), ("2025", -7.0)]),
        ("Costs", [("2024", 3.5), ("2025", None)]),
    ]


@pytest.mark.parametrize("text", ["", "flowchart TD", "| a | b |", "a | b\nc | d", "| a |\n|---|\n| 1 |"])
def test_what_is_no_table_is_no_chart(text: str) -> None:
    assert chart_from_markdown(text, "", Box(0, 0, 1, 1), 1.0) is None


def test_bars_within_cells_are_kept() -> None:
    assert rows_from_markdown("a | b\\|c\n---|---\n1 | 2\\|") == [["a", "b|c"], ["1", "2|"]]
