"""What a table is called, and what is said where there is none."""

from __future__ import annotations

import re
from html import escape

import pytest

from mineru_core.document.analysis import Block, BlockType, Part
from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Answer, Region, Task, TaskKind
from mineru_core.ui.analyse.tables import (
    LONGEST_CAPTION,
    MOST_CELLS,
    caption_html,
    caption_of,
    first_rows,
    table_html,
    title_html,
    why_no_tables,
)
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset
from tests.documents import table_pdf
from tests.export.strategies import page, result
from tests.ui.analyse.test_page import settle, upload
from tests.ui.conftest import html_of, open_app

EN = Translator("en")


def table(top: float, caption: str = "") -> Table:
    return Table.from_rows([["a", "b"]]).model_copy(update={"box": Box(0, top, 9, top + 5), "caption": caption})


def block(kind: BlockType, text: str = "", *, of: Table | None = None) -> Block:
    return Block(type=kind, box=Box(0, 0, 1, 1), order=0, text=text, table=of)


@pytest.mark.parametrize(
    ("kinds", "captions"),
    [
        ("caption table", ["C1"]),
        ("table caption", ["C1"]),
        ("text table text", [""]),
        ("caption table caption table", ["C1", "C2"]),
        ("caption table caption", ["C1"]),
        ("table caption text", ["C1"]),
    ],
)
def test_a_caption_belongs_to_the_table_it_stands_over(kinds: str, captions: list[str]) -> None:
    tables, blocks = [], []
    for number, kind in enumerate(kinds.split()):
        if kind == "table":
            tables.append(table(10.0 * number))
            blocks.append(block(BlockType.TABLE, of=tables[-1]))
        elif kind == "caption":
            blocks.append(block(BlockType.TABLE_CAPTION, f"C{kinds.split()[: number + 1].count('caption')}"))
        else:
            blocks.append(block(BlockType.TEXT, "words"))
    assert [caption_of(one, [page(1, *blocks)]) for one in tables] == captions


def test_a_tables_own_caption_comes_first_and_pages_are_kept_apart() -> None:
    over = block(BlockType.TABLE_CAPTION, "over it")
    own = table(0, caption="its own")
    assert caption_of(own, [page(1, over, block(BlockType.TABLE, of=own))]) == "its own"
    assert caption_of(table(0), [page(2, over, block(BlockType.TABLE, of=table(0)))]) == ""


def test_a_caption_is_the_heading_and_the_number_is_small_below_it() -> None:
    place = EN("table.place", page=1, rows=1, cols=2)
    assert title_html(table(0), 2, EN, small=False) == f"Table 2<small>{place}</small>"
    assert title_html(table(0), 2, EN, small=True) == f'<small class="wb-alone">Table 2 · {place}</small>'
    assert ".wb-title > small:first-child" not in asset("style.css")  # a small one after words is a first child, too
    assert caption_html("Revenue\n by region") == '<span title="Revenue by region">Revenue by region</span>'
    assert len(caption_html("word " * 100).split(">")[1].split("<")[0]) == LONGEST_CAPTION


def test_it_is_told_whether_tables_were_looked_for() -> None:
    read = page(1, block(BlockType.TEXT, "words"))
    unread = read.model_copy(update={"parts": frozenset({Part.TEXT})})
    tables, text = Answer(kind=TaskKind.TABLES), Answer(kind=TaskKind.TEXT)
    assert why_no_tables(result(read, answer=tables)) == "table.none"
    assert why_no_tables(result(unread, answer=text)) == "table.not_read"
    assert why_no_tables(result(unread, answer=tables)) == "note.tables-unsupported"
    region = Task(kind=TaskKind.TABLES, regions=(Region(page=1, box=Box(0, 0, 5, 5)),))
    assert why_no_tables(result(read, answer=tables).model_copy(update={"task": region})) == "table.none_region"


@pytest.mark.usefixtures("workbench")
def test_a_question_for_something_else_offers_to_look_for_tables() -> None:
    app = upload(open_app(), ("note.pdf", table_pdf()))
    app.button(key="act-text").click().run()
    settle(app)
    assert EN("table.not_read") in html_of(app)
    app.button(key="read-tables").click().run()
    assert EN("wishes.tables") in html_of(settle(app))


def test_of_a_large_table_the_first_rows_are_shown() -> None:
    small = Table.from_rows([["a", "b"]] * 50)
    assert first_rows(small) is small
    large = Table.from_rows([[str(row), "x"] for row in range(MOST_CELLS)])
    shown = first_rows(large)
    assert shown.rows() == large.rows()[: MOST_CELLS // 2]
    tall = Table(n_rows=MOST_CELLS + 5, n_cols=1, cells=(Cell(row=0, col=0, rowspan=MOST_CELLS + 5, text="all"),))
    assert first_rows(tall).cells[0].rowspan == MOST_CELLS


def test_words_with_a_hyphen_are_kept_whole_and_texts_stay_as_they_are() -> None:
    def shown(text: str) -> str:
        found = Table(n_rows=1, n_cols=1, cells=(Cell(row=0, col=0, text=text),))
        return re.sub(r"</?(?:table|tbody|tr|td)[^>]*>|\n", "", table_html(found))

    assert shown("Switch-Base") == '<span class="wb-word">Switch-Base</span>'
    assert shown("on 2024-01-02 at R&D-1") == (
        'on <span class="wb-word">2024-01-02</span> at <span class="wb-word">R&amp;D-1</span>'
    )
    for text in ("-5", "a - b", "10-", "x" * 20 + "-" + "y" * 20, "<b-c>"):
        assert re.sub(r"</?span[^>]*>", "", shown(text)) == escape(text)
        assert ("<span" in shown(text)) is (text == "<b-c>")
