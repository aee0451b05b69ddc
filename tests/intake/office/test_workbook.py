from __future__ import annotations

import io
from datetime import date, datetime, time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook as NewBook
from openpyxl.chart import BarChart, Reference

from mineru_core.document.chart import Chart
from mineru_core.document.table import Table
from mineru_core.errors import FileTooLarge, NoPages, UnsupportedType
from mineru_core.intake import open_document
from mineru_core.intake.office import workbook as workbook_module
from mineru_core.intake.office.dates import date_texts, is_date_format
from mineru_core.intake.office.sheets import XlsxFile
from mineru_core.intake.sniffing import XLSX
from tests.intake.office.decks import replaced, saved

texts = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cn", "Co")), min_size=1, max_size=12).filter(
    lambda text: not text.startswith("=") and text == text.strip()
)
numbers = st.integers(-(10**14), 10**14) | st.floats(-1e12, 1e12, allow_subnormal=False)


def table_of(book: Any, number: int = 1) -> Table:
    (table,) = XlsxFile(saved(book), 10_000_000).page(number, "b").natives
    assert isinstance(table, Table)
    return table


def new_book(rows: list[list[object]]) -> Any:
    book = NewBook()
    for row in rows:
        book.active.append(row)
    return book


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(texts | numbers, min_size=2, max_size=4), min_size=1, max_size=5))
def test_values_come_back_exactly(rows: list[list[Any]]) -> None:
    found = table_of(new_book([list(row) for row in rows])).rows()
    for wanted, line in zip(rows, found, strict=True):
        for value, text in zip(wanted, line, strict=False):
            assert float(text) == pytest.approx(value, rel=1e-14) if not isinstance(value, str) else text == value


def test_sorts_of_values() -> None:
    book = new_book(
        [
            ["text", 12, 0.1, True, False],
            [date(2016, 2, 29), datetime(2026, 1, 2, 3, 4), time(13, 30), None, "=A1"],
            [1e-7, 1e20, -0.5, "0012", " "],
        ]
    )
    assert table_of(book).rows() == [
        ["text", "12", "0.1", "TRUE", "FALSE"],
        ["2016-02-29", "2026-01-02 03:04", "13:30:00", "", "=A1"],
        ["1e-07", "1e+20", "-0.5", "0012", " "],
    ]


def test_the_used_range_is_the_table() -> None:
    book = NewBook()
    book.active["C4"], book.active["D6"] = "top", "bottom"
    assert table_of(book).rows() == [["top", ""], ["", ""], ["", "bottom"]]


