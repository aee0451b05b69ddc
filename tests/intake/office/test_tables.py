from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pptx.util import Inches

from mineru_core.intake.office.slides import PptxFile
from tests.intake.office.decks import add_slide, first_page, new_deck, only_table, replaced, saved

# A line end within a cell is a break or a paragraph of its own; both are one line end here.
texts = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cn", "Co")), max_size=15)


def table_deck(rows: int, cols: int) -> tuple[Any, Any]:
    deck = new_deck()
    shape = add_slide(deck).shapes.add_table(rows, cols, Inches(1), Inches(1), Inches(8), Inches(3))
    return deck, shape.table


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), rows=st.integers(1, 4), cols=st.integers(1, 4))
def test_cells_come_back_exactly(data: st.DataObject, rows: int, cols: int) -> None:
    deck, table = table_deck(rows, cols)
    wanted = [[data.draw(texts) for _ in range(cols)] for _ in range(rows)]
    for r, line in enumerate(wanted):
        for c, text in enumerate(line):
            table.cell(r, c).text = text
    found = only_table(first_page(deck))
    assert found.rows() == wanted
    assert found.confidence == 1.0
    assert all(cell.confidence == 1.0 for cell in found.cells)


def test_merged_cells_span() -> None:
    deck, table = table_deck(3, 3)
    table.cell(0, 0).text = "Head"
    table.cell(0, 0).merge(table.cell(0, 2))
    table.cell(1, 1).merge(table.cell(2, 2))
    spans = {(c.row, c.col): (c.rowspan, c.colspan) for c in only_table(first_page(deck)).cells}
    assert spans == {(0, 0): (1, 3), (1, 0): (1, 1), (1, 1): (2, 2), (2, 0): (1, 1)}


def test_spans_that_leave_the_grid_are_cut() -> None:
    deck, table = table_deck(2, 2)
    table.cell(0, 0).merge(table.cell(0, 1))
    data = replaced(saved(deck), "slides/slide", b'gridSpan="2"', b'gridSpan="2000000000" rowSpan="99"')
    found = only_table(PptxFile(data, 10_000_000).page(1, "d"))
    assert [(c.rowspan, c.colspan) for c in found.cells] == [(2, 2)]


def test_the_first_row_is_a_header_where_the_deck_says_so() -> None:
    deck, table = table_deck(2, 2)
    assert only_table(first_page(deck)).header_rows == 1
    table.first_row = False
    assert only_table(first_page(deck)).header_rows == 0


def test_line_ends_within_a_cell_are_kept() -> None:
    deck, table = table_deck(1, 1)
    table.cell(0, 0).text = "one\ntwo\vthree"
    assert only_table(first_page(deck)).cells[0].text == "one\ntwo\nthree"


def test_cells_lie_side_by_side_where_their_words_are() -> None:
    deck, table = table_deck(2, 2)
    for r in range(2):
        for c in range(2):
            table.cell(r, c).text = f"cell{r}{c}"
    page = first_page(deck)
    found = only_table(page)
    words = {word.text: word.box for word in page.text_layer or ()}
    for cell in found.cells:
        assert cell.box is not None
        assert words[cell.text].covered_by(cell.box) > 0.99
    assert found.box is not None
    assert abs(found.box.width - 8 * 150) < 2


def test_rows_grow_with_their_text() -> None:
    deck, table = table_deck(2, 2)
    table.cell(0, 0).text = "long text " * 40
    page = first_page(deck)
    found = only_table(page)
    last = max(word.box.y1 for word in page.text_layer or ())
    assert found.box is not None
    assert last <= found.box.y1
    assert found.box.height > 3 * 150
