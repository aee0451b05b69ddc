"""Running text: all of it where it is short, and of a long one what a browser shows without delay."""

from __future__ import annotations

from mineru_core.document.analysis import Block, BlockType, PageAnalysis, Part
from mineru_core.document.chart import Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box
from mineru_core.document.table import Table
from mineru_core.ui.analyse.tables import MOST_CELLS
from mineru_core.ui.analyse.words import SHOWN_CHARS, pages_html
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html

EN = Translator("en")
BOX = Box(0, 0, 10, 10)


def page_of(*blocks: Block, page: int = 1) -> PageAnalysis:
    return PageAnalysis(page=page, width=100, height=100, sha256="0" * 64, parts=frozenset({Part.TEXT}), blocks=blocks)


def text_of(order: int, text: str) -> Block:
    return Block(type=BlockType.TEXT, box=BOX, order=order, text=text)


def table_of(order: int, table: Table) -> Block:
    return Block(type=BlockType.TABLE, box=BOX, order=order, table=table)


def test_short_pages_are_shown_whole() -> None:
    shown = pages_html([page_of(text_of(0, "one")), page_of(text_of(0, "two"), page=2)], EN)
    assert "one" in shown
    assert "two" in shown
    assert html(EN("text.page", page=2)) in shown
    assert EN("result.more_text") not in shown


def test_of_a_large_table_in_the_text_the_first_rows_are_shown() -> None:
    table = Table.from_rows([[f"{row} {col}" for col in range(50)] for row in range(2000)])
    shown = pages_html([page_of(table_of(0, table), text_of(1, "after it"))], EN)
    assert shown.count("<td") == MOST_CELLS
    assert html(EN("table.first_rows", shown="80", count="2,000")) in shown


def test_a_long_page_is_broken_off_with_a_word() -> None:
    blocks = [text_of(order, f"paragraph {order} " + "x" * 1000) for order in range(300)]
    shown = pages_html([page_of(*blocks)], EN)
    assert len(shown) < 1.1 * SHOWN_CHARS
    assert "paragraph 0 " in shown
    assert html(EN("result.more_text")) in shown
    assert len(pages_html([page_of(text_of(0, "y" * 1_000_000))], EN)) < 1.1 * SHOWN_CHARS


def test_a_chart_is_shown_as_its_data_and_not_as_the_numbers_of_its_axes() -> None:
    series = Series(name="<b>oil</b>", points=(Point(x="2001", y=1.5), Point(x="2002", y=2.0)))
    chart = Chart(kind=ChartKind.BAR, series=(series,))
    block = Block(type=BlockType.CHART, box=BOX, order=0, text="0 10 20 oil", chart=chart)
    shown = pages_html([page_of(block, text_of(1, "after it"))], EN)
    assert [cell in shown for cell in ("2001", "1.5", html("<b>oil</b>"), "after it")] == [True] * 4
    assert "0 10 20" not in shown
    unread = block.model_copy(update={"chart": None})
    assert "0 10 20 oil" in pages_html([page_of(unread)], EN)
