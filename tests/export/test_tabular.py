from __future__ import annotations

import csv
import io

from hypothesis import given

from mineru_core.document.chart import Axis, Chart, ChartKind, Point, PointSource, Series
from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Change, ChangeKind, FieldValue, Quote
from mineru_core.export import (
    changes_to_csv,
    chart_to_csv,
    chart_to_long_csv,
    fields_to_csv,
    quotes_to_csv,
    table_to_csv,
)
from mineru_core.export.guard import guard, unguard
from tests.export.strategies import sales_chart, tables


def read(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


@given(tables())
def test_a_reader_gets_the_guarded_texts_back(table: Table) -> None:
    expected = [[text.replace("\0", "") for text in row] for row in table.rows()]
    data = table_to_csv(table)
    assert read(data) == [[guard(text) for text in row] for row in expected]
    assert [[unguard(text) for text in row] for row in read(data)] == expected
    assert read(table_to_csv(table, guard=False)) == expected


def test_bytes_are_as_spreadsheets_want_them() -> None:
    table = Table.from_rows([["项目", 'say "hi"'], ["a,b", "two\nlines"], ["", "=1"]])
    assert table_to_csv(table) == (b"\xef\xbb\xbf" + '项目,"say ""hi"""\r\n"a,b","two\nlines"\r\n,\'=1\r\n'.encode())


def test_a_spanning_text_stands_in_its_first_place() -> None:
    cells = (Cell(row=0, col=0, colspan=2, text="Both"), Cell(row=1, col=0, text="a"), Cell(row=1, col=1, text="b"))
    assert read(table_to_csv(Table(n_rows=2, n_cols=2, cells=cells))) == [["Both", ""], ["a", "b"]]


def test_an_empty_table_gives_an_empty_file() -> None:
    assert table_to_csv(Table(n_rows=0, n_cols=0)) == b"\xef\xbb\xbf"


def test_a_chart_is_wide_and_its_numbers_are_plain() -> None:
    assert read(chart_to_csv(sales_chart())) == [
        ["Quarter", "2023", "2024"],
        ["Q1", "1.5", ""],
        ["Q2", "12345678901", "0.3"],
        ["Q3", "", ""],
    ]


def test_a_chart_in_long_form_has_a_row_for_each_point() -> None:
    chart = sales_chart().model_copy(
        update={
            "y_axis": Axis(unit="t"),
            "second_y_axis": Axis(unit="%"),
            "series": (
                Series(name="=Sales", points=(Point(x="Q1", y=1.5, confidence=0.934), Point(x="Q1", y=None))),
                Series(name="Share", points=(Point(x="Q1", y=1e-7, source=PointSource.PRINTED),), on_second_axis=True),
            ),
        }
    )
    assert read(chart_to_long_csv(chart)) == [
        ["series", "x", "value", "unit", "confidence", "source"],
        ["'=Sales", "Q1", "1.5", "t", "0.93", "measured"],
        ["'=Sales", "Q1", "", "t", "1.00", "measured"],
        ["Share", "Q1", "0.0000001", "%", "1.00", "printed"],
    ]
    assert read(chart_to_long_csv(chart, guard=False))[1][0] == "=Sales"


def test_a_chart_writes_no_exponents_and_no_nan() -> None:
    values = {"a": 1.2e16, "b": 1e-7, "c": float("nan"), "d": -2.5e10}
    chart = Chart(
        kind=ChartKind.LINE, series=(Series(name="s", points=tuple(Point(x=x, y=y) for x, y in values.items())),)
    )
    assert read(chart_to_csv(chart))[1:] == [
        ["a", "12000000000000000"],
        ["b", "0.0000001"],
        ["c", ""],
        ["d", "-25000000000"],
    ]


def test_fields_found_and_not_found() -> None:
    fields = [
        FieldValue(name="发票号码", label="发票号码：", value="00123", page=2, box=Box(0, 0, 1, 1), confidence=0.9),
        FieldValue(name="total"),
    ]
    assert read(fields_to_csv(fields)) == [
        ["field", "value", "label", "page", "confidence"],
        ["发票号码", "00123", "发票号码：", "2", "0.90"],
        ["total", "", "", "", ""],
    ]


def test_changes_have_their_places() -> None:
    changes = [
        Change(
            kind=ChangeKind.CHANGED,
            before="10",
            after="=12",
            before_page=1,
            after_page=3,
            before_box=Box(1, 2, 3.4, 4.6),
            after_box=Box(5, 6, 7, 8),
            row=0,
            col=1,
            confidence=0.5,
        ),
        Change(kind=ChangeKind.ADDED, after="new", after_page=2, after_box=Box(0, 0, 9, 9)),
    ]
    assert read(changes_to_csv(changes))[1:] == [
        ["changed", "10", "'=12", "1", "1, 2, 3, 5", "3", "5, 6, 7, 8", "1", "2", "0.50"],
        ["added", "", "new", "", "", "2", "0, 0, 9, 9", "", "", "1.00"],
    ]
    assert read(changes_to_csv(changes, guard=False))[1][2] == "=12"


def test_quotes_have_their_places() -> None:
    quotes = [Quote(text="It ends soon.", page=2, box=Box(0, 0, 1, 1), confidence=0.25)]
    assert read(quotes_to_csv(quotes)) == [
        ["text", "page", "place", "confidence"],
        ["It ends soon.", "2", "0, 0, 1, 1", "0.25"],
    ]