def test_merged_cells_span() -> None:
    book = new_book([["Head", None, None], ["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]])
    book.active.merge_cells("A1:C1")
    book.active.merge_cells("B2:C3")
    spans = {(c.row, c.col): (c.rowspan, c.colspan) for c in table_of(book).cells if c.row < 3}
    assert spans == {(0, 0): (1, 3), (1, 0): (1, 1), (1, 1): (2, 2), (2, 0): (1, 1)}


def test_hidden_sheets_are_skipped() -> None:
    book = new_book([["first"]])
    book.create_sheet("secret").append(["secret"])
    book["secret"].sheet_state = "hidden"
    book.create_sheet("last").append(["last"])
    file = XlsxFile(saved(book), 10_000_000)
    assert file.page_count == 2
    assert [table_of(book, n).rows() for n in (1, 2)] == [[["first"]], [["last"]]]


def test_an_empty_sheet_is_an_empty_page() -> None:
    page = XlsxFile(saved(NewBook()), 10_000_000).page(1, "b")
    assert page.natives == ()
    assert page.text_layer is None


def test_words_lie_in_their_cells() -> None:
    page = XlsxFile(saved(new_book([["alpha", "beta"], ["gamma", 12.5]])), 10_000_000).page(1, "b")
    (table,) = page.natives
    assert isinstance(table, Table)
    words = {word.text: word.box for word in page.text_layer or ()}
    for cell in table.cells:
        assert cell.box is not None
        assert words[cell.text].covered_by(cell.box) > 0.99


def test_a_long_sheet_is_whole_though_not_all_of_it_is_seen() -> None:
    page = XlsxFile(saved(new_book([[n, f"row {n}"] for n in range(2000)])), 10_000_000).page(1, "b")
    (table,) = page.natives
    assert isinstance(table, Table)
    assert len(table.rows()) == 2000
    assert table.cells[0].box is not None
    assert table.cells[-1].box is None
    assert page.height <= 8000
    assert table.box is not None
    assert table.box.y1 <= page.height


@pytest.mark.parametrize("limit", [1_000_000, 50_000, 5])
def test_a_page_has_no_more_pixels_than_the_limit(limit: int) -> None:
    page = XlsxFile(saved(new_book([[n] * 5 for n in range(50)])), limit).page(1, "b")
    assert 0 < page.width * page.height <= limit
    (table,) = page.natives
    assert table.box is not None
    assert table.box.x1 <= page.width


def charted_book(title: str = "Sheet") -> Any:
    """A sheet of that name with a chart of it, which keeps no copy of the values."""
    book = new_book([["", "2015", "2016"], ["North", 10, 12.5], ["South", 20, 31]])
    book.active.title = title
    chart = BarChart()
    chart.add_data(Reference(book.active, min_col=2, max_col=3, min_row=1, max_row=3), titles_from_data=True)
    chart.set_categories(Reference(book.active, min_col=1, min_row=2, max_row=3))
    book.active.add_chart(chart, "F2")
    return book


@pytest.mark.parametrize("title", ["Sheet", "Ann's 2015!", "the 'end'"])
def test_charts_of_a_sheet_are_read_from_its_cells(title: str) -> None:
    table, drawn = XlsxFile(saved(charted_book(title)), 10_000_000).page(1, "b").natives
    assert isinstance(table, Table)
    assert isinstance(drawn, Chart)
    found = [(s.name, [(p.x, p.y) for p in s.points]) for s in drawn.series]
    assert found == [("2015", [("North", 10.0), ("South", 20.0)]), ("2016", [("North", 12.5), ("South", 31.0)])]


def test_a_sheet_is_not_read_again_for_each_series(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    grid = workbook_module.Workbook.grid
    monkeypatch.setattr(workbook_module.Workbook, "grid", lambda book, part: asked.append(part) or grid(book, part))
    XlsxFile(saved(charted_book()), 10_000_000).page(1, "b")
    assert len(asked) == 2  # for the table, and for all of the chart


def test_a_sheet_of_too_many_cells_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_module, "MAX_CELLS", 10)
    file = XlsxFile(saved(new_book([[1, 2, 3, 4]] * 4)), 10_000_000)
    with pytest.raises(FileTooLarge):
        file.page(1, "b")


def test_a_far_cell_is_refused_not_filled_up_to() -> None:
    book = new_book([["a"]])
    book.active["XFD1048576"] = "z"
    with pytest.raises(FileTooLarge):
        XlsxFile(saved(book), 10_000_000).page(1, "b")


def test_a_merge_of_the_whole_sheet_is_cut_to_what_is_used() -> None:
    book = new_book([["a", "b"]])
    book.active.merge_cells("A1:B1")
    data = replaced(saved(book), "sheet1.xml", b'ref="A1:B1"', b'ref="A1:XFD1048576"')
    (table,) = XlsxFile(data, 10_000_000).page(1, "b").natives
    assert isinstance(table, Table)
    assert [(c.rowspan, c.colspan) for c in table.cells] == [(1, 1)]


def test_without_a_sheet_that_is_shown_there_is_no_page() -> None:
    data = replaced(saved(new_book([["a"]])), "xl/workbook.xml", b'state="visible"', b'state="hidden"')
    with pytest.raises(NoPages):
        XlsxFile(data, 10_000_000)


def test_another_sort_of_office_file_is_no_workbook() -> None:
    data = replaced(saved(new_book([["a"]])), "xl/workbook.xml", b"workbook", b"document")
    with pytest.raises(UnsupportedType):
        XlsxFile(data, 10_000_000)


def test_a_workbook_is_opened_by_its_content() -> None:
    with open_document(io.BytesIO(saved(new_book([["a"]]))).getvalue()) as document:
        assert (document.media_type, document.name) == (XLSX, "document.xlsx")


@pytest.mark.parametrize(
    ("code", "is_date"),
    [
        ("General", False),
        ("0.00", False),
        ('0 "days"', False),
        ("[Red]0.0", False),
        ("m/d/yyyy", True),
        ("[$-804]yyyy年m月", True),
        ("h:mm", True),
        ("#,##0;[Red]-#,##0", False),
    ],
)
def test_date_formats_are_told_apart(code: str, is_date: bool) -> None:
    assert is_date_format(code) is is_date


@pytest.mark.parametrize(
    ("numbers", "code", "wanted"),
    [
        (["42370", "42401"], "yyyy-mm-dd", ["2016-01-01", "2016-02-01"]),
        (["42370", "42401"], "mmm-yy", ["2016-01", "2016-02"]),
        (["42370", "42736"], "yyyy", ["2016", "2017"]),
        (["42370", "42401"], "yyyy", ["2016-01-01", "2016-02-01"]),  # one year would make two of them alike
        (["42370.5"], "yyyy-mm-dd h:mm", ["2016-01-01 12:00"]),
        (["0.25"], "h:mm", ["06:00:00"]),
        (["1", "60", "61"], "d/m/yyyy", ["1900-01-01", "1900-02-28", "1900-03-01"]),
        (["word", "1e99", "-5"], "yyyy", ["word", "1e99", "-5"]),
    ],
)
def test_day_numbers_are_dates(numbers: list[str], code: str, wanted: list[str]) -> None:
    assert date_texts(numbers, code, from_1904=False) == wanted


def test_some_workbooks_count_from_1904() -> None:
    assert date_texts(["0", "1"], "yyyy-mm-dd", from_1904=True) == ["1904-01-01", "1904-01-02"]
