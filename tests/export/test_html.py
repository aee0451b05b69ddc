from __future__ import annotations

from hypothesis import given

from mineru_core.document.analysis import BlockType, PageFailure
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Answer, FieldValue, Note, TaskKind
from mineru_core.export import table_to_html, to_html
from mineru_core.export.html import _STYLE
from mineru_core.export.text import printable
from tests.export.reading import grid_of, read_html
from tests.export.strategies import BOX, block, page, result, sales_chart, tables, texts

ATTACK = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;"
KNOWN_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "aside"),
    *("p", "h1", "h2", "div", "br", "ul", "ol", "li", "pre", "strong"),
    *("table", "caption", "thead", "tbody", "tr", "td", "th"),
}


@given(tables())
def test_the_grid_comes_back(table: Table) -> None:
    html = table_to_html(table)
    reader = read_html(html)
    expected = [[printable(t) for t in row] for row in table.rows(repeat_spans=True)]
    assert grid_of(reader.tables[0]) == expected
    assert "\n\n" not in html
    assert set(reader.tags) <= KNOWN_TAGS


def test_header_rows_stand_in_the_head() -> None:
    cells = (Cell(row=0, col=0, text="h", header=True), Cell(row=1, col=0, text="b"))
    html = table_to_html(Table(n_rows=2, n_cols=1, cells=cells))
    assert "<thead>\n<tr><th>h</th></tr>\n</thead>\n<tbody>\n<tr><td>b</td></tr>\n</tbody>" in html


def test_a_header_cell_that_reaches_into_the_body_is_not_cut() -> None:
    cells = (
        Cell(row=0, col=0, rowspan=2, text="h", header=True),
        Cell(row=0, col=1, text="i", header=True),
        Cell(row=1, col=1, text="b"),
    )
    assert "<thead>" not in table_to_html(Table(n_rows=2, n_cols=2, cells=cells))


def test_unsure_and_edited_cells_are_marked() -> None:
    cells = (
        Cell(row=0, col=0, text="a", confidence=0.42),
        Cell(row=0, col=1, text="b", confidence=0.9),
        Cell(row=0, col=2, text="c", confidence=0.1, edited=True),
    )
    table = Table(n_rows=1, n_cols=3, cells=cells)
    found = [attrs for *_, attrs in read_html(table_to_html(table, mark_below=0.5)).tables[0][0]]
    assert found == [{"title": "42%", "class": "low-confidence"}, {}, {"class": "edited"}]
    assert "low-confidence" not in table_to_html(table)


def test_cells_that_differ_are_marked_where_they_begin() -> None:
    table = Table(n_rows=1, n_cols=3, cells=(Cell(row=0, col=0, colspan=2, text="a"), Cell(row=0, col=2, text="b")))
    found = [attrs for *_, attrs in read_html(table_to_html(table, differing={(0, 0), (0, 1)})).tables[0][0]]
    assert found == [{"colspan": "2", "class": "differs"}, {}]


def test_an_empty_table_has_no_rows() -> None:
    assert read_html(table_to_html(Table(n_rows=0, n_cols=0))).tables == [[]]


def everything(text: str) -> str:
    """The page of a result that has ``text`` in every place that recognised text gets to."""
    table = Table.from_rows([[text, text]], caption=text)
    blocks = [block(kind, text) for kind in BlockType] + [block(BlockType.TABLE, table=table)]
    chart = block(BlockType.CHART, chart=sales_chart().model_copy(update={"title": text}))
    failure = PageFailure(page=2, component=text, code="engine-failed", message=text, hint=text)
    answer = Answer(kind=TaskKind.EVERYTHING, notes=(Note(code="x", message=text),))
    return to_html(result(page(1, *blocks, chart), source=text, answer=answer, failures=(failure,)))


def test_recognised_text_never_becomes_markup() -> None:
    html = everything(ATTACK)
    reader = read_html(html)
    assert set(reader.tags) <= KNOWN_TAGS
    assert ATTACK in reader.text
    assert html.count("<script") == html.count("onerror=alert(1)>") == 0


@given(texts)
def test_no_text_breaks_the_page(text: str) -> None:
    reader = read_html(everything(text))
    assert set(reader.tags) <= KNOWN_TAGS
    assert [reader.tags.count(tag) for tag in ("html", "main", "title", "aside")] == [1, 1, 1, 1]


