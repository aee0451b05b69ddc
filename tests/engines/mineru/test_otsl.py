from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mineru_vl_utils.post_process.otsl2html import convert_otsl_to_html

from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.engines.mineru.markup import table_from_html
from mineru_core.engines.mineru.otsl import table_from_otsl

TOKENS = ("<fcel>", "<ecel>", "<lcel>", "<ucel>", "<xcel>", "<nl>")
WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="<>&\u2028\u2029"), max_size=6)


def texts(otsl: str) -> list[list[str]]:
    table = table_from_otsl(otsl)
    assert table is not None
    return table.rows()


def spans(otsl: str) -> list[tuple[int, int, int, int, str]]:
    table = table_from_otsl(otsl)
    assert table is not None
    return [(c.row, c.col, c.rowspan, c.colspan, c.text) for c in table.cells]


def otsl_of(table: Table) -> str:
    """The table as a model that makes no mistake writes it."""
    rows = []
    for row, line in enumerate(table.grid()):
        written = ""
        for col, cell in enumerate(line):
            assert cell is not None
            if (cell.row, cell.col) == (row, col):
                written += f"<fcel>{cell.text}" if cell.text else "<ecel>"
            elif cell.row == row:
                written += "<lcel>"
            else:
                written += "<ucel>" if cell.col == col else "<xcel>"
        rows.append(written + "<nl>")
    return "".join(rows)


@st.composite
def full_tables(draw: st.DrawFn) -> Table:
    """Tables in which every place belongs to a cell, with spans."""
    n_rows, n_cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    taken: set[tuple[int, int]] = set()
    cells = []
    for row in range(n_rows):
        for col in range(n_cols):
            if (row, col) in taken:
                continue
            width = draw(st.integers(1, n_cols - col))
            width = next((w for w in range(1, width) if (row, col + w) in taken), width)
            height = draw(st.integers(1, n_rows - row))
            taken |= {(r, c) for r in range(row, row + height) for c in range(col, col + width)}
            text = draw(WORDS).strip()
            cells.append(Cell(row=row, col=col, rowspan=height, colspan=width, text=text))
    return Table(n_rows=n_rows, n_cols=n_cols, cells=tuple(cells))


@given(full_tables())
def test_a_table_written_down_and_read_is_the_table(table: Table) -> None:
    assert table_from_otsl(otsl_of(table)) == table


@given(full_tables())
def test_it_is_read_as_mineru_reads_it(table: Table) -> None:
    written = otsl_of(table)
    theirs = table_from_html(convert_otsl_to_html(written))
    ours = table_from_otsl(written)
    assert ours is not None
    assert theirs is not None
    assert [(c.row, c.col, c.rowspan, c.colspan, " ".join(c.text.split())) for c in ours.cells] == [
        (c.row, c.col, c.rowspan, c.colspan, c.text) for c in theirs.cells
    ]


@given(st.lists(st.sampled_from(TOKENS) | WORDS, max_size=40))
def test_whatever_is_written_gives_a_sound_table_and_loses_no_text(pieces: list[str]) -> None:
    written = "".join(pieces)
    table = table_from_otsl(written)
    if table is None:
        assert not any(token in written for token in TOKENS[:-1])
        return
    found = "\n".join(cell.text for cell in table.cells)
    for piece in pieces:
        if piece not in TOKENS and not (set("<>") & set(piece)):
            assert all(word in found for word in piece.split())
    assert all(place is not None for row in table.grid() for place in row)


def test_spans_in_both_directions() -> None:
    assert spans("<fcel>a<lcel><fcel>b<nl><ucel><xcel><fcel>c<nl><fcel>d<fcel>e<ecel><nl>") == [
        (0, 0, 2, 2, "a"),
        (0, 2, 1, 1, "b"),
        (1, 2, 1, 1, "c"),
        (2, 0, 1, 1, "d"),
        (2, 1, 1, 1, "e"),
        (2, 2, 1, 1, ""),
    ]


def test_the_last_row_needs_no_end_and_short_rows_are_filled() -> None:
    assert texts("<fcel>a<fcel>b<fcel>c<nl><fcel>d<nl><fcel>e<fcel>f") == [
        ["a", "b", "c"],
        ["d", "", ""],
        ["e", "f", ""],
    ]


def test_an_empty_column_stays() -> None:
    assert texts("<fcel>a<ecel><fcel>b<nl><fcel>c<ecel><fcel>d<nl>") == [["a", "", "b"], ["c", "", "d"]]


def test_a_row_whose_end_was_left_out_is_parted_where_the_others_agree() -> None:
    row = "<fcel>{}<fcel>{}<nl>".format
    written = row(1, 2) + row(3, 4) + "<fcel>5<fcel>6" + row(7, 8) + row(9, 10)
    assert texts(written) == [["1", "2"], ["3", "4"], ["5", "6"], ["7", "8"], ["9", "10"]]


@pytest.mark.parametrize("written", ["<lcel>a<nl><ucel>b", "<xcel>a<nl><xcel>b", "<ucel>a<nl><lcel>b"])
def test_a_place_that_belongs_to_no_cell_is_one(written: str) -> None:
    assert texts(written) == [["a"], ["b"]]


def test_a_cell_that_would_reach_over_another_ends_before_it() -> None:
    assert spans("<fcel>a<lcel><nl><ucel><fcel>b<nl>") == [(0, 0, 1, 2, "a"), (1, 0, 1, 1, ""), (1, 1, 1, 1, "b")]


def test_text_beside_cells_is_kept() -> None:
    assert texts("lost<fcel>a<nl>b<fcel>c<nl>") == [["lost", "a"], ["b", "c"]]
    assert texts("<fcel>a<lcel>b<ecel>c<nl>") == [["a\nb", "", "c"]]


def test_line_breaks_within_a_cell_are_kept() -> None:
    assert texts("<fcel>a\nb<fcel>c<br>d<br/>e<nl>") == [["a\nb", "c\nd\ne"]]


@pytest.mark.parametrize("written", ["", "no table", "<nl><nl>"])
def test_without_a_cell_there_is_no_table(written: str) -> None:
    assert table_from_otsl(written) is None


def test_place_and_confidence_are_handed_on() -> None:
    table = table_from_otsl("<fcel>a<nl>", Box(1, 2, 3, 4), 0.5)
    assert table is not None
    assert (table.box, table.confidence, table.cells[0].confidence, table.cells[0].box) == (
        Box(1, 2, 3, 4),
        0.5,
        0.5,
        None,
    )
