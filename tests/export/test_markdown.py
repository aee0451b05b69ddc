from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mineru_core.document.analysis import BlockType, PageFailure
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Answer, Change, ChangeKind, Match, Quote, TaskKind
from mineru_core.export import table_to_markdown, to_markdown
from mineru_core.export.markdown import escape
from mineru_core.export.text import printable
from tests.export.reading import grid_of, read_html
from tests.export.strategies import BOX, LINE_SAFE, block, page, result, sales_chart, tables

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def shown(markdown: str) -> str:
    """What a reader of the rendered page sees, white space made single."""
    return " ".join(read_html(MARKDOWN.render(markdown)).text.split())


@given(tables(LINE_SAFE, spans=False))
def test_pipe_tables_come_back(table: Table) -> None:
    reader = read_html(MARKDOWN.render(table_to_markdown(table)))
    expected = [[printable(text).strip() for text in row] for row in table.rows()]
    assert [[t.strip() for t in row] for row in grid_of(reader.tables[0])] == expected


@given(tables(LINE_SAFE))
def test_tables_with_spans_come_back(table: Table) -> None:
    reader = read_html(MARKDOWN.render(table_to_markdown(table)))
    expected = [[printable(text).strip() for text in row] for row in table.rows(repeat_spans=True)]
    assert [[t.strip() for t in row] for row in grid_of(reader.tables[0])] == expected


def test_a_plain_table_is_a_pipe_table_and_a_spanning_one_is_html() -> None:
    assert table_to_markdown(Table.from_rows([["a|b", "c"], ["1\n2", ""]])) == (
        "| a\\|b | c |\n| --- | --- |\n| 1<br>2 |  |"
    )
    spanning = Table(n_rows=1, n_cols=2, cells=(Cell(row=0, col=0, colspan=2, text="x"),))
    assert '<td colspan="2">x</td>' in table_to_markdown(spanning)
    assert table_to_markdown(Table(n_rows=0, n_cols=0)) == ""


@given(LINE_SAFE)
def test_a_line_shows_exactly_its_text(text: str) -> None:
    # "12. x" may become an item of a list, which prints the same number outside the text.
    plain = " ".join(printable(text).split())
    markdown = MARKDOWN.render(escape(plain))
    if "<ol" not in markdown:
        assert shown(escape(plain)) == plain


@pytest.mark.parametrize(
    "text",
    [
        "# no heading",
        "> no quote",
        "- no item",
        "+ no item",
        "* no item",
        "---",
        "===",
        "***",
        "___",
        "~~~",
        "```",
        "|a|b|",
        "a | b",
        ":-- | --:",
        "--- | ---",
        "*not bold*",
        "_not slanted_",
        "__0__",
        "snake_case_name",
        "2 * 3 * 4",
        "[no](link)",
        "[no]: reference",
        "![no](picture)",
        "<b>no tag</b>",
        "<http://x.example>",
        "a < b && b > c",
        "&amp; &#65;",
        "back\\slash\\*",
        "trailing\\",
        "`code`",
        "~~struck~~",
        "1986. A year",
        "-5.2%",
        "#tag",
        "    indented",
        "x\n---",
        "x\n===",
        "a | b\n--- | ---\nc | d",
    ],
)
def test_nothing_is_taken_for_markup(text: str) -> None:
    html = MARKDOWN.render(escape(text))
    assert set(read_html(html).tags) == {"p"}
    assert shown(escape(text)) == " ".join(text.split())


def test_words_stay_readable() -> None:
    assert escape("snake_case, 5 - 3, a.b, $5, (x) 2024-01-31 #1") == "snake_case, 5 - 3, a.b, $5, (x) 2024-01-31 #1"


def test_a_document_from_top_to_bottom() -> None:
    table = Table.from_rows([["a", "b"], ["1", "2"]], caption="Table 1")
    document = result(
        page(
            1,
            block(BlockType.HEADER, "running head"),
            block(BlockType.TITLE, "Report #"),
            block(BlockType.TEXT, "One\ntwo"),
            block(BlockType.TABLE_CAPTION, "Table 1"),
            block(BlockType.TABLE, table=table),
            block(BlockType.PAGE_NUMBER, "1"),
        ),
        page(
            2,
            block(BlockType.TITLE, "Part"),
            block(BlockType.LIST, "• one\n• two\n2) three"),
            block(BlockType.EQUATION, "$$E = mc^2$$"),
            block(BlockType.CODE, "x = `1`\n\n```"),
            block(BlockType.CHART, chart=sales_chart()),
        ),
    )
    assert to_markdown(document) == (
        "# Report \\#\n\nOne\ntwo\n\nTable 1\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n"
        "## Part\n\n- one\n- two\n2. three\n\n$$\nE = mc^2\n$$\n\n````\nx = `1`\n\n```\n````\n\n"
        "**Sales**\n\n| Quarter | 2023 | 2024 |\n| --- | --- | --- |\n| Q1 | 1.5 |  |\n"
        "| Q2 | 12345678901 | 0.3 |\n| Q3 |  |  |\n"
    )


def test_a_caption_without_a_block_of_its_own_is_printed() -> None:
    table = Table.from_rows([["a"]], caption="Table *1*")
    assert to_markdown(result(page(1, block(BlockType.TABLE, table=table)))).startswith("**Table \\*1\\***\n\n|")


def test_an_empty_document_is_empty() -> None:
    assert to_markdown(result(page(1))) == ""


def test_a_block_that_failed_is_told_from_a_page_that_did() -> None:
    failure = PageFailure(page=2, block=3, component="table", code="x", message="Block 4 (table): It broke.")
    assert to_markdown(result(page(1), failures=(failure,))).endswith(
        "- A block of page 2 could not be read. Block 4 (table): It broke.\n"
    )


def test_hits_and_failures() -> None:
    answer = Answer(kind=TaskKind.FIND, matches=(Match(text="Total | 42", start=0, end=5, page=3, box=BOX),))
    failure = PageFailure(page=2, component="engine", code="engine-failed", message="It broke.", hint="Again.")
    assert to_markdown(result(page(1), answer=answer, failures=(failure,))) == (
        "| Page | Text |\n| --- | --- |\n| 3 | Total \\| 42 |\n\n"
        "> **Notes**\n>\n> - Page 2 could not be read: It broke. Again.\n"
    )


def test_quotes_and_changes() -> None:
    quoted = Answer(kind=TaskKind.QUESTION, quotes=(Quote(text="It ends | soon.", page=2, box=BOX),))
    assert to_markdown(result(page(1), answer=quoted)) == "| Page | Text |\n| --- | --- |\n| 2 | It ends \\| soon. |\n"
    change = Change(kind=ChangeKind.CHANGED, before="10", after="12", before_page=1, after_page=2)
    compared = Answer(kind=TaskKind.COMPARE, changes=(change,))
    assert to_markdown(result(page(1), answer=compared)) == (
        "| Change | Before | After | Page |\n| --- | --- | --- | --- |\n| changed | 10 | 12 | 1 → 2 |\n"
    )


@given(st.lists(LINE_SAFE, min_size=1, max_size=4))
def test_blocks_do_not_run_into_each_other(lines: list[str]) -> None:
    document = result(page(1, *(block(BlockType.TEXT, line) for line in lines), block(BlockType.TITLE, "End")))
    assert read_html(MARKDOWN.render(to_markdown(document))).tags.count("h1") == 1