def test_the_page_stands_alone() -> None:
    html = everything("Total")
    assert "http://" not in html
    assert "https://" not in html
    assert "<link" not in html
    assert "default-src 'none'" in html
    for rule in ("prefers-color-scheme: dark", "@media print"):
        assert rule in html
    assert _STYLE.count("{") == _STYLE.count("}")


def test_language_is_that_of_the_text() -> None:
    assert '<html lang="zh">' in to_html(result(page(1, block(BlockType.TEXT, "发票 invoice 合计金额"))))
    assert '<html lang="en">' in to_html(result(page(1, block(BlockType.TEXT, "Invoice total 元"))))
    assert '<html lang="en">' in to_html(result(page(1)))


def test_furniture_is_left_out_and_titles_are_headings() -> None:
    html = to_html(
        result(
            page(
                1,
                block(BlockType.HEADER, "running head"),
                block(BlockType.TITLE, "Report"),
                block(BlockType.TITLE, "Part"),
                block(BlockType.TEXT, "Body"),
                block(BlockType.PAGE_NUMBER, "- 1 -"),
                block(BlockType.FOOTER, "foot"),
            )
        )
    )
    assert "<h1>Report</h1>\n<h2>Part</h2>\n<p>Body</p>" in html
    for left_out in ("running head", "- 1 -", "foot<"):
        assert left_out not in html


def test_pages_are_marked_where_there_are_several() -> None:
    several = to_html(result(page(1, block(BlockType.TEXT, "a")), page(2, block(BlockType.TEXT, "b"))))
    assert '<p class="page">Page 2</p>' in several
    assert 'class="page"' not in to_html(result(page(1, block(BlockType.TEXT, "a"))))


def test_lists_keep_their_numbers() -> None:
    html = to_html(result(page(1, block(BlockType.LIST, "• one\n• two\n3. three\ngoes on"))))
    assert "<ul><li>one</li><li>two</li></ul>" in html
    assert '<ol><li value="3">three<br>goes on</li></ol>' in html


def test_only_what_was_asked_for_comes_out() -> None:
    answer = Answer(
        kind=TaskKind.FIELDS,
        fields=(FieldValue(name="total", value="42", page=1, box=BOX, confidence=1.0), FieldValue(name="date")),
    )
    html = to_html(result(page(1, block(BlockType.TEXT, "Body")), answer=answer))
    assert "Body" not in html
    assert grid_of(read_html(html).tables[0]) == [["Field", "Value", "Page"], ["total", "42", "1"], ["date", "", ""]]


def test_failures_and_notes_are_said_in_the_language_of_the_words() -> None:
    failure = PageFailure(page=2, component="intake", code="corrupt-pdf", message="Damaged.", hint="Save it again.")
    html = to_html(result(page(1), failures=(failure,), language="zh"))
    assert "第 2 页无法读取：Damaged. Save it again." in html


def classes_of(table: Table) -> list[list[str]]:
    html = table_to_html(table, align_numbers=True)
    return [[attrs.get("class") or "" for *_, attrs in row] for row in read_html(html).tables[0]]


def test_numbers_stand_at_the_right_with_their_headers() -> None:
    rows = [["Item", "Price", "No."], ["Paper", "1,317.00", "007"], ["Ink", "-", "008"], ["Toner", "12.5%", "009"]]
    plain = Table.from_rows(rows)
    table = plain.model_copy(update={"cells": tuple(c.model_copy(update={"header": c.row == 0}) for c in plain.cells)})
    assert classes_of(table) == [["", "num", ""], ["", "num", ""], ["", "num", ""], ["", "num", ""]]
    assert "num" not in table_to_html(table)
    assert ".num { text-align: right; }" in _STYLE


def test_a_number_among_words_is_still_a_number_and_a_title_over_columns_is_not() -> None:
    cells = (
        Cell(row=0, col=0, colspan=2, text="Sales", header=True),
        Cell(row=1, col=0, text="12"),
        Cell(row=1, col=1, text="3"),
        Cell(row=2, col=0, text="NA"),
        Cell(row=2, col=1, text=""),
    )
    assert classes_of(Table(n_rows=3, n_cols=2, cells=cells)) == [[""], ["num", "num"], ["", ""]]
