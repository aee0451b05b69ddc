"""What is shown of two answers, as HTML."""

from __future__ import annotations

from mineru_core.document.analysis import BlockType
from mineru_core.document.differences import Piece, Row
from mineru_core.document.table import Table
from mineru_core.document.task import Answer, FieldValue, TaskKind
from mineru_core.export.result import DocumentResult
from mineru_core.ui.analyse import comparison
from mineru_core.ui.i18n import Translator
from tests.export import strategies
from tests.export.strategies import block, page

EN = Translator("en")
NAMES = ("A & B", "C")


def result(*tables: Table, fields: tuple[FieldValue, ...] = (), text: str = "") -> DocumentResult:
    blocks = [block(BlockType.TABLE, table=table) for table in tables]
    blocks += [block(BlockType.TEXT, text)] if text else []
    answer = Answer(kind=TaskKind.FIELDS if fields else TaskKind.EVERYTHING, fields=fields)
    return strategies.result(page(1, *blocks), answer=answer)


def test_every_text_is_escaped() -> None:
    row = Row((Piece("<b>", True), Piece(" <i>", False)), ())
    shown = comparison.row_html(row, NAMES)
    assert "&lt;b&gt; <mark>&lt;i&gt;</mark>" in shown
    assert "A &amp; B" in shown
    assert "wb-nothing" in shown


def test_cells_that_differ_are_marked_and_counted() -> None:
    first, second = Table.from_rows([["a", "1"], ["b", "2"]]), Table.from_rows([["a", "1"], ["b", "7"]])
    said, body = comparison._tables_html(result(first), result(second), NAMES, EN, False)
    assert said == EN("compare.cells.one")
    assert body.count("differs num") + body.count("num differs") == 2


def test_a_table_that_one_side_lacks_is_said_and_not_marked() -> None:
    said, body = comparison._tables_html(result(Table.from_rows([["a"]])), result(), NAMES, EN, True)
    assert said == EN("compare.alone.one")
    assert EN("compare.no_table") in body
    assert 'class="differs"' not in body


def test_equal_tables_are_left_out_of_the_differences() -> None:
    both = result(Table.from_rows([["a"]]))
    assert comparison._tables_html(both, both, NAMES, EN, True) == (EN("compare.cells_same"), "")
    assert "<table>" in comparison._tables_html(both, both, NAMES, EN, False)[1]
    assert comparison._tables_html(result(), result(), NAMES, EN, False) == (EN("table.none"), "")


def test_a_small_difference_in_a_long_text_is_not_rounded_away() -> None:
    first, second = result(text="word " * 1500 + "one"), result(text="word " * 1500 + "two")
    said, body = comparison._text_html(first, second, NAMES, EN, True)
    assert said == EN("compare.agree", percent="99.9%")
    assert "<mark>two</mark>" in body
    assert comparison._text_html(first, first, NAMES, EN, True) == (EN("compare.agree", percent="100%"), "")


def test_fields_are_compared_by_name() -> None:
    def field(name: str, value: str) -> FieldValue:
        return FieldValue(name=name, value=value, page=1)

    first = result(fields=(field("total", "12"), field("date", "today")))
    second = result(fields=(field("date", "today"), field("total", "17")))
    said, body = comparison._fields_html(first, second, NAMES, EN, False)
    assert said == EN("compare.fields.one")
    assert "<mark>12</mark>" in body
    assert "<mark>17</mark>" in body
    assert "<mark>today</mark>" not in body
    assert "today" not in comparison._fields_html(first, second, NAMES, EN, True)[1]
