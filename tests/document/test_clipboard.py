from __future__ import annotations

import html as markup

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document import clipboard
from mineru_core.document.clipboard import paste_from_clipboard, rows_from_html, rows_from_text
from mineru_core.document.edits import MAX_TEXT
from mineru_core.document.table import Table
from mineru_core.document.table_shape import Area
from mineru_core.errors import InvalidRequest

EXCEL = """<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style>
<!--table {mso-displayed-decimal-separator:"\\.";} td {color:black;}-->
</style></head><body link="#0563C1"><!--StartFragment-->
<table border=0 cellpadding=0 style='border-collapse:collapse'><col width=64 span=2>
 <tr height=20><td colspan=2 height=20 class=xl65 style='mso-ignore:colspan'>Sales &amp;
  costs</td><td>2024</td></tr>
 <tr height=20><td rowspan=2>Pen<br>
    (blue)</td><td align=right>1,204&nbsp;</td><td></td></tr>
 <tr><td>3 &lt; 4</td><td><p>one</p><p>two</p></td></tr>
<!--EndFragment--></table></body></html>"""


def test_what_excel_copies_as_html_is_read_with_its_spans() -> None:
    rows, merges = rows_from_html(EXCEL)
    assert rows == [["Sales & costs", "", "2024"], ["Pen\n(blue)", "1,204", ""], ["", "3 < 4", "one\ntwo"]]
    assert merges == [Area(0, 0, 1, 2), Area(1, 0, 2, 1)]


def test_what_excel_copies_as_text_is_read_with_its_quotes() -> None:
    text = 'a\t"two\r\nlines"\t5" pipe\r\n\t"say ""hi""\t!"\t"open\r\n'
    assert rows_from_text(text) == [["a", "two\nlines", '5" pipe'], ["", 'say "hi"\t!', '"open']]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", []),
        ("a", [["a"]]),
        ("a\t", [["a", ""]]),
        ("a\n\nb", [["a"], [""], ["b"]]),
        ("a\rb\n", [["a"], ["b"]]),
        ('""', [[""]]),
        ('"a"b\tc', [['"a"b', "c"]]),
    ],
)
def test_rows_of_texts(text: str, rows: list[list[str]]) -> None:
    assert rows_from_text(text) == rows


CELL = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('"\t\n'), max_size=6).map(
    lambda text: text.replace("\ufffe", "").replace("\uffff", "")
)


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1)))
def test_texts_come_back_as_a_spreadsheet_writes_them(rows: list[list[str]]) -> None:
    def field(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in '"\t\n') else text

    assert rows_from_text("".join("\t".join(map(field, row)) + "\r\n" for row in rows)) == rows


WORDS = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=5)


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(WORDS, min_size=width, max_size=width), min_size=1)))
def test_texts_come_back_from_html(rows: list[list[str]]) -> None:
    cells = ["".join(f"<td>{markup.escape(text)}</td>" for text in row) for row in rows]
    assert rows_from_html("<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>") == (rows, [])


PIECES = st.sampled_from(
    ["<table>", "</table>", "<tr>", "</tr>", "<td>", "<td rowspan=3>", "<TD COLSPAN = '2'>", "</td>", "<th>", "<br>",
     "<p>", "<script>", "</script>", "<!--", "-->", "<", ">", "</", "&", "&#0;", "&#x110000;", "&lt;", "\"", "\t", "\n",
     "a", "一", "<td rowspan=-1>", "<td colspan=x>", "<td rowspan=0>", "<![CDATA["]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join))
def test_anything_pastes_or_is_refused(text: str) -> None:
    try:
        operation = paste_from_clipboard(0, 0, text=text, html=text)
    except InvalidRequest:
        return
    table = operation.apply(Table.from_rows([["a"]]))
    assert table.rows()[: len(operation.rows)] == [list(row) for row in operation.rows]


@pytest.mark.parametrize(
    ("written", "rows"),
    [
        ("<p>no table", []),
        ("<table></table>", []),
        ("<table><td>a<td>b<tr><td>c", [["a", "b"], ["c", ""]]),
        ("<table><tr><td>a<table><tr><td>b<td>c</table>d</table><table><tr><td>e", [["a\nb cd"]]),
        ("<table><tr><td>a<script>alert(1)</script>b", [["ab"]]),
        ("<table><tr><td>a < b<td>&amp;lt;", [["a < b", "&lt;"]]),
        ("<table><tr><td>&#99999999999999999999999;<td>&#" + "9" * 5000, [["\ufffd", "\ufffd"]]),
        ("<table><tr><td><img src=x onerror=alert(1)>a", [["a"]]),
    ],
)
def test_odd_markup(written: str, rows: list[list[str]]) -> None:
    assert rows_from_html(written)[0] == rows


def test_spans_that_reach_too_far_are_cut() -> None:
    written = "<table><tr><td>a<td rowspan=9>b</tr><tr><td colspan=4>c<td>d</table>"
    assert rows_from_html(written) == ([["a", "b", ""], ["c", "", "d"]], [Area(0, 1, 2, 1)])
    assert rows_from_html("<table><tr><td rowspan=999999999 colspan=999999999>a")[1] == [Area(0, 0, 1, 1000)]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("", "<p>words</p>"),
        ("x" * (clipboard.MAX_CLIPBOARD + 1), ""),
        ("x" * (MAX_TEXT + 1), ""),
        ("\n" * 300_000, ""),
        ("", "<table>" + "<tr><td colspan=1000>a" * 300),
    ],
)
def test_nothing_and_too_much_are_refused(text: str, html: str) -> None:
    with pytest.raises(InvalidRequest):
        paste_from_clipboard(0, 0, text=text, html=html)


def test_html_goes_before_text_where_it_has_a_table() -> None:
    table = "<table><tr><td>rich</table>"
    assert paste_from_clipboard(1, 2, text="plain", html=table).rows == (("rich",),)
    assert paste_from_clipboard(1, 2, text="plain", html="<b>plain</b>").rows == (("plain",),)


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<a ",
        "<!--",
        "<![",
        "</",
        "< ",
        "<td rowspan=2>",
        "<table>",
        "<p> ",
        '"',
        '"\t',
        '""\t"',
        '"""a\t',
        '<a b="',
        "&",
    ],
)
def test_a_long_run_of_what_never_ends_is_read_once(piece: str) -> None:
    """Would take hours where the time grows with the square of the length."""
    written = "<table><tr><td>" + piece * (400_000 // len(piece))
    rows_from_text(written)
    try:
        rows_from_html(written)
    except InvalidRequest:
        assert piece.startswith("<td")
