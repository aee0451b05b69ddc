"""The whole result as one workbook."""

from __future__ import annotations

import io

import pytest
from openpyxl import load_workbook

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Answer, Change, ChangeKind, FieldValue, Quote, TaskKind
from mineru_core.errors import InvalidRequest
from mineru_core.export import chart_to_xlsx, result_to_xlsx
from tests.export.strategies import block, page, result, sales_chart

CELLS = (
    Cell(row=0, col=0, text="Region", confidence=0.4),
    Cell(row=0, col=1, text="12", confidence=1.0, edited=True),
    Cell(row=1, col=0, text="", confidence=0.1),
)
TABLE = Table(n_rows=2, n_cols=2, cells=CELLS, caption="Sales", box=Box(1, 2, 30, 40), page=1)


def test_every_sheet_has_its_source() -> None:
    found = result(
        page(1, block(BlockType.TABLE, table=TABLE), block(BlockType.CHART, chart=sales_chart())), source="a.pdf"
    )
    book = load_workbook(io.BytesIO(result_to_xlsx(found)))
    assert book.sheetnames == ["Sales", "Sales (2)", "Sources"]
    rows = [[cell.value for cell in row] for row in book["Sources"]]
    assert rows[1] == ["Sales", "a.pdf", 1, "1, 2, 30, 40", 1, 1, 1, "echo-1"]
    assert rows[2][:3] == ["Sales (2)", "a.pdf", 1]
    assert book["Sales (2)"]["B2"].value == 1.5


def test_the_cells_counted_as_doubtful_are_those_marked_as_such() -> None:
    cells = tuple(Cell(row=0, col=col, text="1O", confidence=sure) for col, sure in enumerate((0.74, 0.77, 0.9)))
    found = result(page(1, block(BlockType.TABLE, table=Table(n_rows=1, n_cols=3, cells=cells))))
    book = load_workbook(io.BytesIO(result_to_xlsx(found)))
    assert book["Sources"]["F2"].value == sum(cell.doubtful for cell in cells) == 1


def test_fields_are_a_sheet_and_names_are_in_the_language_of_the_words() -> None:
    answer = Answer(kind=TaskKind.FIELDS, fields=(FieldValue(name="金额", value="12.50", page=1, confidence=0.9),))
    book = load_workbook(io.BytesIO(result_to_xlsx(result(page(1), answer=answer, language="zh"))))
    assert book.sheetnames == ["字段", "来源"]
    assert [cell.value for cell in book["字段"][2]][:2] == ["金额", 12.5]


def test_a_result_with_nothing_to_tabulate_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        result_to_xlsx(result(page(1, block(BlockType.TEXT, "words"))))


def test_changes_and_quotes_have_a_sheet_each() -> None:
    answer = Answer(
        kind=TaskKind.COMPARE,
        changes=(Change(kind=ChangeKind.ADDED, after="new", after_page=1, after_box=Box(0, 0, 1, 1)),),
        quotes=(Quote(text="said", page=2, box=Box(0, 0, 1, 1)),),
    )
    book = load_workbook(io.BytesIO(result_to_xlsx(result(page(1), answer=answer))))
    assert book.sheetnames == ["Changes", "Quotes", "Sources"]
    assert [cell.value for cell in book["Quotes"][2]] == ["said", 2, "0, 0, 1, 1", 1]
    assert book["Changes"]["C2"].value == "new"


def test_a_chart_alone_is_a_workbook_of_one_sheet() -> None:
    book = load_workbook(io.BytesIO(chart_to_xlsx(sales_chart())))
    assert book.sheetnames == ["Sales"]
    rows = [[cell.value for cell in row] for row in book["Sales"]]
    assert rows[:2] == [["Quarter", 2023, 2024], ["Q1", 1.5, None]]
    untitled = sales_chart().model_copy(update={"title": ""})
    assert load_workbook(io.BytesIO(chart_to_xlsx(untitled))).sheetnames == ["Chart"]
    assert load_workbook(io.BytesIO(chart_to_xlsx(untitled, name="图表 1"))).sheetnames == ["图表 1"]
