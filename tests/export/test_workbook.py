from __future__ import annotations

import io
import re
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.workbook import Workbook

from mineru_core.document.table import Cell, Table
from mineru_core.errors import InvalidRequest
from mineru_core.export import tables_to_xlsx
from mineru_core.export.numbers import parse_number
from mineru_core.export.workbook import display_width
from tests.export.strategies import tables


def read(data: bytes) -> Workbook:
    return load_workbook(io.BytesIO(data))


@given(tables())
@settings(deadline=None, max_examples=60)
def test_merges_numbers_and_texts_come_back(table: Table) -> None:
    sheet = read(tables_to_xlsx([table])).worksheets[0]
    merged = {tuple(m.bounds) for m in sheet.merged_cells.ranges}
    assert merged == {
        (c.col + 1, c.row + 1, c.col + c.colspan, c.row + c.rowspan)
        for c in table.cells
        if c.rowspan > 1 or c.colspan > 1
    }
    for cell in table.cells:
        place = sheet.cell(cell.row + 1, cell.col + 1)
        number = parse_number(cell.text)
        assert place.data_type != "f"
        if number is not None:
            assert (place.value, place.data_type) == (number.value, "n")
            assert place.number_format == number.number_format
        else:
            clean = ILLEGAL_CHARACTERS_RE.sub("", cell.text.replace("\r\n", "\n").replace("\r", "\n"))
            assert (place.value or "") == clean


@given(st.sampled_from("=+-@"), st.sampled_from(["1+1", "SUM(A1)", "cmd|' /C calc'!A0", 'HYPERLINK("x")']))
@settings(deadline=None, max_examples=16)
def test_formulas_are_texts_and_stay_so(start: str, rest: str) -> None:
    data = tables_to_xlsx([Table.from_rows([[start + rest]])])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert 't="s"' in sheet or 't="inlineStr"' in sheet
    place = read(data).worksheets[0]["A1"]
    assert place.value == start + rest
    assert place.quotePrefix or rest == "1+1"


@pytest.mark.parametrize("text", ["#N/A", "#REF!", "TRUE", "2024-01-31"])
def test_words_of_the_spreadsheet_are_texts(text: str) -> None:
    place = read(tables_to_xlsx([Table.from_rows([[text]])])).worksheets[0]["A1"]
    assert (place.value, place.data_type) == (text, "s")


def test_identifiers_keep_every_digit() -> None:
    ids = ["007", "110101199003071234", "+86 10 1234 5678", "1E5"]
    sheet = read(tables_to_xlsx([Table.from_rows([ids])])).worksheets[0]
    assert [c.value for c in sheet[1]] == ids
    assert {c.number_format for c in sheet[1]} == {"@"}


def test_headers_are_bold_and_frozen() -> None:
    cells = [Cell(row=r, col=c, text=f"{r}{c}", header=r < 2) for r in range(4) for c in range(2)]
    sheet = read(tables_to_xlsx([Table(n_rows=4, n_cols=2, cells=tuple(cells))])).worksheets[0]
    assert sheet.freeze_panes == "A3"
    assert [bool(sheet.cell(r, 1).font.bold) for r in (1, 2, 3)] == [True, True, False]


def test_a_table_without_headers_freezes_nothing() -> None:
    assert read(tables_to_xlsx([Table.from_rows([["a"], ["b"]])])).worksheets[0].freeze_panes is None


def test_columns_fit_their_texts() -> None:
    rows = [["短", "a", "x" * 500], ["一二三四五六七八九十", "abcdefghijklmnopqrst", "y"]]
    sheet = read(tables_to_xlsx([Table.from_rows(rows)])).worksheets[0]
    widths = [sheet.column_dimensions[c].width for c in "ABC"]
    assert widths == [22, 22, 60]
    assert sheet["C1"].alignment.wrap_text


def test_a_spanning_text_widens_what_it_covers() -> None:
    cells = (Cell(row=0, col=0, colspan=2, text="x" * 38), Cell(row=1, col=0, text="a"), Cell(row=1, col=1, text="b"))
    sheet = read(tables_to_xlsx([Table(n_rows=2, n_cols=2, cells=cells)])).worksheets[0]
    assert sum(sheet.column_dimensions[c].width for c in "AB") == pytest.approx(40)


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("表格", 4), ("ｗ", 2), ("e\u0301", 1), ("ab\ncdef", 4)]
)
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width


@given(
    st.lists(
        st.one_of(st.text(max_size=40), st.sampled_from(["a", "A", "History", "'x'", "x" * 31, "[]:*?/\\", "表"])),
        max_size=8,
    )
)
@settings(deadline=None, max_examples=60)
def test_sheet_names_are_valid_and_unique_in_any_case(names: list[str]) -> None:
    table = Table.from_rows([["1"]])
    found = read(tables_to_xlsx([table] * (len(names) + 1), [*names, "last"])).sheetnames
    assert len({name.casefold() for name in found}) == len(names) + 1
    for name in found:
        assert 1 <= len(name) <= 31
        assert not re.search(r"[\[\]:*?/\\\x00-\x1f]", name)
        assert name[0] != "'"
        assert name[-1] != "'"
        assert name.casefold() != "history"


def test_sheets_are_named_by_caption_or_number() -> None:
    tables_ = [Table.from_rows([["1"]], caption="表 1：收入/支出"), Table.from_rows([["2"]])]
    assert read(tables_to_xlsx(tables_)).sheetnames == ["表 1：收入 支出", "Table 2"]


def test_no_tables_and_too_few_names_are_refused() -> None:
    with pytest.raises(InvalidRequest):
        tables_to_xlsx([])
    with pytest.raises(InvalidRequest):
        tables_to_xlsx([Table.from_rows([["1"]])], [])


def test_an_empty_table_and_a_very_long_text_can_be_written() -> None:
    book = read(tables_to_xlsx([Table(n_rows=0, n_cols=0), Table.from_rows([["x" * 40_000]])]))
    assert len(book.worksheets[1]["A1"].value) == 32_767
